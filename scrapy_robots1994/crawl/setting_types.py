"""Types of settings.

Each type describes the values that it accepts. Messages and the documentation show the
description. Each type also has a function that reads a value from Python code or from the
command line (`-s`).
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import scrapy.robotstxt
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from scrapy_robots1994.errors import SettingsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.url import StoreUrl

T = TypeVar("T")

PARSER_SETTING = "ROBOTSTXT_PARSER"
"""The name of Scrapy's setting for the parser of the built-in middleware.

`ROBOTS1994_COMPARE = True` is read as a list that contains only this name. `load_parser`
replaces the name with the value of ROBOTSTXT_PARSER.
"""

SCRAPY_PARSERS = ("ProtegoRobotParser", "PythonRobotParser", "RerpRobotParser")
"""The names of Scrapy's parser classes."""

NOINDEX, NOFOLLOW, REL_NOFOLLOW = "noindex", "nofollow", "rel-nofollow"

MAX_COUNT = 1_000_000_000
"""The largest accepted count. Larger numbers exceed the limits of some libraries."""

# Do not use Scrapy's `getbool`. The method `getbool` accepts any number, and its error for
# an unknown word does not name the setting.
_SWITCHES = {"true": True, "on": True, "false": False, "off": False}
_FLAGS = _SWITCHES | {"1": True, "0": False}


@dataclass(frozen=True, slots=True)
class SettingType(Generic[T]):
    """The values that a setting accepts, and the function that reads a value.

    *accepts* completes the sentence "NAME must be …". *parse* reads a value, and raises
    `ValueError` or `TypeError` for a wrong value. *choices* are the words that may be
    suggested in place of a misspelt value.
    """

    accepts: str
    parse: Callable[[Any], T]
    choices: tuple[str, ...] = ()

    def read(self, name: str, value: Any) -> T:
        """Parse *value*, the value of the setting *name*, and return the result.

        Raise `SettingsError` for a wrong value. The message says which values are accepted.
        """
        try:
            return self.parse(value)
        except SettingsError:
            # Some parsing functions, such as `StoreUrl.parse`, raise an error that is more
            # precise than the error below.
            raise
        # `json.loads` raises RecursionError for 100,000 nested brackets.
        except (TypeError, ValueError, OverflowError, RecursionError):
            # A user may write a number, such as 1994, instead of a word.
            word = _shown(value) if isinstance(value, int) else value
            hint = did_you_mean(word, self.choices) or "."
        raise SettingsError(f"{name} must be {self.accepts}, not {_shown(value)}{hint}")


def _shown(value: object) -> str:
    """Return *value* as text for a message, even if its `repr` raises an exception."""
    try:
        return escape_control_chars(repr(value))
    except Exception:  # noqa: BLE001 - the `repr` of a user's object may raise any error
        return f"this {type(value).__name__}"


def _require(value: T) -> T:
    """Return *value*, or raise `ValueError` if *value* is false."""
    if not value:
        raise ValueError
    return value


def _switch(
    on: Any, off: Any, other: Callable[[Any], T], words: dict[str, bool] = _FLAGS
) -> Callable[[Any], T]:
    """Return a function that reads a truth value. *words* maps each accepted word to its
    truth value. The function returns *on* for a word that means `True`, and *off* for a
    word that means `False`. For any other value, the function returns the result of
    *other*.
    """

    def parse(value: Any) -> T:
        # Do not read a float, such as 1.0, as a truth value, because a float may be a
        # number of seconds.
        word = str(value).strip().lower() if isinstance(value, (int, str)) else ""
        if word not in words:
            return other(value)
        meant: T = on if words[word] else off
        return meant

    return parse


def _seconds(value: Any) -> float:
    # Do not accept True, which is an int in Python.
    _require(not isinstance(value, bool) and isinstance(value, (int, float, str)))
    # Refuse underscores and digits that are not ASCII, which `float` would accept.
    _require("_" not in str(value) and str(value).isascii())
    read = float(value)
    # Do not accept "nan" or "1e999", because timers and dates need a finite number.
    _require(math.isfinite(read) and read >= 0)
    return read


