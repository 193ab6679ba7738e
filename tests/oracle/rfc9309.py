"""A simple matcher for the patterns of RFC 9309 2.2.2 and 2.2.3."""

from __future__ import annotations

import re
from functools import lru_cache

from tests.oracle.paths import written

UNRESERVED = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
)
UNESCAPED = UNRESERVED | frozenset(":/?@!$&'()*+,;=")
"""The characters that a path or query may contain unencoded (RFC 3986 3.3 and 3.4)."""


@lru_cache(1 << 16)
def normalised(text: str) -> str:
    """Normalize percent-encodings (RFC 9309 2.2.2, RFC 3986 2 and 6.2.2).

    Unreserved characters are decoded. Octets that RFC 3986 does not allow in a path or query are
    encoded, with hexadecimal digits in upper case.
    """

    def one(match: re.Match[str]) -> str:
        triplet, character = match.group(1), match.group()
        if not triplet:
            return character if character in UNESCAPED else triplet_of(character)
        decoded = chr(int(triplet, 16))
        # RFC 9309 2.2.3: `%2A` and `%24` stand for a literal `*` and `$`, so they stay encoded.
        return decoded if decoded in UNRESERVED else triplet_of(decoded)

    return re.sub(r"%([0-9A-Fa-f]{2})|.", one, written(text), flags=re.DOTALL)


def triplet_of(character: str) -> str:
    return f"%{ord(character):02X}"


def octets_of(url: str) -> str:
    """Normalize a target, and encode `*` and `$`, which are literal in a target."""
    return normalised(url).replace("*", "%2A").replace("$", "%24")


def matches(pattern: str, target: str) -> bool:
    """Whether *pattern* matches the beginning of *target*."""
    if not pattern.startswith(("/", "*")):
        return False
    text = octets_of(target)
    is_anchored = pattern.endswith("$")
    rest = pattern[:-1] if is_anchored else pattern
    spellings = {normalised(rest), prefix_of(rest)}
    return any(reaches(it.replace("$", "%24"), text, is_anchored) for it in spellings)


def prefix_of(pattern: str) -> str:
    """Normalize *pattern*, but keep an incomplete escape at the end or before a `*`.

    The incomplete escape may match the beginning of a complete one.
    """
    parts = re.split(r"(%[0-9A-Fa-f]?)(?=[*]|\Z)", pattern)
    parts[::2] = map(normalised, parts[::2])
    parts[1::2] = map(str.upper, parts[1::2])
    return "".join(parts)


def reaches(pattern: str, text: str, is_anchored: bool) -> bool:
    """Whether *pattern* matches the beginning of *text*.

    `ends` contains the indexes in `text` where a match of the pattern so far can end.
    """
    ends = {0}
    for character in pattern:
        if character == "*":
            ends = set(range(min(ends), len(text) + 1))
        else:
            ends = {end + 1 for end in ends if text[end : end + 1] == character}
        if not ends:
            return False
    return len(text) in ends if is_anchored else True


def octet_count(pattern: str) -> int:
    """RFC 9309 2.2.2: the rule with the most octets decides."""
    return len(normalised(pattern))
