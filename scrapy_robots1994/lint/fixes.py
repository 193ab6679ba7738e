"""Fixes: new lines for a file, and what they may change for robots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.fields import Field, Role
from scrapy_robots1994.parser.reader import Line

Edits: TypeAlias = Mapping[int, tuple[str, ...]]
"""The new lines, without line ends, by the number of the line that they replace. An empty
tuple deletes the line.
"""


class Effect(Enum):
    """The change that a fix may make to the URLs that robots may fetch, in any dialect."""

    SAME = "robots may fetch the same URLs as before"
    CLOSES = "robots may fetch fewer URLs because of the new lines"
    OPENS = "robots may fetch more URLs because of the new lines"
    EITHER = "robots may fetch more or fewer URLs because of the new lines"


@dataclass(frozen=True, slots=True)
class Fix:
    """The advice to the author of a file for one problem.

    *words* is the text of the advice; "" means the text of the kind of problem. *edits* has
    the new lines; it is empty if only the author knows what to write.
    """

    words: str = ""
    edits: Edits = field(default_factory=dict)
    effect: Effect = Effect.SAME


def effect_of(row: Field | None) -> Effect:
    """Return the effect of a new value for a line of this field."""
    if row is None or row.role not in (Role.NAMES, Role.RULE):
        return Effect.SAME
    if row.role is Role.NAMES:
        return Effect.EITHER
    return Effect.OPENS if row.allows else Effect.CLOSES


def effect_of_new(row: Field) -> Effect:
    """Return the effect of a new line of this field.

    A new rule also ends the list of names above it, so the names below begin another
    record.
    """
    return Effect.EITHER if row.ends_names else effect_of(row)


def edited(lines: Iterable[Line], edits: Edits) -> str:
    """Return the text of *lines* after *edits*."""
    texts = []
    for line in lines:
        new = edits.get(line.number)
        if new is None:
            texts.append(line.raw)
        else:
            texts += [text + (line.ending or "\n") for text in new]
    return "".join(texts)


def quoted(text: str) -> str:
    """Return *text* in backquotes and safe to print, for the words of a fix."""
    return f"`{escape_control_chars(text)}`"


def rule_line(line: Line, value: str, name: str = "") -> str:
    """Return *line* with another *value*, perhaps with another field *name*, and its
    comment.
    """
    comment = f" {line.comment}" if line.comment else ""
    return f"{name or line.field}: {value}".rstrip(" ") + comment


def in_place(
    line: Line, *new: str, words: str = "", effect: Effect = Effect.SAME
) -> Fix:
    """Return the fix that replaces *line* by the *new* lines."""
    return Fix(words, {line.number: new}, effect)
