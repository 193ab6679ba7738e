"""Find the names in User-agent lines, and the names of a robot.

Headers such as `Mozilla/5.0 (compatible; FooBot/1.0)` (O9, O10) are not handled here, but tested
in `tests/standard/test_names.py`.
"""

from __future__ import annotations

import re

from tests.oracle.lines import BLANKS


def words_of(text: str) -> list[str]:
    return [it for it in re.split("[ \t]", text) if it]


def is_version(word: str) -> bool:
    """O10"""
    return re.fullmatch("[vV]?[0-9][0-9._]*([A-Za-z][0-9]*)?", word) is not None


def record_names(value: str, dialect: str) -> list[str]:
    """Return the lowercase names in the value of a User-agent line (O11, K1)."""
    if dialect == "revisited":
        names = [without_slash(word) for word in words_of(value)]
    else:
        words = words_of(without_slash(value))
        has_version = len(words) > 1 and is_version(words[-1])
        names = [" ".join(words[:-1] if has_version else words)]
    return [name.lower() for name in names if name]


def without_slash(value: str) -> str:
    """O10"""
    return value.partition("/")[0].strip(BLANKS)


def header_text(header: bytes) -> str:
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


def robot_names(robot: bytes | str) -> list[str]:
    """Return the name of *robot* and each of its words, in lower case, the longest first (O9).

    Only the dialect `rfc9309` needs the words.
    """
    text = header_text(robot) if isinstance(robot, bytes) else robot
    words = words_of(text.partition("/")[0].lower())
    names = {name for name in (" ".join(words), *words) if name}
    return sorted(names, key=lambda it: (-len(it), it))


def longest_match(record: list[str], robot: list[str]) -> int:
    """Return the length of the longest name in *record* that is a substring of a name in *robot*.

    Return 0 if no name matches (A2, O8).
    """
    lengths = [len(name) for name in record for own in robot if name in own]
    return max(lengths, default=0)
