"""Read the names of robots from User-Agent headers and User-agent lines, and match them."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from scrapy_robots1994.escaping import escape_control_chars

EVERYBODY = "*"

_BROWSERS = (
    "mozilla compatible applewebkit webkit khtml gecko like chrome chromium safari "
    "version mobile firefox fxios seamonkey msie iemobile trident edge edg edga edgios "
    "digext opera mini opr opt opios opx crios gsa samsungbrowser yabrowser ucbrowser "
    "miuibrowser vivaldi duckduckgo ddg brave silk avast avg "
)
_SYSTEMS = (
    "rv .net clr windows win phone xbox nt xp me win16 win32 win95 win98 sv1 wow64 win64 "
    "x64 arm arm64 aarch64 armv7l x86 x86_64 i686 i586 i386 amd64 intel ppc android linux "
    "gnu ubuntu debian fedora freebsd openbsd netbsd sunos tizen kaios harmonyos symbian "
    "symbianos series60 blackberry cros x11 u i n k mac macintosh os x darwin cfnetwork "
    "watchos iphone ipad ipod ios cpu pc build "
)
NO_NAMES = frozenset((_BROWSERS + _SYSTEMS).split())
"""Ours O9: words of browsers and operating systems, which are not names of robots."""

# Revisited K4: parentheses can be part of a word, as in Lycos_Spider_(Rex).
_PART = re.compile(r"(?:[^;,()]|(?<=[A-Za-z_])\([\w-]*\))+")
_LIKE = re.compile(r"(?<![^ \t])like[ \t].*", re.IGNORECASE | re.DOTALL)
_ADDRESS = r".*://.*|(?:https?:|www\.).*|[^@/]*@.*\..*|\+.*[./].*"
_VERSION = r"v?[0-9][0-9._]*(?:[a-z][0-9]*)?"
_LOCALE = r"[a-z]{2}[-_][a-z]{2}|en"
_NO_NAME = re.compile(f"{_ADDRESS}|{_VERSION}|{_LOCALE}", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(_VERSION, re.IGNORECASE | re.ASCII)
_VERSIONED = r"(?i)[^\s/]/v?[0-9]"
# Replaces removed parts of a header
_GAP = ";"
# Punctuation that may surround a name.
_AROUND = " \"'+:|[]"

NameRank: TypeAlias = Callable[[str, str], int]
"""Returns how specifically a name addresses a robot: 0 if not at all, otherwise at least `NAMED`.

The arguments are the name, which is in lower case and never `*`, and the robot's `joined_names`.
"""

BY_DEFAULT, NAMED = 1, 2
"""1994 A3: the rank of `*`, and the lowest rank of any other name that matches."""


def first_named(name: str, robot: str) -> int:
    """A name matches if it is part of one of the robot's names. All matches rank equally."""
    # 1994 A2, Ours O8
    return NAMED if name in robot else 0


def longest_named(name: str, robot: str) -> int:
    """A name matches if it is part of one of the robot's names. Longer names rank higher."""
    # Ours X3
    return NAMED + len(name) if name in robot else 0


def equally_named(name: str, robot: str) -> int:
    """A name matches if it is one of the robot's names. Longer names rank higher."""
    # RFC 9309 2.2.1
    return NAMED + len(name) if f"\n{name}\n" in robot else 0


# A crawl sends few different headers, so this cache is large enough.
@lru_cache(maxsize=1024)
def robot_names(robot: str | bytes) -> tuple[str, ...]:
    """Return the names of *robot* in lower case, such as ("my bot", "my", "bot"). Never raises.

    *robot* is a bare name or a User-Agent header. The result lists the phrases first, and then
    their words (Ours O9). The header of a browser has no names.
    """
    phrases = _phrases_of(robot_text(robot))
    words = (word.strip(_AROUND) for phrase in phrases for word in phrase.split())
    return tuple(filter(None, dict.fromkeys((*phrases, *words))))


