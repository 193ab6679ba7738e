"""Rules of RFC 9309: `*` and a final `$` in a path, and the longest rule decides."""

import re
from string import hexdigits
from typing import NamedTuple

from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.columns import small_array, stored_texts
from scrapy_robots1994.parser.robot_reading import RuleColumns
from scrapy_robots1994.parser.rule_table import NO_RULE, Prefixes

MAX_WORK = 25_000_000
"""Ours O28: so many comparisons of characters a URL may take; it is disallowed before more."""

BEYOND = -2
"""What `LongestTable.decide` returns if a question takes more."""

# A call of `find` takes as long as so many comparisons.
_CALL_WORK = 800

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
    target ends with the last one. *length* is its octets, *longest* the longest text behind a
    wildcard.
    """

    length: int
    first: str
    others: tuple[str, ...]
    longest: str
    is_anchored: bool

    @classmethod
    def of(cls, value: str) -> "Pattern":
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
        longest = max(others, key=len, default="")
        return cls(length, first, tuple(others), longest, is_anchored)

    def covers(self, target: str) -> bool:
        """Return whether the pattern covers *target*, which begins with the first text."""
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


class LongestTable(Prefixes):
    """The rules of one group, of which the longest decides; see `RuleTable`."""

    __slots__ = ("_patterns", "rules")

    def __init__(self, rules: RuleColumns) -> None:
        """Compile *rules*."""
        self.rules = rules
        paths: dict[str, int] = {}
        patterns: dict[Pattern, int] = {}
        for number, value in enumerate(rules.values):
            # RFC 9309 2.2.2: a path begins with a slash; real files begin patterns with
            # a wildcard, too. Any other value covers nothing.
            if "*" in value or "$" in value:
                if value[0] in "/*":
                    pattern = Pattern.of(value)
                    patterns[pattern] = self._first_of(
                        number, patterns.get(pattern, number)
                    )
            elif value[0] == "/":
                text = normal_spelling(value)
                paths[text] = self._first_of(number, paths.get(text, number))
        texts = sorted(paths)
        super().__init__(
            texts, small_array(map(paths.__getitem__, texts), len(rules.values))
        )
        rules.values = stored_texts(rules.values)
        self._patterns = tuple(
            sorted(patterns.items(), key=lambda it: (-it[0].length, self._rank(it[1])))
        )

    def _first_of(self, *equal: int) -> int:
        """Return which of two *equal* rules decides: a file may have any number of them."""
        return min(equal, key=self._rank)

    def _rank(self, number: int) -> tuple[bool, int]:
        """Return the rank of a rule among those of its length."""
        # RFC 9309 2.2.2: of equally long rules Allow decides; then the first in the file.
        return self.rules.disallows(number), self.rules.lines[number]

    spelling = staticmethod(normal_spelling)

    def decide(self, _head: str, _target: str, spelling: str) -> int:
        """Return the number of the rule that decides about a target; `BEYOND` if that takes
        more comparisons than a question may.
        """
        size, number, least = len(spelling), NO_RULE, 0
        if paths := self.longest(spelling):
            (number,) = paths
            # A spelling is ASCII: a character is an octet.
            least = len(normal_spelling(self.rules.values[number]))
        work = 0
        for pattern, other in self._patterns:
            length, first, texts, longest, _ = pattern
            # Longer ones come first; the path decides against shorter ones.
            if length < least:
                break
            if not spelling.startswith(first):
                continue
            # Ours O28: each place of the target may be compared with each character of a
            # text, and each text takes a call.
            work += size * len(longest) + _CALL_WORK * len(texts)
            if work > MAX_WORK:
                return BEYOND
            if longest in spelling and pattern.covers(spelling):
                # RFC 9309 2.2.2: the most octets; of equally many, Allow.
                if length > least:
                    return other
                return min(other, number, key=self._rank)
        return number

    def permit(self, target: str) -> bool:
        """Return whether the rules permit a URL with this *target*, which is its spelling."""
        number = self.decide("", target, target)
        if number < 0:
            return number == NO_RULE
        return not self.rules.disallows(number)
