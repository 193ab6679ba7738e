"""PrefixIndex: which of many prefixes decides about a text, without trying each."""

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter
from sys import getsizeof
from typing import NamedTuple, TypeAlias, TypeVar

# So many values are sorted at once: `sorted` is one call in C, and no other thread, such
# as that of the event loop, runs before it returns.
_SORTED_AT_ONCE = 2_048

UNDECIDED = 1 << 62 | 2
"""The mark of targets that no rule covers. It is above all others, and ends like that of
an Allow which only the cautious reading obeys: neither is a reason.
"""

_NOT_FOUND = (UNDECIDED, -1)

# So many prefixes are one string: each string takes 40 to 50 bytes besides its text, more
# than most rules have. With more of them each question would split a longer one.
_PER_BLOCK = 8
# No line of a file holds a line end, but an escape that was decoded may be one. No escape
# is the other character, which makes a text twice as large.
_SEPARATOR, _OTHER_SEPARATOR = "\n", "\u0101"


# A Bloom filter over how prefixes begin, for most texts begin otherwise: slots of eight
# bits, the length of the beginnings, and the number of the last slot.
_Filter: TypeAlias = tuple[bytes, int, int]
_PASSES_ALL: _Filter = (b"\xff", 0, 0)

Sortable = TypeVar("Sortable", str, int)


def in_order(values: Sequence[Sortable]) -> list[Sortable]:
    """Return *values* sorted, without keeping other threads waiting for long."""
    half = len(values) // 2
    if half <= _SORTED_AT_ONCE:
        return sorted(values)
    # Other threads may run between these calls. Python's sort finds two runs in the list
    # and merges them, which takes linear time.
    return sorted(in_order(values[:half]) + in_order(values[half:]))


class _Unsorted(NamedTuple):
    """Prefixes as they came; one text takes a third of the memory of many."""

    text: str
    separator: str
    marks: Sequence[int]
    is_shortest_first: bool


