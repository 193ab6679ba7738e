"""Types of settings. Each parses a value and says which values it accepts."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from scrapy_robots1994.crawl.requests import is_requestable
from scrapy_robots1994.errors import SettingsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.url import StoreUrl

T = TypeVar("T")

PARSER_SETTING = "ROBOTSTXT_PARSER"
"""A Scrapy setting. In `ROBOTS1994_COMPARE`, its name stands for the parser that it sets."""

NOINDEX, NOFOLLOW, REL_NOFOLLOW = "noindex", "nofollow", "rel-nofollow"
REPORT, ITEMS, REQUESTS = "report", "items", "requests"

MAX_COUNT = 1_000_000_000
"""A limit that no sensible setting reaches."""


class SettingType(Generic[T]):
    def __init__(
        self, accepts: str, parse: Callable[[Any], T], choices: tuple[str, ...] = ()
    ) -> None:
        self.accepts = accepts
        """The end of "NAME must be …"."""
        self.parse = parse
        """Parse a value. Raise `ValueError`, `TypeError` or `LookupError` if it is wrong."""
        self.choices = choices
        """Suggested for misspelt words."""

    def read(self, name: str, value: Any) -> T:
        """Parse *value*, or raise `SettingsError` with the values that *name* accepts."""
        try:
            return self.parse(value)
        except SettingsError:
            # This error from `parse` has a more precise message.
            raise
        # `json.loads` raises `RecursionError` for deeply nested brackets.
        except (TypeError, ValueError, LookupError, OverflowError, RecursionError):
            # Suggest "1994" for the number 1994.
            word = str(value) if isinstance(value, int) else value
            hint = did_you_mean(word, self.choices) or "."
            shown = escape_control_chars(repr(value))
        raise SettingsError(f"{name} must be {self.accepts}, not {shown}{hint}")


def _require(value: T) -> T:
    if not value:
        raise ValueError
    return value


_SWITCHES = {"true": True, "false": False}
_FLAGS = _SWITCHES | {"1": True, "0": False}


def _flag(value: Any) -> bool:
    # Not Scrapy's `getbool`, which accepts any number, such as one that was meant as seconds
    return _FLAGS[str(value).lower()]


FLAG = SettingType("True or False", _flag)


def _switch(
    on: Any, off: Any, other: Callable[[Any], T], words: dict[str, bool] = _FLAGS
) -> Callable[[Any], T]:
    """Return a parser that maps the keys of *words* to *on* or *off*. *other* parses all other
    values.
    """
    return lambda value: (
        cast("T", on if words[word] else off)
        if (word := str(value).lower()) in words
        else other(value)
    )


def _seconds(value: Any) -> float:
    # `float` would accept True.
    seconds = float("nan" if isinstance(value, bool) else value)
    _require(math.isfinite(seconds) and seconds >= 0)
    return seconds


SECONDS = SettingType("a number of seconds, 0 or more, for example 300", _seconds)
POSITIVE_SECONDS = SettingType(
    "a number of seconds, more than 0, for example 30",
    lambda value: _require(_seconds(value)),
)


def count(least: int, example: int) -> SettingType[int]:
    """Return the type of whole numbers from *least* to `MAX_COUNT`."""

    def parse(value: Any) -> int:
        _require(not isinstance(value, (bool, float)))
        _require(least <= int(value) <= MAX_COUNT)
        return int(value)

    accepts = f"a whole number, {least} to {MAX_COUNT}, for example {example}"
    return SettingType(accepts, parse)


def one_of(*words: str) -> SettingType[str]:
    *others, last = (f'"{word}"' for word in words)
    accepts = f"{', '.join(others)} or {last}"
    return SettingType(accepts, lambda value: words[words.index(value)], words)


MEANING = one_of("disallow", "allow")
"""Whether an outcome disallows or allows all URLs of an origin; see `policy.outcomes`."""

STORE = SettingType(
    'a store URL, for example "memory://"', lambda value: StoreUrl.parse(str(value))
)


def _listed(value: Any) -> tuple[Any, ...]:
    # On the command line, a list is JSON or, as for Scrapy's `getlist`, separated by commas.
    if isinstance(value, str):
        is_json = value.lstrip().startswith("[")
        parts = map(str.strip, value.split(","))
        value = json.loads(value) if is_json else list(filter(None, parts))
    _require(isinstance(value, (list, tuple, set, frozenset)))
    return tuple(value)


def _strings(value: Any) -> tuple[str, ...]:
    strings = _listed(value)
    _require(all(isinstance(each, str) and each for each in strings))
    return strings


META_KEYS = SettingType('a list of meta keys, for example ["impersonate"]', _strings)


def _host_or_origin(entry: str) -> str | Origin:
    scheme, _, authority = entry.rpartition("://")
    origin = Origin.of(entry if scheme else f"http://{entry}")
    has_port = authority.rpartition("]")[2].count(":")
    if (
        origin is None
        # `Origin.of` would drop a user name, a path and a query.
        or not set(authority).isdisjoint("@/?#")
        or not is_requestable(origin.robots_url)
        or (has_port and not scheme)
    ):
        raise SettingsError(
            f"ROBOTS1994_EXEMPT: {redact_and_escape(entry)} is neither a host such as "
            "api.example.com nor an origin such as https://h.example:8443. Name each host "
            "without a pattern, a path or a user name. If you name a port, also write the "
            "scheme."
        )
    return origin if scheme else origin.host


EXEMPT: SettingType[frozenset[str | Origin]] = SettingType(
    'a list of hosts or origins, for example ["api.example.com", "https://h.example:8443"]',
    lambda value: frozenset(map(_host_or_origin, _strings(value))),
)


def _parsers(value: Any) -> tuple[str | type, ...]:
    parsers = _listed(value)
    _require(all(isinstance(each, (str, type)) and each for each in parsers))
    return parsers


PARSERS = SettingType(
    "True, False or a list of parsers, for example "
    '["ProtegoRobotParser", "my.module.MyRobotParser"]',
    _switch((PARSER_SETTING,), (), _parsers),
)


def _path(value: Any) -> str | None:
    # `-s NAME=` on the command line disables the setting.
    if value is None or value == "":
        return None
    _require(isinstance(value, (str, Path)) and str(value).lower() not in _SWITCHES)
    return str(value)


def _report_path(value: Any) -> str | None:
    path = _path(value)
    # The suffix decides the format, as in `scrapy crawl -o`.
    _require(path is None or Path(path).suffix.lower() in {".html", ".json"})
    return path


FOLDER = SettingType('the path of a folder, for example "evidence/"', _path)
REPORT_PATH = SettingType("a path that ends in .html or .json", _report_path)

USAGE = SettingType(
    f'False, "{REPORT}", "{ITEMS}" (the same as True) or "{REQUESTS}"',
    _switch(ITEMS, "", one_of("", REPORT, ITEMS, REQUESTS).parse),
    (REPORT, ITEMS, REQUESTS),
)


def _purposes(value: Any) -> tuple[str, ...]:
    purposes = tuple(dict.fromkeys(_strings(value)))
    if purposes:
        from scrapy_robots1994.parser import usage  # noqa: PLC0415 - imported only if a setting needs it

        for purpose in purposes:
            one_of(*usage.PURPOSES).read("ROBOTS1994_PURPOSES", purpose)
    return purposes


PURPOSES = SettingType('a list of purposes, for example ["train-ai"]', _purposes)

# True means no maximum. 0 means False, but 1 means a maximum of one second.
CRAWL_DELAY = SettingType(
    "True, False, or a maximum in seconds, for example 30",
    _switch(math.inf, None, lambda value: _seconds(value) or None, _SWITCHES),
)


def _pages(value: Any) -> frozenset[str]:
    chosen = frozenset(_listed(value))
    _require(chosen <= {NOINDEX, NOFOLLOW, REL_NOFOLLOW})
    return chosen


PAGES = SettingType(
    f'True, False, or a list of "{NOINDEX}", "{NOFOLLOW}", "{REL_NOFOLLOW}"',
    _switch(frozenset({NOINDEX, NOFOLLOW}), frozenset(), _pages),
    (NOINDEX, NOFOLLOW, REL_NOFOLLOW),
)
