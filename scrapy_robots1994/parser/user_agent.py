"""The names that a robot answers to, the names that a User-agent value gives, and which
of several records speak to a robot.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

EVERYBODY = "*"

# Ours O9: a comment of a header is in parentheses, at its start, after white space or
# after a version; a parenthesis inside a name belongs to that name. Of many slashes the
# last one begins the version: if any could, slashes alone would take minutes.
_COMMENT_START = re.compile(r"(?:\A|\s|/[^\s(/]*)\(")
_PARENTHESIS = re.compile(r"[()]")
_VERSIONED = re.compile(r"[^\s/]+/[^\s/]")
_COMPATIBLE = re.compile(r"\bcompatible;\s*([^\s/;,]+)", re.IGNORECASE)

# Ours O10: what browsers send, and what robots copy from them.
_BROWSER_TOKENS = frozenset(
    ("mozilla", "applewebkit", "khtml", "gecko", "chrome", "safari")
)

NameRank: TypeAlias = Callable[[str, str], int]
"""How plainly a name in lower case, not `*`, speaks to a robot, whose names come as one text with
an NL around each: 0 for not at all, else `NAMED` or more.
"""

# 1994 A3: `*` is for a robot that no other record names.
_BY_DEFAULT = 1
NAMED = 2


def first_named(name: str, robot: str) -> int:
    """Rank a name that is a part of one of the robot's names."""
    # 1994 A2: substring, without case. Ours O8: the record's value inside the robot's name.
    return NAMED if name in robot else 0


def longest_named(name: str, robot: str) -> int:
    """Rank a name that is a part of one of the robot's names; a longer one speaks plainer."""
    # Extended X3: a service of a robot has a longer name than the robot.
    return NAMED + len(name) if name in robot else 0


def equally_named(name: str, robot: str) -> int:
    """Rank a name that is one of the robot's names; an earlier one speaks plainer."""
    # RFC 9309 2.2.1: whole names, without case.
    at = robot.find(f"\n{name}\n")
    return NAMED + len(robot) - at if at >= 0 else 0


class Choice:
    """Which records a robot obeys, while they are read: the numbers in *chosen*.

    *rank* is that of the dialect. *merges_named* says that all records of the plainest
    name are obeyed together, not the first of them alone.
    """

    __slots__ = ("_best", "_merges_named", "_rank", "_robot", "chosen")

    def __init__(
        self, robot: Sequence[str], rank: NameRank, *, merges_named: bool
    ) -> None:
        # No name holds a line end: what is in this text is in one of the names.
        self._robot = "\n".join(("", *robot, ""))
        self._rank = rank
        self._merges_named = merges_named
        self._best = 0
        self.chosen: list[int] = []

    def offer(self, names: Iterable[str], record: int) -> bool:
        """Return whether the robot obeys the *record* with these *names*, as far as it is
        read. Records come in the order of their numbers.
        """
        chosen = self.chosen
        for name in names:
            rank = (
                _BY_DEFAULT
                if name == EVERYBODY
                else self._rank(name.lower(), self._robot)
            )
            if rank > self._best:
                self._best, chosen[:] = rank, [record]
            elif (
                rank == self._best
                and chosen
                and chosen[-1] != record
                # Ours O2: several records for every robot are obeyed together. Ours O1: of
                # others that speak as plainly the first in the file.
                and (rank == _BY_DEFAULT or self._merges_named)
            ):
                chosen.append(record)
        return bool(chosen) and chosen[-1] == record


# A crawl has one name or a few; reading one takes longer than all else for a small file.
@lru_cache(maxsize=1024)
def robot_names(robot: str | bytes) -> tuple[str, ...]:
    """Return the names that *robot* answers to, in lower case, the most telling first.

    *robot* is a bare name or a whole User-Agent header. Never raises.
    """
    text = (_text(robot) if isinstance(robot, bytes) else robot).strip()
    if "/" not in text and not _COMMENT_START.search(text):
        # Ours O9: from a bare name, the name.
        return (text.lower(),) if text else ()
    words, names = _words_and_compatible(text)
    # Ours O9: the token after `compatible;` in a comment, the product tokens without
    # their versions, and the text before the first `/` or `(`.
    names += [word.partition("/")[0] for word in words]
    names.append(re.split(r"[/(]", text, maxsplit=1)[0].strip())
    return tuple(dict.fromkeys(name.lower() for name in names if name))


def _text(robot: bytes) -> str:
    """Return the text of a header that came as bytes."""
    try:
        return robot.decode()
    except UnicodeDecodeError:
        return robot.decode("latin-1")


def _words_and_compatible(header: str) -> tuple[list[str], list[str]]:
    """Return the words of *header* outside comments, and the tokens that its comments have
    after `compatible;`.
    """
    words: list[str] = []
    compatible: list[str] = []
    position = 0
    while start := _COMMENT_START.search(header, position):
        words += header[position : start.end() - 1].split()
        position = _comment_end(header, start.end())
        comment = header[start.end() : position].removesuffix(")")
        compatible += _COMPATIBLE.findall(comment)
    return words + header[position:].split(), compatible


def _comment_end(header: str, position: int) -> int:
    """Return where the comment ends that opened just before *position*."""
    depth = 1
    for parenthesis in _PARENTHESIS.finditer(header, position):
        depth += 1 if parenthesis[0] == "(" else -1
        if not depth:
            return parenthesis.end()
    return len(header)


def whole_name(value: str) -> tuple[str, ...]:
    """Return the names of a User-agent value that holds one name; perhaps none."""
    # Ours O10: a version in the value is stripped, as 1994 A2 compares without.
    # Ours O11: spaces and commas belong to the name: one line, one name.
    if "/" not in value:
        # Ours O12: an empty value names no robot.
        return (value,) if value else ()
    names = _header_names(value)
    if names is not None:
        return names
    name = value.partition("/")[0].strip(" \t")
    return (name,) if name else ()


def listed_names(value: str) -> tuple[str, ...]:
    """Return the names of a User-agent value that may list several."""
    names = _header_names(value)
    if names is not None:
        return names
    # Revisited K1: one or more names, separated by spaces or tabs; `*` may be one.
    # Ours O10: the version of each is stripped.
    words = (word.partition("/")[0] for word in value.replace("\t", " ").split(" "))
    return tuple(word for word in words if word)


def _header_names(value: str) -> tuple[str, ...] | None:
    """Return the names that *value* gives as a User-Agent header; None if it is not
    one.
    """
    # Ours O10: a header has a token with a version, and a comment in parentheses.
    # Nearly no value has a parenthesis, which is quicker to see than a comment.
    if "/" not in value or "(" not in value or not _COMMENT_START.search(value):
        return None
    words, names = _words_and_compatible(value)
    if not any(map(_VERSIONED.match, words)):
        return None
    if not names:
        tokens = (word.partition("/")[0] for word in words)
        names = [it for it in tokens if it and it.lower() not in _BROWSER_TOKENS]
    # That of a plain browser names no robot, and is a name that no robot has.
    return tuple(dict.fromkeys(names)) or (value,)
