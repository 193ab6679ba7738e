"""Readers of settings: each takes a name and a value as it was set, and returns what it
means or raises the sentence that says what to write.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.stores import StoreUrl, locate

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 1_000_000_000
"""No count is larger, for past it libraries have limits of their own."""

_DIGITS = re.compile(r"[0-9]{1,20}")


def refuse(name: str, value: object, wanted: str) -> NoReturn:
    """Raise the sentence for a wrong value."""
    try:
        shown = escape_control_chars(repr(value))
    except Exception:  # noqa: BLE001 - anybody's object, or a number of 5,000 digits
        shown = f"this {type(value).__name__}"
    msg = f"{name} must be {wanted}, not {shown}."
    raise SettingsError(msg)


def seconds(name: str, value: Any) -> float:
    """A finite number of seconds, 0 or more; text, as from `-s`, is read."""
    wanted = "a number of seconds, 0 or more, for example 300"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        refuse(name, value, wanted)
    try:
        read = float(value)
    except (ValueError, OverflowError):
        refuse(name, value, wanted)
    if not math.isfinite(read) or read < 0:
        refuse(name, value, wanted)
    return read


def timeout(name: str, value: Any) -> float:
    """Seconds, more than 0: without a timeout a silent server would hold its pages."""
    limit = seconds(name, value)
    if limit == 0:
        refuse(name, value, "a number of seconds, more than 0, for example 30")
    return limit


def count(name: str, value: Any, *, least: int, example: int) -> int:
    """A whole number from *least* to `MOST`; text, as from `-s`, is read."""
    wanted = f"a whole number, {least} to {MOST}, for example {example}"
    read = value
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        read = int(value)
    if isinstance(read, bool) or not isinstance(read, int) or not least <= read <= MOST:
        refuse(name, value, wanted)
    return read


def size(name: str, value: Any) -> int:
    """A number of bytes, 1 or more."""
    return count(name, value, least=1, example=512_000)


def seats(name: str, value: Any) -> int:
    """A number of requests, 0 or more."""
    return count(name, value, least=0, example=10_000)


def places(name: str, value: Any) -> int:
    """A number of fetches, 1 or more."""
    return count(name, value, least=1, example=800)


def redirects(name: str, value: Any) -> int:
    """A number of redirects, 0 or more."""
    return count(name, value, least=0, example=5)


def one_of(*words: str) -> Callable[[str, Any], str]:
    """A reader that accepts exactly *words*."""
    wanted = " or ".join(f'"{word}"' for word in words)

    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            refuse(name, value, wanted)
        return value

    return read


def store(name: str, value: Any) -> StoreUrl:
    """A store URL."""
    if not isinstance(value, str):
        refuse(name, value, 'a store URL, for example "memory://"')
    return locate(value)


def listed(name: str, text: str, wanted: str) -> object:
    """What *text*, as from `-s`, lists: by commas, or as JSON where it begins so."""
    if not text.lstrip().startswith("["):
        each = [part.strip() for part in text.split(",") if part.strip()]
        return each or refuse(name, text, wanted)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        refuse(name, text, wanted)


def meta_keys(name: str, value: Any) -> tuple[str, ...]:
    """Names of request meta keys; a text, as from `-s`, is read."""
    wanted = 'a list of meta keys, for example ["proxy"]'
    if isinstance(value, str):
        value = listed(name, value, wanted) if value.strip() else ()
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(key, str) and key for key in value
    ):
        refuse(name, value, wanted)
    return tuple(value)


def flag(name: str, value: Any) -> bool:
    """True or False; text and numbers as Scrapy reads them from `-s`."""
    words = {"true": True, "1": True, "false": False, "0": False}
    read = (
        words.get(str(value).lower()) if isinstance(value, (bool, int, str)) else None
    )
    if read is None:
        refuse(name, value, "True or False")
    return read
