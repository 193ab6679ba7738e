"""Find the names of robots in records and in User-Agent headers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tests.oracle.lines import BLANKS

NOBODY_WORDS = (
    "mozilla applewebkit khtml gecko like chrome safari version mobile firefox edg opr msie "
    "trident rv .net clr windows nt android linux x11 mac os x iphone ipad cpu pc build "
    "compatible intel macintosh wow64 win64 x64 x86_64 u ubuntu crios"
)
NOBODY = set(NOBODY_WORDS.split())
"""Words of browsers and operating systems, which are not names of robots (O9, names of
a header).
"""


class Name(NamedTuple):
    """A name in a User-Agent header. The names of a robot are sorted by *order*. If a
    User-agent line contains a whole User-Agent header, only the names whose *in_records* is
    true count (O10, headers in records).
    """

    order: int
    text: str
    in_records: bool


@lru_cache(1 << 16)
def texts(header: str) -> list[tuple[int, str]]:
    """Split a header at the parentheses of its comments. Return each text with the number
    of comments that contain the text.

    A parenthesis opens a comment at the start of the header, after a space, after another
    comment and after a version. Inside a name, a parenthesis is a part of the name (O9).
    """
    found, are_comments, word = [(0, "")], list[bool](), ""
    for character in header:
        depth, text = found[-1]
        if character == "(":
            are_comments.append(not word or "/" in word)
            if are_comments[-1]:
                found.append((depth + 1, ""))
                word = ""
                continue
        if character == ")" and are_comments and are_comments.pop():
            found.append((depth - 1, ""))
            word = ""
            continue
        word = "" if character.isspace() else word + character
        found[-1] = (depth, text + character)
    return found


def is_address(word: str) -> bool:
    """Return whether *word* is a URL or a mail address, or begins like one (O9, names
    of a header).
    """
    lower = word.lower()
    return (
        "://" in lower
        or lower.startswith(("http:", "https:", "www."))
        or (lower.startswith("+") and any(it in lower for it in "./@"))
        or re.match(r"[^@]+@[^@]+\.", word) is not None
    )


def is_version(text: str) -> bool:
    """Return whether *text* begins like a version (O9)."""
    return re.match("[vV]?[0-9]", text) is not None


def runs(words: list[str]) -> list[str]:
    """Return the words before each `/version`, and then the words after all versions."""
    found = [""]
    for word in words:
        found[-1] += " "
        for number, piece in enumerate(word.split("/")):
            if not number:
                found[-1] += piece
            elif is_version(piece):
                _, comma, rest = piece.partition(",")
                found.append(comma + rest)
            else:
                found[-1] += f"/{piece}"
    return [it.strip() for it in found]


def before_number(run: str) -> str:
    """Return *run* without the version at its end. Return "" if *run* does not end with a
    version.
    """
    words = run.split(" ")
    has_number = re.fullmatch(r"[vV]?[0-9][\w.]*", words[-1]) is not None
    return " ".join(words[:-1]) if has_number else ""


def last_of(run: str) -> str:
    """Return the last word of *run*, up to the first slash."""
    return run.rpartition(" ")[2].partition("/")[0]


def is_name(name: str) -> bool:
    """Return whether *name* can be the name of a robot (O9)."""
    words = name.split()
    heads = {re.split("[/:]", it)[0].lower() for it in words} - {""}
    return not any(map(is_address, words)) and not heads <= NOBODY


def all_names(header: str) -> list[Name]:
    """Return the names in *header* (O9, O10)."""
    found: list[Name] = []
    for depth, text in texts(header):
        last_part: list[str] = []
        for part in text.split(";"):
            words = [it for it in part.split() if not is_address(it)]
            if not words:
                continue
            is_compatible = last_part[-1:] and last_part[-1].lower() == "compatible"
            last_part = words
            *versioned, rest = runs(words)
            if is_compatible:
                whole = versioned.pop(0) if versioned else before_number(rest) or rest
                found.append(Name(0, whole, in_records=True))
                found.append(Name(0, re.split("[ /,]", whole)[0], in_records=False))
                found.append(Name(0, last_of(whole), in_records=False))
            if depth or is_compatible:
                for run in versioned:
                    if last_of(run).lower() not in NOBODY and has_letter(run):
                        found.append(Name(1, run, in_records=True))
                        found.append(Name(1, last_of(run), in_records=False))
                run = "" if is_compatible else before_number(rest)
                if has_letter(run):
                    found.append(Name(1, last_of(run), in_records=False))
                    found.append(Name(1, run, in_records=False))
            else:
                for run in versioned:
                    found.append(Name(2, last_of(run), in_records=False))
                    found.append(Name(3, run, in_records=True))
                kept = filter(has_letter, (rest, before_number(rest)))
                found += [Name(3, run, in_records=False) for run in kept]
    return found


def has_letter(run: str) -> bool:
    """Return whether *run* contains a character that is neither a digit nor punctuation."""
    return re.fullmatch("[0-9.,:;_+ -]*", run) is None


def cleaned(names: list[Name]) -> list[Name]:
    """Remove the punctuation around *names*, and return the names that robots can have
    (O9).
    """
    marks = " \t,;:/\"'"
    stripped = [
        it._replace(
            text=re.sub("^- | -$", "", it.text.strip(marks), count=2).lstrip("+")
        )
        for it in names
    ]
    return [it for it in stripped if is_name(it.text)]


def is_header(value: str) -> bool:
    """Return whether the value of a User-agent line is a whole User-Agent header (O10)."""
    return len(texts(value)) > 1 and bool(re.search(r"[^\s/]/[vV]?[0-9]", value))


def record_names(value: str, dialect: str) -> list[str]:
    """Return the names in one User-agent value, in lower case (O10, headers in records;
    O11, spaces; K1, lists of names).
    """
    if is_header(value):
        # If the header does not contain the name of a robot, use the whole header as the
        # name. No robot has the whole header as its name.
        found = cleaned(all_names(value))
        names = [it.text for it in found if it.in_records] or [value]
    elif dialect == "revisited":
        names = [without_version(word) for word in re.split("[ \t]+", value)]
    else:
        names = [without_version(value)]
    return [name.lower() for name in names if name]


def without_version(value: str) -> str:
    """Return a name without its version, which begins with a slash (O10)."""
    return value.partition("/")[0].strip(BLANKS)


def header_text(header: bytes) -> str:
    """Decode *header* as UTF-8, or as Latin-1 if the bytes are not valid UTF-8."""
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


def robot_names(robot: bytes | str) -> list[str]:
    """Return the robot's names in lower case. The names after `compatible;` come first in
    the list (O9).
    """
    if isinstance(robot, bytes):
        return robot_names(header_text(robot))
    robot = robot.strip()
    if "/" not in robot and len(texts(robot)) == 1:
        # *robot* is a bare name, so *robot* is the only name.
        return [robot.lower()]
    head = re.split(r"[/(]", robot)[0].strip()
    before = [Name(3, it, in_records=False) for it in (head, before_number(head))]
    names = sorted(cleaned([*all_names(robot), *before]), key=lambda it: it.order)
    return [name.text.lower() for name in names]


def longest_match(record: list[str], robot: list[str]) -> int:
    """Return the length of the longest name in *record* that is a part of a name in
    *robot*. Return 0 if no name in *record* is a part of a name in *robot* (A2 and O8,
    name comparison).
    """
    lengths = [len(name) for name in record for own in robot if name in own]
    return max(lengths, default=0)
