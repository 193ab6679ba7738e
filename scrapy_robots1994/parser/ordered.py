"""Ordered ruling: what a file of a dialect with Allow says to one robot; one bisect for
a URL where paths alone decide.
"""

from bisect import bisect_right
from sys import getsizeof

from scrapy_robots1994.origin import head_of, target_of
from scrapy_robots1994.parser.blocks import blocks_of
from scrapy_robots1994.parser.dialects import seconds_of
from scrapy_robots1994.parser.first_match import edges_of, table_of
from scrapy_robots1994.parser.grammar import DELAY_LINE, ORDERED_LINE
from scrapy_robots1994.parser.matching import as_text, canonical, covers
from scrapy_robots1994.parser.names import names_of
from scrapy_robots1994.parser.records import Record, Rule
from scrapy_robots1994.parser.ruling import ROBOTS_TXT, RobotRules, origin_of


class OrderedRobotRules(RobotRules):
    """What one robots.txt of the extended dialect says to one robot.

    Ours X1: of the rules of a record that cover a URL, Allow or Disallow, the first in
    the file decides.
    """

    __slots__ = ("_crawl_delay", "_edges", "_tables")

    def _compile(self) -> None:
        """Find the rules, and arrange them for questions."""
        source, names = self._source, names_of(self.robot)
        blocks = blocks_of(source.utf8, source.dialect, self._reading, names)
        tables = tuple(
            table_of((value, bool(dis)) for dis, value in ORDERED_LINE.findall(block))
            for block in blocks
        )
        self._edges = edges_of(tables)
        # Mostly the path alone decides; then the tables have done their work.
        by_path = all(table.is_by_path for table in tables)
        self._tables = () if by_path else tables
        # Ours X5: the longest of several.
        said = [it for block in blocks for it in DELAY_LINE.findall(block)]
        delays = [it for it in map(seconds_of, said) if it is not None]
        self._crawl_delay = max(delays, default=None)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the rules take, without the file."""
        lists = [self._edges]
        for table in self._tables:
            lists += [it.starts for it in (table.paths, table.escaped, table.urls)]
        return getsizeof(self) + sum(
            getsizeof(starts) + sum(map(getsizeof, starts)) for starts in lists
        )

    @property
    def is_open(self) -> bool:
        """Whether nothing is forbidden."""
        return not self._edges and not self._tables

    @property
    def crawl_delay(self) -> float | None:
        """The seconds between two requests that the file asks for, if it does."""
        return self._crawl_delay

    def allowed(self, target: str, origin: str | None = None) -> bool:
        """Whether the path and query *target* may be retrieved.

        Values that are absolute URLs count only when *origin* (`str(Origin)`) is given.
        """
        is_plain = "%" not in target and target.isascii()
        spelling = target if is_plain else canonical(target)
        if self._tables:
            is_forbidden = any(
                table.forbids(spelling, target, origin) for table in self._tables
            )
        else:
            is_forbidden = bool(bisect_right(self._edges, spelling) & 1)
        # Ours O22: the file itself may always be read.
        return not is_forbidden or spelling == ROBOTS_TXT

    def allowed_url(self, url: str | bytes) -> bool:
        """Whether *url* may be retrieved: a whole URL, or a path. Never raises."""
        head, start = self._head
        if url.__class__ is str and url.startswith(head):
            target = url[start:]
            if target.isascii() and not ("%" in target or "#" in target):
                is_forbidden = bisect_right(self._edges, target) & 1
                return not is_forbidden or target == ROBOTS_TXT
        return self._allowed_afresh(as_text(url))

    def _allowed_afresh(self, url: str) -> bool:
        """Whether *url*, of which nothing is known yet, may be retrieved."""
        head = head_of(url)
        if not self._tables and url.startswith("/", len(head)):
            self._head = f"{head}/", len(head)
        return self.allowed(target_of(url), origin_of(url) if self._tables else None)

    def _deciding(
        self, records: tuple[Record, ...], target: str, origin: str | None
    ) -> tuple[Record, Rule] | None:
        """Return the rule of *records* that decides about the URL, if one covers it,
        and its record.
        """
        firsts = ((record, _first(record, target, origin)) for record in records)
        found = [(record, rule) for record, rule in firsts if rule is not None]
        # Ours X3: one of several records that forbids is enough.
        return min(found, key=lambda it: it[1].allows, default=None)


def _first(record: Record, target: str, origin: str | None) -> Rule | None:
    """Return the first rule of *record* that covers the URL, if one does."""
    covering = (rule for rule in record.rules if covers(rule.value, target, origin))
    return next(covering, None)