SECONDS = SettingType("a number of seconds, 0 or more, for example 300", _seconds)
POSITIVE_SECONDS = SettingType(
    "a number of seconds, more than 0, for example 30",
    lambda value: _require(_seconds(value)),
)


def count(least: int, example: int) -> SettingType[int]:
    """Return the setting type for a whole number from *least* to `MAX_COUNT`. Messages
    contain *example* as an example of a correct value.
    """

    def parse(value: Any) -> int:
        if isinstance(value, str):
            # Refuse underscores and digits that are not ASCII, which `int` would accept.
            _require(re.fullmatch("[0-9]{1,20}", value.strip()))
            value = int(value)
        _require(isinstance(value, int) and not isinstance(value, bool))
        _require(least <= value <= MAX_COUNT)
        return int(value)

    accepts = f"a whole number, {least} to {MAX_COUNT}, for example {example}"
    return SettingType(accepts, parse)


def one_of(*words: str) -> SettingType[str]:
    """Return the setting type that accepts only *words*."""
    accepts = " or ".join(f'"{word}"' for word in words)
    # `index` also raises ValueError for a value that is not a string.
    return SettingType(accepts, lambda value: words[words.index(value)], words)


MEANING = one_of("disallow", "allow")
"""The type of a setting that says what an outcome means for all URLs of an origin; see
`policy.outcomes`.
"""


def _refuse(_: Any) -> bool:
    raise ValueError


FLAG = SettingType("True or False", _switch(on=True, off=False, other=_refuse))


# Convert any value to text. `StoreUrl.parse` raises an error if the text is not a store
# URL.
STORE = SettingType(
    'a store URL, for example "memory://"', lambda value: StoreUrl.parse(str(value))
)


def _listed(value: Any) -> tuple[Any, ...]:
    """Return *value*, which is a list or a string, as a tuple. A string is read as a JSON
    list or as values that are separated by commas.
    """
    if isinstance(value, str):
        # Read `-s NAME=` on the command line as an empty list, as Scrapy does.
        if not value.strip():
            return ()
        # Accept commas and JSON, because users know both forms from Scrapy. Scrapy's
        # `getlist` reads only commas, and `getdict` reads only JSON.
        is_json = value.lstrip().startswith("[")
        parts = (part.strip() for part in value.split(","))
        value = json.loads(value) if is_json else _require(list(filter(None, parts)))
    _require(isinstance(value, (list, tuple, set, frozenset)))
    return tuple(value)


def _strings(value: Any) -> tuple[str, ...]:
    found = _listed(value)
    _require(all(isinstance(each, str) and each for each in found))
    return found


META_KEYS = SettingType('a list of meta keys, for example ["impersonate"]', _strings)


# `_AUTHORITY` matches a host, which may be followed by a port. `Origin.of` cannot check
# whether a user wrote only a host and a port. `Origin.of` drops a user name, a path and a
# query, and accepts a wildcard in a host name.
_AUTHORITY = re.compile(
    r"(?:\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(:[0-9]+)?", re.IGNORECASE
)


def _host_or_origin(entry: str) -> str | Origin:
    """Return *entry* as an `Origin` if *entry* has a scheme, and otherwise as a host
    name.

    Raise `SettingsError` if *entry* is neither an origin nor a host name.
    """
    scheme, _, authority = entry.rpartition("://")
    named = _AUTHORITY.fullmatch(authority)
    origin = Origin.of(entry if scheme else f"http://{entry}")
    if named is None or origin is None or (named[1] and not scheme):
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


def is_parser(kind: object) -> bool:
    """Return whether *kind* is a class with the methods of Scrapy's `RobotParser`."""
    # Check the methods and not the base class, because Scrapy does not require a base
    # class.
    return isinstance(kind, type) and all(
        callable(getattr(kind, name, None)) for name in ("from_crawler", "allowed")
    )


def _parsers(value: Any) -> tuple[str | type, ...]:
    # Read the string "None" as `None`, because the command line has no other way to write
    # `None`.
    if str(value).strip().lower() == "none":
        return ()
    found = _listed(value)
    _require(all(each if isinstance(each, str) else is_parser(each) for each in found))
    return found


