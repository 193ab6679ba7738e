"""Rules of RFC 9309: `*` and a final `$` in a path, and the longest rule decides."""

import re
from string import hexdigits
from sys import getsizeof
from typing import NamedTuple

from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.prefixes import longest_decides, memory_of
from scrapy_robots1994.parser.records import RobotRecords

# RFC 3986 2.3 and 3.3: what stands for itself in a path or a query. `[` and `]` do not,
# nor do `*` and `$`, for in a rule they are special.
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_RESERVED = ":/?@!&'()+,;="
_OTHER = re.compile(f"[^{re.escape(_UNRESERVED + _RESERVED)}%]+")
_NORMAL = re.compile(f"[{re.escape(_UNRESERVED + _RESERVED)}]*")
# The normal spelling of each escape, by the two digits of it: a URL may have thousands.
_ESCAPES = {
    first + second: chr(code) if chr(code) in _UNRESERVED else f"%{code:02X}"
    for first in hexdigits
    for second in hexdigits
    for code in [int(first + second, 16)]
}


def normal_spelling(target: str) -> str:
    """Return the one spelling of all targets that RFC 9309 2.2.2 does not distinguish.

    Octets that are not ASCII, or that no URL has as they are, are percent-encoded;
    encoded unreserved characters are decoded. Reserved ones stay as they are, but for
    `*` and `$`, which are encoded.
    """
    if _NORMAL.fullmatch(target):
        return target
    first, *parts = target.split("%")
    if parts:
        # A `%` that begins no escape is encoded itself.
        pairs = [(part, _ESCAPES.get(part[:2])) for part in parts]
        spelled = [f"%25{part}" if it is None else it + part[2:] for part, it in pairs]
        target = first + "".join(spelled)
    return _OTHER.sub(_encoded, target)


def _encoded(other: re.Match[str]) -> str:
    """Return characters that a URL has not as they are, percent-encoded."""
    # Ours O17: an undecodable byte of a rule is that byte.
    return "%" + encode(other[0]).hex("%").upper()


class Pattern(NamedTuple):
    """A path with wildcards: the texts between them, in order; with *is_anchored* a
    target ends with the last one.

    *length* is its octets, *longest* the longest of the texts.
    """

    length: int
    mark: int
    longest: str
    first: str
    others: tuple[str, ...]
    is_anchored: bool

    def covers(self, target: str) -> bool:
        """Return whether the pattern covers *target*, in one pass over it."""
        # RFC 9309 2.2.2: a rule is matched from the first octet on.
        if not target.startswith(self.first):
            return False
        place, end = len(self.first), len(target)
        if self.is_anchored:
            if not self.others:
                return place == end
            last = self.others[-1]
            end -= len(last)
            if end < place or not target.endswith(last):
                return False
        for text in self.others[: -1 if self.is_anchored else None]:
            # The leftmost place is as good as any: it leaves most to the others.
            place = target.find(text, place, end)
            if place < 0:
                return False
            place += len(text)
        return True


def _pattern(value: str, mark: int) -> Pattern:
    """Return the pattern that the value of a rule is, which has `*` or `$`."""
    # RFC 9309 2.2.3: `*` stands for any characters, `$` at the end for the end.
    is_anchored = value.endswith("$")
    texts = list(map(normal_spelling, value.removesuffix("$").split("*")))
    # RFC 9309 2.2.2: the octets of the rule; a `$` inside it is one, though its spelling
    # has three.
    length = sum(map(len, texts)) + len(texts) - 1 + is_anchored
    length -= 2 * value.removesuffix("$").count("$")
    first, *others = texts
    # Two wildcards side by side are one.
    others = [text for text in others[:-1] if text] + others[-1:]
    longest = max(texts, key=len)
    return Pattern(length, mark, longest, first, tuple(others), is_anchored)


class LongestMatcher:
    """The rules of one group; see `PrefixMatcher`."""

    __slots__ = ("_index", "_patterns")

    has_urls = False
    quick = None, None

    def __init__(self, records: RobotRecords) -> None:
        """Compile the rules of *records*, which are one group."""
        rules: list[tuple[str, int]] = []
        patterns = []
        for value, mark in zip(records.values, records.marks(), strict=True):
            # RFC 9309 2.2.2: a path begins with a slash; real files begin patterns with
            # a wildcard, too. Any other value covers nothing.
            if "*" in value or "$" in value:
                if value[0] in "/*":
                    patterns.append(_pattern(value, mark))
            elif value[0] == "/":
                rules.append((normal_spelling(value), mark))
        # RFC 9309 2.2.2: of equal rules Allow decides; then the first in the file does.
        rules.reverse()
        paths = dict(it for it in rules if it[1] & 1)
        paths.update(it for it in rules if not it[1] & 1)
        self._index = longest_decides(paths)
        patterns.sort(key=lambda it: (-it.length, _preference(it.mark)))
        self._patterns = tuple(patterns)

    normal_spelling = staticmethod(normal_spelling)

    def mark(self, spelling: str, written: str) -> int:  # noqa: ARG002 - one spelling
        """Return the mark of the rule that decides about a target."""
        mark, length = self._index.find(spelling)
        for pattern in self._patterns:
            # Longer ones come first; the rule of the index decides against the rest.
            if pattern.length < length:
                break
            if pattern.longest in spelling and pattern.covers(spelling):
                # RFC 9309 2.2.2: the most octets; of equally many, Allow.
                if pattern.length > length:
                    return pattern.mark
                return min(pattern.mark, mark, key=_preference)
        return mark

    def sort(self) -> None:
        """Do now what the second question would wait for."""
        self._index.sort()

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""
        texts = [(it.first, *it.others) for it in self._patterns]
        parts = (self, self._patterns, *self._patterns)
        size = memory_of(*texts) + self._index.memory_bytes
        return size + sum(map(getsizeof, parts))


def _preference(mark: int) -> tuple[int, int]:
    """Return the rank of a rule among those of its length: Allow, then file order."""
    return mark & 1, mark
