"""Dialects and readings of robots.txt. A dialect is one row: all that sets it apart.

To add a dialect, add a row to `_ROWS`, and its name to the rows of the fields that it has
(`parser/fields.py`); settings, commands, reports and tests take it from there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from scrapy_robots1994.parser.fields import FIELDS, Field, LineKind, Role
from scrapy_robots1994.parser.user_agent import (
    Choice,
    NameRank,
    equally_named,
    first_named,
    listed_names,
    longest_named,
    whole_name,
)

LITERAL = "literal"
CAUTIOUS = "cautious"
READINGS = (LITERAL, CAUTIOUS)


FieldReader: TypeAlias = tuple[
    Field | None, LineKind, Callable[[str], object] | None, LineKind
]
"""How a line of a field is read: the field, the kind of the line, what turns its value into what
it says, if anything does, and the kind of a line with a bad value, for which that returns None.
"""


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

    *meaning* is its line in the reference. Which fields it has is in their rows
    (`Field.dialects`); *fields* has them by their names in lower case and as usually written,
    *reads* has for each of these how its lines are read, and *has_allow* says whether one of
    them opens paths.

    *names* returns the names in the value of a User-agent line, *paths* the paths in
    the value of a rule (a path may be empty). *has_lists* says that a line may have several.
    *rank* says how plainly a name speaks to a robot; of several records the first of the
    highest rank counts, with *merges_named* all of that rank together.

    *has_blank_lines* says that a blank line ends a record. *pauses_by_run* says that a pause is
    for the names of the last run of User-agent lines above it, else for all of its record.
    *has_wildcards* says that
    `*` and a final `$` in a path are special, that the longest rule decides, and that
    percent-encodings compare as in RFC 9309; else a rule is a prefix, and the first rule
    that covers a URL decides.

    *has_preferences* adds the fields that state usage preferences, which no dialect of a crawl
    has: `parser/usage.py` reads them.
    """

    name: str
    meaning: str
    names: Callable[[str], tuple[str, ...]] = whole_name
    paths: Callable[[str], tuple[str, ...]] = _whole_path
    # Follows from *names* and *paths*.
    has_lists: bool = False
    rank: NameRank = first_named
    merges_named: bool = False
    has_blank_lines: bool = True
    pauses_by_run: bool = False
    # One flag for three differences: RFC 9309 has all of them, no other dialect has any.
    has_wildcards: bool = False
    has_preferences: bool = False
    fields: Mapping[str, Field] = field(init=False, repr=False, compare=False)
    reads: Mapping[str, FieldReader] = field(init=False, repr=False, compare=False)
    has_allow: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Take the fields of this dialect from their rows."""
        own = [
            it
            for it in FIELDS
            if it.is_in(self.name) or (it.is_preference and self.has_preferences)
        ]
        # Also as usually written: most lines are found so, without a copy in lower case.
        fields = {name: it for it in own for name in (it.key, it.name)}
        reads = {name: self._field_reader(it) for name, it in fields.items()}
        has_allow = any(it.allows for it in own)
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "reads", reads)
        object.__setattr__(self, "has_allow", has_allow)

    def _field_reader(self, row: Field) -> FieldReader:
        """Return how a line of this field is read."""
        read = self._names_or_none if row.role is Role.NAMES else row.read
        bad_kind = row.bad_value.kind if row.bad_value else row.kind
        return row, row.kind, read, bad_kind

    def _names_or_none(self, value: str) -> tuple[str, ...] | None:
        """Return the names in the value of a User-agent line; None if it has none."""
        return self.names(value) or None

    def has(self, role: Role) -> bool:
        """Return whether the dialect has a field with this *role*."""
        return any(it.role is role for it in self.fields.values())

    def choice(self, robot: Sequence[str]) -> Choice:
        """Return what chooses the records for a robot with these names."""
        return Choice(robot, self.rank, merges_named=self.merges_named)

    def choose(
        self, named: Iterable[tuple[str, ...]], robot: Sequence[str]
    ) -> list[int]:
        """Return the places of those of *named*, the names of each record, which speak to a
        robot with these names (see `robot_names`).
        """
        choice = self.choice(robot)
        for place, names in enumerate(named):
            choice.offer(names, place)
        return choice.chosen


# In the order in which messages, reports and the documentation list them.
_ROWS = (
    Dialect(
        "1994",
        "The text of 30 June 1994, the default: :doc:`/standard/1994`.",
    ),
    # Revisited K1, K2: a line may carry several names or paths.
    Dialect(
        "revisited",
        '"Robot Exclusion Standard Revisited" by Kollar, Leavitt and Mauldin, 1996.',
        names=listed_names,
        paths=_listed_paths,
        has_lists=True,
    ),
    # Ours X1 to X8; of several records the longest name decides (X3).
    Dialect(
        "extended",
        "1994 with Allow and other fields of later years.",
        rank=longest_named,
    ),
    # RFC 9309 2.2: groups of whole tokens, merged; blank lines mean nothing.
    Dialect(
        "rfc9309",
        "RFC 9309, the standard of 2022, with fields that others have added.",
        rank=equally_named,
        merges_named=True,
        has_blank_lines=False,
        pauses_by_run=True,
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
