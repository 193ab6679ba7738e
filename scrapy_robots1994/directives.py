"""Directives: whether a page may be indexed and its links followed, and who says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EVERYBODY = frozenset({"robots", "*"})
"""The names that mean every robot."""

# Pages P1: the terms, of which these forbid something.
ALL = "all"
NOINDEX = frozenset({"noindex", "none"})
NOFOLLOW = frozenset({"nofollow", "none"})

# Terms of later years that have a value after a colon; they are no robot's name.
_VALUED = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_NAME = re.compile(r"[a-z*_][\w.+-]*")
_SPACE = " \t\n\r\f"


@dataclass(frozen=True, slots=True)
class Said:
    """A term that forbids something, in lower case, and where the page says it."""

    term: str
    where: str

    def __str__(self) -> str:
        """Return both, safe to print."""
        where = escape_control_chars(self.where, 80)
        return f'"{escape_control_chars(self.term, 40)}" in the {where}'


@dataclass(frozen=True, slots=True)
class Directives:
    """What one page says to one robot; None where it forbids nothing."""

    noindex: Said | None = None
    nofollow: Said | None = None

    @property
    def index(self) -> bool:
        """Whether what the page holds may be kept."""
        return self.noindex is None

    @property
    def follow(self) -> bool:
        """Whether its links may be followed."""
        return self.nofollow is None


NO_DIRECTIVES = Directives()
"""Pages P2: a page that says nothing says INDEX, FOLLOW."""


def directives_of(
    tags: Iterable[tuple[str, str]], headers: Iterable[str], names: str
) -> Directives:
    """Return what a page says to a robot that goes by *names* (see `names_of`).

    *tags* are name and content of its meta tags, *headers* the values of its
    X-Robots-Tag lines.
    """
    ours = EVERYBODY | frozenset(name for name in names.split("\n") if name)
    noindex = nofollow = None
    for where, terms in (*_from_tags(tags, ours), *_from_headers(headers, ours)):
        # Pages P3: ALL overrides what stands beside it.
        if ALL in terms:
            continue
        for term in terms:
            # Pages P4: of two that contradict each other, here or in another tag, the
            # one that forbids counts.
            if noindex is None and term in NOINDEX:
                noindex = Said(term, where)
            if nofollow is None and term in NOFOLLOW:
                nofollow = Said(term, where)
    return Directives(noindex, nofollow) if noindex or nofollow else NO_DIRECTIVES


def _from_tags(
    tags: Iterable[tuple[str, str]], ours: frozenset[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the terms of each meta tag that is for us."""
    for name, content in tags:
        # Pages P5: a meta name equal to ours, without case, is for us alone.
        if _plain(name) in ours:
            where = f"meta tag {_plain(name)}"
            # Pages P1: comma-separated, without case.
            yield where, [_plain(term) for term in content.split(",")]


def _from_headers(
    headers: Iterable[str], ours: frozenset[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the terms of each X-Robots-Tag line that are for us."""
    for header in headers:
        terms, is_ours = [], True
        for part in header.split(","):
            name, colon, term = map(_plain, part.partition(":"))
            if not colon:
                term = name
            elif name in _VALUED or not _NAME.fullmatch(name):
                continue
            else:
                # Pages P6: a name before a colon limits what follows it in its line,
                # up to the next name, to that robot.
                is_ours = name in ours
            if is_ours:
                terms.append(term)
        yield "header X-Robots-Tag", terms


def _plain(text: str) -> str:
    """Return *text* without case and without the white space around it."""
    return text.strip(_SPACE).lower()


_FORBIDDING = (b"noindex", b"nofollow", b"none")
_START = 64


def is_wide(body: bytes) -> bool:
    """Whether *body* is likely in an encoding that writes ASCII with NUL between, as
    UTF-16 does; then its words cannot be seen in the bytes.
    """
    return b"\0" in body[:_START]


def words_occur(body: bytes, names: str) -> bool:
    """Whether a meta tag for a robot that goes by *names* (see `names_of`) can stand in
    *body* and forbid something.
    """
    # Pages P7: what does not stand there in plain letters is not there.
    seen = body.lower()
    return any(
        name in seen
        for name in (b"robots", *(it.encode() for it in names.split("\n") if it))
    ) and any(word in seen for word in _FORBIDDING)
