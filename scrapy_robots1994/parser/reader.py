"""The one reader: a text becomes lines, and lines become records.

`lines_of` yields a `Line` for each line of a text, as its dialect reads it by itself. `groups_of`
then gives each line to its record: it yields a `Group` for the lines above all records, and one
for each record. Nothing else in the package splits, matches or searches lines. All else takes
what `groups_of` yields: `parser/records.py` makes the public `Record` of it, and
`parser/robot_reading.py` picks what concerns one robot.
"""

import re
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import chain
from sys import maxsize
from typing import Any, NamedTuple

from scrapy_robots1994.parser.dialects import NO_FIELD, Dialect, FieldReader
from scrapy_robots1994.parser.fields import (
    FIELD_NAMED,
    WHY_IGNORED,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.parser.pauses import with_pauses

# 1994 F3: the optional space. Ours O6: spaces and tabs, which an author cannot see.
SPACE = " \t"
# 1994 F5: begins a comment. Ours O13: the `#` needs no space before it.
COMMENT = "#"
_SPACE_OR_END = f"{SPACE}\r\n"

# Before Python 3.12 each look-up of a member calls a function, and lines are many.
_BLANK, _COMMENT = LineKind.BLANK, LineKind.COMMENT
_MALFORMED, _ORPHAN = LineKind.MALFORMED, LineKind.ORPHAN
_UNKNOWN_KIND = LineKind.UNKNOWN
_IDLE = (_COMMENT, _BLANK)
# How lines are read that have a colon, and no name before it.
_NAMELESS: FieldReader = (None, _MALFORMED, None, _MALFORMED)
_NAMES, _RULE = Role.NAMES, Role.RULE

# The value of a User-agent line that names one robot, with a version or without.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+(?:/[A-Za-z0-9._+-]*)?|\*")


# What a line may hide that has no end where another line was to begin.
_LOST = re.compile("(?i)user-agent|disallow")


class Line(NamedTuple):
    """One line of a file; `text + ending` is what the file has there.

    *number* counts from 1. *field* and *value* are as written, without the space around
    them and without the comment; *comment* begins with its `#`. Each is empty if the
    line has none. Bytes that are not UTF-8 are surrogate escapes.

    *row* is the row of its field, if the dialect has that field. *said* is what the value says:
    the names of a User-agent line, what `Field.read` returns for a field that has it, else the
    value; None for a bad value.
    """

    number: int
    kind: LineKind
    raw: str
    field: str = ""
    value: str = ""
    row: Field | None = None
    said: Any = None

    @property
    def text(self) -> str:
        """The line without its end."""
        return self.raw.rstrip("\r\n")

    @property
    def ending(self) -> str:
        """The end of the line: CR, NL, both, or nothing for the last line."""
        return self.raw[len(self.text) :]

    @property
    def comment(self) -> str:
        """The comment with its `#`; empty if there is none."""
        # A `#` is nowhere but at the start of a comment.
        _, mark, rest = self.text.partition(COMMENT)
        return mark + rest

    @property
    def known(self) -> Field | None:
        """The row of its field, also if the dialect does not have it; None if unknown."""
        return self.row or FIELD_NAMED.get(self.field.lower()) if self.field else None

    @property
    def is_obeyed(self) -> bool:
        """Whether it says what its field says: it has one, a good value, and a place."""
        return self.row is not None and self.kind is self.row.kind

    @property
    def why_ignored(self) -> str | None:
        """The reason why the line has no effect; None if it has one, is blank or is a
        comment.
        """
        return WHY_IGNORED.get(self.kind)

    @property
    def column(self) -> int:
        """The column, from 1, of the first character that is not space."""
        return len(self.text) - len(self.text.lstrip(SPACE)) + 1

    @property
    def value_column(self) -> int:
        """The column, from 1, where the value begins, or would begin."""
        name, _, rest = self.raw.partition(":")
        return len(name) + len(rest) - len(rest.lstrip(SPACE)) + 2

    @property
    def comment_column(self) -> int:
        """The column, from 1, of the `#`; behind the line if there is none."""
        return len(self.text) - len(self.comment) + 1


# Takes half the time of a call of `Line`, which each line of each file would make.
_new_line: Callable[[type[Line], tuple[Any, ...]], Line] = tuple.__new__


def lines_of(
    text: str, dialect: Dialect, *, only_effective: bool = False
) -> Iterator[Line]:
    """Yield each line of *text* as *dialect* reads it by itself.

    A rule that no record owns is no `ORPHAN` yet: see `groups_of`. With *only_effective* yield
    blank lines and those of fields of the dialect alone.
    """
    space, new, field_named = _SPACE_OR_END, _new_line, dialect.reads.get
    said: Any
    # 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else: just what an
    # empty `newline` makes of it.
    for number, raw in enumerate(with_pauses(StringIO(text, newline="")), 1):
        # 1994 F5: the comment is discarded; the space before it goes with the value.
        content = raw.partition("#")[0] if "#" in raw else raw
        # 1994 F3: a line is field name, colon, optional space, value.
        name, colon, value = content.partition(":")
        if not colon:
            # Ours O14: a line without this form is ignored, never guessed. 1994 F5: a line
            # of a comment alone vanishes, and is not blank.
            kind = _MALFORMED if content.strip(space) else _IDLE[content is raw]
            if kind is _BLANK or not only_effective:
                yield new(Line, (number, kind, raw, "", "", None, None))
            continue
        # Mostly the name is as usually written.
        found = field_named(name)
        if found is None:
            # Ours O15: space before the colon and at the start of the line is accepted.
            name = name.strip(space)
            # 1994 F4: field names compare without case. F6: any other field is ignored,
            # wherever it is.
            found = field_named(name.lower()) or (NO_FIELD if name else _NAMELESS)
        row, kind, read_value, bad_kind = found
        if only_effective and row is None:
            continue
        said = value = value.strip(space)
        if read_value is not None:
            said = read_value(value)
            if said is None or said == ():
                kind, said = bad_kind, None
        yield new(Line, (number, kind, raw, name, value, row, said))


class Group:
    """The lines of a record, or those above all records.

    A record goes on up to the User-agent line that begins the next one, blank lines included.
    *agents* are its User-agent lines. *rules* are its rules, also rules that a blank line
    separates from it. *others* are the lines of other fields of the dialect, and *without* are
    the lines that have no field of the dialect. *names* are all names of its User-agent lines.
    For each line of *others*, *runs* has the places (from, and up to) of the names that the last
    run of User-agent lines above it gives. Only a rule or a pause ends a run.

    A rule or a pause that the record does not own is an `ORPHAN`: a line below a blank line that
    ended the record (the cautious reading obeys it), or a line above all records.
    """

    __slots__ = ("agents", "names", "others", "rules", "runs", "without")

    def __init__(self) -> None:
        self.agents: list[Line] = []
        self.rules: list[Line] = []
        self.others: list[Line] = []
        self.without: list[Line] = []
        self.names: list[str] = []
        self.runs: list[tuple[int, int]] = []

    @property
    def lines(self) -> list[Line]:
        """All of them in the order of the file."""
        # The number of a line is what it begins with, and no two have the same.
        return sorted(chain(self.agents, self.rules, self.others, self.without))

    @property
    def slips(self) -> list[Line]:
        """The lines that are no rules and that may be meant as something else."""
        is_plain = _PLAIN_NAME.fullmatch
        found = [it for it in self.agents if not is_plain(it.value)]
        # What another dialect knows is no slip, unless a second field is lost in it.
        found += [
            it
            for it in self.without
            if it.kind is _MALFORMED
            or (
                it.kind is _UNKNOWN_KIND
                and (it.known is None or _LOST.search(it.value))
            )
        ]
        found += [it for it in self.others if _LOST.search(it.value)]
        return found


def groups_of(
    text: str,
    dialect: Dialect,
    *,
    most: int = maxsize,
    only_effective: bool = False,
) -> Iterator[Group]:
    """Yield the lines above all records of *text*, perhaps none, and then each record.

    They have at most *most* lines without a field of the dialect, and each at most so many
    User-agent lines, or one; with *only_effective* only blank lines and lines with such a field.
    """
    group, room = Group(), most
    # Whether lines belong to the record, which a blank line may end, and whether a
    # User-agent line now begins another one in any case.
    is_open = is_named = False
    # Where the last run of User-agent lines begins, and whether it goes on.
    run, is_run = 0, True
    # 1994 F1: blank lines separate records. Ours O5: also where only User-agent lines precede
    # them.
    boundary = _BLANK if dialect.has_blank_lines else None
    for line in lines_of(text, dialect, only_effective=only_effective):
        row = line.row
        if row is None:
            is_open = is_open and line.kind is not boundary
            if room:
                group.without.append(line)
                room -= 1
        elif row.role is _NAMES:
            # 1994 F1: after a blank line another record starts. Ours O7, X2: also after a
            # rule; X6: but not after a Crawl-delay.
            if line.said and (is_named or not is_open):
                yield group
                group, is_open, is_named = Group(), True, False
                run, is_run = 0, True
            elif not is_run:
                run, is_run = len(group.names), True
            group.names += line.said or ()
            if len(group.agents) < most or not group.agents:
                group.agents.append(line)
        else:
            is_named = is_named or (is_open and row.ends_names)
            is_owned = row.in_record and line.kind is row.kind
            is_run = is_run and not is_owned
            lines = group.rules
            if row.role is not _RULE:
                lines = group.others
                group.runs.append((run, len(group.names)))
            # Ours O4: it belongs to no record.
            is_orphan = is_owned and not is_open
            lines.append(line._replace(kind=_ORPHAN) if is_orphan else line)
    yield group


def read(text: str, dialect: Dialect) -> Iterator[Line]:
    """Yield each line of *text*, in order, with the kind that its place in a record makes."""
    for group in groups_of(text, dialect):
        yield from group.lines
