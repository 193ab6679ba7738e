"""Why two parsers differ: the lines that it needs, and the cause that these lines show.

Nothing is simulated. Lines are needed if the other parser and ours, given these lines alone,
each decide as on the whole file, and if no one of them can be left out.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Line
from scrapy_robots1994.parser.dialects import grammars_of

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
# A UTF-16 file has no such line ends, and is one line here.
_LINE = re.compile(rb"\A(?:\xff\xfe|\xfe\xff).*|.*?(?:\r\n?|\n|.\Z)", re.DOTALL)


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

    def has_ignored_allow(self) -> bool:
        """Whether our dialect ignores an Allow line."""
        return "allow" in self.fields and not grammars_of(self.dialect)[0].has_allow

    def has_wildcard(self) -> bool:
        """Whether a rule has a wildcard."""
        return any(set(it) & set("*$") for it in self.paths)

    def is_split(self) -> bool:
        """Whether a blank line follows a User-agent line, if comments are left out."""
        last = ""
        for line in self.lines:
            if last == "user-agent" and not line.text.strip(" \t"):
                return True
            last = line.field.lower() or last
        return False

    def is_misspelt(self) -> bool:
        """Whether a line has text, but neither a rule, a name nor another known field."""
        known = {*_RULES, *_OTHER_FIELDS, "user-agent"}
        return any(
            it.text.partition("#")[0].strip() and it.field.lower() not in known
            for it in self.lines
        )

    def has_other_field(self) -> bool:
        """Whether a line has a field that is neither a rule nor a name."""
        return bool(_OTHER_FIELDS.intersection(self.fields))

    def is_odd(self) -> bool:
        """Whether a line has bytes, or an end, that parsers read differently."""
        return any(_ODD.search(it.raw) for it in self.lines)

    def has_empty_rule(self) -> bool:
        """Whether a rule has no path."""
        return "" in self.paths

    def has_both(self) -> bool:
        """Whether Allow and Disallow lines decide together."""
        return _RULES.issubset(self.fields)

    def has_several_names(self) -> bool:
        """Whether there is more than one User-agent line."""
        return self.fields.count("user-agent") > 1

    def is_spelt_otherwise(self) -> bool:
        """Whether the URL, as written, does not begin with the path of a rule."""
        target, paths = target_of(self.url), self.paths
        is_other = "%" in target or not any(map(target.startswith, paths))
        return bool(paths) and is_other

    def has_name(self) -> bool:
        """Whether a rule belongs to a User-agent line."""
        return "user-agent" in self.fields and bool(self.paths)


class Cause(NamedTuple):
    """Why a decision differs. *code* is for programs, *words* are shown, *clause* says what
    our side follows. *fits* reads the cause off the needed lines, if lines decide.
    """

    code: str
    words: str
    clause: str = ""
    fits: Callable[[Needed], bool] | None = None


STATUS = Cause("status", "status of the answer", "Ours R3 to R5")
RACE = Cause(
    "on-its-way", "sent by Scrapy's middleware while robots.txt was on its way"
)
RAISED = Cause("raised", "the parser failed")
OTHER = Cause("other", "other")

CAUSES = (
    STATUS,
    RACE,
    RAISED,
    Cause("allow", "Allow", "1994 F6", Needed.has_ignored_allow),
    Cause("wildcard", "wildcard or $", "1994 D1", Needed.has_wildcard),
    Cause(
        *("split-record", "blank line after a name", "1994 F1, Ours O3, O5"),
        Needed.is_split,
    ),
    Cause(
        *("misspelt-field", "misspelt field, no colon", "1994 F4, F6, Ours O14"),
        Needed.is_misspelt,
    ),
    Cause(
        *("joined-records", "other field between names", "1994 F6, Ours O7"),
        Needed.has_other_field,
    ),
    Cause("encoding", "encoding or line ends", "Ours O16, O17, 1994 F2", Needed.is_odd),
    Cause("empty-rule", "empty rule beside others", "Ours O21", Needed.has_empty_rule),
    Cause("longest-match", "first or longest match", "1994 D1", Needed.has_both),
    Cause(
        *("several-records", "several records", "1994 A3, Ours O1, O2"),
        Needed.has_several_names,
    ),
    Cause(
        *("spelling", "spelling of the URL", "Ours O18, O19, O27"),
        Needed.is_spelt_otherwise,
    ),
    Cause(
        *("agent-matching", "name of the robot", "1994 A2, Ours O8 to O12"),
        Needed.has_name,
    ),
    OTHER,
)
"""Of several causes that fit, the first counts."""

BY_CODE = {it.code: it for it in CAUSES}


def cause_of(needed: Needed) -> Cause:
    """Return the first cause that fits, or `OTHER`."""
    return next((it for it in CAUSES if it.fits and it.fits(needed)), OTHER)


class Lines:
    """A file as its lines, of which parts can be tried."""

    def __init__(self, body: bytes) -> None:
        self._lines = dict(enumerate(_LINE.findall(body), 1))
        self._found: list[Sequence[int]] = []

    def part(self, numbers: Iterable[int]) -> bytes:
        """Return the file with only the lines *numbers*, counted from 1."""
        return b"".join(self._lines[it] for it in numbers)

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
