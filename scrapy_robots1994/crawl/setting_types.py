"""Types of settings: what each accepts, in words for messages and documentation, and
how a value is read, as code writes it or as text from the command line (`-s`).
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from scrapy_robots1994.errors import SettingsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.url import StoreUrl

T = TypeVar("T")

# The setting, not its value: it is read where the parser is loaded.
PARSER_SETTING = "ROBOTSTXT_PARSER"
"""What `ROBOTS1994_COMPARE = True` means: the parser that the built-in would use."""

SCRAPY_PARSERS = ("ProtegoRobotParser", "PythonRobotParser", "RerpRobotParser")
"""The parsers that Scrapy has adapters for."""

NOINDEX, NOFOLLOW, REL_NOFOLLOW = "noindex", "nofollow", "rel-nofollow"

MAX_COUNT = 1_000_000_000
"""The largest count; past it libraries have limits of their own."""

# Scrapy's `getbool` takes any number, and an unknown word ends in a traceback.
_SWITCHES = {"true": True, "on": True, "false": False, "off": False}
_FLAGS = _SWITCHES | {"1": True, "0": False}


@dataclass(frozen=True, slots=True)
class SettingType(Generic[T]):
    """What a setting accepts.

    *accepts* completes the sentence "… must be"; *parse* raises `ValueError` or
    `TypeError` for anything else. *choices* are the words a misspelling may mean.
    """

    accepts: str
    parse: Callable[[Any], T]
    choices: tuple[str, ...] = ()

    def read(self, name: str, value: Any) -> T:
        """Return what *value* means; raise `SettingsError`, which says what to write."""
        try:
            return self.parse(value)
        except SettingsError:
            # A store URL has parts, and names the one that is wrong.
            raise
        # RecursionError: JSON of 100,000 brackets is a wrong value like any other.
        except (TypeError, ValueError, OverflowError, RecursionError):
            hint = did_you_mean(value, self.choices) or "."
        raise SettingsError(f"{name} must be {self.accepts}, not {_shown(value)}{hint}")


def _shown(value: object) -> str:
    """Return *value* for a message, whatever its `repr` does."""
    try:
        return escape_control_chars(repr(value))
    except Exception:  # noqa: BLE001 - an object of the user's, or 5,000 digits
        return f"this {type(value).__name__}"


def _require(value: T) -> T:
    """Return *value*; raise `ValueError` if it is false."""
    if not value:
        raise ValueError
    return value


def _switch(
    on: Any, off: Any, other: Callable[[Any], T], words: dict[str, bool] = _FLAGS
) -> Callable[[Any], T]:
    """Return what reads a truth value as *on* or *off*, and *other* values by itself."""

    def parse(value: Any) -> T:
        # A float is no truth value, though `True == 1.0`.
        word = str(value).strip().lower() if isinstance(value, (int, str)) else ""
        if word not in words:
            return other(value)
        meant: T = on if words[word] else off
        return meant

    return parse


def _seconds(value: Any) -> float:
    # True is an int in Python, but no number of seconds.
    _require(not isinstance(value, bool) and isinstance(value, (int, float, str)))
    # `float` also takes underscores and digits of other scripts.
    _require("_" not in str(value) and str(value).isascii())
    read = float(value)
    # "nan" and "1e999" are floats, too; no timer and no date copes with them.
    _require(math.isfinite(read) and read >= 0)
    return read


SECONDS = SettingType("a number of seconds, 0 or more, for example 300", _seconds)
POSITIVE_SECONDS = SettingType(
    "a number of seconds, more than 0, for example 30",
    lambda value: _require(_seconds(value)),
)


def count(least: int, example: int) -> SettingType[int]:
    """Return the type of a whole number from *least* to `MAX_COUNT`."""

    def parse(value: Any) -> int:
        if isinstance(value, str):
            # `int` also takes underscores and digits of other scripts.
            _require(re.fullmatch("[0-9]{1,20}", value.strip()))
            value = int(value)
        _require(isinstance(value, int) and not isinstance(value, bool))
        _require(least <= value <= MAX_COUNT)
        return int(value)

    accepts = f"a whole number, {least} to {MAX_COUNT}, for example {example}"
    return SettingType(accepts, parse)


def one_of(*words: str) -> SettingType[str]:
    """Return the type of a setting that accepts exactly *words*."""
    accepts = " or ".join(f'"{word}"' for word in words)
    # `index` also raises ValueError for what is no text.
    return SettingType(accepts, lambda value: words[words.index(value)], words)


MEANING = one_of("disallow", "allow")
"""What an outcome means for all URLs of an origin: see `policy.outcomes`."""


def _refuse(_: Any) -> bool:
    raise ValueError


FLAG = SettingType("True or False", _switch(on=True, off=False, other=_refuse))


# Of any value: what is no text names no store either, and the message says so.
STORE = SettingType(
    'a store URL, for example "memory://"', lambda value: StoreUrl.parse(str(value))
)


def _listed(value: Any) -> tuple[Any, ...]:
    """Return the list that *value* is, or spells by commas or as JSON, with a bracket."""
    if isinstance(value, str):
        # `-s NAME=` on the command line is an empty list of Scrapy's, too.
        if not value.strip():
            return ()
        # Scrapy's `getlist` knows commas alone, `getdict` JSON alone: users write both.
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


# A host, which `Origin.of` then reads, and perhaps a port. It drops a user, a path and a
# query, and takes a pattern for a name.
_AUTHORITY = re.compile(
    r"(?:\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(:[0-9]+)?", re.IGNORECASE
)


def _host_or_origin(entry: str) -> str | Origin:
    """Return the host that *entry* names, or its origin if it has a scheme."""
    scheme, _, authority = entry.rpartition("://")
    named = _AUTHORITY.fullmatch(authority)
    origin = Origin.of(entry if scheme else f"http://{entry}")
    if named is None or origin is None or (named[1] and not scheme):
        raise SettingsError(
            f"ROBOTS1994_EXEMPT: {redact_and_escape(entry)} is neither a host, as "
            "api.example.com, nor an origin, as https://h.example:8443. Name each host, "
            "without a pattern, a path or a user name."
        )
    return origin if scheme else origin.host


EXEMPT: SettingType[frozenset[str | Origin]] = SettingType(
    'a list of hosts or origins, for example ["api.example.com", "https://h.example:8443"]',
    lambda value: frozenset(map(_host_or_origin, _strings(value))),
)


# Scrapy has these two, but does not document them.
def load_object(path: Any) -> Any:
    """Return what *path* names, or *path* itself if it is a class or a function.

    Raise `NameError` for a module without the name, `ValueError` for a text without a
    dot, and `TypeError` for what is neither a text nor callable.
    """
    if callable(path):
        return path
    if not isinstance(path, str):
        raise TypeError(f"expected a class or its path, got {path!r}")
    module, dot, name = path.rpartition(".")
    if not dot:
        raise ValueError(f"Error loading object '{path}': not a full path")
    loaded = import_module(module)
    try:
        return getattr(loaded, name)
    except AttributeError:
        text = f"Module '{module}' doesn't define any object named '{name}'"
        raise NameError(text) from None


def class_path(kind: type) -> str:
    """Return the path by which *kind* is imported."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_parser(kind: object) -> bool:
    """Return whether *kind* is a class with the methods of Scrapy's `RobotParser`."""
    # By its methods, for Scrapy requires no base class either.
    return isinstance(kind, type) and all(
        callable(getattr(kind, name, None)) for name in ("from_crawler", "allowed")
    )