class _Sorted(NamedTuple):
    """Prefixes in order, each block of them one text; the first of each block; and for
    each prefix its mark, and the place of the longest other one that begins it, or -1.
    """

    blocks: Sequence[str]
    firsts: Sequence[str]
    separator: str
    marks: Sequence[int]
    parents: Sequence[int]

    def block(self, number: int) -> list[str]:
        """Return the prefixes of a block."""
        return self.blocks[number].split(self.separator)

    def prefix(self, place: int) -> str:
        """Return the prefix at *place*."""
        return self.block(place // _PER_BLOCK)[place % _PER_BLOCK]


def _sorted(prefixes: _Unsorted) -> tuple[_Sorted, _Filter]:
    """Return those of *prefixes* that decide about some text, and their filter."""
    text, separator, marks, is_shortest_first = prefixes
    # Splitting the text of no path yields one that is empty.
    paths = text.split(separator)[: len(marks)]
    # The first of equal paths decides: reversed, it comes last, and stays.
    mark_of = dict(zip(reversed(paths), reversed(marks), strict=True))
    texts = in_order(list(mark_of))
    parents = array("i", [-1]) * len(texts)
    # What begins with a prefix comes right after it in order. Mostly nothing does.
    if any(map(str.startswith, texts[1:], texts)):
        places = reversed(range(len(paths)))
        place_of = dict(zip(reversed(paths), places, strict=True))
        texts, parents = _nested(texts, {} if is_shortest_first else place_of)
    starts = range(0, len(texts), _PER_BLOCK)
    blocks = tuple(separator.join(texts[it : it + _PER_BLOCK]) for it in starts)
    # Arrays: four bytes for each mark, and no object that the garbage collector visits.
    deciding = array("I", map(mark_of.__getitem__, texts))
    firsts = tuple(texts[::_PER_BLOCK])
    return _Sorted(blocks, firsts, separator, deciding, parents), _filter_of(texts)


def _nested(
    texts: Sequence[str], rank_of: Mapping[str, int]
) -> tuple[list[str], "array[int]"]:
    """Return those of *texts*, which are in order, whose ranks are below those of all
    that begin them; and the index of the longest other one of them that begins each, or
    -1. Texts without a rank are equal.
    """
    deciding: list[str] = []
    parents = array("i")
    around = -1
    # In order, all that begins with a prefix follows it: the prefixes around the present
    # one are a chain, of which *around* is the longest.
    for text in texts:
        while around >= 0 and not text.startswith(deciding[around]):
            around = parents[around]
        # Else a prefix around it decides wherever it covers something.
        if around < 0 or rank_of.get(text, 0) < rank_of.get(deciding[around], 0):
            parents.append(around)
            around = len(deciding)
            deciding.append(text)
    return deciding, parents


def _filter_bits(key: int) -> int:
    """Return which bits of its slot a beginning with this hash sets."""
    return 1 << (key >> 40 & 7) | 1 << (key >> 50 & 7)


def _filter_of(texts: Sequence[str]) -> _Filter:
    """Return what most texts that none of *texts* begins do not pass."""
    # Cut to the shortest of them, so that a text is hashed once.
    width = min(map(len, texts), default=0)
    # At least eight slots for each: of the other texts, seven in eight find theirs empty,
    # and most of the rest other bits set.
    slots = bytearray(1 << (8 * len(texts)).bit_length())
    last = len(slots) - 1
    for key in map(hash, map(itemgetter(slice(width)), texts)):
        slots[key & last] |= _filter_bits(key)
    return bytes(slots), width, last


class PrefixIndex:
    """Many prefixes, each with the mark of the rule that decides where no longer one
    covers a text.

    Sorting them takes longer than trying each, and in a broad crawl the first question
    is mostly the only one: the second question sorts, if `sort` has not.
    """

    __slots__ = ("_is_asked", "_prefixes", "filter")

    def __init__(
        self,
        paths: Sequence[str],
        marks: Sequence[int],
        *,
        is_shortest_first: bool = False,
    ) -> None:
        """Index *paths* with their *marks*: of those that cover a text the shortest
        decides, or the first.
        """
        self._is_asked = False
        # Until they are sorted, each text has to be looked at.
        self.filter = _PASSES_ALL
        separator = _SEPARATOR
        text = separator.join(paths)
        if text.count(separator) >= len(paths):
            separator = _OTHER_SEPARATOR
            text = separator.join(paths)
        # One attribute has all, so that threads see it whole.
        self._prefixes: _Unsorted | _Sorted
        self._prefixes = _Unsorted(text, separator, marks, is_shortest_first)

    def sort(self) -> _Sorted:
        """Return the prefixes in order, which the first call makes."""
        prefixes = self._prefixes
        if isinstance(prefixes, _Unsorted):
            prefixes, self.filter = _sorted(prefixes)
            self._prefixes = prefixes
        return prefixes

    def find(self, text: str) -> tuple[int, int]:
        """Return the mark that decides about *text*, and the length of the longest
        prefix that covers it; UNDECIDED and -1 if none does.
        """
        slots, width, last = self.filter
        key = hash(text[:width])
        bits = _filter_bits(key)
        if slots[key & last] & bits != bits:
            return _NOT_FOUND
        prefixes = self._prefixes
        if isinstance(prefixes, _Unsorted):
            # Two threads may both be the first: they get the same answer.
            is_first, self._is_asked = not self._is_asked, True
            all_of_them = tuple(prefixes.text.split(prefixes.separator))
            if is_first and not text.startswith(all_of_them):
                return _NOT_FOUND
            prefixes = self.sort()
        # What covers it is the last prefix that sorts before it, or begins that one.
        block = bisect_right(prefixes.firsts, text) - 1
        if block < 0:
            return _NOT_FOUND
        texts = prefixes.block(block)
        place = bisect_right(texts, text) - 1
        prefix = texts[place]
        place += block * _PER_BLOCK
        # It may sort before the text without covering it, as "/a/b" does before "/a/c",
        # while "/a" does.
        while not text.startswith(prefix):
            place = prefixes.parents[place]
            if place < 0:
                return _NOT_FOUND
            prefix = prefixes.prefix(place)
        return prefixes.marks[place], len(prefix)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        prefixes = self._prefixes
        parts = [self, self.filter, self.filter[0], prefixes, prefixes.marks]
        if isinstance(prefixes, _Unsorted):
            parts += [prefixes.text]
            return sum(map(getsizeof, parts))
        parts += [prefixes.parents]
        blocks = memory_of(prefixes.firsts, prefixes.blocks)
        return sum(map(getsizeof, parts)) + blocks


def longest_decides(mark_of: Mapping[str, int]) -> PrefixIndex:
    """Return the index of prefixes of which the longest that covers a text decides."""
    # Of those that cover a text the first decides.
    longest_first = sorted(mark_of, key=len, reverse=True)
    return PrefixIndex(longest_first, [mark_of[text] for text in longest_first])


def memory_of(*containers: Sequence[str]) -> int:
    """Return how many bytes these containers and their texts take; a container or a text
    that is there twice counts once, an empty one never.
    """
    parts = {id(each): each for each in containers if each}
    texts = {id(text): text for each in containers for text in each}
    return sum(map(getsizeof, (*parts.values(), *texts.values())))
