"""Names of robots, in records and in User-Agent headers (A1, A2, O8 to O12, K1)."""

from __future__ import annotations

import re
from functools import lru_cache

from tests.oracle.lines import BLANKS

BROWSERS = {"mozilla", "applewebkit", "khtml", "gecko", "chrome", "safari"}
"""Product tokens that do not name a robot in a record's value (O10)."""


@lru_cache(1 << 16)
def comments(text: str) -> tuple[str, list[str]]:
    """Return the text outside comments, and each outermost comment.

    A parenthesis opens a comment at the start, after a space or after a version; inside
    a name it is a part of the name (O9).
    """
    found: list[str] = []
    outside, depth = "", 0
    for character in text:
        if depth:
            depth += {"(": 1, ")": -1}.get(character, 0)
            found[-1] += character if depth else ""
        elif character == "(" and opens_comment(re.split("[ \t]", outside)[-1]):
            depth = 1
            found.append("")
            outside += " "
        else:
            outside += character
    return outside, found


def opens_comment(word: str) -> bool:
    """Return whether a parenthesis right behind *word*, perhaps empty, opens a comment (O9)."""
    return not word or "/" in word


def after_compatible(text: str) -> list[str]:
    """Return the token after each `compatible;` in a comment (O9, O10)."""
    pattern = re.compile(r"\bcompatible;[ \t]*([^ \t;/,]+)", re.IGNORECASE | re.ASCII)
    return [token for it in comments(text)[1] for token in pattern.findall(it)]


def products(text: str) -> list[str]:
    """Return the product tokens outside comments, without their versions."""
    tokens = [word.partition("/")[0] for word in re.split("[ \t]+", comments(text)[0])]
    return [token for token in tokens if token]


def is_header(value: str) -> bool:
    """Return whether a record's value is a whole User-Agent header (O10)."""
    outside, found = comments(value)
    return bool(found) and any(
        "/" in word.strip("/") for word in re.split("[ \t]+", outside)
    )


def record_names(value: str, dialect: str) -> list[str]:
    """Return the names in one User-agent value, in lower case (O10, O11, K1)."""
    if is_header(value):
        # What a browser sends names no robot: no robot has the whole of it as a name.
        names = (
            after_compatible(value)
            or [it for it in products(value) if it.lower() not in BROWSERS]
            or [value]
        )
    elif dialect == "revisited":
        names = [without_version(word) for word in re.split("[ \t]+", value)]
    else:
        names = [without_version(value)]
    return [name.lower() for name in names if name]


def without_version(value: str) -> str:
    """Return a name without its version, which begins with a slash (O10)."""
    return value.partition("/")[0].strip(BLANKS)


def header_text(header: bytes) -> str:
    """Return a header that came as bytes: UTF-8, or else Latin-1."""
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


def robot_names(robot: bytes | str) -> list[str]:
    """Return the robot's names in lower case, that after `compatible;` first (O9)."""
    if isinstance(robot, bytes):
        return robot_names(header_text(robot))
    if "/" not in robot and not comments(robot)[1]:
        return [robot.lower()]  # a bare name
    before = re.split(r"[/(]", robot)[0].strip(BLANKS)
    names = [*after_compatible(robot), *products(robot), before]
    return [name.lower() for name in names if name]


def longest_match(record: list[str], robot: list[str]) -> int:
    """Return the length of a record's longest name that matches a robot, or 0 (A2, O8)."""
    lengths = [len(name) for name in record for own in robot if name in own]
    return max(lengths, default=0)
