"""Paths in the dialect of RFC 9309, in which `*` and a final `$` are special."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.spellings import CUT_ESCAPE, UNRESERVED, spelled_escapes

MAX_WORK = 25_000_000
"""Ours O28: the maximum number of character comparisons for one URL. URLs that need more
comparisons are disallowed.
"""

# The cost of one call to `str.find`, in character comparisons
_CALL_WORK = 800

# Reserved characters allowed in a path or query (RFC 3986 3.3, 3.4), except `*` and `$`, which are
# special in rules
_RESERVED = ":/?@!&'()+,;="
_OTHER = re.compile(f"[^{re.escape(UNRESERVED + _RESERVED)}%]+")
_NORMAL = re.compile(f"[{re.escape(UNRESERVED + _RESERVED)}]*")


def normal_spelling(target: str) -> str:
    """Return *target* in the spelling in which RFC 9309 2.2.2 compares it.

    Characters that a URL must not contain are percent-encoded, and so are `*` and `$`. Escapes of
    unreserved characters are decoded, and other escapes are in upper case.
    """
    if _NORMAL.fullmatch(target):
        return target
    first, *parts = target.split("%")
    escapes = spelled_escapes(UNRESERVED)
    pairs = [(part, escapes.get(part[:2])) for part in parts]
    spelled = [f"%25{part}" if it is None else it + part[2:] for part, it in pairs]
    return _OTHER.sub(_encoded, "".join([first, *spelled]))


def _encoded(other: re.Match[str]) -> str:
    # Ours O17
    return "%" + encode(other[0]).hex("%").upper()


def spellings_of_rule(value: str) -> Sequence[Callable[[str], str]]:
    """Return the functions that make the spellings of the rule *value*. The rule covers a URL if
    any of these spellings does.
    """
    return (normal_spelling, _prefix_spelling) if "%" in value else (normal_spelling,)


def _prefix_spelling(text: str) -> str:
    """Return the normal spelling of *text*, but keep an incomplete escape at its end, because rules
    are prefixes: `/a%` covers `/a%20`.
    """
    cut = CUT_ESCAPE.search(text)
    if cut is None:
        return normal_spelling(text)
    return normal_spelling(text[: cut.start()]) + cut[0].upper()


def octet_count(value: str) -> int:
    """Count the octets of a path in its normal spelling. Each `*` and `$` counts as one."""
    # RFC 9309 2.2.2. `normal_spelling` encodes a `*` or `$` in three octets.
    return len(normal_spelling(value)) - 2 * (value.count("*") + value.count("$"))


class Pattern(NamedTuple):
    """A path split at its wildcards."""

    first: str
    """The text before the first wildcard."""
    others: tuple[str, ...]
    """The texts after the wildcards, in order."""
    longest: str
    """The longest of *others*."""
    is_anchored: bool
    """Whether targets must end with the last text."""

    @classmethod
    def of(
        cls, value: str, spelling: Callable[[str], str] = normal_spelling
    ) -> "Pattern":
        # RFC 9309 2.2.3
        is_anchored = value.endswith("$")
        parts = value.removesuffix("$").split("*")
        first, *others = map(spelling, parts)
        # Adjacent wildcards are equivalent to one.
        others = [text for text in others[:-1] if text] + others[-1:]
        longest = max(others, key=len, default="")
        return cls(first, tuple(others), longest, is_anchored)

    def work(self, target: str) -> int:
        """Return the estimated work of `covers`, in character comparisons."""
        return len(target) * len(self.longest) + _CALL_WORK * len(self.others)

    def covers(self, target: str) -> bool:
        """Whether the pattern covers *target*, which must begin with *first*."""
        if self.longest not in target:
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
            # The leftmost occurrence leaves the most text for the parts that follow.
            place = target.find(text, place, end)
            if place < 0:
                return False
            place += len(text)
        return True
