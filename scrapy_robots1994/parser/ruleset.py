"""RobotRules: what one file says to one robot, compiled once for all questions."""

from bisect import bisect_left
from collections.abc import Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, NamedTuple

from scrapy_robots1994.origin import head_of, target_behind
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fast_scan import robot_records
from scrapy_robots1994.parser.first_match import compile_first_match
from scrapy_robots1994.parser.matcher import Matcher
from scrapy_robots1994.parser.prefix_matcher import compile_prefixes
from scrapy_robots1994.parser.records import (
    Record,
    RobotRecord,
    Rule,
    applied,
    read_contents,
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
    """What verdicts say of a record that a robot obeys."""

    first_line: int
    quoted_names: str
    orphans_from: int


def _header(record: RobotRecord) -> RecordHeader:
    """Return the header of *record*."""
    names = _EVERYBODY if record.names == ("*",) else quoted_names(record.names)
    return RecordHeader(record.first_line, names, record.orphans_from)


def _size(record: RobotRecord) -> int:
    """Return about how many bytes the columns of *record* take."""
    columns = (record.values, record.lines, record.allows)
    return sum(map(getsizeof, (*columns, *record.values)))


class _State(NamedTuple):
    """The compiled rules, and how URLs with the host that they are for begin.

    *head* has scheme, authority and the slash of the target, which begins at *start*.
    """

    head: str
    start: int
    prefixes: tuple[str, ...] | None
    is_plain: bool
    matcher: Matcher


class RobotRules:
    """What one robots.txt says to one robot: compiled once, for any URL.

    `allowed_url` and `verdict` never raise, and never differ.
    """

    __slots__ = (
        "_body",
        "_dialect",
        "_headers",
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
        names = robot_names(robot)
        records, self.has_records = robot_records(body.utf8, dialect, reading, names)
        self._headers = tuple(map(_header, records))
        # Extended X5: the longest of several.
        delays = [delay for record in records for delay in record.delays]
        self.crawl_delay: float | None = max(delays, default=None)
        # Ours O19: rules that are absolute URLs are compiled for the host of the
        # question, which is mostly the same.
        has_urls = any("://" in "".join(record.values) for record in records)
        self._records = records if has_urls else None
        self._state = self._compiled(records, "")

    def _compiled(self, records: Sequence[RobotRecord], head: str) -> _State:
        """Return the rules for URLs with this *head* (scheme and authority)."""
        matcher: Matcher
        if self._dialect.has_wildcards:
            matcher = LongestMatcher(records)
        elif self._dialect.has_allow:
            matcher = compile_first_match(records, head)
        else:
            matcher = compile_prefixes(records, head)
        return _State(
            f"{head}/", len(head), matcher.prefixes, matcher.is_plain, matcher
        )

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
        state = self._state
        if url.startswith(state.head):
            return url[state.start :].partition("#")[0], state.matcher
        head = head_of(url)
        if self._records is not None:
            state = self._compiled(self._records, head)
        if url.startswith("/", len(head)):
            self._state = state._replace(head=f"{head}/", start=len(head))
        return target_behind(head, url), state.matcher

    def verdict(self, url: str | bytes) -> Verdict:
        """Return whether *url* may be retrieved, and because of what."""
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

    def _by_rule(self, rule: Rule, spelling: str | None = None) -> Verdict:
        """Return the verdict that *rule* makes, which covers this *spelling*."""
        header = self._header_of(rule)
        is_orphan = rule.line >= header.orphans_from
        return Verdict(
            allowed=rule.allows,
            reason=Reason.SPLIT_RECORD if is_orphan else Reason.RULE,
            line=rule.line,
            rule=rule.value,
            spelling=spelling,
            source=self._reference(header),
        )

    def _header_of(self, rule: Rule) -> RecordHeader:
        """Return the header of the record that has *rule*."""
        # The last record that begins above it.
        return self._headers[bisect_left(self._headers, (rule.line,)) - 1]

    def _reference(self, header: RecordHeader) -> RecordReference:
        """Return the record with this *header*."""
        return RecordReference(*header[:2], self._body, self._dialect)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records that apply to the robot, read again from the file."""
        records = read_contents(self._body.text, self._dialect).records
        return applied(records, self._dialect, robot_names(self.robot))

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the rules take, without the body."""
        state, headers = self._state, self._headers
        parts = [self, state, state.head, headers, *headers]
        parts += [
            it.quoted_names for it in headers if it.quoted_names is not _EVERYBODY
        ]
        own = sum(map(getsizeof, parts)) + state.matcher.memory_bytes
        return own + sum(_size(record) for record in self._records or ())
