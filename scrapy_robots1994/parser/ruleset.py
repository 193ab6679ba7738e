"""RobotRules: what one file says to one robot, compiled once for all questions."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from scrapy_robots1994.origin import head_of, target_behind
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fast_scan import robot_records
from scrapy_robots1994.parser.first_match import FirstMatcher
from scrapy_robots1994.parser.matcher import Decision, Matcher
from scrapy_robots1994.parser.prefix_matcher import compile_prefixes
from scrapy_robots1994.parser.records import (
    Record,
    RobotRecord,
    applied,
    read_contents,
    rule_lines,
)
from scrapy_robots1994.parser.rfc9309 import LongestMatcher
from scrapy_robots1994.parser.spellings import as_text, spellings
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.parser.verdict import (
    Reason,
    RecordReference,
    Verdict,
    quoted_names,
)

ROBOTS_TXT = "/robots.txt"

# Most files have one record for every robot; its quoted name is stored once.
_EVERYBODY = quoted_names(("*",))


class RecordHeader(NamedTuple):
    """What verdicts say of a record that a robot obeys; its rules and its orphans begin
    with these numbers among the rules of the robot.
    """

    first_number: int
    first_orphan: int
    first_line: int
    quoted_names: str


def _headers(records: Sequence[RobotRecord]) -> Iterator[RecordHeader]:
    """Yield the header of each of *records*."""
    start = 0
    for record in records:
        names = _EVERYBODY if record.names == ("*",) else quoted_names(record.names)
        orphan = start + record.first_orphan
        yield RecordHeader(start, orphan, record.first_line, names)
        start += len(record.values)


def _size(record: RobotRecord) -> int:
    """Return about how many bytes the columns of *record* take."""
    columns = (record.values, record.allows)
    return sum(map(getsizeof, (*columns, *record.values)))


# The compiled rules, and how URLs with the host that they are for begin: scheme,
# authority and slash of the target, place of that slash, the prefixes and the plainness
# of the matcher, and the matcher.
_State: TypeAlias = tuple[str, int, tuple[str, ...] | None, bool, Matcher]


class RobotRules:
    """What one robots.txt says to one robot: compiled once, for any URL.

    `allowed_url` and `verdict` never raise, and never differ.
    """

    __slots__ = (
        "_body",
        "_dialect",
        "_headers",
        "_lines",
        "_reading",
        "_records",
        "_state",
        "crawl_delay",
        "has_records",
        "robot",
    )

    def __init__(
        self, body: Body, dialect: Dialect, reading: str, robot: str | bytes
    ) -> None:
        """Compile what *body* says to *robot*, a bare name or a whole User-Agent
        header.
        """
        self.robot = robot
        self._body = body
        self._dialect = dialect
        self._reading = reading
        # The line of each rule, once a verdict names one.
        self._lines: Sequence[int] | None = None
        names = robot_names(robot)
        records, self.has_records = robot_records(body.utf8, dialect, reading, names)
        self._headers = tuple(_headers(records))
        # Extended X5: the longest of several.
        delays = [delay for record in records for delay in record.delays]
        self.crawl_delay: float | None = max(delays) if delays else None
        self._state = self._compiled(records, "")
        # Ours O19: rules that are absolute URLs are compiled for the host of the
        # question, which is mostly the same.
        self._records = records if self._state[4].has_urls else None

    def _compiled(self, records: Sequence[RobotRecord], head: str) -> _State:
        """Return the rules for URLs with this *head* (scheme and authority)."""
        matcher: Matcher
        if self._dialect.has_wildcards:
            matcher = LongestMatcher(records)
        elif self._dialect.has_allow:
            matcher = FirstMatcher(records, head)
        else:
            matcher = compile_prefixes(records, head)
        return f"{head}/", len(head), matcher.prefixes, matcher.is_plain, matcher

    def allowed_url(self, url: str | bytes) -> bool:
        """Return whether *url*, a whole URL or a path, may be retrieved."""
        # Every request asks this. One attribute has all of the state, so that threads
        # see it whole.
        head, start, prefixes, is_plain, matcher = self._state
        try:
            is_usual = url.startswith(head)  # type: ignore[arg-type]  # see below
        except TypeError:
            return self._allowed(as_text(url))
        if TYPE_CHECKING:
            assert isinstance(url, str)
        # Without these the URL has one spelling, and it is the normal one.
        if is_usual and not ("%" in url or "/." in url or "\\" in url) and is_plain:
            if prefixes is None:
                target = url[start:]
                is_covered = matcher.disallows(target, target)
            else:
                is_covered = url.startswith(prefixes, start)
            if not is_covered:
                return True
            if ROBOTS_TXT not in url:
                return False
        return self._allowed(url)

    def _allowed(self, url: str) -> bool:
        """Return whether *url* may be retrieved, whatever it looks like."""
        target, matcher = self._question(url)
        # Ours O27: disallowed if one of two spellings is.
        for written in spellings(target):
            spelling = matcher.normal_spelling(written)
            # Ours O22: the file itself may always be read.
            if spelling != ROBOTS_TXT and matcher.disallows(spelling, written):
                return False
        return True

    def _question(self, url: str) -> tuple[str, Matcher]:
        """Return the target of *url*, and the rules for its host."""
        beginning, start, *_, matcher = self._state
        if url.startswith(beginning):
            return url[start:].partition("#")[0], matcher
        head = head_of(url)
        state = f"{head}/", len(head), *self._state[2:]
        if self._records is not None:
            state = self._compiled(self._records, head)
        if url.startswith("/", len(head)):
            self._state = state
        return target_behind(head, url), state[4]

    def verdict(self, url: str | bytes) -> Verdict:
        """Return whether *url* may be retrieved, and because of what.

        The first verdict that names a line reads the whole file: for a large one call it
        in a thread.
        """
        target, matcher = self._question(as_text(url))
        if matcher.normal_spelling(target) == ROBOTS_TXT:
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        verdicts = []
        for written in spellings(target):
            spelling = matcher.normal_spelling(written)
            rule = matcher.decide(spelling, written)
            if rule is not None and spelling != ROBOTS_TXT:
                verdicts.append(
                    self._by_rule(rule, None if written == target else written)
                )
        # Ours O27: one spelling that is disallowed is enough. Ours O5: what the literal
        # reading disallows comes before what only the cautious one does.
        refusing = [verdict for verdict in verdicts if not verdict.allowed]
        if refusing:
            return min(refusing, key=lambda it: it.reason is Reason.SPLIT_RECORD)
        for verdict in verdicts:
            if verdict.spelling is None and verdict.reason is Reason.RULE:
                return verdict
        return self._without_rule()

    def _without_rule(self) -> Verdict:
        """Return the verdict on a URL that no rule covers."""
        if self._headers:
            source = self._reference(self._headers[0])
            return Verdict(allowed=True, reason=Reason.NO_RULE, source=source)
        # 1994 E1: an empty file is as good as none.
        reason = Reason.NO_RECORD if self.has_records else Reason.EMPTY
        return Verdict(allowed=True, reason=reason)

    def _by_rule(self, rule: Decision, spelling: str | None) -> Verdict:
        """Return the verdict that *rule* makes, which covers this *spelling*."""
        # The last record whose rules begin before the next number.
        header = self._headers[bisect_left(self._headers, (rule.number + 1,)) - 1]
        is_orphan = rule.number >= header.first_orphan
        return Verdict(
            allowed=rule.allows,
            reason=Reason.SPLIT_RECORD if is_orphan else Reason.RULE,
            line=self._line(rule.number),
            rule=rule.value,
            spelling=spelling,
            source=self._reference(header),
        )

    def _line(self, number: int) -> int:
        """Return the line of the rule with this *number*."""
        if self._lines is None:
            names = robot_names(self.robot)
            asked = self._body.utf8, self._dialect, self._reading, names
            self._lines = array("I", rule_lines(*asked))
        return self._lines[number]

    def _reference(self, header: RecordHeader) -> RecordReference:
        """Return the record with this *header*."""
        return RecordReference(*header[2:], self._body, self._dialect)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records that apply to the robot, read again from the file."""
        records = read_contents(self._body.text, self._dialect).records
        return applied(records, self._dialect, robot_names(self.robot))

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the rules take, without the body."""
        state, headers = self._state, self._headers
        parts = [self, state, state[0], headers, *headers, self._lines]
        parts += [
            it.quoted_names for it in headers if it.quoted_names is not _EVERYBODY
        ]
        own = sum(map(getsizeof, parts)) + state[4].memory_bytes
        return own + sum(_size(record) for record in self._records or ())
