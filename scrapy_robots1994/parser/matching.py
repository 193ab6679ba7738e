"""Matching: when a Disallow value covers a URL, for one rule and for a whole sorted
list of them.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from operator import contains
from urllib.parse import quote_from_bytes, unquote_to_bytes

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.grammar import SCHEME

_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
# No byte is this character, so nothing else is spelled like an encoded slash.
_SLASH_KEPT = "\u0100"

_ABSOLUTE = re.compile(f"({SCHEME}[^/?]*)(.*)", re.DOTALL)
_ASCII = bytes(range(128))


def canonical(text: str) -> str:
    """Return the one spelling that *text* shares with all its percent-encodings.

    Its characters stand for bytes. What is not a whole escape stays as it is.
    """
    # Ours O18: one resource, two spellings. `%2F` is kept apart from `/`, for that
    # one may be data where the other is structure.
    parts = _ENCODED_SLASH.split(text)
    return _SLASH_KEPT.join(_unquoted(part) for part in parts)


def _unquoted(text: str) -> str:
    """Return the bytes of *text*, percent-decoded, each as one character."""
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("latin-1")


def is_plain(text: str) -> bool:
    """Whether *text* is its own canonical spelling, without a look at its parts."""
    return "%" not in text and text.isascii()


def spelled(text: str) -> str:
    """Return the canonical spelling of *text*, quickly where that is *text* itself."""
    # Like `is_plain`, without another call: this is done for every rule of a file.
    return canonical(text) if "%" in text or not text.isascii() else text


def as_text(url: str | bytes) -> str:
    """Return *url* as text; bytes that are no ASCII as their percent-encoding, which is
    how they are sent.
    """
    return quote_from_bytes(url, safe=_ASCII) if isinstance(url, bytes) else url


# No canonical spelling and no absolute URL begins like this: it is no byte, and no
# letter of a scheme. A list that holds it alone answers without being asked first
# whether it holds anything.
NO_TEXT = "\u0101"
NO_RULES = (NO_TEXT,)


# So many are sorted at once: a sort holds all other threads until it ends.
_SORTED_AT_ONCE = 2_048


def _in_order(rules: Sequence[str]) -> list[str]:
    """Return *rules* sorted; of many first the halves."""
    if len(rules) > _SORTED_AT_ONCE:
        half = len(rules) // 2
        # Of two sorted halves the sort only makes one list, and that is quick.
        rules = [*_in_order(rules[:half]), *_in_order(rules[half:])]
    return sorted(rules)


def prefix_free(rules: Sequence[str]) -> tuple[str, ...]:
    """Return *rules* sorted and without those that another of them is a prefix of.

    Of no rules it is `NO_RULES`. The rule that covers a text, if there is one, is the
    last that sorts before it or equals it.
    """
    if not rules:
        return NO_RULES
    ordered = _in_order(rules)
    # What starts with a rule stands right behind it, if anything does. Mostly nothing
    # even holds the rule before it, and to see that is quickest.
    if not any(map(contains, ordered[1:], ordered)):
        return tuple(ordered)
    kept: list[str] = []
    last = None
    for rule in ordered:
        if last is None or not rule.startswith(last):
            kept.append(rule)
            last = rule
    return tuple(kept)


def is_covered(text: str, rules: tuple[str, ...]) -> bool:
    """Whether *text* starts with one of *rules*, a list that `prefix_free` made."""
    return text.startswith(rules[bisect_right(rules, text) - 1])


def absolute(rule: str) -> str | None:
    """Return the absolute URL that *rule* is, written as origins are; None when it is
    none.
    """
    # Ours O19: scheme and host of the rule compare as those of the URL do.
    parts = _ABSOLUTE.fullmatch(rule)
    if parts is None:
        return None
    # Without a path the host may be only the beginning of one.
    origin = Origin.of(parts[1]) if parts[2] else None
    return (str(origin) if origin else parts[1].lower()) + parts[2]


def covers(rule: str, target: str, origin: str | None) -> bool:
    """Whether the URL made of *origin* (None when not known) and *target* starts with
    *rule*.
    """
    if rule.startswith("/"):
        return _starts(target, rule)
    # Ours O20: any other value matches nothing, unless it is an absolute URL.
    url = absolute(rule) if origin is not None else None
    return url is not None and _starts(f"{origin}{target}", url)


def _starts(text: str, rule: str) -> bool:
    """Whether *text* starts with *rule*, as written or in their canonical spellings."""
    # 1994 D1: a URL that starts with the value is not retrieved.
    # Ours O18: literally, or after both are percent-decoded.
    return text.startswith(rule) or (
        not (is_plain(text) and is_plain(rule))
        and canonical(text).startswith(canonical(rule))
    )
