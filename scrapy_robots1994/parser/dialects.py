"""Dialects and readings of robots.txt. A dialect is one row: all that sets it apart.

To add a dialect, add a row to `_ROWS`; settings, commands, reports and tests take it
from there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from scrapy_robots1994.parser.fields import FIELDS, Field
from scrapy_robots1994.parser.user_agent import (
    NameChoice,
    NameRank,
    contained,
    contained_longest,
    equal_first,
    equally_named,
    first_named,
    listed_names,
    longest_named,
    whole_name,
)

LITERAL = "literal"
CAUTIOUS = "cautious"
READINGS = (LITERAL, CAUTIOUS)


def _whole_path(value: str) -> tuple[str, ...]:
    """Return the one path of a rule."""
    # 1994 D1: the value is one path, whole or partial.
    return (value,)


def _listed_paths(value: str) -> tuple[str, ...]:
    """Return the paths of a rule that may list several."""
    # Revisited K2: zero or more paths, separated by spaces or tabs; a line without a
    # path says what an empty value says (1994 D2).
    words = value.replace("\t", " ").split(" ")
    return tuple(word for word in words if word) or ("",)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What sets one dialect of robots.txt apart from the others.

    *names* returns the names in the value of a User-agent line, *paths* the paths in
    the value of a rule (a path may be empty), *choose* the records that speak to a
    robot. *has_lists* says that a line may hold several names or paths.

    *has_blank_lines* says that a blank line ends a record. *has_wildcards* says that
    `*` and a final `$` in a path are special, that the longest rule decides, and that
    percent-encodings compare as in RFC 9309; else a rule is a prefix, and the first rule
    that covers a URL decides.
    """

    name: str
    names: Callable[[str], tuple[str, ...]] = whole_name
    paths: Callable[[str], tuple[str, ...]] = _whole_path
    choose: NameChoice = first_named
    rank: NameRank = contained
    merges_named: bool = False
    fields: Mapping[str, Field] = field(init=False, repr=False, compare=False)
    # Follows from *names* and *paths*, but a flag is cheaper than a call for each rule.
    has_lists: bool = False
    has_allow: bool = False
    has_crawl_delay: bool = False
    has_sitemap: bool = False
    has_blank_lines: bool = True
    # One flag for three differences: RFC 9309 has all of them, no other dialect has any.
    has_wildcards: bool = False

    def __post_init__(self) -> None:
        """Take the fields of this dialect from their rows."""
        fields = {it.key: it for it in FIELDS if it.is_in(self.name)}
        object.__setattr__(self, "fields", fields)


# In the order in which messages, reports and the documentation list them.
_ROWS = (
    Dialect("1994"),
    # Revisited K1, K2: a line may carry several names or paths.
    Dialect("revisited", names=listed_names, paths=_listed_paths, has_lists=True),
    # Seed 002, Ours X1 to X8; of several records the longest name decides (X3).
    Dialect(
        "extended",
        choose=longest_named,
        rank=contained_longest,
        has_allow=True,
        has_crawl_delay=True,
        has_sitemap=True,
    ),
    # RFC 9309 2.2: groups of whole tokens, merged; blank lines mean nothing.
    Dialect(
        "rfc9309",
        choose=equally_named,
        rank=equal_first,
        merges_named=True,
        has_allow=True,
        has_crawl_delay=True,
        has_sitemap=True,
        has_blank_lines=False,
        has_wildcards=True,
    ),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType({row.name: row for row in _ROWS})


def dialect_named(name: str) -> Dialect:
    """Return the dialect called *name*; ValueError says which dialects exist."""
    try:
        return DIALECTS[name]
    except KeyError:
        known = ", ".join(map(repr, DIALECTS))
        message = f"There is no dialect {name!r} of robots.txt; it may be {known}."
        raise ValueError(message) from None


def check_reading(name: str) -> None:
    """Raise ValueError if there is no reading called *name*."""
    if name not in READINGS:
        known = ", ".join(map(repr, READINGS))
        message = f"There is no reading {name!r} of robots.txt; it may be {known}."
        raise ValueError(message)
