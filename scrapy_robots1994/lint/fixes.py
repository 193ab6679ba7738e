"""The fixes for problems. A fix contains the new lines, and the effect of the new lines on
robots.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.fields import Field, Role
from scrapy_robots1994.parser.reader import Line

Edits: TypeAlias = Mapping[int, tuple[str, ...]]
"""A mapping from the number of a line to the lines that replace the line. The new lines
have no line ends. An empty tuple deletes the line.
"""


class Effect(Enum):
    """The change that a fix can make to the set of URLs that robots may fetch. The effect
    covers all dialects.
    """

    SAME = "robots may fetch the same URLs as before"
    CLOSES = "robots may fetch fewer URLs because of the new lines"
    OPENS = "robots may fetch more URLs because of the new lines"
    EITHER = "robots may fetch more or fewer URLs because of the new lines"


@dataclass(frozen=True, slots=True)
class Fix:
    """The advice on one problem, for the author of the file.

    *words* is the text of the advice. If *words* is "", the `fix` of the kind of problem is
    used. *edits* contains the new lines, and is empty if only the author knows what to
    write. *effect* is the effect of *edits* on robots.
    """

    words: str = ""
    edits: Edits = field(default_factory=dict)
    effect: Effect = Effect.SAME


def effect_of(row: Field | None) -> Effect:
    """Return the effect of writing a new value in a line whose field is *row*."""
    if row is None or row.role not in (Role.NAMES, Role.RULE):
        return Effect.SAME
    if row.role is Role.NAMES:
        return Effect.EITHER
    return Effect.OPENS if row.allows else Effect.CLOSES


def effect_of_new(row: Field) -> Effect:
    """Return the effect of adding a line whose field is *row*.

    A new rule also ends the list of names above the rule, so the names below the rule begin
    another record.
    """
    return Effect.EITHER if row.ends_names else effect_of(row)


def edited(lines: Iterable[Line], edits: Edits) -> str:
    """Return the text of *lines* after *edits* are applied."""
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


def bare_line(line: Line, value: str, name: str = "") -> str:
    """Return the text of *line* with the new *value* and without a comment.

    If *name* is not "", *name* replaces the name of the field.
    """
    return f"{name or line.field}: {value}".rstrip(" ")


def rule_line(line: Line, value: str, name: str = "") -> str:
    """Like `bare_line`, but with the comment of *line*."""
    comment = f" {line.comment}" if line.comment else ""
    return bare_line(line, value, name) + comment


def in_place(
    line: Line, *new: str, words: str = "", effect: Effect = Effect.SAME
) -> Fix:
    """Return the fix that replaces *line* with the *new* lines."""
    return Fix(words, {line.number: new}, effect)


def with_value(line: Line, value: str, *, effect: Effect = Effect.SAME) -> Fix:
    """Return the fix that writes *value* in place of the value of *line*."""
    return in_place(line, rule_line(line, value), effect=effect)
