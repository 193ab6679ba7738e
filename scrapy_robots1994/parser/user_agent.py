"""Functions that find the names of a robot and the names in the value of a User-agent line,
and that compare the names.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias

from scrapy_robots1994.escaping import escape_control_chars

EVERYBODY = "*"

_PARENTHESIS = re.compile(r"[()]")
_SPACE = re.compile(r"\s+")
# Ours O9 (names in a header): a version begins with a digit, or with `v` and a digit.
_VERSION = re.compile(r"/v?[0-9][^\s,/]*", re.IGNORECASE)
_VERSIONED = re.compile(r"[^\s/]/v?[0-9]", re.IGNORECASE)
_NUMBER = re.compile(r"v?[0-9][\w.]*", re.IGNORECASE)
# Match the beginning of a URL or of an e-mail address. In a header, there is usually a `+`
# before a URL or an e-mail address.
_ADDRESS = re.compile(r"\+\S*[./@]|https?:|www\.|.*://|[^@]+@[^@]+\.", re.IGNORECASE)
_BEFORE_END = re.compile(r"[/(]")
_WORD_END = re.compile(r"[ /,]")
_HEAD_END = re.compile(r"[/:]")
_LETTERLESS = re.compile(r"[0-9.,:;_+ -]*")
# The characters that separate a name from the words before and after the name.
_AROUND = " \t,;:/\"'"

_BROWSERS = (
    "mozilla compatible applewebkit webkit khtml gecko like chrome chromium safari "
    "version mobile firefox fxios seamonkey msie iemobile trident edge edg edga edgios "
    "opera mini opr opt opios opx crios gsa samsungbrowser yabrowser ucbrowser "
    "miuibrowser vivaldi duckduckgo ddg brave silk avast avg "
)
_SYSTEMS = (
    "rv .net clr windows win phone xbox nt wow64 win64 x64 arm arm64 aarch64 armv7l x86 "
    "x86_64 i686 i386 amd64 intel ppc android linux gnu ubuntu debian fedora freebsd "
    "openbsd netbsd sunos tizen kaios harmonyos symbian symbianos series60 blackberry "
    "cros x11 u mac macintosh os x darwin cfnetwork watchos iphone ipad ipod ios cpu pc "
    "build "
)
NO_NAMES = frozenset((_BROWSERS + _SYSTEMS).split())
"""Ours O9: words that occur in the headers of browsers. A name that consists only of words
in this set is not the name of a robot.
"""

NameRank: TypeAlias = Callable[[str, str], int]
"""A function that returns how specifically a name addresses a robot. The result is 0 if the
name does not address the robot. If the name addresses the robot, the result is at least
`NAMED`.

The first argument is the name in lower case, and is never `*`. The second argument is a
text that contains the names of the robot, with an NL before and after each name.
"""

BY_DEFAULT, NAMED = 1, 2
"""1994 A3 (default record): a record for `*` applies to a robot that is not named in another
record. Therefore, the rank of `*` is `BY_DEFAULT`, which is lower than the rank of a name.
"""


def first_named(name: str, robot: str) -> int:
    """Return `NAMED` if *name* is a substring of one of the robot's names, and 0 if not."""
    # 1994 A2 (name comparison): a name matches as a substring, regardless of case. Ours
    # O8 (direction): the name in the record must be a substring of the robot's name. If
    # the name in the record is longer and contains the robot's name, the two names do
    # not match.
    return NAMED if name in robot else 0


def longest_named(name: str, robot: str) -> int:
    """Return a rank if *name* is a substring of one of the robot's names, and 0 if not. A
    longer name has a higher rank.
    """
    # Ours X3 (several records): a record with a longer name is more specific. For example,
    # Googlebot is a general robot, and Googlebot-Image is a robot for a special service.
    return NAMED + len(name) if name in robot else 0


def equally_named(name: str, robot: str) -> int:
    """Return a rank if *name* is one of the robot's names, and 0 if not. The first of the
    robot's names has the highest rank.
    """
    # RFC 9309 2.2.1: whole names are compared, regardless of case.
    at = robot.find(f"\n{name}\n")
    return NAMED + len(robot) - at if at >= 0 else 0


_Name: TypeAlias = tuple[int, str, bool]
"""A name in a header. The tuple contains the rank of the name, the name, and whether the
name is one word of a longer name. Names with a smaller rank come first.
"""

# Ours O9: the names after `compatible;` take precedence over all other names.
_COMPATIBLE, _COMMENT, _PRODUCT, _WORDS = range(4)


