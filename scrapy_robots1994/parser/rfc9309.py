"""Rules of RFC 9309: `*` and a final `$` in a path, and the longest rule decides."""

import re
from string import hexdigits
from typing import NamedTuple

from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.columns import small_array, stored_texts
from scrapy_robots1994.parser.pauses import with_pauses
from scrapy_robots1994.parser.robot_reading import RuleColumns
from scrapy_robots1994.parser.rule_table import NO_RULE, Prefixes

MAX_WORK = 25_000_000
"""Ours O28 (bounded matching): the maximum number of character comparisons for one URL. A URL that
needs more comparisons is disallowed.
"""

BEYOND = -2
"""What `LongestTable.decide` returns if a URL needs more than `MAX_WORK` comparisons."""

# A call of `str.find` takes as much time as this number of character comparisons.
_CALL_WORK = 800

# RFC 3986 2.3 and 3.3: the characters that may be unescaped in a path or a query. `[` and `]` are
# not allowed there; `*` and `$` are left out because they are special in a rule.
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_RESERVED = ":/?@!&'()+,;="
_OTHER = re.compile(f"[^{re.escape(_UNRESERVED + _RESERVED)}%]+")
_NORMAL = re.compile(f"[{re.escape(_UNRESERVED + _RESERVED)}]*")
# The normal spelling of each escape by its two digits. A URL may have thousands of escapes.
_ESCAPES = {
    first + second: chr(code) if chr(code) in _UNRESERVED else f"%{code:02X}"
    for first in hexdigits
    for second in hexdigits
    for code in [int(first + second, 16)]
}


def normal_spelling(target: str) -> str:
    """Return the normal spelling of *target*: equal for all targets that RFC 9309 2.2.2 does not
    distinguish.

    Octets that are not ASCII, or that a URL may not have unescaped, are percent-encoded;
    escapes of unreserved characters are decoded. Reserved characters stay as they are, except
    `*` and `$`, which are encoded.
    """
    if _NORMAL.fullmatch(target):
        return target
    first, *parts = target.split("%")
    if parts:
        # A `%` that does not begin an escape is encoded as `%25`.
        pairs = [(part, _ESCAPES.get(part[:2])) for part in parts]
        spelled = [f"%25{part}" if it is None else it + part[2:] for part, it in pairs]
        target = first + "".join(spelled)
    return _OTHER.sub(_encoded, target)


def _encoded(other: re.Match[str]) -> str:
    """Return the matched characters percent-encoded: a URL may not have them unescaped."""
    # Ours O17 (undecodable bytes): such a byte of a rule equals its percent-encoding.
    return "%" + encode(other[0]).hex("%").upper()


class Pattern(NamedTuple):
    """A path with wildcards, as the texts between the wildcards.

    *first* is the text before the first wildcard, *others* are the texts behind the wildcards, in
    order, and *longest* is the longest of *others*. *is_anchored* says that a target must end with
    the last text. *length* is the number of octets of the path.
    """

    length: int
    first: str
    others: tuple[str, ...]
    longest: str
    is_anchored: bool

    @classmethod
    def of(cls, value: str) -> "Pattern":
        """Return the pattern of the *value* of a rule."""
        # RFC 9309 2.2.3: `*` matches any characters, `$` at the end matches the end.
        is_anchored = value.endswith("$")
        texts = list(map(normal_spelling, value.removesuffix("$").split("*")))
        # RFC 9309 2.2.2: the length of a rule is its number of octets. A `$` inside the rule
        # is one octet, but its spelling in *texts* has three.
        length = sum(map(len, texts)) + len(texts) - 1 + is_anchored
        length -= 2 * value.removesuffix("$").count("$")
        first, *others = texts
        # Two adjacent wildcards mean the same as one.
        others = [text for text in others[:-1] if text] + others[-1:]
        longest = max(others, key=len, default="")
        return cls(length, first, tuple(others), longest, is_anchored)

    def covers(self, target: str) -> bool:
        """Return whether the pattern covers *target*, which must begin with the first text."""
        place, end = len(self.first), len(target)
        if self.is_anchored:
            if not self.others:
                return place == end
            last = self.others[-1]
            end -= len(last)
            if end < place or not target.endswith(last):
                return False
        for text in self.others[: -1 if self.is_anchored else None]:
            # Take the leftmost place: it leaves the most text for the remaining texts.
            place = target.find(text, place, end)
            if place < 0:
                return False
            place += len(text)
        return True


class LongestTable(Prefixes):
    """The rule table (`RuleTable`) of a dialect in which the longest rule decides."""

    __slots__ = ("_patterns", "rules")

    def __init__(self, rules: RuleColumns) -> None:
        """Compile *rules*."""
        self.rules = rules
        paths: dict[str, int] = {}
        patterns: dict[Pattern, int] = {}
        for number, value in enumerate(with_pauses(rules.values)):
            # RFC 9309 2.2.2: a path begins with a slash. In real files, a path may also begin
            # with a wildcard. Any other value covers nothing.
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
        """Return which of *equal* rules decides: a file may have a rule many times."""
        return min(equal, key=self._rank)

    def _rank(self, number: int) -> tuple[bool, int]:
        """Return the rank of a rule among rules of equal length; the smallest rank decides."""
        # RFC 9309 2.2.2: of equally long rules, Allow decides; then the first in the file.
        return self.rules.disallows(number), self.rules.lines[number]

    spelling = staticmethod(normal_spelling)

    def decide(self, _head: str, _target: str, spelling: str) -> int:
        """Return the number of the rule that decides about the target with this *spelling*.

        Returns `NO_RULE` if no rule covers the target, and `BEYOND` if the target needs more
        than `MAX_WORK` comparisons.
        """
        size, number, least = len(spelling), NO_RULE, 0
        if paths := self.longest(spelling):
            (number,) = paths
            # A spelling is ASCII, so its length is its number of octets.
            least = len(normal_spelling(self.rules.values[number]))
        work = 0
        for pattern, other in self._patterns:
            length, first, texts, longest, _ = pattern
            # Longer patterns come first. A path without wildcards decides against the shorter
            # patterns that follow.
            if length < least:
                break
            if not spelling.startswith(first):
                continue
            # Ours O28: each place of the target may be compared with each character of a
            # text, and each text takes a call of `find`.
            work += size * len(longest) + _CALL_WORK * len(texts)
            if work > MAX_WORK:
                return BEYOND
            if longest in spelling and pattern.covers(spelling):
                # RFC 9309 2.2.2: the rule with the most octets decides; of equally long rules,
                # Allow decides.
                if length > least:
                    return other
                return min(other, number, key=self._rank)
        return number

    def permit(self, target: str) -> bool:
        """Return whether the rules permit a URL with this *target*, which must be in its normal
        spelling.
        """
        number = self.decide("", target, target)
        if number < 0:
            return number == NO_RULE
        return not self.rules.disallows(number)
