"""RobotRules: what one file says to one robot, compiled once for all questions."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from sys import getsizeof
from typing import TYPE_CHECKING, TypeAlias, cast

from scrapy_robots1994.origin import head_of, target_behind
from scrapy_robots1994.parser.body import Body, decode
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fast_scan import robot_records, rule_sources
from scrapy_robots1994.parser.prefix_matcher import WITHOUT_RULES, PrefixMatcher
from scrapy_robots1994.parser.prefixes import UNDECIDED, PrefixIndex
from scrapy_robots1994.parser.records import RobotRecords, RuleSources
from scrapy_robots1994.parser.rfc9309 import LongestMatcher
from scrapy_robots1994.parser.spellings import other_spelling
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.parser.verdict import (
    Reason,
    RecordReference,
    Verdict,
    quoted_names,
)

ROBOTS_TXT = "/robots.txt"

# Scheme, authority and slash of nearly every URL.
_PLAIN_HEAD = re.compile(r"https?://[^/?#\\]+/")

# 1994 E1: an empty file is as good as none.
_EMPTY = Verdict(allowed=True, reason=Reason.EMPTY)
_NO_RECORD = Verdict(allowed=True, reason=Reason.NO_RECORD)
_ROBOTS_TXT_ITSELF = Verdict(allowed=True, reason=Reason.ROBOTS_TXT)

_NO_VERDICTS: Mapping[int, Verdict] = {}
# A rule has one verdict, which is made once; of so many rules at most.
_MAX_VERDICTS = 128

# The mark of the file itself: even, and that of no rule.
_ITSELF = 1 << 62

_Matcher: TypeAlias = PrefixMatcher | LongestMatcher

# The compiled rules, and how URLs with the host that they are for begin: scheme,
# authority and slash of the target, and the place of that slash; then what says whether
# a plain target is disallowed: a tuple of prefixes, or an index; then the matcher.
_State: TypeAlias = tuple[
    str,
    int,
    tuple[str, ...] | None,
    PrefixIndex | None,
    _Matcher,
]


def _mark(matcher: _Matcher, target: str) -> int:
    """Return the mark of the rule that decides about *target*."""
    spelling = matcher.normal_spelling(target)
    # Ours O22: the file itself may always be read.
    return _ITSELF if spelling == ROBOTS_TXT else matcher.mark(spelling, target)


class RobotRules:
    """What one robots.txt says to one robot: compiled once, for any URL.

    `allowed_url` and `verdict` never raise, and never differ. For a large file the first
    of them take long, unless `prepare` was called, in a thread.
    """

    __slots__ = (
        "_body",
        "_dialect",
        "_reading",
        "_records",
        "_sources",
        "_state",
        "_verdicts",
        "crawl_delay",
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
        # Read again from the file once a verdict names a line: most never are.
        self._sources: RuleSources | None = None
        self._verdicts: Mapping[int, Verdict] = _NO_VERDICTS
        records = robot_records(body.utf8, dialect, reading, robot_names(robot))
        self.crawl_delay = records.crawl_delay
        self._state = self._compiled(records, "")
        # Ours O19: rules that are absolute URLs are compiled for the host of the
        # question, which is mostly the same.
        self._records = records if self._state[4].has_urls else None

    def _compiled(self, records: RobotRecords, head: str) -> _State:
        """Return the rules for URLs with this *head* (scheme and authority)."""
        matcher: _Matcher
        if self._dialect.has_wildcards:
            matcher = LongestMatcher(records)
        elif records.values:
            matcher = PrefixMatcher(records, head)
        else:
            matcher = WITHOUT_RULES
        return f"{head}/", len(head), *matcher.quick, matcher

    def allowed_url(self, url: str | bytes) -> bool:
        """Return whether *url*, a whole URL or a path, may be retrieved."""
        # Called for every request. One attribute has all of the state, so that threads
        # see it whole.
        head, start, prefixes, index, _ = self._state
        try:
            if not url.startswith(head):  # type: ignore[arg-type]  # see below
                state = self._state_for(cast("str", url))
                _, start, prefixes, index, _ = state
        except TypeError:
            # Ours O17: a byte that is not UTF-8 is that byte.
            return self._allowed(decode(cast("bytes", url)))
        if TYPE_CHECKING:
            assert isinstance(url, str)
        if prefixes is not None:
            if not prefixes:
                return True
            is_covered = url.startswith(prefixes, start)
        elif index is not None:
            # As `find` does, whose call alone takes as long.
            slots, width, last = index.filter
            slot = slots[hash(url[start : start + width]) & last]
            is_covered = slot > 0 and index.find(url[start:])[0] & 1 > 0
        else:
            return self._allowed(url)
        if is_covered:
            # Ours O22: the file itself may always be read.
            is_final = "%" not in url and ROBOTS_TXT not in url
        else:
            # Ours O18, O27: without these the URL has one spelling, and it is the normal
            # one. A test for each is quickest.
            is_final = not (
                "%" in url
                or "\\" in url
                or "\t" in url
                or "\n" in url
                or "\r" in url
                or "/." in url
            )
        return not is_covered if is_final else self._allowed(url)

    def _allowed(self, url: str) -> bool:
        """Return whether *url* may be retrieved, whatever it looks like."""
        return not self._decision(url)[0] & 1

    def verdict(self, url: str | bytes) -> Verdict:
        """Return whether *url* may be retrieved, and because of what.

        The first verdict that names a line reads the whole file, unless `prepare` did.
        """
        text = url if isinstance(url, str) else decode(url)
        mark, spelling = self._decision(text)
        verdict = self._verdicts.get(mark) or self._new_verdict(mark)
        return verdict if spelling is None else replace(verdict, spelling=spelling)

    def _decision(self, url: str) -> tuple[int, str | None]:
        """Return the mark of the rule that decides about *url*, and which spelling of the
        target it covers, unless that is the one as written.
        """
        state = self._state
        if not url.startswith(state[0]):
            state = self._state_for(url)
        target, matcher = url[state[1] :], state[4]
        if "#" in target or not target.startswith("/"):
            target = target_behind(state[1], url)
        mark = _mark(matcher, target)
        # Ours O27: one spelling that is disallowed is enough.
        other = None if mark & 3 == 1 else other_spelling(target)
        if other is not None:
            other_mark = _mark(matcher, other)
            # Ours O5: what the literal reading disallows comes before what only the
            # cautious one does.
            if other_mark & 1 and (not mark & 1 or mark & 2 > other_mark & 2):
                return other_mark, other
        return mark, None

    def _state_for(self, url: str) -> _State:
        """Return the state for URLs with the host of *url*."""
        # Origins with the same file take turns, and nearly every URL begins so.
        plain = _PLAIN_HEAD.match(url) if self._records is None else None
        if plain is not None:
            state = plain[0], plain.end() - 1, *self._state[2:]
        else:
            head = head_of(url)
            state = f"{head}/", len(head), *self._state[2:]
            if self._records is not None:
                state = self._compiled(self._records, head)
            if not url.startswith("/", len(head)):
                # A target that begins otherwise has no quick answer.
                return *state[:2], None, None, state[4]
        # The next question is mostly about this host, too.
        self._state = state
        return state

    def _new_verdict(self, mark: int) -> Verdict:
        """Return the one verdict that the rule with this *mark* makes."""
        verdict = self._by_rule(mark)
        others = self._verdicts if len(self._verdicts) < _MAX_VERDICTS else {}
        # A new dict, as most files share the empty one, and threads see it whole.
        self._verdicts = {**others, mark: verdict}
        return verdict

    def _by_rule(self, mark: int) -> Verdict:
        """Return the verdict that the rule with this *mark* makes."""
        if mark == _ITSELF:
            return _ROBOTS_TXT_ITSELF
        sources = self._sources or self._read_sources()
        if not sources.names:
            return _NO_RECORD if sources.has_any else _EMPTY
        # An Allow that only the cautious reading obeys is no reason.
        if mark & 3 == UNDECIDED & 3:
            source = self._reference(sources, 0)
            return Verdict(allowed=True, reason=Reason.NO_RULE, source=source)
        number = mark >> 2
        # The last record whose rules begin with that number, or before.
        position = bisect_right(sources.first_rules, number) - 1
        return Verdict(
            allowed=not mark & 1,
            reason=Reason.SPLIT_RECORD if mark & 2 else Reason.RULE,
            line=sources.lines[number],
            rule=sources.value(number),
            source=self._reference(sources, position),
        )

    def _reference(self, sources: RuleSources, position: int) -> RecordReference:
        """Return what verdicts say of the record at *position*."""
        names, line = sources.names[position], sources.first_lines[position]
        return RecordReference(line, quoted_names(names), self._body, self._dialect)

    def _read_sources(self) -> RuleSources:
        """Return the lines and records of the rules."""
        names = robot_names(self.robot)
        file = self._body.utf8, self._dialect, self._reading
        self._sources = rule_sources(*file, names)
        return self._sources

    def prepare(self, url: str) -> None:
        """Do now what the first questions about the host of *url* would wait for."""
        self._state_for(url)[4].sort()
        self._read_sources()

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the rules take, without the body."""
        parts = [self, self._state, self._state[0]]
        if self._verdicts:
            parts += [self._verdicts, *self._verdicts.values()]
        if self._sources is not None:
            names = self._sources.names
            parts += [*self._sources, *names, *chain.from_iterable(names)]
        if self._records is not None:
            parts += [self._records.values, *self._records.values]
        return sum(map(getsizeof, parts)) + self._state[4].memory_bytes
