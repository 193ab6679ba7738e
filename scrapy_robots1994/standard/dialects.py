"""Dialects and readings: which fields a file may use, how their values fall apart, and
how a blank line counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

LITERAL = "literal"
CAUTIOUS = "cautious"
READINGS = (LITERAL, CAUTIOUS)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What sets one dialect of robots.txt apart from the others.

    *names* turns the value of a User-agent line into the names it holds, *paths* the
    value of a Disallow line into the paths it holds; a path may be empty.
    """

    name: str
    names: Callable[[str], tuple[str, ...]]
    paths: Callable[[str], tuple[str, ...]]


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


_1994 = Dialect("1994", names=_whole_name, paths=_whole_path)

DIALECTS: Mapping[str, Dialect] = MappingProxyType({_1994.name: _1994})


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
