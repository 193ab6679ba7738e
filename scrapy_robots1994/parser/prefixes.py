"""Indexes over many prefixes: which prefix begins a text, found without trying each."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import groupby
from operator import contains, itemgetter
from sys import getsizeof, maxunicode
from typing import TypeVar

# So many values are sorted at once: a sort keeps all other threads waiting.
_SORTED_AT_ONCE = 2_048


T = TypeVar("T")


def in_order(values: Sequence[T]) -> list[T]:
    """Return *values* sorted, without keeping other threads waiting for long."""
    half = len(values) // 2
    if half <= _SORTED_AT_ONCE:
        return sorted(values)  # type: ignore[type-var]  # texts, or tuples
    # Two sorted halves make one list quickly.
    return sorted(in_order(values[:half]) + in_order(values[half:]))  # type: ignore[type-var]  # as above


def prefix_free(texts: Sequence[str]) -> list[str]:
    """Return *texts* sorted, without those that another one is a prefix of.

    What begins a text, if any does, is the last that sorts before it or equals it.
    """
    ordered = in_order(texts)
    # What starts with a text comes right after it in order. Mostly no text contains the
    # one before it, and that is quickest to see.
    if not any(map(contains, ordered[1:], ordered)):
        return ordered
    kept: list[str] = []
    last = None
    for text in ordered:
        if last is None or not text.startswith(last):
            kept.append(text)
            last = text
    return kept


# A block of so many prefixes is one string, which takes a fraction of their memory.
_BLOCK = 8
# Between the prefixes of a block; it sorts before all that a prefix may contain.
_SEPARATOR = "\0"
# Sorts after the prefix itself, and before all that begins with it.
_AFTER = "\0\xff"


# Characters of a beginning, and places in the filter for each of them.
_WIDTH = 8
_SLOTS = 4


class PrefixIndex:
    """Many prefixes, none of which begins another, in little memory."""

    __slots__ = ("_beginnings", "_block", "_blocks", "_width")

    def __init__(self, prefixes: Sequence[str]) -> None:
        """Index *prefixes*, which are in order; at least one."""
        # Prefixes with a separator in them cannot share a block.
        self._block = 1 if _SEPARATOR in "".join(prefixes) else _BLOCK
        # A Bloom filter over how they begin, for most texts begin otherwise.
        self._width = min(_WIDTH, *map(len, prefixes))
        self._beginnings = bytearray(1 << (_SLOTS * len(prefixes)).bit_length())
        width, last = self._width, len(self._beginnings) - 1
        for prefix in prefixes:
            self._beginnings[hash(prefix[:width]) & last] = 1
        self._blocks = tuple(
            _SEPARATOR.join(prefixes[place : place + self._block])
            for place in range(0, len(prefixes), self._block)
        )

    def find(self, text: str) -> int:
        """Return the position of the prefix that begins *text*; -1 if none does."""
        beginnings = self._beginnings
        if not beginnings[hash(text[: self._width]) & (len(beginnings) - 1)]:
            return -1
        if self._block > 1 and _SEPARATOR in text:
            text = text.partition(_SEPARATOR)[0]
        block = bisect_right(self._blocks, text + _AFTER) - 1
        if block < 0:
            return -1
        prefixes = self._in_block(block)
        place = bisect_right(prefixes, text) - 1
        if place < 0 or not text.startswith(prefixes[place]):
            return -1
        return block * self._block + place

    def _in_block(self, block: int) -> list[str]:
        """Return the prefixes of a block."""
        text = self._blocks[block]
        return text.split(_SEPARATOR) if self._block > 1 else [text]

    def __reduce__(self) -> tuple[type["PrefixIndex"], tuple[list[str]]]:
        """Pickle the prefixes alone: other processes have other hashes."""
        blocks = range(len(self._blocks))
        return PrefixIndex, ([it for block in blocks for it in self._in_block(block)],)

    def __getitem__(self, position: int) -> str:
        """Return the prefix at *position*."""
        return self._in_block(position // self._block)[position % self._block]

    @property
    def memory_bytes(self) -> int:
        """How many bytes of memory it takes."""
        parts = (self, self._beginnings, self._blocks, *self._blocks)
        return sum(map(getsizeof, parts))


_LAST_CHARACTER = chr(maxunicode)

UNDECIDED = 1 << 62
"""The mark of texts that no rule covers: even, and after all others."""


class IntervalMap:
    """Which of many rules decides about a text, found with one bisection.

    All texts that begin with a prefix are neighbours when texts are sorted. So rules cut
    the sorted texts into intervals, in each of which one rule decides. A mark stands for
    a rule.
    """

    __slots__ = ("marks", "starts")

    def __init__(self, starts: Iterable[tuple[str, int]]) -> None:
        """Make it of the start of each interval and its mark, in order."""
        texts, marks = [""], [UNDECIDED]
        for text, mark in starts:
            # Of several intervals with one start the last counts; where the mark stays
            # the same, no interval begins.
            if text == texts[-1]:
                marks[-1] = mark
            else:
                texts.append(text)
                marks.append(mark)
            if len(marks) > 1 and marks[-1] == marks[-2]:
                del texts[-1], marks[-1]
        self.starts = tuple(texts)
        self.marks = tuple(marks)

    @classmethod
    def of(
        cls, rules: Iterable[tuple[str, int]], decide: Callable[[int, int], int]
    ) -> "IntervalMap":
        """Make it of prefixes and their marks.

        *decide* returns which of two marks decides where both cover a text: that of the
        shorter prefix, and that of the longer (or equal) one.
        """
        return cls(_starts(in_order(list(rules)), decide))

    @classmethod
    def merged(
        cls, maps: Sequence["IntervalMap"], rank: Callable[[int], object]
    ) -> "IntervalMap":
        """Make it of several: of their marks for a text the one of the lowest *rank*
        decides.
        """
        return maps[0] if len(maps) == 1 else cls(_merged_starts(maps, rank))

    def at(self, text: str) -> int:
        """Return the mark of the rule that decides about *text*."""
        return self.marks[bisect_right(self.starts, text) - 1]


def _starts(
    rules: Iterable[tuple[str, int]], decide: Callable[[int, int], int]
) -> Iterator[tuple[str, int]]:
    """Yield in order where another of the sorted *rules* may begin to decide."""
    around = [("", UNDECIDED)]
    for text, mark in rules:
        while not text.startswith(around[-1][0]):
            end = _end(around.pop()[0])
            if end is not None:  # pragma: no branch - no rule is that character alone
                yield end, around[-1][1]
        around.append((text, decide(around[-1][1], mark)))
        yield around[-1]
    while len(around) > 1:
        end = _end(around.pop()[0])
        if end is not None:
            yield end, around[-1][1]


def _end(prefix: str) -> str | None:
    """Return the first text, in order, after all that begin with *prefix*; None if there
    is none.
    """
    rest = prefix.rstrip(_LAST_CHARACTER)
    return rest[:-1] + chr(ord(rest[-1]) + 1) if rest else None


def _merged_starts(
    maps: Sequence[IntervalMap], rank: Callable[[int], object]
) -> Iterator[tuple[str, int]]:
    """Yield in order where another mark of one of *maps* may begin to decide."""
    changes = []
    for each in maps:
        before = UNDECIDED
        for start, mark in zip(each.starts, each.marks, strict=True):
            changes.append((start, before, mark))
            before = mark
    # The marks that hold at a start, and all that held before, by rank: a heap is tidied
    # only where its first is of the past.
    holding: set[int] = set()
    queue: list[tuple[object, int]] = []
    for start, group in groupby(in_order(changes), key=itemgetter(0)):
        for _, before, after in group:
            holding.discard(before)
            if after != UNDECIDED:
                holding.add(after)
                heappush(queue, (rank(after), after))
        while queue and queue[0][1] not in holding:
            heappop(queue)
        yield start, queue[0][1] if queue else UNDECIDED
