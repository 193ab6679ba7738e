"""Rules of a dialect without Allow: a URL that begins with any of them is disallowed."""

from bisect import bisect_left
from collections.abc import Sequence
from sys import getsizeof
from typing import TypeAlias

from scrapy_robots1994.parser.matcher import (
    Columns,
    Decision,
    columns_of_all,
    compact,
    joined,
    memory_of,
)
from scrapy_robots1994.parser.prefixes import PrefixIndex, prefix_free
from scrapy_robots1994.parser.records import RobotRecord
from scrapy_robots1994.parser.spellings import canonical, has_cut_escape

# More rules than this are indexed; fewer are quicker tried one after the other.
_FEW = 96


class FewPrefixes:
    """Prefixes in the order of the file, with the values and numbers of their rules."""

    __slots__ = ("_numbers", "_values", "texts")

    def __init__(self, texts: Sequence[str], rules: Columns) -> None:
        """Take *texts*, which are spellings of the paths of *rules*."""
        self.texts = tuple(texts)
        # Mostly a value is its own canonical spelling, and one tuple is enough.
        self._values = self.texts if rules.values is texts else tuple(rules.values)
        self._numbers = compact(rules.numbers)

    def begins(self, text: str) -> bool:
        """Return whether one of them begins *text*."""
        return text.startswith(self.texts)

    def find(self, text: str) -> Decision | None:
        """Return the shortest rule whose prefix begins *text*, of equal ones the first;
        None if none does.
        """
        found = [place for place, it in enumerate(self.texts) if text.startswith(it)]
        if not found:
            return None
        place = min(found, key=lambda place: len(self._values[place]))
        return Decision(self._numbers[place], self._values[place])

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        texts = {id(it): it for it in (self.texts, self._values)}
        return getsizeof(self) + getsizeof(self._numbers) + memory_of(*texts.values())


class ManyPrefixes:
    """As `FewPrefixes`, with an index; only prefixes that no other one begins."""

    __slots__ = ("_index", "_numbers", "_values")

    texts = None

    def __init__(self, texts: Sequence[str], rules: Columns) -> None:
        """Take *texts*, which are spellings of the paths of *rules*."""
        # Of equal texts the first in the file counts.
        places = dict(zip(reversed(texts), reversed(range(len(texts))), strict=True))
        kept = prefix_free(list(places))
        self._index = PrefixIndex(kept)
        self._numbers = compact([rules.numbers[places[text]] for text in kept])
        # Only values that are not their own canonical spelling are stored again.
        self._values: dict[int, str] = {}
        if rules.values is not texts:
            values = (rules.values[places[text]] for text in kept)
            pairs = enumerate(zip(values, kept, strict=True))
            self._values = {n: value for n, (value, text) in pairs if value != text}

    def begins(self, text: str) -> bool:
        """Return whether one of them begins *text*."""
        return self._index.find(text) >= 0

    def find(self, text: str) -> Decision | None:
        """Return the rule whose prefix begins *text*; None if none does."""
        place = self._index.find(text)
        if place < 0:
            return None
        value = self._values.get(place)
        if value is None:
            value = self._index[place]
        return Decision(self._numbers[place], value)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        parts = (self, self._numbers, self._values, *self._values.values())
        return self._index.memory_bytes + sum(map(getsizeof, parts))


Prefixes: TypeAlias = FewPrefixes | ManyPrefixes


def _prefixes(texts: Sequence[str], rules: Columns) -> Prefixes:
    """Return *texts*, spellings of the paths of *rules*, as a table."""
    return (ManyPrefixes if len(texts) > _FEW else FewPrefixes)(texts, rules)


class PrefixMatcher:
    """The rules of one robot; see `Matcher`."""

    __slots__ = ("_canonical", "_orphans", "_written", "has_urls", "is_plain")

    def __init__(self, rules: Columns, orphans: "PrefixMatcher | None") -> None:
        """Compile *rules*; *orphans* are those that the cautious reading adds."""
        self._orphans = orphans
        self._written: Prefixes | None = None
        # These two say it of the orphans as well.
        self.has_urls: bool = rules.has_urls or bool(orphans and orphans.has_urls)
        self.is_plain: bool = not orphans or orphans.is_plain
        if rules.is_plain:
            self._canonical = _prefixes(rules.paths, rules)
            return
        # Ours O18: one spelling for all percent-encodings, and the literal one for a
        # rule whose last escape is cut short.
        spelled = list(map(canonical, rules.paths))
        self._canonical = _prefixes(spelled, rules)
        cut = [place for place, it in enumerate(rules.paths) if has_cut_escape(it)]
        if cut:
            rules = rules.only(cut)
            self._written = _prefixes(rules.paths, rules)
        text = "".join(spelled)
        # A `#` in a spelling was an escape; a fragment must not look like it.
        self.is_plain &= text.isascii() and "#" not in text

    normal_spelling = staticmethod(canonical)

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """All rules that may begin a target without `%`, if they are few."""
        return None if self._orphans else self._canonical.texts

    def disallows(self, spelling: str, written: str) -> bool:
        """Return whether a rule begins the target in either spelling."""
        return (
            self._canonical.begins(spelling)
            or (self._written is not None and self._written.begins(written))
            or (
                self._orphans is not None and self._orphans.disallows(spelling, written)
            )
        )

    def decide(self, spelling: str, written: str) -> Decision | None:
        """Return the shortest rule that begins the target, of equal ones the first; one
        of the literal reading if any does.
        """
        found = [self._canonical.find(spelling)]
        if self._written is not None:
            found.append(self._written.find(written))
        rules = [rule for rule in found if rule is not None]
        if rules:
            return min(rules, key=lambda rule: len(rule.value))
        if self._orphans is None:
            return None
        return self._orphans.decide(spelling, written)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        parts = (self._canonical, self._written, self._orphans)
        return getsizeof(self) + sum(part.memory_bytes for part in parts if part)


def compile_prefixes(records: Sequence[RobotRecord], head: str) -> PrefixMatcher:
    """Return the matcher of *records* for URLs with this *head*."""
    columns = columns_of_all(records, head)
    if all(len(record.values) == record.first_orphan for record in records):
        return PrefixMatcher(joined(columns), None)
    rules, orphans = [], []
    start = 0
    for record, it in zip(records, columns, strict=True):
        first = bisect_left(it.numbers, start + record.first_orphan)
        rules.append(it.only(range(first)))
        orphans.append(it.only(range(first, len(it.numbers))))
        start += len(record.values)
    return PrefixMatcher(joined(rules), PrefixMatcher(joined(orphans), None))
