"""Tokens: every line of a file, numbered, with its kind, field, value and comment.

This is the only reader of lines: records, reports and problems use its tokens, and
`fast_scan.py` its patterns.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from scrapy_robots1994.parser.dialects import Dialect, seconds_of

# 1994 F3: the optional space. Ours O6: spaces and tabs, which an author cannot see.
SPACE = " \t"
# 1994 F5: begins a comment. Ours O13: the `#` needs no space before it.
COMMENT = "#"

# 1994 F6: the fields of 1994. Ours X1, X4, X7: those that other dialects have too.
USER_AGENT = "user-agent"
DISALLOW = "disallow"
ALLOW = "allow"
CRAWL_DELAY = "crawl-delay"
SITEMAP = "sitemap"

# 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else.
_LINE = re.compile(r"(?!\Z)([^\r\n]*)(\r\n?|\n|\Z)")
LONE_CR = r"\r(?!\n)"

# The patterns below are for a text without lone CR.
_SPACES = f"[{SPACE}]*"
# 1994 F1: a blank line. Ours O6: a line of spaces and tabs only is blank.
# Most lines are not: their first character is enough to see it.
BLANK = f"(?=[{SPACE}\r\n]){_SPACES}\r?(?=\n)"
# 1994 F5: a comment, which is left out before the values below are read.
COMMENT_TEXT = f"{COMMENT}.*"
# 1994 F3: a value that is not empty, without the space that ends its line.
VALUE = f"[^\n\r{SPACE}].*(?<![{SPACE}\r])"


def field_pattern(*names: str, in_lower_case: bool = False) -> str:
    """Return the pattern of a line up to its value, with one of these field *names*.

    It finds them without case, or in a text that is *in_lower_case* already.
    """
    # 1994 F3: a line is field name, colon, optional space, value.
    # 1994 F4: names of fields compare without case; ASCII letters only, no other letter
    # is a spelling of one.
    # Ours O15: space before the colon and at the start of the line is accepted.
    case = "?:" if in_lower_case else "?ai:"
    return f"{_SPACES}({case}{'|'.join(names)}){_SPACES}:{_SPACES}"


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


# Short enough to be printed next to the line.
_WHY_IGNORED = {
    LineKind.UNKNOWN: "this dialect has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line before it",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "no number of seconds",
}


class Line(NamedTuple):
    """One line of a file; `text + ending` is what the file has there.

    *number* counts from 1. *field* and *value* are as written, without the space around
    them and without the comment; *comment* begins with its `#`. Each is empty if the
    line has none. Bytes that are not UTF-8 are surrogate escapes.
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
        """The reason why the line has no effect; None if it has one, is blank or is a
        comment.
        """
        return _WHY_IGNORED.get(self.kind)

    @property
    def column(self) -> int:
        """The column, from 1, of the first character that is not space."""
        return len(self.text) - len(self.text.lstrip(SPACE)) + 1

    @property
    def value_column(self) -> int:
        """The column, from 1, where the value begins, or would begin."""
        value = self.text.partition(":")[2]
        return len(self.text) - len(value.lstrip(SPACE)) + 1

    @property
    def comment_column(self) -> int:
        """The column, from 1, of the `#`; behind the line if there is none."""
        return len(self.text) - len(self.comment) + 1


def read_lines(text: str, dialect: Dialect) -> Iterator[Line]:
    """Yield the lines of *text* in order.

    A Disallow line without a record is DISALLOW here; `records.py` finds the orphans.
    """
    for number, match in enumerate(_LINE.finditer(text), 1):
        yield _line(number, match[1], match[2], dialect)


def _line(number: int, text: str, ending: str, dialect: Dialect) -> Line:
    """Return the token of one line."""
    # 1994 F5: the comment and the space before it are discarded.
    content, mark, rest = text.partition(COMMENT)
    comment = mark + rest
    field, colon, value = content.partition(":")
    field = field.strip(SPACE)
    if not field and not colon:
        # 1994 F5: a line that contained only a comment vanishes, and is not blank.
        kind = LineKind.COMMENT if comment else LineKind.BLANK
        return Line(number, kind, text, ending, comment=comment)
    if not field or not colon:
        # Ours O14: a line without this form is ignored, never guessed.
        return Line(number, LineKind.MALFORMED, text, ending, comment=comment)
    value = value.strip(SPACE)
    kind = _kind(field, value, dialect)
    return Line(number, kind, text, ending, field, value, comment)


def _kind(field: str, value: str, dialect: Dialect) -> LineKind:
    """Return the kind of a line that has a field."""
    # 1994 F4: field names compare without case.
    match field.lower():
        case "disallow":
            return LineKind.DISALLOW
        case "user-agent":
            # Ours O12: a User-agent line without a name is ignored.
            return LineKind.USER_AGENT if dialect.names(value) else LineKind.NAMELESS
        case "allow" if dialect.has_allow:
            return LineKind.ALLOW
        case "crawl-delay" if dialect.has_crawl_delay:
            # Ours X4: without a number it is ignored.
            has_number = seconds_of(value) is not None
            return LineKind.CRAWL_DELAY if has_number else LineKind.TIMELESS
        case "sitemap" if dialect.has_sitemap:
            return LineKind.SITEMAP
        case _:
            # 1994 F6: any other field is ignored, wherever it stands.
            return LineKind.UNKNOWN
