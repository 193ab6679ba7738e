"""The only reader of robots.txt files. The reader splits a text into lines, and groups the
lines into records.

`lines_of` yields a `Line` for each line of a text, and reads each line independently of the
other lines. `groups_of` then assigns each line to its record. `groups_of` yields one
`Group` for the lines above all records, and one `Group` for each record. Lint and the other
modules of the parser work with groups, and do not split a text into lines themselves. For
example, `parser/records.py` makes a public `Record` from each group, and
`parser/robot_reading.py` selects the lines that concern one robot. `with_pauses` lets the
event loop of a crawl run while a thread reads a large file.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from itertools import chain
from threading import Event, current_thread, main_thread
from typing import Any, NamedTuple, TypeVar

from scrapy_robots1994.parser.dialects import NO_FIELD, Dialect, FieldReader
from scrapy_robots1994.parser.fields import (
    FIELD_NAMED,
    WHY_IGNORED,
    Field,
    LineKind,
    Role,
)

# 1994 F3 (form of a line): the space around a value is optional. Ours O6 (blank lines): a
# line that contains only spaces and tabs is blank, because an author cannot see spaces and
# tabs.
SPACE = " \t"
# 1994 F5 (comments): a `#` begins a comment. Ours O13 (start of a comment): the space
# before a `#` is optional.
COMMENT = "#"
_SPACE_OR_END = f"{SPACE}\r\n"

# Look up the members of `LineKind` only once. Before Python 3.12, each look-up calls a
# function, and a file can contain many lines.
_BLANK, _COMMENT = LineKind.BLANK, LineKind.COMMENT
_MALFORMED, _ORPHAN = LineKind.MALFORMED, LineKind.ORPHAN
_IDLE = (_COMMENT, _BLANK)
# `_NAMELESS` describes how a line without a field name before its colon is read.
_NAMELESS: FieldReader = (None, _MALFORMED, None, _MALFORMED)
_NAMES, _RULE = Role.NAMES, Role.RULE

T = TypeVar("T")

# Without pauses, Python would switch to the event loop only every 5 ms, and one iteration
# of the event loop needs many switches. Wait briefly for an event that is never set, so
# that other threads can run.
_PAUSE_ITEMS, _PAUSE_SECONDS = 64, 0.000_02
_NEVER_SET = Event()


class Line(NamedTuple):
    """One line of a file. `text + ending` is the line as written in the file.

    *number* is the line number, from 1. *field* and *value* are as written, but without
    the comment and without white space at either end. *comment* begins with a `#`. If the
    line does not have a field, a value or a comment, the attribute for it is an empty
    string. Bytes that are not UTF-8 appear as surrogate escapes.

    *row* is the row of the field, or None if the dialect does not have the field. *said*
    is the meaning of the value. For a User-agent line, *said* contains the names. For a
    field with a `read` function, *said* is the result of the function. If the field is
    not User-agent and does not have a `read` function, *said* is the value as written.
    For a bad value, *said* is None.
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
        """The line without its line end."""
        return self.raw.rstrip("\r\n")

    @property
    def ending(self) -> str:
        """The line end: CR, NL or CR NL, or "" if the last line has no line end."""
        return self.raw[len(self.text) :]

    @property
    def comment(self) -> str:
        """The comment with its `#`, or "" if the line has no comment."""
        # The first `#` in a line always begins the comment.
        _, mark, rest = self.text.partition(COMMENT)
        return mark + rest

    @property
    def known(self) -> Field | None:
        """The row of the field, or None if the field is unknown. A known field need not be
        a field of the dialect.
        """
        return self.row or FIELD_NAMED.get(self.field.lower()) if self.field else None

    @property
    def is_obeyed(self) -> bool:
        """Whether the line has the effect of its field. A line has the effect if the
        dialect has the field, the value is good, and the line is not an orphan.
        """
        return self.row is not None and self.kind is self.row.kind

    @property
    def why_ignored(self) -> str | None:
        """The reason why the line is ignored, or None if the line has an effect, is blank
        or is a comment.
        """
        return WHY_IGNORED.get(self.kind)

    @property
    def column(self) -> int:
        """The column, from 1, of the first character that is not a space or tab."""
        return len(self.text) - len(self.text.lstrip(SPACE)) + 1

    @property
    def value_column(self) -> int:
        """The column, from 1, at which the value begins, or would begin if the value were
        not empty.
        """
        name, _, rest = self.raw.partition(":")
        return len(name) + len(rest) - len(rest.lstrip(SPACE)) + 2

    @property
    def comment_column(self) -> int:
        """The column, from 1, of the `#` of the comment. If the line has no comment,
        *comment_column* is the column after the last character of the line.
        """
        return len(self.text) - len(self.comment) + 1


