"""Columns that store rules in little memory. A column is an array of numbers, or many
strings joined into one string. `memory_of` estimates the memory that objects take.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from itertools import accumulate, islice
from sys import getsizeof
from types import FunctionType, NoneType
from typing import Any

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.pauses import with_pauses

# The largest number that fits in two bytes.
_MAX_TWO_BYTES = 0xFFFF

# The maximum number of strings that are stored as a tuple. A short tuple takes little
# memory, and access to a tuple is faster than access to `Texts`.
_FEW = 64


def small_array(numbers: Iterable[int], largest: int) -> "array[int]":
    """Return an array of *numbers* that stores each number in two or four bytes. The
    numbers must be between 0 and *largest*.
    """
    # The annotation is quoted because `array` has no subscript before Python 3.12.
    return array("H" if largest <= _MAX_TWO_BYTES else "I", numbers)


class Texts(Sequence[str]):
    """Many strings, stored as one string. As a separate `str`, each of the strings would
    take about 50 bytes more.
    """

    __slots__ = ("all", "ends")

    def __init__(self, texts: Sequence[str]) -> None:
        """Join and store *texts*."""
        self.all = "".join(texts)
        ends = [*accumulate(map(len, texts), initial=0)]
        self.ends = small_array(ends, len(self.all))

    def __len__(self) -> int:
        """Return the number of strings."""
        return len(self.ends) - 1

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        """Return the string at *place*, counted from 0."""
        ends = self.ends
        return self.all[ends[place] : ends[place + 1]]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the strings, in order."""
        return map(
            self.all.__getitem__, map(slice, self.ends, islice(self.ends, 1, None))
        )


def stored_texts(texts: Sequence[str]) -> Sequence[str]:
    """Return *texts* as a sequence that takes little memory."""
    return tuple(texts) if len(texts) <= _FEW else Texts(texts)


def memory_of(root: object) -> int:
    """Return an estimate, in bytes, of the memory that *root* and all objects reachable
    from *root* take. The search follows slots, tuples, lists and dicts, and counts each
    object once.
    """
    # `found` maps the id of each object that was found so far to the object. The references
    # keep the objects alive, so that no new object gets the id of an object in `found`.
    found: dict[int, object] = {}
    left = [root]
    for it in with_pauses(_taken_from(left)):
        kind: Any = type(it)
        slots = _slots_of(kind)
        if slots is None or id(it) in found:
            continue
        found[id(it)] = it
        if isinstance(it, (tuple, list)):
            if {*map(type, it)} == {str}:
                # Add all strings in one step. A list may contain many strings, and a string
                # does not refer to other objects.
                found.update(zip(map(id, it), it, strict=True))
            else:
                left += it
        elif isinstance(it, dict):
            left += (*it.keys(), *it.values())
        for name in slots:
            left.append(getattr(it, name, None))
    return sum(map(getsizeof, found.values()))


def _taken_from(left: list[object]) -> Iterator[object]:
    """Remove and yield the last object in *left*, until *left* is empty. The consumer may
    add objects to *left* during the iteration.
    """
    while left:
        yield left.pop()


@cache
def _slots_of(kind: Any) -> tuple[str, ...] | None:
    """Return the names of the slots of the class *kind*. Return None for a class whose
    objects do not count because the whole process shares the objects.
    """
    if issubclass(kind, (type, Enum, bool, NoneType, FunctionType, Dialect)):
        return None
    slots = (getattr(each, "__slots__", ()) for each in kind.__mro__)
    return tuple(name for names in slots for name in names if name[:2] != "__")