# Cache the names, because a crawl uses only a few User-Agent headers. Finding the names in
# a header takes longer than parsing a small file.
@lru_cache(maxsize=1024)
def robot_names(robot: str | bytes) -> tuple[str, ...]:
    """Return the names of *robot* in lower case, the most specific name first. Never raises.

    *robot* is a bare name or a whole User-Agent header. A bare name is returned as the only
    name. For an empty *robot*, the result is empty.
    """
    text = robot_text(robot).strip()
    if is_bare(text):
        # Ours O9: a bare name is the only name.
        return (text.lower(),) if text else ()
    names = _names_in(text)
    # Ours O9: the text before the first `/` or `(` gives two more names: the whole text,
    # and the text without the version number at its end.
    before = _BEFORE_END.split(text, 1)[0].strip()
    for name in map(_name_of, (before, _without_number(before))):
        if name:
            names.append((_WORDS, name, False))
    names.sort(key=itemgetter(0))
    return tuple(dict.fromkeys(text.lower() for _, text, _ in names))


def joined_names(robot: Sequence[str]) -> str:
    """Return the names of a robot as one text, with which a `NameRank` compares a name.

    *robot* is the result of `robot_names` for the robot.
    """
    # A name in a record never contains a line end. Therefore, if the text contains the
    # name, one of the robot's names contains the name.
    return "\n".join(("", *robot, ""))


def describe_names(robot: str | bytes) -> str:
    """Return a phrase that lists the names of *robot*, or "" if *robot* is a bare name and
    not a header.
    """
    if is_bare(robot_text(robot).strip()):
        return ""
    names = ", ".join(f'"{escape_control_chars(it, 60)}"' for it in robot_names(robot))
    if not names:
        return (
            "the User-Agent header names no robot: only records for every robot apply"
        )
    return f"names read from the User-Agent header: {names}"


def robot_text(robot: str | bytes) -> str:
    """Return *robot* as text. *robot* is a bare name or a header. Bytes are decoded as
    UTF-8, or as Latin-1 if the bytes are not valid UTF-8.
    """
    if isinstance(robot, str):
        return robot
    try:
        return robot.decode()
    except UnicodeDecodeError:
        return robot.decode("latin-1")


def is_bare(robot: str) -> bool:
    """Return whether *robot* is the name of a robot, and not a whole User-Agent header."""
    return "/" not in robot and not _has_comment(robot)


def _has_comment(header: str) -> bool:
    """Return whether *header* contains a comment in parentheses."""
    return "(" in header and any(depth for depth, _ in _texts(header))


def _texts(header: str) -> Iterator[tuple[int, str]]:
    """Yield the texts inside and between the comments of *header*, in order. Yield each
    text with its depth, which is the number of comments around the text. A comment can
    contain other comments.
    """
    depth = start = end = 0
    # For each open parenthesis, `opened` contains `True` if the parenthesis begins a
    # comment, and `False` if not.
    opened: list[bool] = []
    # `has_any` is `True` if the word before a parenthesis is not empty. `has_slash` is
    # `True` if the word before a parenthesis contains a slash.
    has_any = has_slash = False
    for parenthesis in _PARENTHESIS.finditer(header):
        at = parenthesis.start()
        *others, word = _SPACE.split(header[end:at])
        has_any = bool(word) or (has_any and not others)
        has_slash = "/" in word or (has_slash and not others)
        end = at + 1
        # Ours O9: a comment may begin at the start of the header, after white space, after
        # another comment or after a version. A parenthesis in any other position belongs to
        # the name before the parenthesis.
        opens = header[at] == "("
        if opens:
            opened.append(has_slash or not has_any)
        if opened[-1] if opens else opened and opened.pop():
            yield depth, header[start:at]
            depth += 1 if opens else -1
            start, has_any, has_slash = end, False, False
        else:
            has_any = True
    yield depth, header[start:]


def _names_in(header: str) -> list[_Name]:
    """Return the names in *header*."""
    found: list[_Name] = []
    for depth, text in _texts(header):
        is_compatible = False
        for part in text.split(";"):
            words = [word for word in part.split() if not _ADDRESS.match(word)]
            if words:
                *names, rest = map(str.strip, _VERSION.split(" ".join(words)))
                if is_compatible:
                    names = names or [_without_number(rest)]
                    found += _compatible_names(names.pop(0))
                    rest = ""
                found += _names_of_part(
                    names, rest, in_comment=depth > 0 or is_compatible
                )
                is_compatible = words[-1].lower() == "compatible"
    return [
        (rank, name, is_word)
        for rank, text, is_word in found
        if (name := _name_of(text))
    ]