def with_pauses(items: Iterable[T]) -> Iterable[T]:
    """Return an iterable over *items*. Outside the main thread, the iteration pauses
    briefly once per 64 items.
    """
    return items if current_thread() is main_thread() else _paused(items)


def _paused(items: Iterable[T]) -> Iterator[T]:
    """Yield each of *items*, and pause once per `_PAUSE_ITEMS` items."""
    for number, item in enumerate(items, 1):
        if not number % _PAUSE_ITEMS:
            _NEVER_SET.wait(_PAUSE_SECONDS)
        yield item


# Call `tuple.__new__` for each line of a file, because it takes half as long as a call to
# `Line`.
_new_line: Callable[[type[Line], tuple[Any, ...]], Line] = tuple.__new__


def lines_of(
    text: str, dialect: Dialect, *, only_effective: bool = False
) -> Iterator[Line]:
    """Yield each line of *text* as *dialect* reads it, independently of the other lines.
    A rule outside any record does not yet have the kind `ORPHAN`, because only
    `groups_of` finds orphans. If *only_effective* is true, yield only blank lines,
    lines with a field of the dialect, and Allow lines.
    """
    space, new, field_named = _SPACE_OR_END, _new_line, dialect.reads.get
    said: Any
    # 1994 F2 (line ends): a line ends with CR, CR NL or NL, and with nothing else. If
    # `newline` is empty, `StringIO` splits lines according to 1994 F2 (line ends).
    for number, raw in enumerate(with_pauses(StringIO(text, newline="")), 1):
        # 1994 F5 (comments): the comment is discarded. The space before the comment is
        # stripped later, with the space around the value.
        content = raw.partition("#")[0] if "#" in raw else raw
        # 1994 F3 (form of a line): a line consists of a field name, a colon, optional
        # space and a value.
        name, colon, value = content.partition(":")
        if not colon:
            # Ours O14 (line without a colon): a line without a colon is ignored. The
            # parser does not guess the meaning of the line. According to 1994 F5
            # (comments), a line that contains only a comment is discarded completely, so
            # it does not count as a blank line.
            kind = _MALFORMED if content.strip(space) else _IDLE[content is raw]
            if kind is _BLANK or not only_effective:
                yield new(Line, (number, kind, raw, "", "", None, None))
            continue
        # Look up the name as written first, because most lines contain the usual spelling
        # of the name.
        found = field_named(name)
        if found is None:
            # Ours O15 (space before a field or colon): spaces and tabs at the start of the
            # line and before the colon are accepted.
            name = name.strip(space)
            # 1994 F4 (field names): field names are case-insensitive. According to 1994
            # F6 (fields), a line with a field that the dialect does not have is ignored
            # anywhere in the file.
            found = field_named(name.lower()) or (NO_FIELD if name else _NAMELESS)
        row, kind, read_value, bad_kind = found
        if only_effective and (found is NO_FIELD or found is _NAMELESS):
            continue
        said = value = value.strip(space)
        if read_value is not None:
            said = read_value(value)
            if said is None or said == ():
                kind, said = bad_kind, None
        yield new(Line, (number, kind, raw, name, value, row, said))