PARSERS = SettingType(
    "True, False or a list of parsers, for example "
    '["ProtegoRobotParser", "my.module.MyRobotParser"]',
    _switch((PARSER_SETTING,), (), _parsers),
)


def load_parser(
    path: str | type, settings: BaseSettings, setting: str = PARSER_SETTING
) -> type[RobotParser]:
    """Return a parser class. *path* is the class, its class path, or its name in
    `scrapy.robotstxt`.

    Raise `SettingsError` for any other value of *path*. The message names *setting*.
    """
    if path == PARSER_SETTING:
        # Read ROBOTSTXT_PARSER, and name that setting in the error message.
        setting, path = PARSER_SETTING, settings[PARSER_SETTING]
    # Accept the short names of Scrapy's own parsers, such as "Protego".
    known, name = vars(scrapy.robotstxt), str(path)
    try:
        kind = known.get(f"{name}RobotParser") or known.get(name) or load_object(path)
    except (ImportError, NameError, AttributeError, TypeError, ValueError) as error:
        kind, why = None, escape_control_chars(str(error))
    else:
        why = "it needs the methods from_crawler() and allowed()"
    if is_parser(kind):
        return cast("type[RobotParser]", kind)
    # Also suggest the short names of Scrapy's parsers. A misspelt "Protego" is more similar
    # to the short name than to the name of the class.
    short = [it.removesuffix("RobotParser") for it in SCRAPY_PARSERS]
    hint = did_you_mean(path, [*SCRAPY_PARSERS, *short]) or (
        "; write the path of a class, for example scrapy.robotstxt.ProtegoRobotParser."
    )
    shown = escape_control_chars(name)
    raise SettingsError(f"{setting}: {shown} is not a parser: {why}{hint}")


def _path(value: Any) -> str | None:
    # Let `-s NAME=` on the command line switch the setting off.
    if value is None or value == "":
        return None
    _require(isinstance(value, (str, Path)))
    # Refuse a flag. On the command line, True and False are strings.
    _require(str(value).lower() not in {"true", "false"})
    return str(value)


FOLDER = SettingType('the path of a folder, for example "evidence/"', _path)


def _report_path(value: Any) -> str | None:
    path = _path(value)
    # The suffix of the path decides the format, as in `scrapy crawl -o`.
    _require(not path or Path(path).suffix.lower() in {".html", ".json"})
    return path


USAGE_OFF, REPORT, ITEMS, REQUESTS = "off", "report", "items", "requests"


USAGE = SettingType(
    f'False, "{REPORT}", "{ITEMS}" (the same as True) or "{REQUESTS}"',
    _switch(ITEMS, USAGE_OFF, one_of(REPORT, ITEMS, REQUESTS).parse),
    (REPORT, ITEMS, REQUESTS),
)


def _purposes(value: Any) -> tuple[str, ...]:
    found = _strings(value)
    if not found:
        return ()
    from scrapy_robots1994.parser import usage  # noqa: PLC0415 - imported only if a setting needs it

    labels = {it.label: it.purpose for it in usage.LABELS}
    for purpose in found:
        if purpose not in usage.PURPOSES:
            hint = did_you_mean(purpose, usage.PURPOSES)
            if other := labels.get(purpose.lower()):
                hint = f'; did you mean "{other}"?'
            known = ", ".join(f'"{it}"' for it in usage.PURPOSES)
            raise SettingsError(
                f"ROBOTS1994_PURPOSES must be one or more of {known}, not "
                f"{_shown(purpose)}{hint or '.'}"
            )
    return tuple(dict.fromkeys(found))


PURPOSES = SettingType('a list of purposes, for example ["train-ai"]', _purposes)


REPORT_PATH = SettingType("a path that ends in .html or .json", _report_path)


# `True` means that there is no maximum, so `True` is read as infinity. A maximum of 0
# would remove every delay, so 0 is read as off. Do not use `_FLAGS`, because "1" means
# one second here.
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