def _name_of(text: str) -> str:
    """Return *text* without punctuation at either end, or "" if *text* is not the name of a
    robot.
    """
    text = text.strip(_AROUND).removeprefix("- ").removesuffix(" -").lstrip("+")
    words = text.split()
    # Ours O9: a text that contains an address is not a name. A text that contains only
    # words of browsers and systems is not a name either.
    if any(map(_ADDRESS.match, words)):
        return ""
    heads = (_HEAD_END.split(word, 1)[0].lower() for word in words)
    return text if any(it and it not in NO_NAMES for it in heads) else ""


def _compatible_names(name: str) -> Iterator[_Name]:
    """Yield the names in *name*, the text after `compatible;`. *name* has no version."""
    # Ours O9: yield the whole name, its first word and its last word. Some parsers do not
    # follow 1994 A2, and compare only the first or the last word.
    yield _COMPATIBLE, name, False
    yield _COMPATIBLE, _WORD_END.split(name, 1)[0], True
    yield _COMPATIBLE, _last_word(name), True


def _names_of_part(
    names: Sequence[str], rest: str, *, in_comment: bool
) -> Iterator[_Name]:
    """Yield the names in a part of a header, except the name after `compatible;`. *names*
    are the texts before the versions in the part, and *rest* is the text after the last
    version.
    """
    for name in names:
        last = _last_word(name)
        if not in_comment:
            # Ours O9: a product token is a name. Ours O10 (versions): the words before a
            # version are also a name.
            yield _PRODUCT, last, True
            yield _WORDS, name, False
        # If the version belongs to a browser or an operating system, the words before the
        # version are not a name.
        elif last.lower() not in NO_NAMES and not _LETTERLESS.fullmatch(name):
            # Ours O9: the words before a `/version` are a name. The last word before the
            # `/version` is also a name.
            yield _COMMENT, name, False
            yield _COMMENT, last, True
    before = _without_number(rest) if in_comment else rest
    if _LETTERLESS.fullmatch(before):
        return
    if not in_comment:
        yield _WORDS, rest, True
        yield _WORDS, _without_number(rest), True
    elif before != rest:
        # Ours O9: the words before a version number at the end of the part are a name. The
        # last word before the version number is also a name.
        yield _COMMENT, _last_word(before), True
        yield _COMMENT, before, True


def _without_number(text: str) -> str:
    """Return *text* without the version number at its end, if there is one."""
    before, _, last = text.rpartition(" ")
    return before if before and _NUMBER.fullmatch(last) else text


def _last_word(text: str) -> str:
    """Return the last word of *text*, up to the first slash in this word."""
    return text.rpartition(" ")[2].partition("/")[0]


def whole_name(value: str) -> tuple[str, ...]:
    """Return the name in the *value* of a User-agent line as a tuple, or () if *value* does
    not contain a name. This function is for dialects in which a User-agent line contains
    only one name.

    If *value* is a whole User-Agent header, the tuple can contain several names.
    """
    # Ours O10: a version in the value is stripped, because 1994 A2 ignores versions. Ours
    # O11 (one name): a line contains one name, and spaces and commas belong to the name.
    if "/" not in value:
        # Ours O12 (no name): an empty value does not name a robot.
        return (value,) if value else ()
    names = _header_names(value)
    if names is not None:
        return names
    name = value.partition("/")[0].strip(" \t")
    return (name,) if name else ()


def listed_names(value: str) -> tuple[str, ...]:
    """Return the names in the *value* of a User-agent line that may list several names."""
    names = _header_names(value)
    if names is not None:
        return names
    # Revisited K1 (lists of names): the value contains one or more names, separated by
    # spaces or tabs. `*` may be one of the names. Ours O10: the version of each name is
    # stripped.
    words = (word.partition("/")[0] for word in value.replace("\t", " ").split(" "))
    return tuple(word for word in words if word)


def _header_names(value: str) -> tuple[str, ...] | None:
    """Return the names in *value* if *value* is a whole User-Agent header, or None if
    *value* is not a header.
    """
    # Ours O10: a header contains a token with a version, and a comment in parentheses.
    if not _VERSIONED.search(value) or not _has_comment(value):
        return None
    # Ours O10: return only whole names, because a record for "Dow Jones Searchbot" does not
    # apply to a robot that is called Dow.
    names = [text for _, text, is_word in _names_in(value) if not is_word]
    # The header of a browser does not contain the name of a robot. For a browser, return
    # the header itself, which does not match any robot, because no robot's name is a
    # header.
    return tuple(dict.fromkeys(names)) or (value,)
