"""Rules that are prefixes: which of them decides about a target."""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from sys import getsizeof

from scrapy_robots1994.parser.prefixes import (
    UNDECIDED,
    PrefixIndex,
    in_order,
    longest_decides,
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
    records: RobotRecords, head: str
) -> tuple[Sequence[str], Sequence[int], str, bool]:
    """Return the paths that the rules cover in URLs with this *head*, their marks, the
    paths as one text, and whether other hosts have other paths.
    """
    values, marks = records.values, records.marks()
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
    """The rules of records, of which one alone decides about a target.

    A target (path and query) comes in two spellings: the one that `normal_spelling`
    returns, and as written. `RobotRecords.marks` says what the mark of a rule is.

    *has_urls* says that other hosts need another matcher.
    """

    __slots__ = (
        "_cut",
        "_index",
        "_is_plain",
        "_is_shortest_first",
        "_last",
        "_marks",
        "_prefixes",
        "_starts",
        "_tried",
        "has_urls",
    )

    def __init__(self, records: RobotRecords, head: str) -> None:
        """Compile the rules of *records* that may cover a URL with this *head* (scheme
        and authority, perhaps empty).
        """
        has_allow = True in records.allows
        # Ours X1: with Allow in the dialect the first rule in the file that covers a
        # target decides, else the shortest one.
        is_shortest_first = not records.allows
        # Ours O2: the rules of several records for every robot are obeyed together. Ours
        # X3: with an Allow among them, each record answers for itself.
        self._starts = records.first_rules if has_allow else ()
        paths, marks, text, self.has_urls = _paths(records, head)
        self._is_plain = is_plain(text)
        is_written = self._is_plain and not self.has_urls
        if records.orphans or (is_shortest_first and not is_written):
            order = _by_rank(records, marks, is_shortest_first=is_shortest_first)
            paths = [paths[place] for place in order]
            marks = [marks[place] for place in order]
            is_shortest_first = False
        self._is_shortest_first, self._last = is_shortest_first, ""
        written = paths
        if not self._is_plain:
            # Ours O18: one spelling for all percent-encodings.
            paths = [canonical(path) for path in paths]
            text = "".join(paths)
            # A `#` in a spelling was an escape; a fragment must not look like it.
            self._is_plain = text.isascii() and "#" not in text
        self._cut = () if written is paths else tuple(filter(has_cut_escape, written))
        tried = zip(written, paths, marks, strict=True) if self._cut else ()
        self._tried = tuple(tried)
        self._prefixes: tuple[str, ...] = ()
        self._marks: Sequence[int] = ()
        self._index: PrefixIndex | None = None
        if len(self._starts) > 1:
            self._index = longest_decides(_decisions(paths, marks, self._starts))
        elif has_allow or len(paths) > _FEW:
            self._index = PrefixIndex(paths, marks, is_shortest_first=is_shortest_first)
        else:
            # One call of `startswith` tries them all.
            self._prefixes = tuple(paths)
            # Mostly all values are paths, and the place of each says its mark.
            if not isinstance(marks, range):
                self._marks = array("I", marks)

    normal_spelling = staticmethod(canonical)

    def mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about the target; UNDECIDED if no
        rule covers it.
        """
        # Ours O18: a rule whose last escape is cut short covers what begins with it as
        # written, too.
        if self._cut and written.startswith(self._cut):
            return self._first_tried(spelling, written)
        if self._index is not None:
            return self._index.find(spelling)[0]
        text = self._last
        if not text or not spelling.startswith(text):
            texts = list(filter(spelling.startswith, self._prefixes))
            if not texts:
                return UNDECIDED
            text = texts[0]
            if self._is_shortest_first:
                # The shortest one begins all others, and so is the least. One rule refuses
                # many targets in a row: a shorter one that covers another of them would
                # begin this one, and cover the first target, too.
                text = self._last = min(texts)
        place = self._prefixes.index(text)
        return self._marks[place] if self._marks else 4 * place + 1

    def _first_tried(self, spelling: str, written: str) -> int:
        """Return the same by trying each rule."""
        first: dict[int, int] = {}
        for text, path, mark in self._tried:
            if spelling.startswith(path) or (
                written.startswith(text) and has_cut_escape(text)
            ):
                first.setdefault(bisect_right(self._starts, mark >> 2), mark)
        # Ours X3: of each record its first rule, and of all these any that disallows.
        marks = list(first.values())
        return next(
            (mark for mark in marks if mark & 1), marks[0] if marks else UNDECIDED
        )

    def sort(self) -> None:
        """Do now what the second question would wait for."""
        if self._index is not None:
            self._index.sort()

    @property
    def quick(self) -> tuple[tuple[str, ...] | None, PrefixIndex | None]:
        """What a target without `%`, and perhaps with its fragment, is disallowed by:
        prefixes, or the mark that an index finds.
        """
        # A target in another spelling than its normal one has to be looked at.
        if not self._is_plain:
            return None, None
        return (self._prefixes, None) if self._index is None else (None, self._index)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        size = getsizeof(self) + getsizeof(self._marks) + memory_of(self._prefixes)
        size += memory_of(self._cut, *(it[:2] for it in self._tried))
        return size + (self._index.memory_bytes if self._index else 0)


def _by_rank(
    records: RobotRecords, marks: Sequence[int], *, is_shortest_first: bool
) -> list[int]:
    """Return the places of *marks* in the order in which the rules decide."""
    # Ours O5: the rules of the literal reading come before those that the cautious one
    # adds. Numbers sort many times faster than tuples, and while a sort lasts, all other
    # threads wait.
    codes = []
    for place, mark in enumerate(marks):
        length = len(records.values[mark >> 2]) if is_shortest_first else 0
        codes.append((mark & 2) << 61 | length << 32 | place)
    return [code & 0xFFFFFFFF for code in in_order(codes)]


def _decisions(
    paths: Sequence[str], marks: Sequence[int], starts: Sequence[int]
) -> dict[str, int]:
    """Return for each of *paths* the mark that decides about a target that it covers and
    no longer one does; *starts* are the numbers of the first rules of the records.
    """
    places_of: dict[str, list[int]] = {}
    for place, path in enumerate(paths):
        places_of.setdefault(path, []).append(place)
    # Ours X3: one record that disallows is enough, so Allow ranks after all others.
    count = len(marks)
    ranks = [place if mark & 1 else place + count for place, mark in enumerate(marks)]
    # The place of the rule that decides in each record, and the ranks of all these.
    deciding: dict[int, int] = {}
    ordered: list[int] = []

    def replace(record: int, place: int) -> int:
        """Let the rule at *place* decide in *record*, and return what did; *count* is
        the place of none.
        """
        before = deciding.get(record, count)
        if before < count:
            del ordered[bisect_left(ordered, ranks[before])]
        if place < count:
            insort(ordered, ranks[place])
        deciding[record] = place
        return before

    decisions = {}
    # The paths that begin the next one, each with what its rules replaced.
    around: list[tuple[str, list[tuple[int, int]]]] = []
    for path in in_order(list(places_of)):
        while around and not path.startswith(around[-1][0]):
            for record, before in around.pop()[1]:
                replace(record, before)
        replaced = []
        for place in places_of[path]:
            record = bisect_right(starts, marks[place] >> 2)
            # Ours X1: of the rules of a record the first in the file decides.
            if place < deciding.get(record, count):
                replaced.append((record, replace(record, place)))
        around.append((path, replaced))
        decisions[path] = marks[ordered[0] % count]
    return decisions


WITHOUT_RULES = PrefixMatcher(RobotRecords(), "")
"""One for all files without a rule for a robot, which are many."""
