"""Split the text of a robots.txt into lines, and group them into records."""

from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import chain
from threading import Event, current_thread, main_thread
from typing import Any, NamedTuple, TypeVar

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import (
    ALLOW,
    FIELD_NAMED,
    WHY_IGNORED,
    Field,
    LineKind,
    Role,
)

SPACE = " \t"
COMMENT = "#"
_SPACE_OR_END = f"{SPACE}\r\n"

# Before Python 3.12, accessing an enum member calls a function, so access each member only once.
_BLANK, _COMMENT, _ORPHAN = LineKind.BLANK, LineKind.COMMENT, LineKind.ORPHAN
_MALFORMED, _UNKNOWN = LineKind.MALFORMED, LineKind.UNKNOWN
_NAMES, _RULE = Role.NAMES, Role.RULE

_ALLOW_KEY = ALLOW.key

T = TypeVar("T")

# Without pauses, a thread that parses would let the event loop run only every 5 ms.
_PAUSE_ITEMS, _PAUSE_SECONDS = 64, 0.000_02
_NEVER_SET = Event()


class Line(NamedTuple):
    """One line of a file.

    *number* is the 1-based number of the line, and *raw* the line as written. *field* and *value*
    are also as written, but without the comment and surrounding white space. Both are empty if the
    line has no colon outside the comment. Bytes that are not UTF-8 appear as surrogate escapes.

    *row* is the row of the field in `FIELDS`, or None if the dialect has no such field. *said* is
    the parsed value: the names in a User-agent line, the result of the field's `read`, or the value
    as written. *said* is None if the value is bad or no colon stands outside the comment.
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
        return self.raw.rstrip("\r\n")

    @property
    def ending(self) -> str:
        """The line end: CR, NL or CR NL, or "" at the end of the file."""
        return self.raw[len(self.text) :]

    @property
    def comment(self) -> str:
        """The comment with its `#`, or "" if there is none."""
        _, mark, rest = self.text.partition(COMMENT)
        return mark + rest

    @property
    def known(self) -> Field | None:
        """The row of the field in `FIELDS`, even if the dialect lacks it. None if unknown."""
        return FIELD_NAMED.get(self.field.lower())

    @property
    def is_obeyed(self) -> bool:
        """Whether the dialect has the field, the value is valid, and the line is not an orphan."""
        return self.row is not None and self.kind is self.row.kind

    @property
    def why_ignored(self) -> str | None:
        """Why the line is ignored, or None if it has an effect, is blank or is a comment."""
        return WHY_IGNORED.get(self.kind)

    @property
    def column(self) -> int:
        """The 1-based column of the first character that is not a space or tab."""
        return len(self.text) - len(self.text.lstrip(SPACE)) + 1

    @property
    def value_column(self) -> int:
        """The 1-based column at which the value begins or, if it is empty, would begin."""
        name, _, rest = self.raw.partition(":")
        return len(name) + len(rest) - len(rest.lstrip(SPACE)) + 2

    @property
    def comment_column(self) -> int:
        """The 1-based column of the comment's `#` or, without one, the column after the text."""
        return len(self.text) - len(self.comment) + 1


def with_pauses(items: Iterable[T]) -> Iterable[T]:
    """Iterate over *items*. Outside the main thread, pause briefly every `_PAUSE_ITEMS` items."""
    return items if current_thread() is main_thread() else _paused(items)


def _paused(items: Iterable[T]) -> Iterator[T]:
    for number, item in enumerate(items, 1):
        if not number % _PAUSE_ITEMS:
            _NEVER_SET.wait(_PAUSE_SECONDS)
        yield item


# Twice as fast as calling `Line`
_new_line: Callable[[type[Line], tuple[Any, ...]], Line] = tuple.__new__


def lines_of(
    text: str, dialect: Dialect, *, only_effective: bool = False
) -> Iterator[Line]:
    """Yield each line of *text*, without regard to records. Only `groups_of` finds orphans.

    If *only_effective* is true, yield only blank lines, lines with a field of the dialect, and
    Allow lines.
    """
    fields, names_in = dialect.fields.get, dialect.names
    said: Any
    # 1994 F2: `StringIO` ends a line at CR, CR NL and NL, and nowhere else.
    for number, raw in enumerate(with_pauses(StringIO(text, newline="")), 1):
        # 1994 F5, Ours O13
        content = raw.partition(COMMENT)[0] if COMMENT in raw else raw
        # 1994 F3
        name, colon, value = content.partition(":")
        if not colon:
            # Ours O6, O14. A line with only a comment is not a blank line (1994 F5).
            kind = _BLANK if content is raw else _COMMENT
            kind = _MALFORMED if content.strip(_SPACE_OR_END) else kind
            if kind is _BLANK or not only_effective:
                yield _new_line(Line, (number, kind, raw, "", "", None, None))
            continue
        row = fields(name)
        if row is None:
            # 1994 F4, Ours O15
            name = name.strip(SPACE)
            key = name.lower()
            row = fields(key)
            if row is None and only_effective and key != _ALLOW_KEY:
                continue
        said = value = value.strip(_SPACE_OR_END)
        if row is None:
            # 1994 F6
            kind = _UNKNOWN if name else _MALFORMED
        else:
            kind = row.kind
            read_value = names_in if row.role is _NAMES else row.read
            if read_value:
                said = read_value(value)
                if said is None or said == ():
                    kind, said = row.bad_kind or kind, None
        yield _new_line(Line, (number, kind, raw, name, value, row, said))


class Group:
    """The lines of a record, or the lines before the first record.

    A group ends at the User-agent line that begins the next record, not at a blank line. Rules and
    delays that stand before the first record, or below a blank line that ends a record, have the
    kind `ORPHAN`.
    """

    def __init__(self) -> None:
        # The User-agent lines
        self.agents: list[Line] = []
        self.rules: list[Line] = []
        # Other lines with a field of the dialect
        self.others: list[Line] = []
        # Lines without a field of the dialect
        self.without: list[Line] = []
        # All names in *agents*
        self.names: list[str] = []
        # For each of *others*, the names in the nearest run of User-agent lines above it, as the
        # start and end of a slice of *names*. Rules and delays end a run.
        self.runs: list[tuple[int, int]] = []

    @property
    def lines(self) -> list[Line]:
        return sorted(chain(self.agents, self.rules, self.others, self.without))


def groups_of(
    text: str,
    dialect: Dialect,
    *,
    only_effective: bool = False,
) -> Iterator[Group]:
    """Yield the lines before the first record as a group, possibly empty, and then each record.

    See `lines_of` for *only_effective*.
    """
    group = Group()
    # `is_open`: a record has begun, and no blank line has ended it. `is_named`: a rule or
    # preference has ended the list of the record's names.
    is_open = is_named = False
    # Where the last run begins in `names`, and whether the next User-agent line continues it
    run, is_run = 0, True
    # 1994 F1, Ours O5
    boundary = _BLANK if dialect.has_blank_lines else None
    for line in lines_of(text, dialect, only_effective=only_effective):
        row = line.row
        if row is None:
            is_open = is_open and line.kind is not boundary
            group.without.append(line)
        elif row.role is _NAMES:
            # 1994 F1, Ours O7, X2, X6
            if line.said and (is_named or not is_open):
                yield group
                group, is_open, is_named = Group(), True, False
                run, is_run = 0, True
            elif line.said and not is_run:
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
            # Ours O4
            is_orphan = is_owned and not is_open
            lines.append(line._replace(kind=_ORPHAN) if is_orphan else line)
    yield group
