"""Rules that are prefixes: which of them decides about a target."""

from array import array
from collections.abc import Sequence
from itertools import pairwise
from sys import getsizeof

from scrapy_robots1994.parser.prefixes import (
    UNDECIDED,
    PrefixIndex,
    in_order,
    memory_of,
)
from scrapy_robots1994.parser.records import RobotRecords
from scrapy_robots1994.parser.spellings import (
    canonical,
    has_cut_escape,
    is_plain,
    paths_under,
)

# More rules than this are indexed, which takes half the memory or less; fewer are tried
# one after the other, which is quicker.
_FEW = 24
_MAX_MARK = (1 << 32) - 1

# What most files have is there once.
_NO_VALUES: dict[int, str] = {}


def _paths(
    values: Sequence[str], marks: Sequence[int], head: str
) -> tuple[Sequence[str], Sequence[int], str, bool]:
    """Return the paths that *values* cover in URLs with this *head*, their marks, the
    paths as one text, and whether other hosts have other paths.
    """
    # No value has a line end, so this counts those that begin with a slash.
    text = "\n" + "\n".join(values)
    if text.count("\n/") == len(values):
        return values, marks, text, False
    # Ours O20: a value without a leading slash covers nothing. Ours O19: unless it is
    # an absolute URL.
    rules = [
        (path, mark)
        for value, mark in zip(values, marks, strict=True)
        for path in ((value,) if value[0] == "/" else paths_under(value, head))
    ]
    paths = [path for path, _ in rules]
    return paths, [mark for _, mark in rules], "".join(paths), "://" in text


