"""A quick look at a file that saves most files a second one.

A crawl checks every file for problems that weaken its policy. Most files have none, and
patterns made of those of `tokens.py` see that without telling the lines apart.
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
    field_pattern,
)

_SPACES = f"[{SPACE}]*"
_REST = "[^\n]*"

# Extensions that are never a slip of the pen; a line of another field is suspicious.
_EXTENSIONS = "sitemap|crawl-delay|host|noindex|clean-param|request-rate|visit-time"

_NOTHING = f"{_SPACES}(?:{COMMENT}|\r?\n)"
_END = f"{_SPACES}(?={COMMENT}|\r?\n)"
_NAME = r"[A-Za-z0-9._!+-]+(?:/[A-Za-z0-9._-]+)?"
_PATH = f'/[!-"$-~]*(?![{SPACE}]*[^{SPACE}{COMMENT}\r\n])'
_PLAIN = "|".join(
    (
        _NOTHING,
        field_pattern(f"allow|{_EXTENSIONS}"),
        field_pattern(USER_AGENT) + f"(?:{_NAME}|[*]){_END}",
        field_pattern(DISALLOW) + f"(?:{_PATH}|{_END})",
    )
)
_SKIPPED = f"(?:\n{_SPACES}(?:{COMMENT}|(?ai:%s){_SPACES}:){_REST})*"

# A line that may be what it should not.
_ODD_LINE = re.compile(f"\n(?!\\Z|{_PLAIN})")
# Ours O4, O5: a rule, and above it a blank line or the start of the file.
_DOWN_TO_RULE = _SKIPPED % f"allow|{_EXTENSIONS}" + f"\n{field_pattern(DISALLOW)}"
_ORPHAN_AT_START = re.compile(f"\\A{_DOWN_TO_RULE}")
_ORPHAN = re.compile(f"\n{_SPACES}\r?(?=\n){_DOWN_TO_RULE}")
# Ours O3: a User-agent line, and below it a blank line; Allow is no sign of a slip.
_WITHOUT_RULES = re.compile(
    f"\n{field_pattern(USER_AGENT)}{_REST}"
    + _SKIPPED % _EXTENSIONS
    + f"\n{_SPACES}\r?\n"
)
_ALLOW = re.compile(f"\n{field_pattern('allow')}")
_LONE_CR = re.compile(LONE_CR)
_LINE = re.compile("\n")
_BLANK_LINE = re.compile(f"\n{_SPACES}\r?\n")

_SLICE = 32_768


def may_weaken(text: str, dialect: Dialect) -> bool:
    """Return whether a problem that weakens the policy may be in *text*.

    When it is False, `find_weakening_problems` finds none.
    """
    lines = f"\n{text}\n\n"
    if "\r" in text and _LONE_CR.search(text):
        return True
    if dialect.has_allow and _ALLOW.search(lines):
        # Ours X1: the order of Allow and Disallow lines counts.
        return True
    if _ORPHAN_AT_START.search(lines):
        return True
    # A search keeps all threads waiting, so it is one of a part of the text. An odd line
    # is a line; the other signs begin or end with a blank line, and have no other one.
    return any(_ODD_LINE.search(f"{part}\n") for part in _slices(lines, _LINE)) or any(
        _ORPHAN.search(part) or _WITHOUT_RULES.search(part)
        for part in _slices(lines, _BLANK_LINE)
    )


def _slices(text: str, border: re.Pattern[str]) -> Iterator[str]:
    """Yield *text* in parts that overlap in a *border*, which begins and ends a part."""
    start = 0
    while len(text) - start > _SLICE:
        found = border.search(text, start + _SLICE)
        if found is None:
            break
        yield text[start : found.end()]
        start = found.start()
    yield text[start:]
