"""Guess which robot, field or character the author of a file meant. The parser never guesses."""

import re
import unicodedata
from difflib import get_close_matches
from functools import lru_cache

from scrapy_robots1994.parser.fields import FIELDS, Field

_LONGEST = 24
_SIMILARITY = 0.87
_NOT_A_LETTER = re.compile("[^a-z]+")
_FIELD = re.compile(rf"\W{{,4}}[^\W\d_][\w .-]{{,{_LONGEST - 1}}}\W{{,4}}")
_LETTERED = {_NOT_A_LETTER.sub("", it.key): it for it in FIELDS}

# Robots that many files name, in lower case.
ROBOTS = frozenset(
    """
    adsbot-google ahrefsbot amazonbot anthropic-ai applebot applebot-extended
    baiduspider bingbot bytespider ccbot chatgpt-user claude-web claudebot cohere-ai
    diffbot duckduckbot facebookbot facebookexternalhit google-extended googlebot
    googlebot-image googlebot-news googleother gptbot linkedinbot mediapartners-google
    meta-externalagent oai-searchbot omgilibot perplexity-user perplexitybot petalbot
    pinterestbot semrushbot timpibot twitterbot yandexbot
    """.split()  # noqa: SIM905 - a list would take one line per name
)


def _one_less(name: str) -> set[str]:
    return {name[:at] + name[at + 1 :] for at in range(len(name))}


_ROBOT_OF_PART = {part: it for it in ROBOTS for part in (*_one_less(it), it)}


def misspelt_robot(name: str) -> str | None:
    """Return the known robot whose name differs from *name* by one letter, or None."""
    name = name.lower()
    if name in ROBOTS or not len("gptbo") < len(name) <= _LONGEST:
        return None
    parts = (name, *_one_less(name))
    return next((_ROBOT_OF_PART[it] for it in parts if it in _ROBOT_OF_PART), None)


def likely_field(name: str) -> Field | None:
    """Return the field that the author of *name* probably meant, or None."""
    if not _FIELD.fullmatch(name):
        return None
    return _closest(_NOT_A_LETTER.sub("", unicodedata.normalize("NFKD", name).lower()))


# Cached, because a file may repeat one mistake in thousands of lines.
@lru_cache(maxsize=256)
def _closest(letters: str) -> Field | None:
    close = get_close_matches(letters, _LETTERED, n=1, cutoff=_SIMILARITY)
    return _LETTERED[close[0]] if close else None


def seen(character: str) -> str:
    """Return the character that *character* looks like, or "" if it is invisible."""
    category = unicodedata.category(character)
    # Ours O17: a no-break space in Latin-1 is decoded to this surrogate escape.
    if character == "\udca0" or category in {"Zs", "Zl", "Zp"}:
        return " "
    # An author may type a dash instead of the hyphen in User-agent.
    if category == "Pd" or character == "\xad":
        return "-"
    if category in {"Cc", "Cf", "Cs"} and character != "\t":
        return ""
    plain = unicodedata.normalize("NFKC", character)
    return plain if plain in {":", "#", "*", "/"} else character


def odd_place(text: str) -> int:
    """Return the index of the first character that is invisible or looks like another, or -1."""
    if text.isascii() and text.isprintable():
        return -1
    path = text.find("/")
    for at, it in enumerate(text):
        is_meant = it == "\t" or seen(it) == it
        if path >= 0 and at > path:
            # Paths may contain dashes, fullwidth punctuation, and the joiners of some scripts.
            is_meant |= seen(it) in {"-", ":", "#", "*", "/"} and it != "\xad"
            is_meant |= it in "\u200c\u200d"
        if not is_meant:
            return at
    return -1


def name_of(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"a byte that is not UTF-8 ({ord(character) - 0xDC00:02X})"
    name = unicodedata.name(character, "control character").lower()
    return f"a {name} (U+{ord(character):04X})"
