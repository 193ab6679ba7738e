"""Split a robots.txt into numbered field lines and blank lines.

This module implements clauses F1 to F5 (lines and comments), and decisions O6 (blank lines) and O13
to O17 (unusual lines and bytes). It shares no code with the package and is simple on purpose.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

BLANKS = " \t"
"""F3, O6: only these characters count as white space."""


class Field(NamedTuple):
    """*name* is in lower case."""

    number: int
    name: str
    value: str


class Blank(NamedTuple):
    """A blank line ends a record (F1)."""

    number: int


def decoded(body: bytes | str) -> str:
    """Decode *body* and remove its byte order mark (O16, O17)."""
    if isinstance(body, bytes):
        if body.startswith(codecs.BOM_UTF16_LE):
            text = body.decode("utf-16-le", "replace")
        elif body.startswith(codecs.BOM_UTF16_BE):
            text = body.decode("utf-16-be", "replace")
        else:
            # O17: an undecodable byte becomes a surrogate.
            text = body.decode("utf-8", "surrogateescape")
    else:
        text = body
    return text.removeprefix("\ufeff")


def split_lines(text: str) -> list[str]:
    """F2: only CR, CR NL and NL end a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def fields(body: bytes | str) -> list[Field | Blank]:
    """Return the field lines and blank lines. Other lines have no effect."""
    found: list[Field | Blank] = []
    for number, line in enumerate(split_lines(decoded(body)), 1):
        content, mark, _ = line.partition("#")  # F5, O13
        if not content.strip(BLANKS):
            if not mark:
                found.append(Blank(number))  # O6
            continue  # F5: a line with only a comment does not end a record.
        name, colon, value = content.partition(":")
        if colon:  # O14: a line without a colon is ignored.
            # F4: the case of ASCII letters does not matter. O15: nor do spaces around the name.
            name = re.sub("[A-Z]", lambda m: m.group().lower(), name.strip(BLANKS))
            found.append(Field(number, name, value.strip(BLANKS)))
    return found
