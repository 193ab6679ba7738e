"""Dialects and readings: which fields a file may use, how their values fall apart, and
how a blank line counts.

The text of 1994 is the ground of all: another dialect says what differs from it.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

LITERAL = "literal"
CAUTIOUS = "cautious"
READINGS = (LITERAL, CAUTIOUS)

# Ours X1, X4, X7: the fields of the extended dialect, as they compare.
ALLOW = "allow"
CRAWL_DELAY = "crawl-delay"
SITEMAP = "sitemap"

_SECONDS = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What sets one dialect of robots.txt apart from the others.

    *names* turns the value of a User-agent line into the names it holds, *paths* the
    value of a Disallow line into the paths it holds; a path may be empty. With
    *has_lists* a line may say several names or paths.
    """

    name: str
    names: Callable[[str], tuple[str, ...]]
    paths: Callable[[str], tuple[str, ...]]
    has_allow: bool = False
    has_crawl_delay: bool = False
    has_sitemap: bool = False
    has_lists: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """The fields it knows besides User-agent and Disallow, in lower case."""
        has = {
            ALLOW: self.has_allow,
            CRAWL_DELAY: self.has_crawl_delay,
            SITEMAP: self.has_sitemap,
        }
        return frozenset(field for field in has if has[field])


def _whole_name(value: str) -> tuple[str, ...]:
    """Return the one name of a User-agent value; nothing when it names nobody."""
    # Ours O10: a version in the value is stripped, as 1994 A2 compares without.
    # Ours O11: spaces and commas belong to the name: one line, one name.
    name = value.partition("/")[0].strip(" \t")
    # Ours O12: an empty value names nobody.
    return (name,) if name else ()


def _whole_path(value: str) -> tuple[str, ...]:
    """Return the one path of a Disallow value."""
    # 1994 D1: the value is one path, whole or partial.
    return (value,)


def _each_name(value: str) -> tuple[str, ...]:
    """Return the names of a User-agent value, in order."""
    # Revisited K1: one or more names, separated by spaces or tabs; `*` may be of them.
    # Ours O10: the version of each is stripped.
    names = (word.partition("/")[0] for word in _words(value))
    return tuple(name for name in names if name)


def _each_path(value: str) -> tuple[str, ...]:
    """Return the paths of a Disallow value, in order."""
    # Revisited K2: zero or more paths, separated by spaces or tabs; of none, the line
    # says what an empty value says (1994 D2).
    return _words(value) or ("",)


def _words(value: str) -> tuple[str, ...]:
    """Return the parts of *value* between spaces and tabs."""
    return tuple(word for word in re.split("[ \t]+", value) if word)


def seconds_of(value: str) -> float | None:
    """Return the seconds that a Crawl-delay value says; None when it says none."""
    # Ours X4: a decimal number and nothing else.
    seconds = float(value) if _SECONDS.fullmatch(value) else math.inf
    return seconds if math.isfinite(seconds) else None


_1994 = Dialect("1994", names=_whole_name, paths=_whole_path)
_REVISITED = Dialect("revisited", names=_each_name, paths=_each_path, has_lists=True)
_EXTENDED = Dialect(
    "extended",
    names=_whole_name,
    paths=_whole_path,
    has_allow=True,
    has_crawl_delay=True,
    has_sitemap=True,
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (_1994, _REVISITED, _EXTENDED)}
)


def dialect_named(name: str) -> Dialect:
    """Return the dialect called *name*; ValueError says which there are."""
    try:
        return DIALECTS[name]
    except KeyError:
        known = ", ".join(map(repr, DIALECTS))
        message = f"There is no dialect {name!r} of robots.txt; it may be {known}."
        raise ValueError(message) from None


def check_reading(name: str) -> None:
    """Raise ValueError, with a sentence, when there is no reading called *name*."""
    if name not in READINGS:
        known = ", ".join(map(repr, READINGS))
        message = f"There is no reading {name!r} of robots.txt; it may be {known}."
        raise ValueError(message)
