"""Fixes: what to write in place of lines of a file, and what that may change for robots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.fields import Field, Role
from scrapy_robots1994.parser.reader import Line

Edits: TypeAlias = Mapping[int, tuple[str, ...]]
"""The lines to write in place of a line, by its number, without ends; none deletes the line."""


class Effect(Enum):
    """What a fix may change, in any dialect."""

    SAME = "no robot may fetch less or more"
    CLOSES = "robots may fetch less, by the lines that are written"
    OPENS = "robots may fetch more, by the lines that are written"
    EITHER = "the lines that are written say what robots may fetch"


@dataclass(frozen=True, slots=True)
class Fix:
    """What the author of a file can do about one problem.

    *words* say it; empty means the words of the kind. *edits* are the same for a program, empty
    where only the author knows what to write.
    """

    words: str = ""
    edits: Edits = field(default_factory=dict)
    effect: Effect = Effect.SAME


def effect_of(row: Field | None) -> Effect:
    """Return what it may change that a line of this field has another value."""
    if row is None or row.role not in (Role.NAMES, Role.RULE):
        return Effect.SAME
    if row.role is Role.NAMES:
        return Effect.EITHER
    return Effect.OPENS if row.allows else Effect.CLOSES


def effect_of_new(row: Field) -> Effect:
    """Return what it may change that a line of this field is one from now on.

    A rule also ends the names above it, so that those below it begin another record.
    """
    return Effect.EITHER if row.ends_names else effect_of(row)


def edited(lines: Iterable[Line], edits: Edits) -> str:
    """Return the text of *lines* with *edits*."""
    texts = []
    for line in lines:
        new = edits.get(line.number)
        if new is None:
            texts.append(line.raw)
        else:
            texts += [text + (line.ending or "\n") for text in new]
    return "".join(texts)


def quoted(text: str) -> str:
    """Return a line to write, as words of a fix have it."""
    return f"`{escape_control_chars(text)}`"


def rule_line(line: Line, value: str, name: str = "") -> str:
    """Return *line* with another *value*, and with its comment; *name* is that of its field."""
    comment = f" {line.comment}" if line.comment else ""
    return f"{name or line.field}: {value}".rstrip(" ") + comment


def in_place(
    line: Line, *new: str, words: str = "", effect: Effect = Effect.SAME
) -> Fix:
    """Return the fix that writes *new* lines in place of *line*."""
    return Fix(words, {line.number: new}, effect)
