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
        "_cut",
        "_first_mark",
        "_index",
        "_is_shortest_first",
        "_last",
        "_marks",
        "_prefixes",
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
        # Ours O2: the rules of several records for every robot are obeyed together.
        values = records.values
        if len(numbers) < len(values):
            values = values[numbers.start : numbers.stop]
        self._first_mark = 2 * numbers.start + 1
        marks: Sequence[int] = range(self._first_mark, 2 * numbers.stop, 2)
        has_allow = True in records.allows
        if has_allow:
            marks = [2 * number + (not records.allows[number]) for number in numbers]
        paths, marks, text, self.has_urls = _paths(values, marks, head)
        self._cut: tuple[tuple[str, int], ...] = ()
        self.is_plain = is_plain(text)
        is_written = paths is values and self.is_plain
        if not self.is_plain:
            # Ours O18: one spelling for all percent-encodings, and the literal one for a
            # rule whose last escape is cut short.
            pairs = zip(paths, marks, strict=True)
            self._cut = tuple(it for it in pairs if has_cut_escape(it[0]))
            paths = [canonical(path) for path in paths]
            text = "".join(paths)
            # A `#` in a spelling was an escape; a fragment must not look like it.
            self.is_plain = text.isascii() and "#" not in text
        if records.orphans or (is_shortest_first and not is_written):
            order = _by_rank(records, marks, is_shortest_first=is_shortest_first)
            paths = [paths[place] for place in order]
            marks = [marks[place] for place in order]
            is_shortest_first = False
        self._is_shortest_first, self._last = is_shortest_first, ""
        self._prefixes: tuple[str, ...] = ()
        self._marks: Sequence[int] = ()
        self._index: PrefixIndex | None = None
        if has_allow or len(paths) > _FEW:
            self._index = PrefixIndex(paths, marks, is_shortest_first=is_shortest_first)
        else:
            # One call of `startswith` tries them all.
            self._prefixes = tuple(paths)
        # Mostly all values are paths, and each number says which it is.
        if self._cut or not (self._index or isinstance(marks, range)):
            self._marks = array("I", marks)

    normal_spelling = staticmethod(canonical)

    def mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about the target; UNDECIDED if no
        rule covers it.
        """
        if self._index is not None:
            mark, _ = self._index.find(spelling)
        else:
            mark = self._first_covering(spelling)
        if not self._cut:
            return mark
        covering = [mark for text, mark in self._cut if written.startswith(text)]
        if mark != UNDECIDED:
            covering.append(mark)
        # Where one is cut short, they are in the order of their ranks.
        return min(covering, key=self._marks.index, default=UNDECIDED)

    def _first_covering(self, spelling: str) -> int:
        """Return the mark of the first of the few prefixes that covers a target."""
        text = self._last
        if not text or not spelling.startswith(text):
            texts = list(filter(spelling.startswith, self._prefixes))
            if not texts:
                return UNDECIDED
            text = texts[0]
            if self._is_shortest_first:
                # One rule refuses many targets in a row. A shorter one that covers
                # another of them would begin this one, and cover the first target, too.
                text = self._last = min(texts, key=len)
        place = self._prefixes.index(text)
        return self._marks[place] if self._marks else self._first_mark + 2 * place

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
        size = getsizeof(self) + getsizeof(self._cut) + getsizeof(self._marks)
        size += memory_of(self._prefixes)
        return size + (self._index.memory_bytes if self._index else 0)


def _by_rank(
    records: RobotRecords, marks: Sequence[int], *, is_shortest_first: bool
) -> list[int]:
    """Return the places of *marks* in the order in which the rules decide."""
    # Ours O5: the rules of the literal reading come before those that the cautious one
    # adds. Numbers sort many times faster than tuples, and while a sort lasts, all other
    # threads wait.
    codes = []
    for place, number in enumerate(mark >> 1 for mark in marks):
        length = len(records.values[number]) if is_shortest_first else 0
        codes.append((number in records.orphans) << 62 | length << 32 | place)
    return [code & 0xFFFFFFFF for code in in_order(codes)]


class RecordsMatcher:
    """As `PrefixMatcher`, for several records with Allow: each answers for itself."""

    __slots__ = ("_matchers", "_orphans", "has_urls")

    prefixes = index = None

    def __init__(self, records: RobotRecords, head: str) -> None:
        """Compile the rules of *records* for URLs with this *head*."""
        self._orphans = records.orphans
        starts = [*records.first_rules, len(records.values)]
        self._matchers = tuple(
            PrefixMatcher(records, head, range(start, end), is_shortest_first=False)
            for start, end in pairwise(starts)
        )
        self.has_urls = any(it.has_urls for it in self._matchers)

    normal_spelling = staticmethod(canonical)

    def mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about the target; UNDECIDED if no
        rule covers it.
        """
        # Ours X3: each record answers for itself, and one that disallows is enough.
        marks = (it.mark(spelling, written) for it in self._matchers)
        return min(marks, key=lambda it: (not it & 1, it >> 1 in self._orphans, it))

    def sort(self) -> None:
        """Do now what the second question would wait for."""
        for it in self._matchers:
            it.sort()

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        parts = (self, self._matchers)
        return sum(map(getsizeof, parts)) + sum(
            it.memory_bytes for it in self._matchers
        )


_NO_RULES = RobotRecords(has_others=False)
# Many files have no rule for a robot.
_WITHOUT_RULES = PrefixMatcher(_NO_RULES, "", range(0), is_shortest_first=True)


def compile_prefixes(
    records: RobotRecords, head: str, *, has_allow: bool
) -> PrefixMatcher | RecordsMatcher:
    """Return the matcher of *records* for URLs with this *head*."""
    if not records.values:
        return _WITHOUT_RULES
    if len(records.first_rules) > 1 and True in records.allows:
        return RecordsMatcher(records, head)
    # Ours X1: of the rules of a record the first in the file decides.
    numbers = range(len(records.values))
    return PrefixMatcher(records, head, numbers, is_shortest_first=not has_allow)
