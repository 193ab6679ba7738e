"""Lines: every line of the file, numbered, with its kind; nothing is lost and nothing
is judged.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from scrapy_robots1994.parser.dialects import (
    ALLOW,
    CRAWL_DELAY,
    SITEMAP,
    Dialect,
    seconds_of,
)
from scrapy_robots1994.parser.grammar import (
    COMMENT,
    DISALLOW,
    LINE,
    SPACE,
    USER_AGENT,
)


class LineKind(Enum):
    """What a line is to the standard."""

    BLANK = "blank"
    COMMENT = "comment"
    USER_AGENT = "user-agent"
    DISALLOW = "disallow"
    ALLOW = "allow"
    CRAWL_DELAY = "crawl-delay"
    SITEMAP = "sitemap"
    UNKNOWN = "unknown"
    MALFORMED = "malformed"
    ORPHAN = "orphan"
    NAMELESS = "nameless"
    TIMELESS = "timeless"


_WHY_IGNORED = {
    LineKind.UNKNOWN: "the 1994 standard has no such field",
    LineKind.MALFORMED: "it is not a field name, a colon and a value",
    LineKind.ORPHAN: "its record has no User-agent line before it",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "it says no number of seconds",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file: `text + ending` is what stood there.

    *number* counts from 1. *field* and *value* are as written, without the space around
    them and without the comment; *comment* begins with its `#`. Each is empty when the
    line has none.
    """

    number: int
    kind: LineKind
    text: str
    ending: str
    field: str = ""
    value: str = ""
    comment: str = ""

    @property
    def why_ignored(self) -> str | None:
        """The reason why the line counts for nothing, or None when it counts, is blank
        or a comment.
        """
        return _WHY_IGNORED.get(self.kind)

    def orphaned(self) -> "Line":
        """Return the same line as no record owns it."""
        kind, said = LineKind.ORPHAN, (self.field, self.value, self.comment)
        return Line(self.number, kind, self.text, self.ending, *said)


def read_lines(text: str, dialect: Dialect) -> Iterator[Line]:
    """Yield the lines of *text* in order.

    A Disallow line is DISALLOW here even when no record owns it: whose it is, records
    tell.
    """
    for number, match in enumerate(LINE.finditer(text), 1):
        content, ending = match[1] or "", match[2] or match[4] or ""
        yield _read_line(number, content, ending, dialect)


def _read_line(number: int, text: str, ending: str, dialect: Dialect) -> Line:
    """Return the line that *text* is."""
    # 1994 F5: the comment and the space before it are discarded.
    content, mark, rest = text.partition(COMMENT)
    comment = mark + rest
    field, colon, value = content.partition(":")
    field = field.strip(SPACE)
    if not field and not colon:
        # 1994 F5: a line that held only a comment vanishes, and is not blank.
        kind = LineKind.COMMENT if comment else LineKind.BLANK
        return Line(number, kind, text, ending, comment=comment)
    if not field or not colon:
        # Ours O14: a line that has not the form is ignored, never guessed at.
        return Line(number, LineKind.MALFORMED, text, ending, comment=comment)
    value = value.strip(SPACE)
    kind = _kind(field, value, dialect)
    return Line(number, kind, text, ending, field, value, comment)


def _kind(field: str, value: str, dialect: Dialect) -> LineKind:
    """Return what a line of the right form is, by its field."""
    # 1994 F4: field names compare without case.
    name = field.lower()
    if name == DISALLOW:
        return LineKind.DISALLOW
    if name == USER_AGENT:
        # Ours O12: a User-agent line that names nobody is ignored.
        return LineKind.USER_AGENT if dialect.names(value) else LineKind.NAMELESS
    # 1994 F6: any other field is ignored, wherever it stands.
    return _EXTENSIONS[name](value) if name in dialect.fields else LineKind.UNKNOWN


def _delay_kind(value: str) -> LineKind:
    """Return what a Crawl-delay line is, by its value."""
    # Ours X4: without a number it is ignored.
    return LineKind.TIMELESS if seconds_of(value) is None else LineKind.CRAWL_DELAY


_EXTENSIONS: dict[str, Callable[[str], LineKind]] = {
    ALLOW: lambda _: LineKind.ALLOW,
    CRAWL_DELAY: _delay_kind,
    SITEMAP: lambda _: LineKind.SITEMAP,
}
