"""Rules of a dialect with Allow: of those that cover a URL the first in the file
decides, found with one bisection however many there are.
"""

from collections.abc import Iterable, Sequence
from sys import getsizeof

from scrapy_robots1994.parser.matcher import (
    Columns,
    columns_of,
    compact,
    joined,
    memory_of,
)
from scrapy_robots1994.parser.prefixes import UNDECIDED, IntervalMap
from scrapy_robots1994.parser.records import RobotRecord, Rule
from scrapy_robots1994.parser.spellings import canonical, has_cut_escape


class FirstMatcher:
    """The rules of one robot; see `Matcher`.

    The mark of a rule is twice its number, and one more if it disallows.
    """

    __slots__ = ("_lines", "_map", "_orphans", "_pairs", "_values", "is_plain")

    prefixes = None

    def __init__(self, columns: Sequence[Columns]) -> None:
        """Compile the rules of records that apply together."""
        rules = joined(columns)
        self._values = tuple(rules.values)
        self._lines = compact(rules.lines)
        self._orphans = frozenset(_orphans(columns))
        marks = [2 * n + (not allows) for n, allows in enumerate(rules.allows)]
        pairs = []
        start = 0
        for each in columns:
            end = start + len(each.paths)
            pairs.append(_maps(each.paths, marks[start:end]))
            start = end
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

    def decide(self, spelling: str, written: str) -> Rule | None:
        """Return the rule that decides about the target; None if no rule covers it."""
        mark = self._mark(spelling, written)
        if mark == UNDECIDED:
            return None
        number = mark >> 1
        return Rule(self._values[number], self._lines[number], not mark & 1)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        maps = [self._map, *(it for pair in self._pairs for it in pair if it)]
        parts = (self, self._lines, self._orphans, *maps, *(it.marks for it in maps))
        texts = memory_of(self._values, *(it.starts for it in maps))
        return texts + sum(map(getsizeof, parts))


def _orphans(columns: Iterable[Columns]) -> Iterable[int]:
    """Yield the numbers of the orphans among the rules of all *columns*."""
    start = 0
    for each in columns:
        yield from range(start + each.first_orphan, start + len(each.paths))
        start += len(each.paths)


def _maps(
    paths: Sequence[str], marks: Sequence[int]
) -> tuple[IntervalMap, IntervalMap | None]:
    """Return the maps of one record, for the canonical spelling and for that written."""
    # Ours O18: one spelling for all percent-encodings, and the literal one for a rule
    # whose last escape is cut short.
    cut = [it for it in zip(paths, marks, strict=True) if has_cut_escape(it[0])]
    spelled = zip(map(canonical, paths), marks, strict=True)
    return IntervalMap.of(spelled, min), IntervalMap.of(cut, min) if cut else None


def compile_first_match(records: Sequence[RobotRecord], head: str) -> FirstMatcher:
    """Return the matcher of *records* for URLs with this *head*."""
    return FirstMatcher([columns_of(record, head) for record in records])
