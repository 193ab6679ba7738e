"""The rule table for RFC 9309 (`LongestTable`). In a path, `*` and a final `$` are special.
If several rules cover a URL, the longest rule decides.
"""

import re
from array import array
from string import hexdigits
from typing import NamedTuple

from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.reader import with_pauses
from scrapy_robots1994.parser.rule_table import (
    ALLOW,
    NO_RULE,
    Prefixes,
    RuleColumns,
    stored_texts,
)

MAX_WORK = 25_000_000
"""Ours O28 (bounded matching): the maximum number of character comparisons for one URL. A
URL that needs more comparisons is disallowed.
"""

BEYOND = -2
"""The return value of `LongestTable.decide` for a URL that needs more than `MAX_WORK`
comparisons.
"""

# The cost of one call to `str.find`, as a number of character comparisons.
_CALL_WORK = 800

# The following characters may appear unescaped in a path or a query (RFC 3986, sections 2.3
# and 3.3). `[` and `]` are omitted because neither may appear unescaped. `*` and `$` are
# omitted because both are special in a rule.
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_RESERVED = ":/?@!&'()+,;="
_OTHER = re.compile(f"[^{re.escape(_UNRESERVED + _RESERVED)}%]+")
_NORMAL = re.compile(f"[{re.escape(_UNRESERVED + _RESERVED)}]*")
# Map the two digits of each escape to the normal spelling of the escape. A look-up in a
# dict is fast, and a URL may contain thousands of escapes.
_ESCAPES = {
    first + second: chr(code) if chr(code) in _UNRESERVED else f"%{code:02X}"
    for first in hexdigits
    for second in hexdigits
    for code in [int(first + second, 16)]
}


def normal_spelling(target: str) -> str:
    """Return the normal spelling of *target*. Two targets have the same normal spelling if
    RFC 9309 2.2.2 does not distinguish the targets.

    Octets that are not ASCII, or that must not appear unescaped in a URL, are
    percent-encoded. Escapes of unreserved characters are decoded. Reserved characters
    remain unchanged, except that `*` and `$` are encoded.
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
    """Percent-encode the matched characters, which must not appear unescaped in a URL."""
    # Ours O17 (undecodable bytes): an undecodable byte in a rule equals its
    # percent-encoding.
    return "%" + encode(other[0]).hex("%").upper()


class Pattern(NamedTuple):
    """A path with wildcards, split at the wildcards into strings.

    *first* is the string before the first wildcard. *others* are the strings after the
    wildcards, in order, and *longest* is the longest string in *others*. *is_anchored* is
    `True` if a target must end with the last string. *length* is the number of octets in
    the path.
    """

    length: int
    first: str
    others: tuple[str, ...]
    longest: str
    is_anchored: bool

    @classmethod
    def of(cls, value: str) -> "Pattern":
        """Return the pattern for the *value* of a rule."""
        # RFC 9309 2.2.3: `*` matches any characters, and `$` at the end of a path matches
        # the end of the target.
        is_anchored = value.endswith("$")
        texts = list(map(normal_spelling, value.removesuffix("$").split("*")))
        # RFC 9309 2.2.2: the length of a rule is the number of its octets. A `$` inside the
        # rule is one octet, but `texts` contains `%24` instead, which is three octets long.
        length = sum(map(len, texts)) + len(texts) - 1 + is_anchored
        length -= 2 * value.removesuffix("$").count("$")
        first, *others = texts
        # Omit empty strings between wildcards, because two adjacent wildcards have the same
        # meaning as one wildcard.
        others = [text for text in others[:-1] if text] + others[-1:]
        longest = max(others, key=len, default="")
        return cls(length, first, tuple(others), longest, is_anchored)

    def covers(self, target: str) -> bool:
        """Return whether the pattern covers *target*. *target* must begin with *first*."""
        place, end = len(self.first), len(target)
        if self.is_anchored:
            if not self.others:
                return place == end
            last = self.others[-1]
            end -= len(last)
            if end < place or not target.endswith(last):
                return False
        for text in self.others[: -1 if self.is_anchored else None]:
            # Take the leftmost occurrence of `text`, because the leftmost occurrence leaves
            # the largest part of *target* for the remaining strings.
            place = target.find(text, place, end)
            if place < 0:
                return False
            place += len(text)
        return True


class LongestTable(Prefixes):
    """The rule table (`RuleTable`) of a dialect in which the longest rule decides."""

    __slots__ = ("_patterns",)

    def __init__(self, rules: RuleColumns) -> None:
        """Compile *rules*."""
        self.rules = rules
        paths: dict[str, int] = {}
        patterns: dict[Pattern, int] = {}
        for number, value in enumerate(with_pauses(rules.values)):
            # RFC 9309 2.2.2: a path begins with a slash. Also accept a path that begins
            # with `*`, because real files contain such paths. A value that begins with any
            # other character covers no URL.
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
        numbers = array("I", map(paths.__getitem__, texts))
        super().__init__(texts, numbers, is_whole=not patterns)
        rules.values = stored_texts(rules.values)
        self._patterns = tuple(
            sorted(patterns.items(), key=lambda it: (-it[0].length, self._rank(it[1])))
        )

    def _first_of(self, *equal: int) -> int:
        """Return the number of the rule that decides among the rules with the numbers
        *equal*. All these rules have the same path.
        """
        return min(equal, key=self._rank)

    def _rank(self, number: int) -> tuple[bool, int]:
        """Return the rank of the rule with this *number*. Among rules of equal length, the
        rule with the smallest rank decides.
        """
        # RFC 9309 2.2.2: among equally long rules, the first Allow in the file decides.
        # If no rule is an Allow, the first rule in the file decides.
        return self.rules.kind(number) < ALLOW, self.rules.lines[number]

    spelling = staticmethod(normal_spelling)

    def decide(self, _head: str, _target: str, spelling: str) -> int:
        """Return the number of the rule that decides whether the target with this
        *spelling* is allowed.

        Returns `NO_RULE` if no rule covers the target, and `BEYOND` if the target needs more
        than `MAX_WORK` comparisons.
        """
        size, number, least = len(spelling), NO_RULE, 0
        if paths := self.covering(spelling):
            number = paths[0]
            # A normal spelling is ASCII, so each character is one octet.
            least = len(normal_spelling(self.rules.values[number]))
        work = 0
        for pattern, other in self._patterns:
            length, first, texts, longest, _ = pattern
            # Longer patterns come first. The longest path without wildcards that covers the
            # target takes precedence over all shorter patterns.
            if length < least:
                break
            if not spelling.startswith(first):
                continue
            # Ours O28: in the worst case, each character of the longest string is compared
            # at each position in the target. In addition, `find` is called once for each
            # string.
            work += size * len(longest) + _CALL_WORK * len(texts)
            if work > MAX_WORK:
                return BEYOND
            if longest in spelling and pattern.covers(spelling):
                # RFC 9309 2.2.2: the rule with the most octets decides. Among equally long
                # rules, Allow decides.
                if length > least:
                    return other
                return min(other, number, key=self._rank)
        return number