@dataclass(slots=True)
class Group:
    """The lines of a record, or the lines above all records.

    A group ends before the User-agent line that begins the next record. Blank lines do
    not end a group. *agents* are the User-agent lines of the group. *rules* are the rules
    of the group, including rules that a blank line separates from the record. *others*
    are the remaining lines with a field of the dialect, and *without* are the lines
    without a field of the dialect. *names* are all names in the User-agent lines. For
    each line in *others*, *runs* contains the start and the end of a slice of *names*.
    The slice contains the names in the last run of User-agent lines above the line. A run
    ends at a line if the field of the line belongs to records (`Field.in_record`) and the
    value is good.

    A rule or a pause outside any record is an `ORPHAN`. An orphan is either above all
    records, or below a blank line that ends the preceding record.
    """

    agents: list[Line] = field(default_factory=list)
    rules: list[Line] = field(default_factory=list)
    others: list[Line] = field(default_factory=list)
    without: list[Line] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)

    @property
    def lines(self) -> list[Line]:
        """All lines of the group, in the order of the file."""
        # `sorted` compares only line numbers, because a `Line` begins with its line
        # number, and no two lines have the same number.
        return sorted(chain(self.agents, self.rules, self.others, self.without))

    @property
    def pauses(self) -> list[Line]:
        """The lines with a field that states a delay, such as Crawl-delay."""
        return [it for it in self.others if it.row and it.row.role is Role.PAUSE]


def groups_of(
    text: str,
    dialect: Dialect,
    *,
    only_effective: bool = False,
) -> Iterator[Group]:
    """Yield one group for the lines above all records of *text*, which can be empty, and
    then one group for each record. `lines_of` describes *only_effective*.
    """
    group = Group()
    # `is_open` is `True` if no blank line has ended the record, so that the next line
    # belongs to the record. `is_named` is `True` if the next User-agent line begins another
    # record because a line above has ended the list of names.
    is_open = is_named = False
    # `run` is the index in `names` at which the last run of User-agent lines begins.
    # `is_run` is `True` if the next User-agent line continues the run.
    run, is_run = 0, True
    # 1994 F1 (records): blank lines separate records. Ours O5: a blank line also ends a
    # record that so far contains only User-agent lines.
    boundary = _BLANK if dialect.has_blank_lines else None
    for line in lines_of(text, dialect, only_effective=only_effective):
        row = line.row
        if row is None:
            is_open = is_open and line.kind is not boundary
            group.without.append(line)
        elif row.role is _NAMES:
            # 1994 F1 (records): a User-agent line after a blank line begins another
            # record. Ours O7 (run of names) and X2 (Allow): a User-agent line after a
            # rule begins another record. Ours X6 (order): a User-agent line after a
            # Crawl-delay does not begin another record.
            if line.said and (is_named or not is_open):
                yield group
                group, is_open, is_named = Group(), True, False
                run, is_run = 0, True
            elif not is_run:
                run, is_run = len(group.names), True
            group.names += line.said or ()
            group.agents.append(line)
        else:
            is_named = is_named or (is_open and row.ends_names)
            is_owned = row.in_record and line.kind is row.kind
            is_run = is_run and not is_owned
            lines = group.rules
            if row.role is not _RULE:
                lines = group.others
                group.runs.append((run, len(group.names)))
            # Ours O4 (rule without a record): a rule or a pause outside any record is an
            # orphan.
            is_orphan = is_owned and not is_open
            lines.append(line._replace(kind=_ORPHAN) if is_orphan else line)
    yield group


def read(text: str, dialect: Dialect) -> Iterator[Line]:
    """Yield each line of *text*, in order, with its final kind. A rule or a pause outside
    any record has the kind `ORPHAN`.
    """
    for group in groups_of(text, dialect):
        yield from group.lines
