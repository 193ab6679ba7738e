"""The rules in the dialect of RFC 9309 (`LongestRules`). In a path, `*` and a final `$` are
special. If several rules cover a URL, the longest rule decides.
"""

import re
from typing import NamedTuple

from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.reader import Line, with_pauses
from scrapy_robots1994.parser.rules import ALLOW, BEYOND, NO_RULE, RobotRules
from scrapy_robots1994.parser.spellings import UNRESERVED, spelled_escapes

MAX_WORK = 25_000_000
"""Ours O28 (bounded matching): the maximum number of character comparisons for one URL. A
URL that needs more comparisons is disallowed.
"""

# The cost of one call to `str.find`, as a number of character comparisons.
_CALL_WORK = 800

# The following characters may appear unescaped in a path or a query (RFC 3986, sections 2.3
# and 3.3). `[` and `]` are omitted because neither may appear unescaped. `*` and `$` are
# omitted because both are special in a rule.
_RESERVED = ":/?@!&'()+,;="
_OTHER = re.compile(f"[^{re.escape(UNRESERVED + _RESERVED)}%]+")
_NORMAL = re.compile(f"[{re.escape(UNRESERVED + _RESERVED)}]*")
_ESCAPES = spelled_escapes(UNRESERVED)


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


class LongestRules(RobotRules):
    """Rules of which the longest rule decides."""

    # `_patterns` contains the patterns of the rules with wildcards, from the longest to the
    # shortest. The numbers of these rules follow the numbers of the rules without
    # wildcards.
    __slots__ = ("_patterns",)

    def _compile(
        self, values: list[str], rules: list[Line]
    ) -> tuple[list[str], list[Line]]:
        """Store the patterns. Return the normal spellings of the rules without wildcards,
        and all rules. The rules without wildcards come before the rules with wildcards.
        """
        paths: list[tuple[str, Line]] = []
        patterns: list[tuple[Pattern, Line]] = []
        for value, rule in zip(values, with_pauses(rules), strict=True):
            # RFC 9309 2.2.2: a path begins with a slash. Also accept a path that begins
            # with `*`, because real files contain such paths. A value that begins with any
            # other character covers no URL.
            if value[0] not in "/*":
                continue
            if "*" in value or "$" in value:
                patterns.append((Pattern.of(value), rule))
            else:
                paths.append((normal_spelling(value), rule))
        whole = sorted(self._without_equal(paths).items())
        others = sorted(
            self._without_equal(patterns).items(),
            key=lambda it: (-it[0].length, self._rank_of(it[1])),
        )
        self._patterns = tuple([pattern for pattern, _ in others])
        self._is_whole = not others
        return [text for text, _ in whole], [rule for _, rule in (*whole, *others)]

    def rank(self, kind: int, _value: str, line: int) -> tuple[bool, int, int]:
        """Return the rank of a rule. Only ranks of rules of equal length can be compared."""
        # RFC 9309 2.2.2: among equally long rules, the first Allow in the file decides.
        # If no rule is an Allow, the first rule in the file decides.
        return kind < ALLOW, 0, line

    def spelling(self, target: str) -> str:
        """Return the normal spelling of *target* according to RFC 9309 2.2.2."""
        return normal_spelling(target)

    def decide(self, _head: str, _target: str, spelling: str, *, share: int) -> int:
        """Return the number of the rule that decides whether the target with this
        *spelling* is allowed.

        Returns `NO_RULE` if no rule covers the target, and `BEYOND` if the target needs more
        than its *share* of `MAX_WORK` comparisons.
        """
        number = self._longest(spelling) - 1
        # A normal spelling is ASCII, so each character is one octet.
        least = 0 if number == NO_RULE else len(self._texts[number])
        size, work = len(spelling), 0
        for other, pattern in enumerate(self._patterns, len(self._texts)):
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
            if work * share > MAX_WORK:
                return BEYOND
            if longest in spelling and pattern.covers(spelling):
                # RFC 9309 2.2.2: the rule with the most octets decides. Among equally long
                # rules, Allow decides.
                return other if length > least else self.first_of((other, number))
        return number
