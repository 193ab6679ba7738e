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
from scrapy_robots1994.parser.prefix_matcher import PrefixMatcher, compile_prefixes
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

# Most files have none.
_NO_ORPHANS: frozenset[int] = frozenset()

_NO_VERDICTS: Mapping[int, Verdict] = {}
# A rule has one verdict, which is made once; of so many rules at most.
_MAX_VERDICTS = 128

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


def _as_text(url: str | bytes) -> str:
    """Return *url* as text; Ours O17: a byte that is not UTF-8 is that byte."""
    return url if isinstance(url, str) else decode(url)


class RobotRules:
    """What one robots.txt says to one robot: compiled once, for any URL.

    `allowed_url` and `verdict` never raise, and never differ. For a large file the first
    of them take long, unless `prepare` was called, in a thread.
    """

    __slots__ = (
        "_body",
        "_dialect",
        "_no_record",
        "_orphans",
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
        # Read again from the file once a verdict names a line: most are never asked for.
        self._sources: RuleSources | None = None
        self._verdicts: Mapping[int, Verdict] = _NO_VERDICTS
        records = robot_records(body.utf8, dialect, reading, robot_names(robot))
        self.crawl_delay = records.crawl_delay
        self._orphans = records.orphans or _NO_ORPHANS
        self._no_record: Verdict | None = None
        if not records.first_rules:
            self._no_record = _NO_RECORD if records.has_any else _EMPTY
        self._state = self._compiled(records, "")
        # Ours O19: rules that are absolute URLs are compiled for the host of the
        # question, which is mostly the same.
        self._records = records if self._state[4].has_urls else None

    def _compiled(self, records: RobotRecords, head: str) -> _State:
        """Return the rules for URLs with this *head* (scheme and authority)."""
        matcher: _Matcher
        if self._dialect.has_wildcards:
            matcher = LongestMatcher(records)
        else:
            has_allow = self._dialect.has_allow
            matcher = compile_prefixes(records, head, has_allow=has_allow)
        return f"{head}/", len(head), matcher.prefixes, matcher.index, matcher

    def allowed_url(self, url: str | bytes) -> bool:
        """Return whether *url*, a whole URL or a path, may be retrieved."""
        # Every request asks this. One attribute has all of the state, so that threads
        # see it whole.
        head, start, prefixes, index, _ = self._state
        try:
            if not url.startswith(head):  # type: ignore[arg-type]  # see below
                # Origins with the same file take turns.
                start = self._target_start(cast("str", url))
        except TypeError:
            return self._allowed(_as_text(url))
        if TYPE_CHECKING:
            assert isinstance(url, str)
        if start < 0:
            return self._allowed(url)
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
        target, matcher = self._question(url)
        # Ours O27: disallowed if one of two spellings is.
        for written in (target, other_spelling(target)):
            if written is None:
                break
            spelling = matcher.normal_spelling(written)
            # Ours O22: the file itself may always be read.
            if spelling != ROBOTS_TXT and matcher.mark(spelling, written) & 1:
                return False
        return True

    def _question(self, url: str) -> tuple[str, _Matcher]:
        """Return the target of *url*, and the rules for its host."""
        beginning, start, _, _, matcher = self._state
        if not url.startswith(beginning):
            start = self._target_start(url)
        if start >= 0:
            target = url[start:]
            # Ours O26: the fragment is not sent, so it is not compared.
            return target.partition("#")[0] if "#" in target else target, matcher
        head = head_of(url)
        state = f"{head}/", len(head), *self._state[2:]
        if self._records is not None:
            state = self._compiled(self._records, head)
        if url.startswith("/", len(head)):
            self._state = state
        return target_behind(head, url), state[4]

    def _target_start(self, url: str) -> int:
        """Return where the target of *url* begins; -1 where that needs a closer look."""
        # Ours O19: rules that are absolute URLs are compiled for one host.
        head = None if self._records is not None else _PLAIN_HEAD.match(url)
        if head is None:
            return -1
        start = head.end() - 1
        # The next question is mostly about this host, too.
        self._state = (head[0], start, *self._state[2:])
        return start

    def verdict(self, url: str | bytes) -> Verdict:
        """Return whether *url* may be retrieved, and because of what.

        The first verdict that names a line reads the whole file, unless `prepare` did.
        """
        target, matcher = self._question(url if isinstance(url, str) else decode(url))
        spelling = matcher.normal_spelling(target)
        # Ours O22: the file itself may always be read.
        if spelling == ROBOTS_TXT:
            return _ROBOTS_TXT_ITSELF
        mark, meant = matcher.mark(spelling, target), target
        # Ours O27: one spelling that is disallowed is enough.
        is_final = mark & 1 and mark >> 1 not in self._orphans
        written = None if is_final else other_spelling(target)
        if written is not None:
            spelling = matcher.normal_spelling(written)
            other = matcher.mark(spelling, written)
            # Ours O5: what the literal reading disallows comes before what only the
            # cautious one does.
            if (spelling != ROBOTS_TXT and other & 1) and (
                not mark & 1 or self._is_orphan(mark) > self._is_orphan(other)
            ):
                mark, meant = other, written
        # An Allow that only the cautious reading obeys is no reason.
        if not mark & 1 and self._is_orphan(mark):
            mark = UNDECIDED
        verdict = self._verdicts.get(mark) or self._new_verdict(mark)
        return verdict if meant is target else replace(verdict, spelling=meant)

    def _is_orphan(self, mark: int) -> bool:
        """Whether the rule with this *mark* is obeyed in the cautious reading alone."""
        return mark >> 1 in self._orphans

    def _new_verdict(self, mark: int) -> Verdict:
        """Return the one verdict that the rule with this *mark* makes."""
        verdict = self._by_rule(mark)
        others = self._verdicts if len(self._verdicts) < _MAX_VERDICTS else {}
        # A new dict, as most files share the empty one, and threads see it whole.
        self._verdicts = {**others, mark: verdict}
        return verdict

    def _by_rule(self, mark: int) -> Verdict:
        """Return the verdict that the rule with this *mark* makes."""
        if self._no_record is not None:
            return self._no_record
        sources = self._sources or self._read_sources()
        if mark == UNDECIDED:
            source = self._reference(sources, 0)
            return Verdict(allowed=True, reason=Reason.NO_RULE, source=source)
        number = mark >> 1
        # The last record whose rules begin with that number, or before.
        position = bisect_right(sources.first_rules, number) - 1
        return Verdict(
            allowed=not mark & 1,
            reason=Reason.SPLIT_RECORD if self._is_orphan(mark) else Reason.RULE,
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
        asked = self._body.utf8, self._dialect, self._reading, names
        self._sources = rule_sources(*asked)
        return self._sources

    def prepare(self, url: str) -> None:
        """Do now what the first questions about the host of *url* would wait for."""
        _, matcher = self._question(url)
        matcher.sort()
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
