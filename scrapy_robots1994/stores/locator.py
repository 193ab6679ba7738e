"""`ROBOTS1994_STORE` read: which store, and how large."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.printable import printable
from scrapy_robots1994.stores.memory import MAX_ORIGINS

EXAMPLE = 'write for example "memory://?max_origins=100000"'

# More digits than any memory has origins, and few enough for `int`.
MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Locator:
    """Where policies rest: in memory, at most *max_origins* of them."""

    max_origins: int = MAX_ORIGINS


def locate(url: str) -> Locator:
    """Read a store URL.

    Raises `SettingsError`, with a sentence that says what to write, for anything else.
    """
    address, _, query = url.partition("?")
    if address.rstrip("/").lower() != "memory:":
        # A password in the URL is nobody's business in a log.
        shown = printable(re.sub("//.*@", "//", address))
        msg = f'ROBOTS1994_STORE: no store is at "{shown}"; {EXAMPLE}.'
        raise SettingsError(msg)
    locator = Locator()
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name != "max_origins":
            msg = (
                "ROBOTS1994_STORE: memory:// has no option "
                f'"{printable(name)}"; {EXAMPLE}.'
            )
            raise SettingsError(msg)
        locator = Locator(max_origins=_origins(value))
    return locator


def _origins(value: str) -> int:
    """A number of origins, 1 or more, as the option writes it."""
    is_number = value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS
    if not is_number or int(value) < 1:
        msg = (
            "ROBOTS1994_STORE: max_origins must be a whole number of at least 1, not "
            f'"{printable(value)}"; {EXAMPLE}.'
        )
        raise SettingsError(msg)
    return int(value)
