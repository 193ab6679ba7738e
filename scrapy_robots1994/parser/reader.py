"""The one reader: a text becomes lines, and lines become records.

`lines_of` yields a `Line` for each line of a text, read without regard to other lines. `groups_of`
then assigns each line to its record. It yields a `Group` for the lines above all records, and one
`Group` for each record. No other module of the package splits, matches or searches lines. Other
modules take the groups: `parser/records.py` makes a public `Record` of each group, and
`parser/robot_reading.py` selects the lines that concern one robot.
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

# 1994 F3: the optional space. Ours O6: a line of spaces and tabs only is blank, because an author
# cannot see these characters.
SPACE = " \t"
# 1994 F5: this character begins a comment. Ours O13: no space is needed before the `#`.
COMMENT = "#"
_SPACE_OR_END = f"{SPACE}\r\n"

# Look up members only once: before Python 3.12, each look-up calls a function, and a file may have
# many lines.
_BLANK, _COMMENT = LineKind.BLANK, LineKind.COMMENT
_MALFORMED, _ORPHAN = LineKind.MALFORMED, LineKind.ORPHAN
_UNKNOWN_KIND = LineKind.UNKNOWN
_IDLE = (_COMMENT, _BLANK)
# How a line is read that has a colon, but no field name before the colon.
_NAMELESS: FieldReader = (None, _MALFORMED, None, _MALFORMED)
_NAMES, _RULE = Role.NAMES, Role.RULE

# The value of a User-agent line that names one robot, with a version or without.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+(?:/[A-Za-z0-9._+-]*)?|\*")


# Field names that a value contains if the end of a line is missing, so that two lines became one.
_LOST = re.compile("(?i)user-agent|disallow")


class Line(NamedTuple):
    """One line of a file. `text + ending` is the line as it is in the file.

    *number* counts from 1. *field* and *value* are as written, without the space around them and
    without the comment; *comment* begins with its `#`. A part that the line does not have is empty.
    Bytes that are not UTF-8 are surrogate escapes.

    *row* is the row of the field, if the dialect has the field. *said* is the meaning of the value:
    the names of a User-agent line, the result of `Field.read` for a field with this function,
    otherwise the value as written; None for a bad value.
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
        # The first `#` of a line always begins the comment.
        _, mark, rest = self.text.partition(COMMENT)
        return mark + rest

    @property
    def known(self) -> Field | None:
        """The row of the field, even if the dialect does not have the field; None for an unknown
        field.
        """
        return self.row or FIELD_NAMED.get(self.field.lower()) if self.field else None

    @property
    def is_obeyed(self) -> bool:
        """Whether the line has the effect of its field: the dialect has the field, the value is
        good, and the line is not an orphan.
        """
        return self.row is not None and self.kind is self.row.kind

    @property
    def why_ignored(self) -> str | None:
        """The reason why the line is ignored; None if the line has an effect, is blank or is a
        comment.
        """
        return WHY_IGNORED.get(self.kind)

    @property
    def column(self) -> int:
        """The column, from 1, of the first character that is not a space or tab."""
        return len(self.text) - len(self.text.lstrip(SPACE)) + 1

    @property
    def value_column(self) -> int:
        """The column, from 1, at which the value begins, or would begin if it were not empty."""
        name, _, rest = self.raw.partition(":")
        return len(name) + len(rest) - len(rest.lstrip(SPACE)) + 2

    @property
    def comment_column(self) -> int:
        """The column, from 1, of the `#`; without a comment, the column behind the line."""
        return len(self.text) - len(self.comment) + 1


# This takes half the time of a call of `Line`, and is done for each line of each file.
_new_line: Callable[[type[Line], tuple[Any, ...]], Line] = tuple.__new__


