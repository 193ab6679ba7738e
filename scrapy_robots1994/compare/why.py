"""Find the lines and the cause of a difference between two parsers.

If a file consisted of these lines only, both parsers would decide as they do for the whole file.
Unless the search ends early (`MAX_CALLS`), none of the lines can be left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Line
from scrapy_robots1994.parser.dialects import grammars_of
from scrapy_robots1994.parser.fields import FIELDS, LineKind, Role
from scrapy_robots1994.robotstxt import RobotsTxt

ItemT = TypeVar("ItemT")

MAX_BYTES = 60_000
"""Larger files are not searched for the lines that make a difference."""

MAX_CALLS = 400
"""The maximum number of parts of a file to try. If the search needs to try more, some of the
reported lines may be superfluous.
"""

# A file in UTF-16 counts as one line.
_LINE = re.compile(rb"\A(?:\xff\xfe|\xfe\xff).*|.*?(?:\r\n?|\n|.\Z)", re.DOTALL)

_RULE = "^(?:dis)?allow:"
_OTHERS = (it.key for it in FIELDS if it.role not in (Role.NAMES, Role.RULE))
_OTHER_FIELD = f"^(?:{'|'.join(map(re.escape, _OTHERS))}):"
# A line of text that is neither a rule, nor a name, nor one of these fields
_MISSPELT = rf"(?!{_RULE}|{_OTHER_FIELD}|^user-agent:)^."


class Cause(NamedTuple):
    code: str
    words: str
    clause: str = ""
    """The clause that we follow, or why no cause was looked for."""
    pattern: str = ""
    """A regular expression for the lines that make the difference, as `_normal` yields them."""


STATUS = Cause("status", "status of the answer", "Ours R3 to R5")
RACE = Cause(
    "on-its-way", "sent by Scrapy's middleware while robots.txt was on its way"
)
RAISED = Cause("raised", "the parser failed")
UNSOUGHT = Cause(
    *("unsought", "not looked for"),
    f"in files over {MAX_BYTES:,} bytes, or over 20 seconds after the end of a crawl",
)
ALLOW = Cause("allow", "Allow", "1994 F6", "^allow:")
# Anything that is not printable ASCII, and a CR that ends a line by itself
ENCODING = Cause(
    *("encoding", "encoding or line endings", "Ours O16, O17, 1994 F2"),
    r"[^\t\n\r -~]|\r(?!\n)",
)
SPELLING = Cause("spelling", "spelling of the URL", "Ours O18, O19, O27", _RULE)
OTHER = Cause("other", "other")

CAUSES = (
    STATUS,
    RACE,
    RAISED,
    UNSOUGHT,
    ALLOW,
    Cause("wildcard", "wildcard or $", "1994 D1", f"{_RULE}.*[*$]"),
    Cause(
        *("split-record", "blank line after a name", "1994 F1, Ours O3, O5"),
        r"^user-agent:.*\n$",
    ),
    Cause(
        *("misspelt-field", "misspelt field, no colon", "1994 F4, F6, Ours O14"),
        _MISSPELT,
    ),
    Cause(
        *("joined-records", "other field between names", "1994 F6, Ours O7"),
        _OTHER_FIELD,
    ),
    ENCODING,
    Cause("empty-rule", "empty rule among others", "Ours O21", f"{_RULE}$"),
    Cause(
        *("longest-match", "first or longest match", "1994 D1"),
        r"(?s)^allow:.*^disallow:|^disallow:.*^allow:",
    ),
    Cause(
        *("several-records", "several records", "1994 A3, Ours O1, O2"),
        r"(?s)^user-agent:.*^user-agent:",
    ),
    SPELLING,
    Cause(
        *("agent-matching", "name of the robot", "1994 A2, Ours O8 to O12"),
        rf"(?s)^user-agent:(?!\*$).*{_RULE}",
    ),
    OTHER,
)
"""All causes, in order of precedence."""

BY_CODE = {it.code: it for it in CAUSES}


def cause_of(part: bytes, url: str, dialect: str) -> Cause:
    """Return the cause of a difference about *url*. *part* contains the lines that make the
    difference, and *dialect* is the dialect in which we read them.
    """
    text = "\n".join(_normal(RobotsTxt.parse(part, dialect=dialect).lines))
    # `text` contains no byte order mark.
    searched = {ENCODING: part.decode("latin-1")}
    fitting = {
        it
        for it in CAUSES
        if it.pattern and re.search(it.pattern, searched.get(it, text), re.MULTILINE)
    }
    if grammars_of(dialect)[0].has_allow:
        fitting.discard(ALLOW)
    target = target_of(url)
    paths = re.findall(f"{_RULE}(.*)", text, re.MULTILINE)
    is_plain = "%" not in target and not target.endswith("?")
    if is_plain and any(map(target.startswith, paths)):
        fitting.discard(SPELLING)
    return next(filter(fitting.__contains__, CAUSES), OTHER)


def _normal(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the lines without comments or surrounding white space, with fields in lower case."""
    for line in lines:
        if line.field:
            yield f"{line.field.lower()}:{line.value}"
        elif line.kind is not LineKind.COMMENT:
            yield line.text.partition("#")[0].strip()


class Lines:
    def __init__(self, body: bytes) -> None:
        self._lines = dict(enumerate(_LINE.findall(body), 1))
        self._found: list[Sequence[int]] = []

    def part(self, numbers: Iterable[int]) -> bytes:
        """Return only the lines with these 1-based *numbers*."""
        return b"".join(self._lines[it] for it in numbers)

    def needed(self, holds: Callable[[bytes], bool]) -> Sequence[int]:
        """Return the numbers of a minimal set of lines for which *holds* is true. *holds* must be
        true for the whole file.
        """
        calls = 0

        def is_enough(numbers: Sequence[int]) -> bool:
            nonlocal calls
            calls += 1
            return calls <= MAX_CALLS and holds(self.part(numbers))

        # Try the lines of earlier differences first, because they often cause the next one too.
        known = next(filter(is_enough, self._found), None)
        found = ddmin(known or list(self._lines), is_enough)
        if found not in self._found:
            self._found.append(found)
        return found


def ddmin(
    items: Sequence[ItemT], holds: Callable[[Sequence[ItemT]], bool]
) -> Sequence[ItemT]:
    """Return a minimal part of *items* for which *holds* is true: removing any one item makes it
    false.

    *holds* must be true for *items*. Finding k of n items takes about k log n calls.
    """
    needed, size = items, len(items)
    while needed and size:
        size = min(size, len(needed))
        is_less = False
        # Begin at the end, because a rule needs the name above it.
        for end in range(len(needed), 0, -size):
            rest = [*needed[: max(0, end - size)], *needed[end:]]
            if holds(rest):
                needed, is_less = rest, True
        # At size 1, repeat until no single item can go.
        size = size if size == 1 and is_less else size // 2
    return needed
