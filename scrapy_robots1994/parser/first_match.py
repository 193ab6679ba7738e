"""Rules of a dialect with Allow: of those that cover a URL the first in the file
decides, found with one bisection however many there are.
"""

from collections.abc import Sequence
from sys import getsizeof

from scrapy_robots1994.parser.matcher import (
    Columns,
    Decision,
    columns_of_all,
    memory_of,
)
from scrapy_robots1994.parser.prefixes import UNDECIDED, IntervalMap
from scrapy_robots1994.parser.records import RobotRecord
from scrapy_robots1994.parser.spellings import canonical, has_cut_escape


class FirstMatcher:
    """The rules of one robot; see `Matcher`.

    The mark of a rule is twice its number, and one more if it disallows.
    """

    __slots__ = ("_map", "_orphans", "_pairs", "_values", "has_urls", "is_plain")

    prefixes = None

    def __init__(self, records: Sequence[RobotRecord], head: str) -> None:
        """Compile the rules of *records* for URLs with this *head*."""
        columns = columns_of_all(records, head)
        self.has_urls = any(it.has_urls for it in columns)
        self._values = tuple(value for record in records for value in record.values)
        is_orphan = (
            place >= record.first_orphan
            for record in records
            for place in range(len(record.values))
        )
        self._orphans = frozenset(n for n, orphan in enumerate(is_orphan) if orphan)
        allows = [allow for record in records for allow in record.allows]
        marks = [2 * number + (not allow) for number, allow in enumerate(allows)]
        pairs = [_maps(it, marks) for it in columns]
        # Mostly the canonical spelling alone decides, and one map is enough.
        self._pairs = tuple(pairs) if any(cut for _, cut in pairs) else ()
        self._map = IntervalMap.merged([each for each, _ in pairs], self._rank)
        texts = "".join(self._map.starts)
        # A `#` in a spelling was an escape; a fragment must not look like it.
        self.is_plain = texts.isascii() and "#" not in texts

    normal_spelling = staticmethod(canonical)

    def _rank(self, mark: int) -> tuple[bool, bool, int]:
        """Return the rank of the rule with this *mark* among those of several records.

        Ours X3: each record answers for itself, and one that disallows is enough.
        """
        return not mark & 1, mark >> 1 in self._orphans, mark

    def _mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about a target."""
        if not self._pairs:
            return self._map.at(spelling)
        # Ours X1: of the rules of a record the first in the file decides.
        marks = (
            min(
                canonical_map.at(spelling),
                written_map.at(written) if written_map else UNDECIDED,
            )
            for canonical_map, written_map in self._pairs
        )
        return min(marks, key=self._rank)

    def disallows(self, spelling: str, written: str) -> bool:
        """Return whether the rule that decides is a Disallow."""
        return bool(self._mark(spelling, written) & 1)

    def decide(self, spelling: str, written: str) -> Decision | None:
        """Return the rule that decides about the target; None if no rule covers it."""
        mark = self._mark(spelling, written)
        if mark == UNDECIDED:
            return None
        return Decision(mark >> 1, self._values[mark >> 1], not mark & 1)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        maps = [self._map, *(it for pair in self._pairs for it in pair if it)]
        parts = (self, self._orphans, *maps, *(it.marks for it in maps))
        texts = memory_of(self._values, *(it.starts for it in maps))
        return texts + sum(map(getsizeof, parts))


def _maps(
    rules: Columns, marks: Sequence[int]
) -> tuple[IntervalMap, IntervalMap | None]:
    """Return the maps of one record, for the canonical spelling and for that written."""
    marked = [
        (path, marks[it]) for path, it in zip(rules.paths, rules.numbers, strict=True)
    ]
    spelled = ((canonical(path), mark) for path, mark in marked)
    # Ours O18: one spelling for all percent-encodings, and the literal one for a rule
    # whose last escape is cut short.
    cut = [(path, mark) for path, mark in marked if has_cut_escape(path)]
    return IntervalMap.of(spelled, min), IntervalMap.of(cut, min) if cut else None
