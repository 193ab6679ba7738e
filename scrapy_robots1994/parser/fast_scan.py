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
from scrapy_robots1994.parser.records import RobotRecord
from scrapy_robots1994.parser.tokens import (
    ALLOW,
    BLANK,
    COMMENT,
    COMMENT_TEXT,
    CRAWL_DELAY,
    DISALLOW,
    LONE_CR,
    SPACE,
    USER_AGENT,
    VALUE,
    field_pattern,
)
from scrapy_robots1994.parser.user_agent import EVERYBODY

_UNSEEN = f"{SPACE}\r"
_EVERYBODY = (EVERYBODY,)
_LONE_CR = re.compile(LONE_CR.encode())

# Searching is quickest in bytes, all in lower case, for a pattern that begins with the
# same bytes always: most User-agent lines are not indented.
_WORD = USER_AGENT.encode()
_INDENTED = tuple(f"{space}{USER_AGENT}".encode() for space in SPACE)
_REST = f"{USER_AGENT}[{SPACE}]*:([^\n{COMMENT}]*)"
_AGENT = re.compile(f"\n{_REST}".encode())
_INDENTED_AGENT = re.compile(f"\n[{SPACE}]*{_REST}".encode())
_BLANK = re.compile(f"\n{BLANK}".encode())
_COMMENT = re.compile(COMMENT_TEXT)

# The usual spelling is found in half the time.
_VALUES = re.compile(f"\n(?:Disallow: |{field_pattern(DISALLOW)})({VALUE})")
_ALLOW_VALUES = re.compile(
    f"\n(?:Disallow: |{field_pattern(DISALLOW)}|({field_pattern(ALLOW)}))({VALUE})"
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
    if b"\r" in text and _LONE_CR.search(text):
        # 1994 F2: CR ends a line, too. The numbers of the lines stay the same.
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lowered = text.lower()
    scan = _Scan(b"\n" + text, b"\n" + lowered, dialect, reading)
    chosen = dialect.choose(scan.named, names)
    return scan.records(chosen), bool(scan.named)


class _Scan:
    """The User-agent lines of a text that begins with an NL: where they are, and their
    names.
    """

    def __init__(
        self, text: bytes, lowered: bytes, dialect: Dialect, reading: str
    ) -> None:
        """Find them; *lowered* is *text* in lower case."""
        self._text = text
        self._lowered = lowered
        self._dialect = dialect
        self._is_cautious = reading == CAUTIOUS
        self._boundary = _BOUNDARIES[dialect.has_allow, dialect.has_blank_lines]
        has_indented = any(space in lowered for space in _INDENTED)
        pattern = _INDENTED_AGENT if has_indented else _AGENT
        self._lines = list(pattern.finditer(lowered))
        values = decode(b"\n".join([line[1] for line in self._lines])).split("\n")
        # In lower case, which is enough to choose.
        self.named = [dialect.names(value.strip(_UNSEEN)) for value in values]
        if () in self.named:
            # Ours O12: a line without a name is ignored.
            pairs = [it for it in zip(self._lines, self.named) if it[1]]  # noqa: B905
            self._lines = [line for line, _ in pairs]
            self.named = [names for _, names in pairs]

    def records(self, chosen: Sequence[int]) -> list[RobotRecord]:
        """Return the records of the User-agent lines at these positions, each once."""
        records = []
        end = 0
        for position in chosen:
            if position >= end:
                first, end = position, position + 1
                while first and not self._is_boundary(first):
                    first -= 1
                while end < len(self._lines) and not self._is_boundary(end):
                    end += 1
                records.append(self._record(first, end))
        return records

    def _is_boundary(self, position: int) -> bool:
        """Whether this User-agent line begins another record than the one before it."""
        above, here = self._lines[position - 1].end(), self._lines[position].start()
        # The NL that begins the line belongs to what is above, too.
        return self._boundary.search(self._lowered, above, here + 1) is not None

    def _record(self, first: int, next_one: int) -> RobotRecord:
        """Return the record of the User-agent lines from *first* to *next_one*."""
        text, dialect, lines = self._text, self._dialect, self._lines
        start, below = lines[first].end(), lines[next_one - 1].end()
        end = lines[next_one].start() + 1 if next_one < len(lines) else len(text)
        line = text.count(b"\n", 0, start)
        orphans = ""
        if dialect.has_blank_lines and (blank := _BLANK.search(text, below, end)):
            # 1994 F1: a blank line ends the record.
            if self._is_cautious:
                # Ours O5, the cautious reading: the lines below it are obeyed, too.
                orphans = _uncommented(text[blank.end() : end])
            end = blank.start()
        block = _uncommented(text[start:end])
        values, allows = _rules(block, dialect)
        first_orphan = len(values)
        if orphans:
            more_values, more_allows = _rules(orphans, dialect)
            values, allows = values + more_values, allows + more_allows
        delays: Sequence[float] = ()
        if dialect.has_crawl_delay:
            found = map(seconds_of, _found(_DELAYS, block + orphans))
            delays = [seconds for seconds in found if seconds is not None]
        names: tuple[str, ...] = _EVERYBODY
        if self.named[first:next_one] != [_EVERYBODY]:
            names = tuple(self._names(lines[first:next_one]))
        return RobotRecord(names, line, values, allows, first_orphan, delays)

    def _names(self, lines: Sequence[re.Match[bytes]]) -> Iterator[str]:
        """Yield the names of these User-agent lines as written."""
        for line in lines:
            value = decode(self._text[line.start(1) : line.end()])
            yield from self._dialect.names(value.strip(_UNSEEN))


def _uncommented(block: bytes) -> str:
    """Return the text of *block* without comments."""
    text = decode(block)
    # 1994 F5: the comment is discarded; the space before it goes with the value.
    return _COMMENT.sub("", text) if COMMENT in text else text


def _rules(block: str, dialect: Dialect) -> tuple[list[str], list[bool]]:
    """Return the values of the rules in *block*, and which of them are Allow."""
    values: list[str]
    allows: list[bool] = []
    if dialect.has_allow:
        rules = _found(_ALLOW_VALUES, block)
        values = [value for _, value in rules]
        allows = [bool(field) for field, _ in rules]
    else:
        values = _found(_VALUES, block)
    if not dialect.has_lists:
        return values, allows
    parts = [[it for it in dialect.paths(value) if it] for value in values]
    pairs = zip(allows, parts)  # noqa: B905 - there may be no Allow
    return (
        [path for paths in parts for path in paths],
        [allow for allow, paths in pairs for _ in paths],
    )


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
