"""Columns of rules in little memory: numbers, and many texts as one."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

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


def parts_of_texts(texts: Sequence[str]) -> tuple[object, ...]:
    """Return the objects of *texts* that take memory."""
    if isinstance(texts, Texts):
        return texts, texts.all, texts.ends
    return texts, *texts
