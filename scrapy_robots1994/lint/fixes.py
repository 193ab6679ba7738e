"""The fixes for problems. A fix contains words, and the new lines."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.reader import Line

Edits: TypeAlias = Mapping[int, tuple[str, ...]]
"""A mapping from the number of a line to the lines that replace the line. The new lines
have no line ends. An empty tuple deletes the line.
"""


@dataclass(frozen=True, slots=True)
class Fix:
    """The advice on one problem, for the author of the file.

    *words* is the text of the advice. If *words* is "", the `fix` of the kind of problem is
    used. *edits* contains the new lines, and is empty if only the author knows what to
    write.
    """

    words: str = ""
    edits: Edits = field(default_factory=dict)


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
    """Return *text* in backquotes, with control characters escaped, for the words of a
    fix.
    """
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


def in_place(line: Line, *new: str, words: str = "") -> Fix:
    """Return the fix that replaces *line* with the *new* lines."""
    return Fix(words, {line.number: new})


def with_value(line: Line, value: str) -> Fix:
    """Return the fix that writes *value* in place of the value of *line*."""
    return in_place(line, rule_line(line, value))
