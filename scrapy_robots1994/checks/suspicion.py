"""Suspicion: a first look at a file that is quick, and says when a second is needed.

A crawl asks of each file whether it opens the site against its owner's intent. Most do
not, and to see that no line need be told apart from the others.
"""

import re
from collections.abc import Iterator

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.tokens import (
    COMMENT,
    DISALLOW,
    LONE_CR,
    SPACE,
    USER_AGENT,
)

_SPACES = f"[{SPACE}]*"
_REST = "[^\n]*"

# Extensions that are never a slip of the pen; a line of another field is suspicious.
_EXTENSIONS = "sitemap|crawl-delay|host|noindex|clean-param|request-rate|visit-time"


def _line(names: str) -> str:
    """Return the beginning of a line with a field of *names*, up to its value."""
    return f"{_SPACES}(?ai:{names}){_SPACES}:{_SPACES}"


_NOTHING = f"{_SPACES}(?:{COMMENT}|\r?\n)"
_END = f"(?={COMMENT}|\r?\n)"
_NAME = f"[^\r\n{COMMENT}{SPACE}/,*][^\n{COMMENT},*]*(?={COMMENT}|\n)"
_PATH = f"/(?!{_REST}[{SPACE}]/)"
_INNOCENT = "|".join(
    (
        _NOTHING,
        _line(f"allow|{_EXTENSIONS}"),
        _line(USER_AGENT) + f"(?:{_NAME}|[*]{_SPACES}{_END})",
        _line(DISALLOW) + f"(?:{_PATH}|{_END})",
    )
)
_PASSED_OVER = f"(?:\n{_SPACES}(?:{COMMENT}|(?ai:%s){_SPACES}:){_REST})*"

_FIELD = re.compile(f"(?ai:{USER_AGENT}|{DISALLOW})")

# A line that may be what it should not.
_ODD_LINE = re.compile(f"\n(?!\\Z|{_INNOCENT})")
# Ours O4, O5: a Disallow line, and above it a blank line or the start of the file.
_DOWN_TO_RULE = _PASSED_OVER % f"allow|{_EXTENSIONS}" + f"\n{_line(DISALLOW)}"
_ORPHAN_AT_START = re.compile(f"\\A{_DOWN_TO_RULE}")
_ORPHAN = re.compile(f"\n{_SPACES}\r?(?=\n){_DOWN_TO_RULE}")
# Ours O3: a User-agent line, and below it a blank line; Allow is no sign of a slip.
_WITHOUT_RULES = re.compile(
    f"\n{_line(USER_AGENT)}{_REST}" + _PASSED_OVER % _EXTENSIONS + f"\n{_SPACES}\r?\n"
)


_LONE_CR = re.compile(LONE_CR)
_SLICE = 32_768


def framed(text: str) -> str:
    """Return *text* with every line between two NL, none ended by a CR alone, and a
    blank line at the end.
    """
    # 1994 F2: CR ends a line, too.
    if "\r" in text and _LONE_CR.search(text):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"\n{text}\n\n"


def slices(text: str) -> Iterator[str]:
    """Yield *text* in parts of whole lines, for a match keeps all threads waiting."""
    start = 0
    while len(text) - start > _SLICE:
        end = text.find("\n", start + _SLICE)
        if end < 0:
            break
        yield text[start:end]
        start = end
    yield text[start:]


def may_open(text: str, dialect: Dialect) -> bool:
    """Whether a problem that opens the site may be in *text*.

    When it is False there is none; when it is True there need not be one.
    """
    if dialect.has_allow or dialect.has_lists:
        return True
    if text.lstrip(f"{SPACE}\r\n").startswith("<") and not _FIELD.search(text):
        # Ours O23: it is a page, and says nothing to robots.
        return False
    lines = framed(text)
    # A match holds all threads, and odd lines take the longest to look for.
    return any(_ODD_LINE.search(f"{part}\n") for part in slices(lines)) or any(
        sign.search(lines) for sign in (_ORPHAN_AT_START, _ORPHAN, _WITHOUT_RULES)
    )
