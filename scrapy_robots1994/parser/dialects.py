"""The dialects of robots.txt. Each dialect is one row of `_ROWS`.

To add a dialect, add a row to `_ROWS`, and add the name of the dialect to the rows of its
fields (`parser/fields.py`). Settings, commands, reports and tests take the dialects from
`DIALECTS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from scrapy_robots1994.parser.fields import FIELDS, Field, LineKind, Role
from scrapy_robots1994.parser.user_agent import (
    BY_DEFAULT,
    EVERYBODY,
    NameRank,
    equally_named,
    first_named,
    joined_names,
    listed_names,
    longest_named,
    whole_name,
)

FieldReader: TypeAlias = tuple[
    Field | None, LineKind, Callable[[str], object] | None, LineKind
]
"""A tuple that describes how a line is read. The first two items are the field and the
kind of a line with a good value. The last two items are the function that reads the
value, and the kind of a line with a bad value. If the function is None, the value is
taken as written. For a bad value, the function returns None or an empty tuple of names.
"""

NO_FIELD: FieldReader = (None, LineKind.UNKNOWN, None, LineKind.UNKNOWN)
"""The `FieldReader` for a line whose field the dialect does not have."""

# The same for an Allow, which the reader hands over, because a crawl counts those ignored.
_NO_ALLOW: FieldReader = (None, LineKind.UNKNOWN, None, LineKind.UNKNOWN)


def _whole_path(value: str) -> tuple[str, ...]:
    """Return the *value* of a rule as its only path."""
    # 1994 D1 (value of Disallow): the value is one full or partial path.
    return (value,)


def _listed_paths(value: str) -> tuple[str, ...]:
    """Return the paths in the *value* of a rule that may list several paths."""
    # Revisited K2 (lists of paths): the value contains zero or more paths, separated by
    # spaces or tabs. According to 1994 D2 (empty value), a line without a path disallows
    # nothing.
    words = value.replace("\t", " ").split(" ")
    return tuple(word for word in words if word) or ("",)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect of robots.txt. The attributes describe how the dialects differ.

    *meaning* is the description of the dialect in the reference. *fields* maps field
    names to the fields of this dialect. Each field has two keys in *fields*, which are
    the name in lower case and the name as usually written. *reads* maps the names of all
    known fields to `FieldReader` tuples. The keys of *reads* also include each name in
    title case and in capitals. *has_allow* is `True` if one of the fields allows paths.
    `Field.dialects` determines which dialects have a field.

    *names* is a function that returns the names in the value of a User-agent line. *paths*
    is a function that returns the paths in the value of a rule. A path can be empty.
    *has_lists* is `True` if one line may list several names or paths. *rank* is a function
    that returns how specifically a name addresses a robot. If several records name the
    robot, the robot obeys the first record with the highest rank. If *merges_named* is
    `True`, the robot obeys all records with the highest rank.

    *has_blank_lines* is `True` if a blank line ends a record. If *pauses_by_run* is
    `True`, a crawl delay applies only to the names in the last run of User-agent lines
    above the delay. If *pauses_by_run* is `False`, a crawl delay applies to all names of
    its record. If *has_wildcards* is `True`, `*` and a final `$` in a path are special,
    the longest rule decides, and percent-encodings are compared as in RFC 9309. If
    *has_wildcards* is `False`, each path is a prefix. In a dialect with Allow and without
    wildcards, the first prefix that covers a URL decides. In a dialect without Allow, the
    shortest prefix that covers a URL decides.

    *has_preferences* is `True` if the dialect also has the fields that state usage
    preferences. *has_preferences* is `False` for every dialect in `DIALECTS`. Only
    `parser/usage.py` makes dialects with the preference fields.
    """

    name: str
    meaning: str
    names: Callable[[str], tuple[str, ...]] = whole_name
    paths: Callable[[str], tuple[str, ...]] = _whole_path
    # The flag `has_lists` must be consistent with the functions `names` and `paths`.
    has_lists: bool = False
    rank: NameRank = first_named
    merges_named: bool = False
    has_blank_lines: bool = True
    pauses_by_run: bool = False
    # `has_wildcards` combines three differences between RFC 9309 and the other dialects,
    # because no dialect has only some of them.
    has_wildcards: bool = False
    has_preferences: bool = False
    fields: Mapping[str, Field] = field(init=False, repr=False, compare=False)
    reads: Mapping[str, FieldReader] = field(init=False, repr=False, compare=False)
    has_allow: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Collect the fields of this dialect from `FIELDS`."""
        own = [
            it
            for it in FIELDS
            if it.is_in(self.name) or (it.is_preference and self.has_preferences)
        ]
        # Include the usual spelling of each name. Most lines use the usual spelling, so the
        # reader rarely converts a name to lower case.
        fields = {name: it for it in own for name in (it.key, it.name)}
        reads = {
            name: self._field_reader(it) if it in own else absent
            for it in FIELDS
            for absent in [_NO_ALLOW if it.allows else NO_FIELD]
            for name in (it.key, it.name, it.name.title(), it.name.upper())
        }
        has_allow = any(it.allows for it in own)
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "reads", reads)
        object.__setattr__(self, "has_allow", has_allow)

    def _field_reader(self, row: Field) -> FieldReader:
        """Return the `FieldReader` for lines with the field *row*."""
        read = self.names if row.role is Role.NAMES else row.read
        bad_kind = row.bad_value.kind if row.bad_value else row.kind
        return row, row.kind, read, bad_kind

    def has(self, role: Role) -> bool:
        """Return whether the dialect has a field with this *role*."""
        return any(it.role is role for it in self.fields.values())

    def rank_of(self, names: Iterable[str], robot: str) -> int:
        """Return how specifically the most specific of *names* addresses a robot, or 0 if
        none of *names* addresses the robot. *robot* is the result of `joined_names` for the
        robot.
        """
        highest = 0
        for name in names:
            rank = BY_DEFAULT if name == EVERYBODY else self.rank(name.lower(), robot)
            highest = max(highest, rank)
        return highest

    def obeys_all(self, rank: int) -> bool:
        """Return whether a robot obeys all records with this *rank*, if *rank* is the
        highest rank of a record.
        """
        # Ours O2 (several records for `*`): the robot obeys all records for `*`. Ours O1
        # (several records for a name): if several records have the same rank, the robot
        # obeys the first record in the file.
        return rank == BY_DEFAULT or self.merges_named

    def choose(self, named: Iterable[Sequence[str]], robot: Sequence[str]) -> list[int]:
        """Return the indexes in *named* of the records that a robot obeys.

        *named* contains the names in each record. *robot* is the result of `robot_names`
        for the robot.
        """
        joined = joined_names(robot)
        ranks = [self.rank_of(names, joined) for names in named]
        highest = max(ranks, default=0)
        chosen = [place for place, rank in enumerate(ranks) if rank == highest > 0]
        return chosen if self.obeys_all(highest) else chosen[:1]


# Messages, reports and the documentation list the dialects in the order of `_ROWS`.
_ROWS = (
    Dialect(
        "1994",
        "The text of 30 June 1994, the default: :doc:`/standard/1994`.",
    ),
    # Revisited K1 and K2 (lists): a line may list several names or paths.
    Dialect(
        "revisited",
        '"Robot Exclusion Standard Revisited" by Kollar, Leavitt and Mauldin, 1996.',
        names=listed_names,
        paths=_listed_paths,
        has_lists=True,
    ),
    # The dialect `extended` follows our decisions X1 to X8 (Allow and later fields).
    # According to X3 (several records), the robot obeys the record with the longest
    # matching name.
    Dialect(
        "extended",
        "1994 with Allow and other fields of later years.",
        rank=longest_named,
    ),
    # RFC 9309 2.2: names are compared as whole tokens, groups with the same name are
    # merged, and blank lines have no effect.
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


STRICTEST = "strictest"
"""The dialect in which a URL is disallowed if 1994 or rfc9309 disallows it. It has no
grammar of its own, so it is not in `DIALECTS`.
"""

DIALECT_NAMES = (*DIALECTS, STRICTEST)
"""The names that a setting, a command and `RobotsTxt` accept."""


def grammars_of(name: str) -> tuple[Dialect, ...]:
    """Return the dialects that the dialect with this *name* obeys, the main one first.

    Raise `ValueError` with the known names if there is no such dialect.
    """
    if name == STRICTEST:
        return DIALECTS["1994"], DIALECTS["rfc9309"]
    if name not in DIALECTS:
        names = ", ".join(map(repr, DIALECT_NAMES))
        message = f"There is no dialect {name!r} of robots.txt; use one of {names}."
        raise ValueError(message)
    return (DIALECTS[name],)