class PrefixMatcher:
    """The rules of records of which one alone decides about a target.

    A target (path and query) comes in two spellings: the one that `normal_spelling`
    returns, and as written. The mark of a rule is twice its number among the values of
    all records, and one more if it disallows.

    *has_urls* says that other hosts need another matcher. Where *is_plain*, a target
    without `%` is its own normal spelling to these rules, and may come with the fragment
    that follows it. Such a plain target has a quicker answer in `prefixes`, or if they
    are None in `index`.
    """

    __slots__ = (
        "_changed",
        "_cut",
        "_index",
        "_is_shortest_first",
        "_marks",
        "_orphans",
        "_prefixes",
        "_values",
        "first_number",
        "has_urls",
        "is_plain",
    )

    def __init__(
        self,
        records: RobotRecords,
        head: str,
        numbers: range,
        *,
        is_shortest_first: bool,
    ) -> None:
        """Compile the rules of *records* with these *numbers* that may cover a URL with
        this *head* (scheme and authority, perhaps empty).

        With *is_shortest_first* the shortest rule that covers a target decides, else the
        first in the file.
        """
        self.first_number = numbers.start
        self._is_shortest_first = is_shortest_first
        # Ours O2: the rules of several records for every robot are obeyed together.
        self._values = tuple(records.values[numbers.start : numbers.stop])
        self._orphans = records.orphans
        marks: Sequence[int] = range(2 * numbers.start + 1, 2 * numbers.stop, 2)
        has_allow = bool(records.allows)
        if has_allow:
            allows = records.allows[numbers.start : numbers.stop]
            marks = [mark - allow for mark, allow in zip(marks, allows, strict=True)]
        paths, marks, text, self.has_urls = _paths(self._values, marks, head)
        self._cut: tuple[tuple[str, int], ...] = ()
        self.is_plain = is_plain(text)
        if not self.is_plain:
            # Ours O18: one spelling for all percent-encodings, and the literal one for a
            # rule whose last escape is cut short.
            pairs = zip(paths, marks, strict=True)
            self._cut = tuple(it for it in pairs if has_cut_escape(it[0]))
            paths = [canonical(path) for path in paths]
            text = "".join(paths)
            # A `#` in a spelling was an escape; a fragment must not look like it.
            self.is_plain = text.isascii() and "#" not in text
        self._prefixes: tuple[str, ...] = ()
        self._marks: Sequence[int] = ()
        self._index: PrefixIndex | None = None
        self._changed = _NO_VALUES
        if has_allow or len(paths) > _FEW:
            self._make_index(paths, marks)
        else:
            # One call of `startswith` tries them all.
            self._prefixes = tuple(paths)
            if not isinstance(marks, range):
                self._marks = array("I", marks)

    def _make_index(self, paths: Sequence[str], marks: Sequence[int]) -> None:
        """Make the index, which has the values that are their own spelling, too."""
        if paths is not self._values:
            self._changed = {
                mark: self.value_of(mark)
                for path, mark in zip(paths, marks, strict=True)
                # A rule that is cut short may be in no place of the index.
                if path != self.value_of(mark) or "%" in path
            }
        is_shortest_first = self._is_shortest_first
        if self._orphans or (is_shortest_first and self._changed):
            # Numbers sort many times faster than ranks: whether the rule is an orphan,
            # the length of its value, its place.
            values = [self.value_of(mark) for mark in marks]
            lengths = [len(value) * is_shortest_first for value in values]
            codes = [length << 32 | place for place, length in enumerate(lengths)]
            if self._orphans:
                orphans = [self.is_orphan(mark) << 62 for mark in marks]
                codes = [sum(pair) for pair in zip(orphans, codes, strict=True)]
            places = [code & _MAX_MARK for code in in_order(codes)]
            paths = [paths[place] for place in places]
            marks = [marks[place] for place in places]
            is_shortest_first = False
        self._index = PrefixIndex(paths, marks, is_shortest_first=is_shortest_first)
        # The index has the others.
        self._values = ()

    normal_spelling = staticmethod(canonical)

    def _rank(self, mark: int) -> tuple[bool, int, int]:
        """Return the rank of a rule among those that cover a target."""
        # Ours O5: the rules of the literal reading come before those that the cautious
        # one adds.
        length = len(self.value_of(mark)) if self._is_shortest_first else 0
        return self.is_orphan(mark), length, mark

    def mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about the target; UNDECIDED if no
        rule covers it.
        """
        if self._index is None:
            texts = list(filter(spelling.startswith, self._prefixes))
            if len(texts) == 1 and not self._cut:
                return self._mark_at(self._prefixes.index(texts[0]))
            covering = [
                self._mark_at(place)
                for place, text in enumerate(self._prefixes)
                if text in texts
            ]
        else:
            found, _ = self._index.find(spelling)
            if not self._cut:
                return found
            covering = [found] if found != UNDECIDED else []
        covering += [mark for text, mark in self._cut if written.startswith(text)]
        return min(covering, key=self._rank, default=UNDECIDED)

    def _mark_at(self, place: int) -> int:
        """Return the mark of the prefix at *place*."""
        # Mostly all values are paths, and each number says which it is.
        if not self._marks:
            return 2 * (self.first_number + place) + 1
        return self._marks[place]

    def value_of(self, mark: int) -> str:
        """Return the value of the rule with this *mark*, as the file has it."""
        if self._index is None:
            return self._values[(mark >> 1) - self.first_number]
        return self._changed.get(mark) or self._index.text_of(mark)

    def is_orphan(self, mark: int) -> bool:
        """Return whether the rule is one that only the cautious reading obeys."""
        return mark >> 1 in self._orphans

    def sort(self) -> None:
        """Do now what the second question would wait for."""
        if self._index is not None:
            self._index.sort()

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """What a plain target that is disallowed begins with."""
        return self._prefixes if self._index is None and self.is_plain else None

    @property
    def index(self) -> PrefixIndex | None:
        """What finds the mark of a plain target."""
        return self._index if self.is_plain else None

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        parts = (self._orphans, self._cut, self._marks, self._changed)
        size = getsizeof(self) + sum(getsizeof(part) for part in parts if part)
        size += memory_of(self._values, self._prefixes, tuple(self._changed.values()))
        return size + (self._index.memory_bytes if self._index else 0)


class RecordsMatcher:
    """As `PrefixMatcher`, for several records with Allow: each answers for itself."""

    __slots__ = ("_records", "has_urls")

    prefixes = index = None

    def __init__(self, records: RobotRecords, head: str) -> None:
        """Compile the rules of *records* for URLs with this *head*."""
        starts = [*records.first_rules, len(records.values)]
        self._records = tuple(
            PrefixMatcher(records, head, range(start, end), is_shortest_first=False)
            for start, end in pairwise(starts)
            if start < end
        )
        self.has_urls = any(it.has_urls for it in self._records)

    normal_spelling = staticmethod(canonical)

    def mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about the target; UNDECIDED if no
        rule covers it.
        """
        # Ours X3: each record answers for itself, and one that disallows is enough.
        marks = ((it.mark(spelling, written), it) for it in self._records)
        ranked = ((not mark & 1, it.is_orphan(mark), mark) for mark, it in marks)
        return min(ranked)[-1]

    def sort(self) -> None:
        """Do now what the second question would wait for."""
        for it in self._records:
            it.sort()

    def _record_of(self, mark: int) -> PrefixMatcher:
        """Return the matcher of the record that has the rule with this *mark*."""
        below = (it for it in reversed(self._records) if it.first_number <= mark >> 1)
        return next(below)

    def value_of(self, mark: int) -> str:
        """Return the value of the rule with this *mark*, as the file has it."""
        return self._record_of(mark).value_of(mark)

    def is_orphan(self, mark: int) -> bool:
        """Return whether the rule is one that only the cautious reading obeys."""
        return self._record_of(mark).is_orphan(mark)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        parts = (self, self._records)
        return sum(map(getsizeof, parts)) + sum(it.memory_bytes for it in self._records)


_NO_RULES = RobotRecords.of([], has_others=False)
# Many files have no rule for a robot.
_WITHOUT_RULES = PrefixMatcher(_NO_RULES, "", range(0), is_shortest_first=True)


def compile_prefixes(
    records: RobotRecords, head: str, *, has_allow: bool
) -> PrefixMatcher | RecordsMatcher:
    """Return the matcher of *records* for URLs with this *head*."""
    if not records.values:
        return _WITHOUT_RULES
    if records.allows and len(records.first_rules) > 1:
        return RecordsMatcher(records, head)
    # Ours X1: of the rules of a record the first in the file decides.
    numbers = range(len(records.values))
    return PrefixMatcher(records, head, numbers, is_shortest_first=not has_allow)
