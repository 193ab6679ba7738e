"""PrefixIndex: which of many prefixes decides about a text, without trying each."""

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter
from sys import getsizeof
from typing import TypeVar

# So many values are sorted at once: a sort keeps all other threads waiting.
_SORTED_AT_ONCE = 2_048

UNDECIDED = 1 << 62
"""The mark of targets that no rule covers: even, and after all others."""

_NOT_FOUND = (UNDECIDED, -1)

# So many prefixes are one string. The separator may be in none, else each stands alone.
_PER_BLOCK = 8
_SEPARATOR = "\n"


Sortable = TypeVar("Sortable", str, int)


def in_order(values: Sequence[Sortable]) -> list[Sortable]:
    """Return *values* sorted, without keeping other threads waiting for long."""
    half = len(values) // 2
    if half <= _SORTED_AT_ONCE:
        return sorted(values)
    # Two sorted halves make one list quickly.
    return sorted(in_order(values[:half]) + in_order(values[half:]))


def _nested(
    texts: Sequence[str], place_of: Mapping[str, int]
) -> tuple[list[str], list[int]]:
    """Return those of *texts*, which are in order, whose places come before those of
    all that begin them; and the index of the longest other one of them that begins
    each, or -1.
    """
    deciding: list[str] = []
    parents: list[int] = []
    around = -1
    for text in texts:
        while around >= 0 and not text.startswith(deciding[around]):
            around = parents[around]
        if around < 0 or place_of[text] < place_of[deciding[around]]:
            deciding.append(text)
            parents.append(around)
            around = len(deciding) - 1
    return deciding, parents


def _outermost(texts: Sequence[str]) -> list[str]:
    """Return those of *texts*, which are in order, that no other one begins."""
    found: list[str] = []
    around: str | None = None
    for text in texts:
        if around is None or not text.startswith(around):
            found.append(text)
            around = text
    return found


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
        self,
        paths: Sequence[str],
        marks: Sequence[int],
        *,
        is_shortest_first: bool = False,
    ) -> None:
        """Index *paths* with their *marks*: of those that cover a text the shortest
        decides, or the first.
        """
        mark_of = dict(zip(reversed(paths), reversed(marks), strict=True))
        texts = in_order(list(mark_of))
        # What begins with a prefix comes right after it in order. Mostly nothing does.
        is_nested = any(map(str.startswith, texts[1:], texts))
        if is_nested and is_shortest_first:
            texts, is_nested = _outermost(texts), False
        parents = [-1] * len(texts)
        if is_nested:
            numbers = reversed(range(len(paths)))
            place_of = dict(zip(reversed(paths), numbers, strict=True))
            texts, parents = _nested(texts, place_of)
        self._marks = array("I", map(mark_of.__getitem__, texts))
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
        for beginning in map(hash, map(itemgetter(slice(width)), texts)):
            self._beginnings[beginning & last] = 1

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


def memory_of(*containers: Sequence[str]) -> int:
    """Return how many bytes these containers and their texts take; a container or a text
    that is there twice counts once, an empty one never.
    """
    parts = {id(each): each for each in containers if each}
    texts = {id(text): text for each in containers for text in each}
    return sum(map(getsizeof, (*parts.values(), *texts.values())))
