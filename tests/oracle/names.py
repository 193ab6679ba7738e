"""Find the names of robots in records and in User-Agent headers."""

from __future__ import annotations

import re
from functools import lru_cache

from tests.oracle.lines import BLANKS

COMMON_WORDS = (
    "mozilla applewebkit khtml gecko like chrome safari version mobile firefox edg opr msie "
    "trident rv .net clr windows nt android linux x11 mac os x iphone ipad cpu pc build "
    "compatible intel macintosh wow64 win64 x64 x86_64 u ubuntu crios"
)
COMMON = set(COMMON_WORDS.split())
"""Words of browsers and operating systems (O9)."""

MARKS = " \"'+:|[]"
"""Punctuation around a name."""


def words_of(text: str) -> list[str]:
    """Split *text* at spaces and tabs."""
    return [it for it in re.split("[ \t]", text) if it]


def is_address(word: str) -> bool:
    """Return whether *word* is a URL or a mail address (O9)."""
    lower = word.lower()
    return (
        "://" in lower
        or lower.startswith(("http:", "https:", "www."))
        or (lower.startswith("+") and any(it in lower for it in "./"))
        or ("." in lower.partition("@")[2] and "/" not in lower.partition("@")[0])
    )


def is_version(word: str) -> bool:
    """Return whether *word* is a version number (O9, O10)."""
    digits = word[1:] if word[:1] in {"v", "V"} else word
    letter = digits.lstrip("0123456789._")
    is_number = digits[:1] in set("0123456789")
    is_end = not letter or (re.fullmatch("[A-Za-z][0-9]*", letter) is not None)
    return is_number and is_end


def is_locale(word: str) -> bool:
    """Return whether *word* is a locale such as en-us (O9)."""
    lower = word.lower()
    is_pair = re.fullmatch("[a-z][a-z][-_][a-z][a-z]", lower) is not None
    return lower == "en" or is_pair


def begins_with_version(piece: str) -> bool:
    """Return whether *piece*, which follows a slash, is a version (O9)."""
    return re.match("[vV]?[0-9]", piece) is not None


def is_common(piece: str) -> bool:
    """Return whether *piece* is a word of browsers and operating systems (O9)."""
    return piece.strip(MARKS).split(":")[0].lower() in COMMON


@lru_cache(1 << 16)
def phrases(header: str) -> list[str]:
    """Return what remains of *header* (O9)."""
    found = [""]
    # A parenthesis inside a word belongs to the word (K4).
    header = re.sub(r"([A-Za-z_])\(([\w-]*)\)", "\\1\0\\2\1", header)
    for part in re.split("[;,()]", header):
        words = words_of(part.replace("\0", "(").replace("\1", ")"))
        common = [it.lower() for it in words]
        # The words after `like` name what the robot imitates.
        if "like" in common[:-1]:
            words = words[: common.index("like")]
        is_device = any("build/" in it.lower() for it in words)
        found.append("")
        for word in [] if is_device else words:
            if is_address(word) or is_version(word) or is_locale(word):
                found.append("")
                continue
            name, *others = word.split("/")
            if is_common(name):
                found.append("")
                # The text after the slash is the version of the browser.
                del others[:1]
            else:
                found[-1] += f" {name}"
            found += [
                ""
                if begins_with_version(it)
                or is_address(it)
                or is_locale(it)
                or is_common(it)
                else it
                for it in others
            ]
    marked = [it.strip(MARKS) for it in found]
    return [it for it in marked if re.search(r"[^\W_]", it)]


def is_header(value: str) -> bool:
    """Return whether the value of a User-agent line is a whole User-Agent header (O10)."""
    return "(" in value and bool(re.search(r"[^\s/]/[vV]?[0-9]", value))


def record_names(value: str, dialect: str) -> list[str]:
    """Return the names in one User-agent value, in lower case (O10, headers in records;
    O11, spaces; K1, lists of names).
    """
    if is_header(value):
        # Further phrases can be part of the names of other robots.
        names = (phrases(value) or [value])[:1]
    elif dialect == "revisited":
        names = [without_slash(word) for word in words_of(value)]
    else:
        words = words_of(without_slash(value))
        has_version = len(words) > 1 and is_version(words[-1])
        names = [" ".join(words[:-1] if has_version else words)]
    return [name.lower() for name in names if name]


def without_slash(value: str) -> str:
    """Return a name without its version, which begins with a slash (O10)."""
    return value.partition("/")[0].strip(BLANKS)


def header_text(header: bytes) -> str:
    """Decode *header* as UTF-8, or as Latin-1 if the bytes are not valid UTF-8."""
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


def robot_names(robot: bytes | str) -> list[str]:
    """Return the phrases of the robot in lower case, and their words, which RFC 9309
    compares. The longest name comes first (O9).
    """
    if isinstance(robot, bytes):
        return robot_names(header_text(robot))
    is_bare = not re.search("[/(;]", robot)
    own = [" ".join(words_of(robot))] if is_bare else phrases(robot)
    words = [word.strip(MARKS) for phrase in own for word in phrase.split()]
    names = {name.lower() for name in (*own, *words) if name}
    return sorted(names, key=lambda it: (-len(it), it))


def longest_match(record: list[str], robot: list[str]) -> int:
    """Return the length of the longest name in *record* that is a part of a name in
    *robot*. Return 0 if no name in *record* is a part of a name in *robot* (A2 and O8,
    name comparison).
    """
    lengths = [len(name) for name in record for own in robot if name in own]
    return max(lengths, default=0)
