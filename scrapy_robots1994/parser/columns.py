"""Columns that store rules in little memory. A column is an array of numbers, or many
strings joined into one string. `memory_of` measures the memory that objects take.
"""

from array import array
from collections.abc import Iterator, Sequence
from enum import Enum
from gc import get_referents
from itertools import accumulate, islice
from sys import getsizeof
from types import FunctionType, NoneType

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.pauses import with_pauses

# The maximum number of strings that are stored as a tuple. A short tuple takes little
# memory, and access to a tuple is faster than access to `Texts`.
_FEW = 64

# The whole process shares the objects of the following classes.
_SHARED = (type, Enum, bool, NoneType, FunctionType, Dialect)


class Texts(Sequence[str]):
    """Many strings, stored as one string. As a separate `str`, each of the strings would
    take about 50 bytes more.
    """

    __slots__ = ("all", "ends")

    def __init__(self, texts: Sequence[str]) -> None:
        """Join and store *texts*."""
        self.all = "".join(texts)
        self.ends = array("I", accumulate(map(len, texts), initial=0))

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
    """Return the memory, in bytes, that *root* and all objects reachable from *root* take.
    Each object counts once. An object that the whole process shares does not count.
    """
    # `counted` maps the id of each counted object to the object. The loop appends to the
    # list over which it iterates. The references in the list keep all objects alive, so
    # that no two objects get the same id.
    counted: dict[int, object] = {}
    found = [root]
    for it in with_pauses(found):
        if id(it) not in counted and not isinstance(it, _SHARED):
            counted[id(it)] = it
            found += get_referents(it)
    return sum(map(getsizeof, counted.values()))
