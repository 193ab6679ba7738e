"""Problems of one line by itself."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import (
    UNDECODABLE,
    field_of_letters,
    first_odd,
    is_odd,
    likely_field,
    name_of,
    without_odd,
)
from scrapy_robots1994.lint.kinds import KIND_CODED, Problem
from scrapy_robots1994.lint.values import likely_name, name_problems, path_problems
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import (
    FIELD_NAMED,
    FIELDS,
    IDLE,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.parser.reader import SPACE, Line, read

# Takes a line, the column of its value, and the dialect.
_ValueCheck: TypeAlias = Callable[[Line, int, Dialect], Iterator[Problem]]

# The value of a rule that nothing is wrong with: empty, or a path of these characters.
_PLAIN = r"!\"%-)+-9;-~"
_PLAIN_VALUE = re.compile(rf"(?:/[{_PLAIN}]*)?")
# What is in or at the start of any other value, where each begins with NL.
_ODD_CHARACTER = re.compile(rf"[^\n{_PLAIN}]")
_ODD_START = re.compile(r"\n[^\n/]")

# The check of a value; None if there is none. A role that is not here is an error.
_VALUE_CHECKS: dict[Role, _ValueCheck | None] = {
    Role.NAMES: name_problems,
    Role.RULE: path_problems,
    Role.PAUSE: None,
    Role.SITEMAP: None,
}
_WITH_ROLE = "|".join(re.escape(it.name) for it in FIELDS if it.role is not Role.NONE)
# A second field after space or punctuation, after a line end that is spelled out, or
# right after the star of a name.
_SECOND_FIELD = re.compile(
    rf"(?:[{SPACE},;|]|\\[nr]|(?<=\*))((?ai:{_WITH_ROLE}))[{SPACE}]*:"
)
_SPELLED_END = re.compile(r"\\[nr]")
# What separates the words of a line whose colon is missing.
_WORD_END = re.compile(f"[{SPACE}=;]+")


def odd_rules(rules: Iterable[Line]) -> Iterator[Line]:
    """Yield those of *rules* whose values something may be wrong with."""
    values = "\n".join(["", *[it.value for it in rules]])
    # Most files have none, which one look at all values shows.
    if _ODD_CHARACTER.search(values) or _ODD_START.search(values):
        is_plain = _PLAIN_VALUE.fullmatch
        yield from (it for it in rules if not is_plain(it.value))


def line_problems(line: Line, dialect: Dialect) -> Iterable[Problem]:
    """Return the problems of *line*, whatever record it belongs to."""
    kind, field, value = line.kind, line.row, line.value
    if field is None:
        return () if kind in IDLE else (_ignored(line, dialect),)
    if field.bad_value is not None and kind is field.bad_value.kind:
        bad = KIND_CODED[field.bad_value.problem]
        return (bad.at(line.number, line.column, value, field=field),)
    check = _VALUE_CHECKS[field.role]
    return _effective(line, field, dialect, check) if check else ()


def _effective(
    line: Line, field: Field, dialect: Dialect, check: _ValueCheck
) -> Iterator[Problem]:
    """Yield the problems of a line that names a robot or a path."""
    if second := second_field(line.value):
        # 1994 F3: one field a line. What else is odd about the line follows from it.
        before = _SPELLED_END.split(line.value[: second.start()], maxsplit=1)[0]
        other = FIELD_NAMED[second[1].lower()]
        yield kinds.TWO_FIELDS.at(
            line.number,
            line.value_column + second.start(1),
            second[1],
            line.field,
            field=other if other.closes else field,
            meant=_meant(field, dialect, before),
        )
        return
    odd = _odd_in_value(field, line.value)
    yield from _form_problems(line, dialect, has_odd=odd >= 0)
    if odd < 0:
        yield from check(line, line.value_column, dialect)
        return
    seen = without_odd(line.value).strip(SPACE)
    yield _invisible(
        line,
        line.value_column + odd,
        f'"{line.field}: …"',
        field=field,
        meant=_meant(field, dialect, seen),
    )


def second_field(value: str) -> re.Match[str] | None:
    """Return where a second field begins in *value*, if one does."""
    return _SECOND_FIELD.search(value) if ":" in value else None


def _meant(field: Field, dialect: Dialect, value: str) -> tuple[str, ...]:
    """Return the robots that the author of a line with this *value* likely meant."""
    if field.role is not Role.NAMES:
        return ()
    return tuple(map(likely_name, dialect.names(value)))


def _odd_in_value(field: Field, value: str) -> int:
    """Return where in *value* an odd character is that spoils it; -1 if nowhere."""
    if field.role is Role.NAMES or value.isascii():
        return first_odd(value)
    # Inside a path it may be meant; at its ends it is not.
    return next((at for at in (0, len(value) - 1) if is_odd(value[at])), -1)


def _form_problems(line: Line, dialect: Dialect, *, has_odd: bool) -> Iterator[Problem]:
    """Yield what is odd about the form of a line, whatever its field."""
    # Ours O15: accepted, and reported.
    if not line.text.startswith(f"{line.field}:"):
        yield kinds.SPACED.at(line.number, 1)
    value = line.value
    if not value.isascii():
        # Ours O25. An undecodable byte is reported by itself.
        value = UNDECODABLE.sub("", value)
    if dialect.has_lists:
        # Revisited K1, K2: a tab separates the values of a list.
        value = value.replace("\t", " ")
    if not (has_odd or is_printable(value)):
        yield kinds.CONTROL.at(line.number, line.value_column, line.value)
    if line.comment and line.value:
        column = line.comment_column
        if line.value == "/" and line.text[column - 2] == "/":
            # Ours O13
            yield kinds.CLOSED_BY_COMMENT.at(line.number, column)
        elif line.text[column - 2] not in SPACE:
            yield kinds.COMMENT_INSIDE.at(line.number, column, line.value)


def _ignored(line: Line, dialect: Dialect) -> Problem:
    """Return the problem of a line that has no effect; what it says is never guessed."""
    if (known := line.known) is not None:
        # 1994 F6
        return absent(line, known)
    likely = likely_field(line.field, dialect)
    for column, text in _as_seen(line, likely):
        seen = next(read(text, dialect), None)
        if seen is not None and (seen.kind is LineKind.BLANK or seen.row is not None):
            return _invisible_form(line, column, seen, dialect)
    if line.kind is LineKind.MALFORMED:
        return _malformed(line, dialect)
    return _unknown(line, likely)


def _unknown(line: Line, likely: Field | None) -> Problem:
    """Return the problem of a line with a field that nothing is known of.

    *likely* is the field of the dialect that was likely meant.
    """
    # 1994 F6
    known = field_of_letters(line.field)
    if known is not None and known is not likely:
        return absent(line, known)
    if likely is None:
        return kinds.UNKNOWN.at(line.number, line.column, line.field)
    return kinds.MISSPELT.at(
        line.number, line.column, line.field, likely.name, field=likely
    )


def absent(line: Line, field: Field) -> Problem:
    """Return the problem of a line of a *field* that the dialect does not have."""
    return KIND_CODED[field.absent].at(line.number, line.column, line.field)


def _as_seen(line: Line, likely: Field | None) -> Iterator[tuple[int, str]]:
    """Yield what the author may see in place of *line*, and the column of the character
    that makes the difference.
    """
    odd = first_odd(line.text)
    if odd >= 0:
        yield odd + 1, without_odd(line.text)
    if likely is not None and not line.field.isascii():
        # A letter of another alphabet, which looks like one of the field *likely*.
        column = next(at for at, it in enumerate(line.text, 1) if not it.isascii())
        yield column, line.text.replace(line.field, likely.name, 1)


def _invisible_form(line: Line, column: int, seen: Line, dialect: Dialect) -> Problem:
    """Return the problem of an odd character that deprives *line* of its effect."""
    field, name, value = seen.row, seen.field, seen.value
    if field is None:
        return _invisible(line, column, "a blank line", is_harmless=True)
    meant = _meant(field, dialect, value)
    return _invisible(line, column, f'"{name}"', field=field, meant=meant)


def _invisible(line: Line, column: int, seen: str, **more: Any) -> Problem:
    """Return the problem of an odd character; without it the line would be *seen*."""
    name = name_of(line.text[column - 1])
    return kinds.INVISIBLE.at(line.number, column, name, seen, **more)


def _malformed(line: Line, dialect: Dialect) -> Problem:
    """Return the problem of a line without a colon."""
    # Ours O14
    content = line.text[: line.comment_column - 1].strip(SPACE)
    # What would be the name of the field: one word, or two as in "User agent x".
    first, *others = _WORD_END.split(content, maxsplit=2)
    names = (first, first + others[0]) if others and ":" not in content else ()
    likely = next(filter(None, (likely_field(it, dialect) for it in names)), None)
    if likely is None:
        return kinds.MALFORMED.at(line.number, line.column, content)
    return kinds.NO_COLON.at(
        line.number, line.column, content, likely.name, field=likely
    )
