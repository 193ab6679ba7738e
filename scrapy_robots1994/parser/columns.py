"""Columns of rules in little memory: numbers, many texts as one, and what all of it takes."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import accumulate, islice
from sys import getsizeof
from types import FunctionType, NoneType

# The largest number of two bytes.
_MAX_SHORT = 0xFFFF

# So many texts take little memory as they are, and are found sooner.
_FEW = 64


def small_array(numbers: Iterable[int], largest: int) -> "array[int]":
    """Return an array of *numbers* from 0 to *largest*, with two or four bytes for each."""
    # Quoted, for before Python 3.12 `array` has no subscript.
    return array("H" if largest <= _MAX_SHORT else "I", numbers)


class Texts(Sequence[str]):
    """Many texts, which take less memory as one: a text of its own takes 49 bytes more."""

    __slots__ = ("all", "ends")

    def __init__(self, texts: Sequence[str]) -> None:
        """Take *texts*."""
        self.all = "".join(texts)
        ends = [*accumulate(map(len, texts), initial=0)]
        self.ends = small_array(ends, len(self.all))

    def __len__(self) -> int:
        """Return how many texts these are."""
        return len(self.ends) - 1

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        """Return the text at this *place*, from 0."""
        ends = self.ends
        return self.all[ends[place] : ends[place + 1]]

    def __iter__(self) -> Iterator[str]:
        """Return the texts in order."""
        return map(
            self.all.__getitem__, map(slice, self.ends, islice(self.ends, 1, None))
        )


def stored_texts(texts: Sequence[str]) -> Sequence[str]:
    """Return *texts* in little memory."""
    return tuple(texts) if len(texts) <= _FEW else Texts(texts)


def memory_of(root: object, *shared: object) -> int:
    """Return an estimate of the bytes of memory that *root* takes, with all that its slots and
    tuples lead to; without the objects *shared*, which others have too.
    """
    # A class, an enum member, True and None exist once for all.
    single = (type, Enum, bool, NoneType, FunctionType)
    found: dict[int, object] = dict.fromkeys(map(id, shared))
    size, left = 0, [root]
    while left:
        it = left.pop()
        if id(it) in found or isinstance(it, single):
            continue
        # With the object, so that none of the same id can follow.
        found[id(it)] = it
        size += getsizeof(it)
        if isinstance(it, tuple):
            left += it
        for each in type(it).__mro__:
            slots = getattr(each, "__slots__", ())
            left += [getattr(it, name, None) for name in slots if name[:2] != "__"]
    return size
