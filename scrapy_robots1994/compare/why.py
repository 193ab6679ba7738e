"""Why two parsers differ: the lines that it needs, and the cause that these lines show.

Nothing is simulated. Lines are needed if the other parser and ours, given these lines alone,
each decide as on the whole file, and if no one of them can be left out.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Line
from scrapy_robots1994.parser.body import encoding_of
from scrapy_robots1994.parser.dialects import grammars_of
from scrapy_robots1994.robotstxt import RobotsTxt

ItemT = TypeVar("ItemT")

MAX_BYTES = 60_000
"""The largest file in which lines are looked for."""

MAX_CALLS = 400
"""The most parts of a file that are tried. What is left then explains it too, but might
hold a line too many.
"""

_RULES = {"allow", "disallow"}
_OTHER_FIELDS = {"sitemap", "crawl-delay", "request-rate", "visit-time", "host"}
# What is not printable ASCII, and a CR that ends a line by itself.
_ODD = re.compile(r"[^\t\n\r -~]|\r(?!\n)")
_URL = re.compile("https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Needed:
    """The needed lines of one difference, as *dialect* reads them, and the URL asked."""

    lines: Sequence[Line]
    url: str
    dialect: str

    @property
    def fields(self) -> list[str]:
        """The name of the field of each line that has one."""
        return [it.field.lower() for it in self.lines if it.field]

    @property
    def paths(self) -> list[str]:
        """The values of the rules."""
        return [it.value for it in self.lines if it.field.lower() in _RULES]

    def has_blank_before(self, *fields: str) -> bool:
        """Whether a blank line stands between a User-agent line and one of *fields*."""
        last, is_blank = "", False
        for line in self.lines:
            if line.field:
                now = line.field.lower()
                if is_blank and last == "user-agent" and now in fields:
                    return True
                last, is_blank = now, False
            is_blank |= not line.text.strip(" \t")
        return False

    def is_misspelt(self) -> bool:
        """Whether a line has text, but neither a rule, a name nor another known field."""
        known = {*_RULES, *_OTHER_FIELDS, "user-agent"}
        return any(
            it.text.partition("#")[0].strip() and it.field.lower() not in known
            for it in self.lines
        )

    def is_spelt_otherwise(self) -> bool:
        """Whether the URL, as written, does not begin with the path of a rule."""
        target = target_of(self.url)
        return "%" in target or not any(map(target.startswith, self.paths))


class Cause(str, Enum):
    """Why a decision differs. Of several that fit, the first counts.

    The value is a code for programs; *words* are shown; *clause* says what our side follows;
    *fits* reads the cause off the needed lines, and is None where no lines decide.
    """

    STATUS = "status", "status of the answer", "Ours R3 to R5", None
    RACE = (
        *("on-its-way", "sent by Scrapy's middleware while robots.txt was on its way"),
        *("", None),
    )
    RAISED = "raised", "the parser failed", "", None
    URL_AS_PATH = (
        *("url-as-path", "rule that is a URL", "Ours O19"),
        lambda it: any(map(_URL.match, it.paths)),
    )
    ALLOW = (
        *("allow", "Allow", "1994 F6"),
        lambda it: "allow" in it.fields and not grammars_of(it.dialect)[0].has_allow,
    )
    WILDCARD = (
        *("wildcard", "wildcard or $", "1994 D1"),
        lambda it: any(set(path) & set("*$") for path in it.paths),
    )
    SPLIT_RECORD = (
        *("split-record", "record split by a blank line", "1994 F1, Ours O5"),
        lambda it: it.has_blank_before(*_RULES),
    )
    EMPTY_RECORD = (
        *("empty-record", "record without a rule", "Ours O3"),
        lambda it: it.has_blank_before("user-agent"),
    )
    MISSPELT = (
        *("misspelt-field", "misspelt field, no colon", "1994 F4, F6, Ours O14"),
        Needed.is_misspelt,
    )
    JOINED = (
        *("joined-records", "other field between names", "1994 F6, Ours O7"),
        lambda it: bool(_OTHER_FIELDS.intersection(it.fields)),
    )
    ENCODING = (
        *("encoding", "encoding or line ends", "Ours O16, O17, 1994 F2"),
        lambda it: any(_ODD.search(line.raw) for line in it.lines),
    )
    EMPTY_RULE = (
        *("empty-rule", "empty rule beside others", "Ours O21"),
        lambda it: "" in it.paths,
    )
    LONGEST_MATCH = (
        *("longest-match", "first or longest match", "1994 D1"),
        lambda it: _RULES.issubset(it.fields),
    )
    SEVERAL = (
        *("several-records", "several records", "1994 A3, Ours O1, O2"),
        lambda it: it.fields.count("user-agent") > 1,
    )
    SPELLING = (
        *("spelling", "spelling of the URL", "Ours O18, O27"),
        lambda it: bool(it.paths) and it.is_spelt_otherwise(),
    )
    NAME = (
        *("agent-matching", "name of the robot", "1994 A2, Ours O8 to O12"),
        lambda it: "user-agent" in it.fields and bool(it.paths),
    )
    OTHER = "other", "other", "", None

    def __new__(cls, code: str, *_: object) -> "Cause":  # noqa: PYI034 - Self needs Python 3.11
        """Return the member with the value *code*."""
        member = str.__new__(cls, code)
        member._value_ = code
        return member

    def __init__(
        self, _: str, words: str, clause: str, fits: Callable[[Needed], bool] | None
    ) -> None:
        self.words = words
        self.clause = clause
        self.fits = fits


def cause_of(needed: Needed) -> Cause:
    """Return the first cause that fits, or `Cause.OTHER`."""
    return next((it for it in Cause if it.fits and it.fits(needed)), Cause.OTHER)


class Lines:
    """A file as its lines, of which parts can be tried."""

    def __init__(self, body: bytes) -> None:
        mark, encoding = encoding_of(body)
        texts = (it.raw for it in RobotsTxt.parse(body).lines)
        lines = [it.encode(encoding, "surrogateescape") for it in texts]
        # Without its mark, a part in UTF-16 is not text.
        self._mark = b"" if encoding == "utf-8" else mark
        if lines and not self._mark:
            lines[0] = mark + lines[0]
        self._lines = dict(enumerate(lines, 1))
        self._found: list[Sequence[int]] = []

    def part(self, numbers: Iterable[int]) -> bytes:
        """Return the file with only the lines *numbers*, counted from 1."""
        return self._mark + b"".join(self._lines[it] for it in numbers)

    def needed(self, holds: Callable[[bytes], bool]) -> Sequence[int]:
        """Return a minimal set of lines that alone make *holds* true, as the file does."""
        calls = 0

        def is_enough(numbers: Sequence[int]) -> bool:
            nonlocal calls
            calls += 1
            return calls <= MAX_CALLS and holds(self.part(numbers))

        # Most differences of a file need the lines that another one needed.
        known = next(filter(is_enough, self._found), None)
        found = ddmin(known or list(self._lines), is_enough)
        if found not in self._found:
            self._found.append(found)
        return found


def ddmin(
    items: Sequence[ItemT], holds: Callable[[Sequence[ItemT]], bool]
) -> Sequence[ItemT]:
    """Return a part of *items* for which *holds* is true, and for no part with one less.

    *holds* is true for *items*. For k of n items, it is called some k log n times.
    """
    needed, size = items, len(items)
    while needed and size:
        size = min(size, len(needed))
        is_less = False
        # From the end: a rule needs the name above it, so the rule must go first.
        for end in range(len(needed), 0, -size):
            rest = [*needed[: max(0, end - size)], *needed[end:]]
            if holds(rest):
                needed, is_less = rest, True
        # Ends only when no single item can go.
        size = size if size == 1 and is_less else size // 2
    return needed
