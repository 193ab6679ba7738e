"""Tokens: every line of a file, numbered, with its kind, field, value and comment.

This is the only reader of lines: records, reports and problems use its tokens, and
`fast_scan.py` its patterns.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind, seconds_of

__all__ = ["Line", "LineKind", "read_lines"]

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
_LONE_CR = re.compile(rb"\r(?!\n)")

# The patterns below are for a text without lone CR.
_SPACES = f"[{SPACE}]*"
# 1994 F1: a blank line. Ours O6: a line of spaces and tabs only is blank.
# Most lines are not: their first character is enough to see it.
BLANK = f"(?=[{SPACE}\r\n]){_SPACES}\r?(?=\n)"
# 1994 F5: a comment, which is left out before the values below are read.
_COMMENT = re.compile(f"{COMMENT}.*")
# 1994 F3: a value that is not empty, without the space that ends its line.
VALUE = f"[^\n\r{SPACE}].*(?<![{SPACE}\r])"


def field_pattern(*names: str) -> str:
    """Return the pattern of a line up to its value, with one of these field *names*."""
    # 1994 F3: a line is field name, colon, optional space, value.
    # 1994 F4: names of fields compare without case; ASCII letters only, no other letter
    # is a spelling of one.
    # Ours O15: space before the colon and at the start of the line is accepted.
    return f"{_SPACES}(?ai:{'|'.join(names)}){_SPACES}:{_SPACES}"


# One call of a pattern keeps all other threads waiting: about so many characters each.
_SEARCHED_AT_ONCE = 32_768


def find_all(pattern: re.Pattern[str], text: str) -> list[Any]:
    """Return all that *pattern*, that of a line, finds in *text*, part by part."""
    if len(text) <= _SEARCHED_AT_ONCE:
        return pattern.findall(text)
    found: list[Any] = []
    start = 0
    while start < len(text):
        # At the end of a line, so that no rule is cut.
        end = text.find("\n", start + _SEARCHED_AT_ONCE)
        if end < 0:
            end = len(text)
        found += pattern.findall(text, start, end)
        start = end
    return found


def without_lone_cr(text: bytes) -> bytes:
    """Return *text* with NL for each CR if any CR stands alone; its lines have the same
    numbers.
    """
    # 1994 F2: CR ends a line, too.
    if b"\r" in text and _LONE_CR.search(text):
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text


def without_comments(text: str) -> str:
    """Return *text* without comments; the space before each is still there."""
    # 1994 F5: the comment is discarded; the space before it goes with the value.
    return _COMMENT.sub("", text) if COMMENT in text else text


# Short enough to be printed next to the line.
_WHY_IGNORED = {
    LineKind.UNKNOWN: "this dialect has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line in its record",
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
    kinds = _kinds(dialect)
    for number, match in enumerate(_LINE.finditer(text), 1):
        line, ending = match.groups()
        # 1994 F5: the comment and the space before it are discarded.
        content, mark, rest = line.partition(COMMENT)
        field, colon, value = content.partition(":")
        field = field.strip(SPACE)
        if field and colon:
            value = value.strip(SPACE)
            # 1994 F4: field names compare without case. 1994 F6: any other field is
            # ignored, wherever it stands.
            kind = kinds.get(field.lower(), LineKind.UNKNOWN)
            if kind is LineKind.USER_AGENT and not dialect.names(value):
                # Ours O12: a User-agent line without a name is ignored.
                kind = LineKind.NAMELESS
            elif kind is LineKind.CRAWL_DELAY and seconds_of(value) is None:
                # Ours X4: without a number it is ignored.
                kind = LineKind.TIMELESS
        else:
            kind = LineKind.BLANK
            if field or colon:
                # Ours O14: a line without this form is ignored, never guessed.
                kind = LineKind.MALFORMED
            elif mark:
                # 1994 F5: a line of a comment alone vanishes, and is not blank.
                kind = LineKind.COMMENT
            field = value = ""
        yield Line(number, kind, line, ending, field, value, mark + rest)


def _kinds(dialect: Dialect) -> dict[str, LineKind]:
    """Return the kinds of the lines with the fields that *dialect* has."""
    kinds = {USER_AGENT: LineKind.USER_AGENT, DISALLOW: LineKind.DISALLOW}
    if dialect.has_allow:
        kinds[ALLOW] = LineKind.ALLOW
    if dialect.has_crawl_delay:
        kinds[CRAWL_DELAY] = LineKind.CRAWL_DELAY
    if dialect.has_sitemap:
        kinds[SITEMAP] = LineKind.SITEMAP
    return kinds
