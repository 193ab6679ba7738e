"""A faster `records.robot_records`: the rules of one robot straight from the bytes.

It skips the records of other robots, and makes no object for a line. Its patterns are
those of `tokens.py`, and it returns the same values as `records.py`; a test compares
the two. Without it everything works, slower.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from scrapy_robots1994.parser.body import decode
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect, seconds_of
from scrapy_robots1994.parser.records import NO_ORPHANS, RobotRecord
from scrapy_robots1994.parser.tokens import (
    ALLOW,
    BLANK,
    COMMENT,
    CRAWL_DELAY,
    DISALLOW,
    LONE_CR,
    SPACE,
    USER_AGENT,
    VALUE,
    field_pattern,
)

_NL = ord("\n")
_UNSEEN = f"{SPACE}\r"
_LONE_CR = re.compile(LONE_CR.encode())

# Searching is quickest in bytes, all in lower case, for a pattern that begins with a
# word; whether the word begins a line is checked afterwards.
_WORD = USER_AGENT.encode()
_AGENT = re.compile(f"{USER_AGENT}[{SPACE}]*:([^\n{COMMENT}]*)".encode())
_BLANK = re.compile(f"\n{BLANK}".encode())

# Of every line below a name the value, empty if the line has another field: so the
# place of a value tells its line. The usual spelling is found in half the time.
_VALUES = re.compile(f"\n(?:(?:Disallow: |{field_pattern(DISALLOW)})({VALUE}))?")
_ALLOW_VALUES = re.compile(
    f"\n(?:(?:Disallow: |{field_pattern(DISALLOW)}|({field_pattern(ALLOW)}))({VALUE}))?"
)
_DELAYS = re.compile(f"\n{field_pattern(CRAWL_DELAY)}({VALUE})")

# One match keeps all other threads waiting, so a long text is read in parts.
_PART_LENGTH = 32_768


def _boundary(*rules: str, blank: str) -> re.Pattern[bytes]:
    """Return the pattern of what ends a run of User-agent lines: a rule with one of
    these field names, or a *blank* line.
    """
    rule = field_pattern(*rules, in_lower_case=True)
    return re.compile(f"\n(?:{rule}{blank})".encode())


# By whether the dialect has Allow, and whether a blank line ends a record.
_BOUNDARIES = {
    (has_allow, has_blank): _boundary(*rules, blank=f"|{BLANK}" if has_blank else "")
    for has_allow, rules in ((False, (DISALLOW,)), (True, (DISALLOW, ALLOW)))
    for has_blank in (False, True)
}


def robot_records(
    text: bytes, dialect: Dialect, reading: str, names: Sequence[str]
) -> tuple[list[RobotRecord], bool]:
    """Return what *text* says to a robot with these *names*, and whether it has any
    record.
    """
    lowered = text.lower()
    if _WORD not in lowered:
        return [], False
    # 1994 F2: CR ends a line, too. The numbers of the lines stay the same.
    if b"\r" in text and _LONE_CR.search(text):
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lowered = text.lower()
    scan = _Scan(text, lowered, dialect, reading)
    chosen = dialect.choose(scan.named, names)
    return list(scan.records(chosen)), bool(scan.named)


class _Scan:
    """The User-agent lines of a text: where they are, and their names."""

    def __init__(
        self, text: bytes, lowered: bytes, dialect: Dialect, reading: str
    ) -> None:
        """Find them; *lowered* is *text* in lower case."""
        self._text = text
        self._lowered = lowered
        self._dialect = dialect
        self._is_cautious = reading == CAUTIOUS
        self._boundary = _BOUNDARIES[dialect.has_allow, dialect.has_blank_lines]
        # Start of the line, start of the value and end of the value.
        self._places: list[tuple[int, int, int]] = []
        self.named: list[tuple[str, ...]] = []
        names_in = dialect.names
        for match in _AGENT.finditer(lowered):
            start = match.start()
            if start and lowered[start - 1] != _NL:
                before = lowered[lowered.rfind(b"\n", 0, start) + 1 : start]
                if before.strip(_UNSEEN.encode()):
                    continue
            names = names_in(decode(match[1]).strip(_UNSEEN))
            # Ours O12: a line without a name is ignored.
            if names:
                self._places.append((start, *match.span(1)))
                self.named.append(names)

    def records(self, chosen: Sequence[int]) -> Iterator[RobotRecord]:
        """Yield the records of the User-agent lines at these positions, each once."""
        last = -1
        for position in chosen:
            if position > last:
                first = last = position
                while first and not self._is_boundary(first):
                    first -= 1
                last += 1
                while last < len(self._places) and not self._is_boundary(last):
                    last += 1
                last -= 1
                yield self._record(first, last)

    def _is_boundary(self, position: int) -> bool:
        """Whether this User-agent line begins another record than the one before it."""
        above, here = self._places[position - 1], self._places[position]
        return self._boundary.search(self._lowered, above[2], here[0]) is not None

    def _record(self, first: int, last: int) -> RobotRecord:
        """Return the record of these User-agent lines."""
        text, dialect = self._text, self._dialect
        start, below = self._places[first][2], self._places[last][2]
        is_last = last + 1 == len(self._places)
        end = len(text) if is_last else self._places[last + 1][0]
        line = text.count(b"\n", 0, start) + 1
        orphans_from = NO_ORPHANS
        if dialect.has_blank_lines and (blank := _BLANK.search(text, below, end)):
            if self._is_cautious:
                # Ours O5, the cautious reading: the lines below it are obeyed, too.
                orphans_from = line + text.count(b"\n", start, blank.end())
            else:
                # 1994 F1: a blank line ends the record.
                end = blank.start()
        block = decode(text[start:end])
        delays: Sequence[float] = ()
        if dialect.has_crawl_delay:
            found = map(seconds_of, _found(_DELAYS, block))
            delays = [seconds for seconds in found if seconds is not None]
        names = self._names(first, last)
        rules = self._rules(block, line + 1)
        return RobotRecord(names, line, *rules, orphans_from, delays)

    def _names(self, first: int, last: int) -> tuple[str, ...]:
        """Return the names of these User-agent lines as written."""
        return tuple(
            name
            for _, start, end in self._places[first : last + 1]
            for name in self._dialect.names(
                decode(self._text[start:end]).strip(_UNSEEN)
            )
        )

    def _rules(
        self, block: str, line: int
    ) -> tuple[Sequence[str], Sequence[int], Sequence[bool]]:
        """Return values, lines and kinds of the rules of *block*, whose first NL is
        before this *line*.
        """
        allows: Sequence[bool] = ()
        if self._dialect.has_allow:
            rules = _found(_ALLOW_VALUES, block)
            allows = [bool(field) for field, value in rules if value]
            found = [value for _, value in rules]
        else:
            found = _found(_VALUES, block)
        lines: Sequence[int] = range(line, line + len(found))
        values = [value for value in found if value]
        if len(values) < len(found):
            lines = [line for line, value in zip(lines, found, strict=True) if value]
        if not self._dialect.has_lists:
            return values, lines, allows
        parts = [[it for it in self._dialect.paths(value) if it] for value in values]
        return (
            [path for paths in parts for path in paths],
            _repeated(lines, parts),
            _repeated(allows, parts),
        )


def _repeated(values: Sequence[Any], parts: Sequence[Sequence[str]]) -> list[Any]:
    """Return each of *values* once for each of its *parts*; none for no values."""
    return [value for value, paths in zip(values, parts) for _ in paths]  # noqa: B905


def _found(pattern: re.Pattern[str], text: str) -> list[Any]:
    """Return all that *pattern*, which begins with an NL, finds in *text*."""
    if len(text) <= _PART_LENGTH:
        return pattern.findall(text)
    found: list[Any] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PART_LENGTH)
        end = len(text) if end < 0 else end
        found += pattern.findall(text[start:end])
        start = end
    return found
