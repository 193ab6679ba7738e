"""A faster way to what `records.py` says to one robot: straight from the bytes.

It skips the records of other robots, and makes no object for a line. Its patterns are
those of `tokens.py`; a test compares the two ways. Without it everything works, slower.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, compress
from typing import NamedTuple

from scrapy_robots1994.parser import tokens
from scrapy_robots1994.parser.body import decode
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import seconds_of
from scrapy_robots1994.parser.records import RecordSource, RobotRecords, RuleSources

# `_AGENT` reads up to the NL, so a value may end with the CR before it.
_UNSEEN = f"{tokens.SPACE}\r"

# Bytes are searched for the hyphen first, which is quickest: a pattern is slow to search
# if it begins with optional space, or with a letter in either case.
_USER, _, _WORD = tokens.USER_AGENT.partition("-")
_AGENT = re.compile(
    f"-(?i:{_WORD})(?<=[\n{tokens.SPACE}](?i:{tokens.USER_AGENT}))"
    f"[{tokens.SPACE}]*:([^\n{tokens.COMMENT}]*)".encode()
)
_BEFORE = len(_USER) + 1
_SPACE = tokens.SPACE.encode()
_NL = ord("\n")
_BLANK = re.compile(f"\n{tokens.BLANK}".encode())

# The usual spelling is found in half the time.
_DISALLOW = f"Disallow: |{tokens.field_pattern(tokens.DISALLOW)}"
_ALLOW = tokens.field_pattern(tokens.ALLOW)
_VALUES = re.compile(f"\n(?:{_DISALLOW})({tokens.VALUE})")
_ALLOW_VALUES = re.compile(f"\n(?:{_DISALLOW}|({_ALLOW}))({tokens.VALUE})")
_DELAYS = re.compile(f"\n{tokens.field_pattern(tokens.CRAWL_DELAY)}({tokens.VALUE})")


# At most four patterns: the first file of a dialect compiles its own.
@cache
def _boundary(has_allow: bool, has_blank_lines: bool) -> re.Pattern[bytes]:  # noqa: FBT001
    """Return the pattern of what ends a run of names: a rule, or a blank line."""
    names = (tokens.DISALLOW, tokens.ALLOW) if has_allow else (tokens.DISALLOW,)
    blank = f"|{tokens.BLANK}" if has_blank_lines else ""
    return re.compile(f"\n(?:{tokens.field_pattern(*names)}{blank})".encode())


def robot_records(
    text: bytes, dialect: Dialect, reading: str, names: Sequence[str]
) -> RobotRecords:
    """Return what *text* says to a robot with these *names*."""
    records = RobotRecords()
    for it in _Scan(text, dialect).records(names, reading):
        obeyed = it.text + it.orphans
        values, allows = _rules(obeyed, dialect)
        # Orphans are behind the rules of the record itself, so counting them is enough.
        orphans = len(_rules(it.orphans, dialect)[0]) if it.orphans else 0
        delays: list[float] = []
        if dialect.has_crawl_delay:
            seconds = map(seconds_of, tokens.find_all(_DELAYS, obeyed))
            delays = [each for each in seconds if each is not None]
        records.add(values, allows, orphans, delays)
    return records


def rule_sources(
    text: bytes, dialect: Dialect, reading: str, names: Sequence[str]
) -> RuleSources:
    """Return where *text* says what `robot_records` returns."""
    scan = _Scan(text, dialect)
    return RuleSources.of(scan.sources(names, reading), has_any=bool(scan.named))


class _Found(NamedTuple):
    """A record: the positions of its first User-agent line and of the next record's, and
    what is below its first name, without comments.
    """

    first: int
    next_one: int
    text: str
    orphans: str


def _is_first(text: bytes, before: int) -> bool:
    """Whether nothing but space is before the word that follows this position."""
    while text[before] in _SPACE:
        before -= 1
    return text[before] == _NL


class _Scan:
    """The User-agent lines of a text: where their values are, and their names."""

    def __init__(self, text: bytes, dialect: Dialect) -> None:
        """Find them."""
        self._dialect = dialect
        self._boundary = _boundary(dialect.has_allow, dialect.has_blank_lines)
        # So each line begins with an NL.
        self._text = text = b"\n" + tokens.without_lone_cr(text)
        # Mostly the field is the first thing of its line, which is seen without a call.
        self._spans = [
            agent.span(1)
            for agent in _AGENT.finditer(text)
            if text[before := agent.start() - _BEFORE] == _NL or _is_first(text, before)
        ]
        values = decode(b"\n".join([text[start:end] for start, end in self._spans]))
        found = values.split("\n") if self._spans else []
        self.named = [dialect.names(value.strip(_UNSEEN)) for value in found]
        if () in self.named:
            # Ours O12: a line without a name is ignored.
            self._spans = list(compress(self._spans, self.named))
            self.named = list(filter(None, self.named))

    def records(self, names: Sequence[str], reading: str) -> Iterator[_Found]:
        """Yield the records for a robot with these *names*, each once."""
        end = 0
        for position in self._dialect.choose(self.named, names):
            # Several of its names may be chosen; and the first chosen one need not be the
            # first of its record.
            if position >= end:
                first, end = position, position + 1
                while first and not self._is_boundary(first):
                    first -= 1
                while end < len(self._spans) and not self._is_boundary(end):
                    end += 1
                yield self._record(first, end, reading)

    def _is_boundary(self, position: int) -> bool:
        """Whether this User-agent line begins another record than the one before it."""
        above, here = self._spans[position - 1][1], self._spans[position][0]
        return self._boundary.search(self._text, above, here) is not None

    def _record(self, first: int, next_one: int, reading: str) -> _Found:
        """Return the record of the User-agent lines from *first* to *next_one*."""
        text, spans = self._text, self._spans
        # From the first name on: a Crawl-delay may be between two names (Ours X6).
        start, below, end = spans[first][1], spans[next_one - 1][1], len(text)
        if next_one < len(spans):
            # The NL that begins the line belongs to what is above, too.
            end = text.rfind(b"\n", 0, spans[next_one][0]) + 1
        orphans = ""
        if self._dialect.has_blank_lines and (blank := _BLANK.search(text, below, end)):
            # 1994 F1: a blank line ends the record.
            if reading == CAUTIOUS:
                # Ours O5, the cautious reading: the lines below it are obeyed, too.
                orphans = tokens.without_comments(decode(text[blank.start() : end]))
            end = blank.start()
        obeyed = tokens.without_comments(decode(text[start:end]))
        return _Found(first, next_one, obeyed, orphans)

    def sources(self, names: Sequence[str], reading: str) -> Iterator[RecordSource]:
        """Yield where each of the same records stands."""
        line = counted = 0
        for it in self.records(names, reading):
            named = tuple(chain.from_iterable(self.named[it.first : it.next_one]))
            start = self._spans[it.first][1]
            # Counted on from the record before: there may be thousands.
            line += self._text.count(b"\n", counted, start)
            counted = start
            # One follows the other in the file, so that lines are counted through both.
            yield named, line, _lines(line, it.text + it.orphans, self._dialect)


def _rules(text: str, dialect: Dialect) -> tuple[list[str], list[bool]]:
    """Return the values of the rules in *text*, and which of them are Allow."""
    if dialect.has_allow:
        rules = tokens.find_all(_ALLOW_VALUES, text)
        return [value for _, value in rules], [bool(field) for field, _ in rules]
    values = tokens.find_all(_VALUES, text)
    # No dialect has lists and Allow.
    if dialect.has_lists:
        # Ours O21: an empty path adds nothing.
        values = [path for value in values for path in dialect.paths(value) if path]
    return values, []


def _lines(line: int, text: str, dialect: Dialect) -> Iterator[tuple[int, str]]:
    """Yield the lines and values of the rules in *text*, which begins on this *line*."""
    at = 0
    pattern = _ALLOW_VALUES if dialect.has_allow else _VALUES
    for rule in pattern.finditer(text):
        line += text.count("\n", at, rule.start() + 1)
        at = rule.start() + 1
        for path in dialect.paths(rule[pattern.groups]):
            if path:
                yield line, path