def joined_names(robot: Sequence[str]) -> str:
    """Join the `robot_names` of a robot into one text, for a `NameRank`."""
    # Names in records contain no line break, so a match never spans two names.
    return "\n".join(("", *robot, ""))


def describe_names(robot: str | bytes) -> str:
    """Return a message with the names found in a User-Agent header, or "" for a bare name."""
    text = robot_text(robot)
    if _is_bare(text):
        return ""
    phrases = _phrases_of(text)
    if not phrases:
        return (
            "the User-Agent header names no robot: only records for every robot apply"
        )
    names = ", ".join(f'"{escape_control_chars(it, 60)}"' for it in phrases)
    return f"names read from the User-Agent header: {names}"


def robot_text(robot: str | bytes) -> str:
    """Return *robot* as text. Bytes are decoded as UTF-8, or as Latin-1 if they are not UTF-8."""
    if isinstance(robot, str):
        return robot
    try:
        return robot.decode()
    except UnicodeDecodeError:
        return robot.decode("latin-1")


def _is_bare(robot: str) -> bool:
    return not any(mark in robot for mark in "/(;")


def _phrases_of(robot: str) -> list[str]:
    # Ours O9
    phrases = [" ".join(_words(robot))] if _is_bare(robot) else _phrases(robot)
    return list(map(str.lower, phrases))


def _phrases(header: str) -> list[str]:
    """Return the phrases in *header*, without versions, addresses, locales and the words of
    browsers and operating systems. Takes linear time.
    """
    # Ours O9
    parts = (_LIKE.sub("", part[0]) for part in _PART.finditer(header))
    # Skip parts with "Build/", which follows the name of a device: (Linux; Android 10; Pixel 2
    # Build/OPD3)
    texts = [
        " ".join(map(_remaining, _words(part)))
        for part in parts
        if "build/" not in part.lower()
    ]
    phrases = [it.strip(_AROUND) for it in _GAP.join(texts).split(_GAP)]
    return list(dict.fromkeys(it for it in phrases if any(map(str.isalnum, it))))


def _words(text: str) -> list[str]:
    return list(filter(None, text.replace("\t", " ").split(" ")))


def _remaining(word: str) -> str:
    """Return *word*, with `_GAP` in place of the parts that do not name a robot."""
    if _NO_NAME.fullmatch(word):
        return _GAP
    name, *others = word.split("/")
    if _is_common(name):
        # The text after the slash is a version, as in Chrome/W.X.Y.Z.
        name, others = "", ["", *others[1:]]
    return _GAP.join([name, *map(_remaining_behind_slash, others)])


def _remaining_behind_slash(text: str) -> str:
    is_no_name = _NUMBER.match(text) or _NO_NAME.fullmatch(text) or _is_common(text)
    return "" if is_no_name else text


def _is_common(word: str) -> bool:
    return word.strip(_AROUND).partition(":")[0].lower() in NO_NAMES


def whole_name(value: str) -> tuple[str, ...]:
    """Return the name in the *value* of a User-agent line as a tuple, or () if there is none."""
    # Ours O10, O11
    if _is_header(value):
        return _header_name(value)
    words = _words(value.partition("/")[0])
    if words[1:] and _NUMBER.fullmatch(words[-1]):
        del words[-1]
    # Ours O12
    return (" ".join(words),) if words else ()


def listed_names(value: str) -> tuple[str, ...]:
    """Return all names in the *value* of a User-agent line."""
    if _is_header(value):
        return _header_name(value)
    # Revisited K1, Ours O10
    words = (word.partition("/")[0] for word in _words(value))
    return tuple(filter(None, words))


def _is_header(value: str) -> bool:
    return "(" in value and re.search(_VERSIONED, value) is not None


def _header_name(value: str) -> tuple[str, ...]:
    # Only the first phrase counts, because later ones, such as `crawler` or `Java`, occur in the
    # names of other robots. Without a phrase, return the whole header: it contains a `/`, so it
    # matches no robot.
    return tuple(_phrases(value)[:1]) or (value,)