def lines_of(
    text: str, dialect: Dialect, *, only_effective: bool = False
) -> Iterator[Line]:
    """Yield each line of *text* as *dialect* reads the line, without regard to other lines. A rule
    outside any record is not yet an `ORPHAN`: `groups_of` finds orphans. With *only_effective*,
    yield only blank lines and lines with a field of the dialect.
    """
    space, new, field_named = _SPACE_OR_END, _new_line, dialect.reads.get
    said: Any
    # 1994 F2: a line ends with CR, CR NL or NL, and with nothing else. An empty `newline` splits
    # lines in exactly this way.
    for number, raw in enumerate(with_pauses(StringIO(text, newline="")), 1):
        # 1994 F5: the comment is discarded. The space before the comment is stripped from the value
        # below.
        content = raw.partition("#")[0] if "#" in raw else raw
        # 1994 F3: a line is field name, colon, optional space, value.
        name, colon, value = content.partition(":")
        if not colon:
            # Ours O14: a line without this form is ignored, and its meaning is never guessed. 1994
            # F5: a line with only a comment is discarded completely, so it is not a blank line.
            kind = _MALFORMED if content.strip(space) else _IDLE[content is raw]
            if kind is _BLANK or not only_effective:
                yield new(Line, (number, kind, raw, "", "", None, None))
            continue
        # Look up the name as written first, because most names have their usual spelling.
        found = field_named(name)
        if found is None:
            # Ours O15: spaces and tabs before the colon and at the start of the line are accepted.
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
    """The lines of a record, or the lines above all records.

    A group ends before the User-agent line that begins the next record; blank lines do not end a
    group. *agents* are its User-agent lines. *rules* are its rules, including rules that a blank
    line separates from the record. *others* are the lines of other fields of the dialect, and
    *without* are the lines without a field of the dialect. *names* are all names of its User-agent
    lines. For each line of *others*, *runs* has a slice of *names* (start, end): the names in the
    last run of User-agent lines above the line. Only a rule or a pause ends a run.

    A rule or a pause outside any record is an `ORPHAN`. It is below a blank line that ended the
    record (the cautious reading obeys such a line), or above all records.
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
        """All lines of the group, in the order of the file."""
        # Lines are tuples that begin with the line number, and no two lines have the same number.
        return sorted(chain(self.agents, self.rules, self.others, self.without))

    @property
    def slips(self) -> list[Line]:
        """The lines, other than rules, that may not mean what their author intended."""
        is_plain = _PLAIN_NAME.fullmatch
        found = [it for it in self.agents if not is_plain(it.value)]
        # A line with a field of another dialect is not a slip, unless its value contains a second
        # field.
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
    """Yield a group of the lines above all records of *text*, which may be empty, and then each
    record.

    All groups together have at most *most* lines without a field of the dialect. Each group has at
    most *most* User-agent lines, but may always have one. With *only_effective*, only blank lines
    and lines with a field of the dialect are read.
    """
    group, room = Group(), most
    # *is_open* says that the next line belongs to the record: no blank line has ended the record.
    # *is_named* says that the next User-agent line begins another record.
    is_open = is_named = False
    # The place in *names* at which the last run of User-agent lines begins, and whether the run
    # goes on.
    run, is_run = 0, True
    # 1994 F1: blank lines separate records. Ours O5 (readings): a blank line also ends a record
    # that has only User-agent lines so far.
    boundary = _BLANK if dialect.has_blank_lines else None
    for line in lines_of(text, dialect, only_effective=only_effective):
        row = line.row
        if row is None:
            is_open = is_open and line.kind is not boundary
            if room:
                group.without.append(line)
                room -= 1
        elif row.role is _NAMES:
            # 1994 F1: a User-agent line after a blank line begins another record. Ours O7 (run of
            # names), X2 (Allow): a User-agent line after a rule, too. X6 (order): but not a
            # User-agent line after a Crawl-delay.
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
            # Ours O4: a rule or pause outside any record is an orphan.
            is_orphan = is_owned and not is_open
            lines.append(line._replace(kind=_ORPHAN) if is_orphan else line)
    yield group


def read(text: str, dialect: Dialect) -> Iterator[Line]:
    """Yield each line of *text*, in order, with its final kind: rules outside any record are
    `ORPHAN`.
    """
    for group in groups_of(text, dialect):
        yield from group.lines
