"""Rules that are prefixes: which of them decides about a target, however many they are."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from sys import getsizeof

from scrapy_robots1994.parser.records import RobotRecord
from scrapy_robots1994.parser.spellings import (
    canonical,
    has_cut_escape,
    is_plain,
    paths_under,
)

# More rules than this are indexed, which takes half the memory; fewer are quicker tried
# one after the other.
_FEW = 96
# So many values are sorted at once: a sort keeps all other threads waiting.
_SORTED_AT_ONCE = 2_048

_MAX_MARK = (1 << 32) - 1
UNDECIDED = 1 << 62
"""The mark of targets that no rule covers: even, and after all others."""

_NOT_FOUND = (UNDECIDED, -1)

# So many prefixes are one string. The separator may be in none, else each stands alone.
_PER_BLOCK = 8
_SEPARATOR = "\n"

# What most files have is there once.
_NO_ORPHANS: frozenset[int] = frozenset()
_NO_VALUES: dict[int, str] = {}


def in_order(values: Sequence[str]) -> list[str]:
    """Return *values* sorted, without keeping other threads waiting for long."""
    half = len(values) // 2
    if half <= _SORTED_AT_ONCE:
        return sorted(values)
    # Two sorted halves make one list quickly.
    return sorted(in_order(values[:half]) + in_order(values[half:]))


def _nested(
    texts: Sequence[str], own_marks: Sequence[int], decide: Callable[[int, int], int]
) -> tuple[list[str], list[int], list[int]]:
    """Return those of *texts*, which are in order, that change what decides; the mark
    that decides below each; the place of the longest other one that begins it, or -1.
    """
    changing: list[str] = []
    marks: list[int] = []
    parents: list[int] = []
    around = -1
    for text, own in zip(texts, own_marks, strict=True):
        while around >= 0 and not text.startswith(changing[around]):
            around = parents[around]
        mark = own if around < 0 else decide(marks[around], own)
        if around < 0 or mark != marks[around]:
            changing.append(text)
            marks.append(mark)
            parents.append(around)
            around = len(changing) - 1
    return changing, marks, parents


class PrefixIndex:
    """Many prefixes, each with the mark of the rule that decides where no longer one
    covers a text.
    """

    __slots__ = (
        "_beginnings",
        "_blocks",
        "_firsts",
        "_marks",
        "_parents",
        "_per_block",
        "_width",
    )

    def __init__(
        self, rules: Sequence[tuple[str, int]], decide: Callable[[int, int], int]
    ) -> None:
        """Index prefixes with their marks.

        *decide* returns which of two marks decides where both cover a text: that of the
        shorter prefix, and that of the longer (or equal) one.
        """
        mark_of = dict(rules)
        if len(mark_of) < len(rules):
            mark_of.clear()
            for text, mark in rules:
                mark_of[text] = decide(mark_of.get(text, mark), mark)
        texts = in_order(list(mark_of))
        marks = list(map(mark_of.__getitem__, texts))
        parents = [-1] * len(texts)
        # What begins with a prefix comes right after it in order. Mostly nothing does.
        if any(map(str.startswith, texts[1:], texts)):
            texts, marks, parents = _nested(texts, marks, decide)
        self._marks = array("I", marks)
        self._parents = array("i", parents)
        # Texts of a block in one string take a third of their memory.
        size = 1 if _SEPARATOR in "".join(texts) else _PER_BLOCK
        self._per_block = size
        self._firsts = tuple(texts[::size])
        starts = range(0, len(texts), size)
        self._blocks = tuple(_SEPARATOR.join(texts[it : it + size]) for it in starts)
        # A Bloom filter over how they begin, for most targets begin otherwise.
        self._width = width = min(map(len, texts), default=0)
        self._beginnings = bytearray(1 << (4 * len(texts)).bit_length())
        last = len(self._beginnings) - 1
        for text in texts:
            self._beginnings[hash(text[:width]) & last] = 1

    def _block(self, block: int) -> list[str]:
        """Return the texts of a block."""
        text = self._blocks[block]
        return text.split(_SEPARATOR) if self._per_block > 1 else [text]

    def _text(self, place: int) -> str:
        """Return the text at *place*."""
        return self._block(place // self._per_block)[place % self._per_block]

    def find(self, text: str) -> tuple[int, int]:
        """Return the mark that decides about *text*, and the length of the longest
        prefix that covers it; UNDECIDED and -1 if none does.
        """
        beginnings = self._beginnings
        if not beginnings[hash(text[: self._width]) & (len(beginnings) - 1)]:
            return _NOT_FOUND
        # What covers it is the last prefix that sorts before it, or begins that one.
        block = bisect_right(self._firsts, text) - 1
        if block < 0:
            return _NOT_FOUND
        texts = self._block(block)
        place = bisect_right(texts, text) - 1
        prefix = texts[place]
        place += block * self._per_block
        while not text.startswith(prefix):
            place = self._parents[place]
            if place < 0:
                return _NOT_FOUND
            prefix = self._text(place)
        return self._marks[place], len(prefix)

    def text_of(self, mark: int) -> str:
        """Return the prefix of the rule with this *mark*, which decides about a text."""
        # Below its own prefix others may come, but they sort after it.
        return self._text(self._marks.index(mark))

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        parts = (self, self._beginnings, self._marks, self._parents)
        return sum(map(getsizeof, parts)) + memory_of(self._firsts, self._blocks)


def _orphans(records: Sequence[RobotRecord], number: int) -> frozenset[int]:
    """Return the numbers of the rules that only the cautious reading obeys; the first
    rule of all has this *number*.
    """
    if all(len(record.values) == record.first_orphan for record in records):
        return _NO_ORPHANS
    orphans: set[int] = set()
    for record in records:
        end = number + len(record.values)
        orphans.update(range(number + record.first_orphan, end))
        number = end
    return frozenset(orphans)


def _paths(
    values: Sequence[str], marks: Sequence[int], head: str
) -> tuple[Sequence[str], Sequence[int], bool]:
    """Return the paths that *values* cover in URLs with this *head*, their marks, and
    whether other hosts have other paths.
    """
    # No value has a line end, so this counts those that begin with a slash.
    text = "\n" + "\n".join(values)
    if text.count("\n/") == len(values):
        return values, marks, False
    # Ours O20: a value without a leading slash covers nothing. Ours O19: unless it is
    # an absolute URL.
    rules = [
        (path, mark)
        for value, mark in zip(values, marks, strict=True)
        for path in ((value,) if value[0] == "/" else paths_under(value, head))
    ]
    return [path for path, _ in rules], [mark for _, mark in rules], "://" in text


def memory_of(*containers: Sequence[str]) -> int:
    """Return how many bytes these containers and their texts take; a container or a text
    that is there twice counts once, an empty one never.
    """
    parts = {id(each): each for each in containers if each}
    texts = {id(text): text for each in containers for text in each}
    return sum(map(getsizeof, (*parts.values(), *texts.values())))


class PrefixMatcher:
    """The rules of records of which one alone decides about a target.

    A target (path and query) comes in two spellings: the one that `normal_spelling`
    returns, and as written. The mark of a rule is twice its number among the values of
    all records, and one more if it disallows.

    *has_urls* says that other hosts need another matcher. Where *is_plain*, a target
    without `%` is its own normal spelling to these rules, and may come with the fragment
    that follows it. Such a plain target has a quicker answer in `prefixes`, or if they
    are None in `find_plain`.
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
        records: Sequence[RobotRecord],
        head: str,
        first_number: int = 0,
        *,
        is_shortest_first: bool,
    ) -> None:
        """Compile the rules of *records* that may cover a URL with this *head* (scheme
        and authority, perhaps empty).

        With *is_shortest_first* the shortest rule that covers a target decides, else the
        first in the file.
        """
        self.first_number = first_number
        self._is_shortest_first = is_shortest_first
        self._values = tuple(chain.from_iterable(it.values for it in records))
        self._orphans = _orphans(records, first_number)
        end = first_number + len(self._values)
        marks: Sequence[int] = range(2 * first_number + 1, 2 * end, 2)
        has_allow = any(True in record.allows for record in records)
        if has_allow:
            allows = chain.from_iterable(it.allows for it in records)
            marks = [mark - allow for mark, allow in zip(marks, allows, strict=True)]
        paths, marks, self.has_urls = _paths(self._values, marks, head)
        self._cut: tuple[tuple[str, int], ...] = ()
        text = "".join(paths)
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
            rules = list(zip(paths, marks, strict=True))
            index = PrefixIndex(rules, self._first)
            if paths is not self._values:
                self._changed = {
                    mark: self.value_of(mark)
                    for path, mark in (*rules, *self._cut)
                    if path != self.value_of(mark) or "%" in path
                }
            self._index, self._values = index, ()
        else:
            self._prefixes = tuple(paths)
            if not isinstance(marks, range):
                self._marks = array("I", marks)

    normal_spelling = staticmethod(canonical)

    def _rank(self, mark: int) -> tuple[bool, int, int]:
        """Return the rank of a rule among those that cover a target."""
        # Ours O5: the rules of the literal reading come before those that the cautious
        # one adds.
        length = len(self.value_of(mark)) if self._is_shortest_first else 0
        return self.is_orphan(mark), length, mark

    def _first(self, one: int, other: int) -> int:
        """Return which of two marks decides."""
        return min(one, other, key=self._rank)

    def mark(self, spelling: str, written: str) -> int:
        """Return the mark of the rule that decides about the target; UNDECIDED if no
        rule covers it.
        """
        if self._index is None:
            # Mostly all values are paths, and each number says which it is.
            marks = self._marks or range(2 * self.first_number + 1, _MAX_MARK, 2)
            rules = zip(self._prefixes, marks, strict=False)
            covering = [mark for text, mark in rules if spelling.startswith(text)]
        else:
            found, _ = self._index.find(spelling)
            if not self._cut:
                return found
            covering = [found] if found != UNDECIDED else []
        covering += [mark for text, mark in self._cut if written.startswith(text)]
        return min(covering, key=self._rank, default=UNDECIDED)

    def value_of(self, mark: int) -> str:
        """Return the value of the rule with this *mark*, as the file has it."""
        if self._index is None:
            return self._values[(mark >> 1) - self.first_number]
        return self._changed.get(mark) or self._index.text_of(mark)

    def is_orphan(self, mark: int) -> bool:
        """Return whether the rule is one that only the cautious reading obeys."""
        return mark >> 1 in self._orphans

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """What a plain target that is disallowed begins with."""
        return self._prefixes if self._index is None and self.is_plain else None

    @property
    def find_plain(self) -> Callable[[str], tuple[int, int]] | None:
        """What returns the mark of a plain target, and anything else."""
        return self._index.find if self._index and self.is_plain else None

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

    prefixes = None

    def __init__(self, records: Sequence[RobotRecord], head: str) -> None:
        """Compile the rules of *records* for URLs with this *head*."""
        starts = accumulate((len(it.values) for it in records), initial=0)
        self._records = tuple(
            PrefixMatcher([record], head, start, is_shortest_first=False)
            for record, start in zip(records, starts, strict=False)
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

    @property
    def find_plain(self) -> Callable[[str], tuple[int, int]] | None:
        """See `PrefixMatcher`."""
        if all(it.is_plain for it in self._records):
            return lambda target: (self.mark(target, target), 0)
        return None

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


# Many files have no rule for a robot.
_WITHOUT_RULES = PrefixMatcher([], "", is_shortest_first=True)


def compile_prefixes(
    records: Sequence[RobotRecord], head: str, *, has_allow: bool
) -> PrefixMatcher | RecordsMatcher:
    """Return the matcher of *records* for URLs with this *head*."""
    if not any(it.values for it in records):
        return _WITHOUT_RULES
    if len(records) > 1 and any(True in it.allows for it in records):
        return RecordsMatcher(records, head)
    # Ours X1: of the rules of a record the first in the file decides.
    return PrefixMatcher(records, head, is_shortest_first=not has_allow)