def _parsers(value: Any) -> tuple[str | type, ...]:
    # The command line has no other way to write None.
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


def _path(value: Any) -> str | None:
    # `-s NAME=` on the command line switches it off.
    if value is None or value == "":
        return None
    _require(isinstance(value, (str, Path)))
    return str(value)


FOLDER = SettingType('the path of a folder, for example "evidence/"', _path)


def _report_path(value: Any) -> str | None:
    path = _path(value)
    # The end of the name decides the format, as in FEEDS.
    _require(not path or Path(path).suffix.lower() in {".html", ".json"})
    return path


USAGE_OFF, REPORT, ITEMS, REQUESTS = "off", "report", "items", "requests"


def _usage(value: Any) -> str:
    words = (REPORT, ITEMS, REQUESTS)
    return words[words.index(value)]


USAGE = SettingType(
    f'False, "{REPORT}", "{ITEMS}" (as True) or "{REQUESTS}"',
    _switch(ITEMS, USAGE_OFF, _usage),
    (REPORT, ITEMS, REQUESTS),
)

# The labels of Content Signals.
_OTHER_LABELS = {"ai-train": "train-ai", "ai-input": "ai-use"}


def _purposes(value: Any) -> tuple[str, ...]:
    found = _strings(value)
    if not found:
        return ()
    from scrapy_robots1994.parser import usage  # noqa: PLC0415 - only if wanted

    for purpose in found:
        if purpose not in usage.PURPOSES:
            hint = did_you_mean(purpose, usage.PURPOSES)
            if other := _OTHER_LABELS.get(purpose.lower()):
                hint = f'; did you mean "{other}"?'
            known = ", ".join(f'"{it}"' for it in usage.PURPOSES)
            raise SettingsError(
                f"ROBOTS1994_PURPOSES must name purposes, of {known}, not "
                f"{_shown(purpose)}{hint or '.'}"
            )
    return tuple(dict.fromkeys(found))


PURPOSES = SettingType('a list of purposes, for example ["train-ai"]', _purposes)


REPORT_PATH = SettingType("a path that ends in .html or .json", _report_path)


# Not all words of a flag: "1" is one second. Infinity is no maximum, and a maximum of 0
# leaves no delay to apply.
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
