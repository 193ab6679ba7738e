"""Problems of one line by itself."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from scrapy_robots1994.escaping import is_printable, percent_encode_control_chars
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import (
    UNDECODABLE,
    field_of_letters,
    first_odd,
    is_latin,
    is_odd,
    likely_field,
    name_of,
    undecorated,
    undecorated_value,
    without_odd,
    without_odd_ends,
)
from scrapy_robots1994.lint.fixes import (
    Effect,
    Fix,
    effect_of_new,
    in_place,
    quoted,
    rule_line,
)
from scrapy_robots1994.lint.kinds import INFO, KIND_CODED, Problem
from scrapy_robots1994.lint.values import (
    likely_name,
    name_problems,
    path_problems,
    sitemap_problems,
    template_in,
)
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import (
    ALLOW,
    DISALLOW,
    FIELD_NAMED,
    FIELDS,
    IDLE,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.parser.reader import SPACE, Line, read

# Takes a line, and the dialect.
_ValueCheck: TypeAlias = Callable[[Line, Dialect], Iterator[Problem]]

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
    Role.SITEMAP: sitemap_problems,
}
_WITH_ROLE = [it.name for it in FIELDS if it.role is not Role.NONE]
_NAMES_WITH_ROLE = "|".join(map(re.escape, _WITH_ROLE))
# A second field after space or punctuation, after a line end that is spelled out, or
# right after the star of a name; or, as it is mostly written and with a value of its own,
# right behind the value of the first.
_SECOND_FIELD = re.compile(
    rf"(?:[{SPACE},;|>]|\\[nr]|(?<=\*))((?ai:{_NAMES_WITH_ROLE}))[{SPACE}]*:"
    rf"|(User-[Aa]gent)[{SPACE}]*:(?=[{SPACE}]*[\w*])"
    rf"|(Disallow|(?<![a-z])Allow)[{SPACE}]*:(?=[{SPACE}]*(?:[/*]|\Z))"
    rf"|(Sitemap)[{SPACE}]*:(?=[{SPACE}]*https?://)"
    rf"|(Crawl-[Dd]elay)[{SPACE}]*:(?=[{SPACE}]*[0-9])"
)
# The number of characters of a value in which a second field is looked for: one search of a
# line of 500 KB would stop the event loop for 90 ms.
_MAX_SEARCHED = 10_000
# The characters between two fields on one line.
_BETWEEN = re.compile(rf"(?:[{SPACE},;|]|\\[nr]|<(?:br|/?p)[ /]*>)+\Z", re.IGNORECASE)
# What separates the words of a line whose colon is missing.
_WORD_END = re.compile(f"[{SPACE}=;]+")
# A value that is no word of a sentence: a path, a pattern, a URL.
_RULE_VALUE = re.compile(r"(?:https?://|[/*]|\Z)")
_BARE_URL = re.compile(r"https?://[^\s]+\Z", re.IGNORECASE)
_BARE_SITEMAP = re.compile(r"sitemap|\.xml(?:\.gz)?\Z", re.IGNORECASE)
_BARE_PATH = re.compile(r"/(?![/*])[^\s]*\Z")


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
    if kind in IDLE:
        return ()
    if second := second_field(value):
        # 1994 F3: one field a line. What else is odd about the line follows from it.
        return (_two_fields(line, second, dialect),)
    if field is None:
        return _ignored(line, dialect)
    if template := template_in(line):
        return (template,)
    if field.bad_value is not None and kind is field.bad_value.kind:
        return (_bad_value(line, field, KIND_CODED[field.bad_value.problem]),)
    check = _VALUE_CHECKS[field.role]
    return _effective(line, field, dialect, check) if check else ()


def _bad_value(line: Line, field: Field, bad: kinds.Kind) -> Problem:
    """Return the problem of a line whose value says nothing."""
    if bad is kinds.NAMELESS and line.value.startswith("/"):
        return kinds.PATH_AS_NAME.at(
            line.number, line.value_column, line.value, field=field, meant=("*",)
        )
    number = re.fullmatch(
        r"([0-9]+)(?:[.,]([0-9]+))? ?(?:s|secs?|seconds?)?\.?", line.value
    )
    advice = None
    if bad is kinds.TIMELESS and number:
        seconds = number[1] + (f".{number[2]}" if number[2] else "")
        new = rule_line(line, seconds)
        advice = in_place(line, new, words=f"Write {quoted(new)}.")
    return bad.at(line.number, line.column, line.value, field=field, advice=advice)


def _effective(
    line: Line, field: Field, dialect: Dialect, check: _ValueCheck
) -> Iterator[Problem]:
    """Yield the problems of a line that names a robot, a path or a sitemap."""
    odd = _odd_in_value(field, line.value)
    yield from _form_problems(line, field, dialect, has_odd=odd >= 0)
    if odd < 0:
        yield from check(line, dialect)
        return
    as_seen = without_odd if field.role is Role.NAMES else without_odd_ends
    seen = as_seen(line.value).strip(SPACE)
    new = rule_line(line, seen)
    yield _invisible(
        line,
        line.value_column + odd,
        f'"{line.field}: …"',
        field=field,
        meant=_meant(field, dialect, seen),
        # RFC 9309 2.2.2: against the shorter path another rule may decide.
        advice=in_place(line, new, effect=Effect.EITHER),
    )


def second_field(value: str) -> re.Match[str] | None:
    """Return where a second field begins in *value*, if one does in its first characters."""
    return _SECOND_FIELD.search(value, 0, _MAX_SEARCHED) if ":" in value else None


def _two_fields(line: Line, second: re.Match[str], dialect: Dialect) -> Problem:
    """Return the problem of a line in whose value a *second* field begins."""
    place = next(it for it in range(1, 6) if second[it])
    start, name = second.start(place), second[place]
    before = _without_end(line.value[:start])
    first, other = line.known, FIELD_NAMED[name.lower()]
    is_second_closing = other.closes or first is None
    return kinds.TWO_FIELDS.at(
        line.number,
        line.value_column + start,
        name,
        line.field,
        field=other if is_second_closing else first,
        meant=_meant(first, dialect, before),
        advice=partial(_parted, line, before, line.value[start:], (first, other)),
    )


def _parted(
    line: Line, before: str, rest: str, rows: tuple[Field | None, Field]
) -> Fix:
    """Return the advice to write each of the fields of a *line* on a line of its own."""
    new = [rule_line(line._replace(raw=""), before)]
    start = 0
    while second := _SECOND_FIELD.search(rest, rest.index(":", start) + 1):
        end = second.start(next(it for it in range(1, 6) if second[it]))
        new.append(_without_end(rest[start:end]))
        start = end
    new.append(rest[start:])
    words = f"Write {' and '.join(map(quoted, new))} on lines of their own"
    if rows[0] is DISALLOW and before == "/":
        words += (
            ", if the whole site is meant to be closed; else the first is an empty "
            "`Disallow:` or another path"
        )
    return in_place(line, *new, words=f"{words}.", effect=Effect.EITHER)


def _without_end(text: str) -> str:
    """Return *text* without the characters between two fields; only its last 99 characters are
    searched.
    """
    return text[:-99] + _BETWEEN.sub("", text[-99:])


def _meant(field: Field | None, dialect: Dialect, value: str) -> tuple[str, ...]:
    """Return the robots that the author of a line with this *value* probably meant."""
    if field is None or field.role is not Role.NAMES:
        return ()
    return tuple(map(likely_name, dialect.names(value)))


def _odd_in_value(field: Field, value: str) -> int:
    """Return where in *value* an odd character is that spoils it; -1 if nowhere."""
    if value.isascii():
        return -1
    if field.role is Role.NAMES:
        return first_odd(value)
    # Inside a path it may be meant; at its ends it is not.
    return next((at for at in (0, len(value) - 1) if is_odd(value[at])), -1)


def _form_problems(
    line: Line, field: Field, dialect: Dialect, *, has_odd: bool
) -> Iterator[Problem]:
    """Yield what is odd about the form of a line, whatever its field."""
    # Ours O15: accepted, and reported.
    if not line.raw.startswith(f"{line.field}:"):
        new = rule_line(line, line.value)
        yield kinds.SPACED.at(line.number, 1, advice=in_place(line, new))
    value = line.value
    if not value.isascii():
        # Ours O25. An undecodable byte is reported by itself.
        value = UNDECODABLE.sub("", value)
    if dialect.has_lists:
        # Revisited K1, K2: a tab separates the values of a list.
        value = value.replace("\t", " ")
    if not (has_odd or is_printable(value)):
        yield _control(line, field)
    if "#" in line.raw and line.value:
        yield from _comment_problems(line)


def _control(line: Line, field: Field) -> Problem:
    """Return the problem of characters that no one sees."""
    advice = None
    if field.role is Role.RULE and "\t" not in line.value:
        new = rule_line(line, percent_encode_control_chars(_encoded(line.value)))
        advice = in_place(line, new)
    return kinds.CONTROL.at(line.number, line.value_column, line.value, advice=advice)


def _encoded(value: str) -> str:
    """Return *value* with each character that is not printable percent-encoded."""
    return "".join(
        it
        if it.isprintable() or "\ud800" <= it <= "\udfff"
        else "".join(f"%{octet:02X}" for octet in it.encode())
        for it in value
    )


def _comment_problems(line: Line) -> Iterator[Problem]:
    """Yield what is odd about the comment behind a value."""
    column = line.comment_column
    before = line.text[column - 2]
    if line.value == "/" and before == "/":
        # Ours O13
        new = rule_line(line, "")
        advice = in_place(line, new, effect=Effect.OPENS)
        yield kinds.CLOSED_BY_COMMENT.at(line.number, column, advice=advice)
    elif before not in SPACE:
        new = rule_line(line, line.value)
        advice = in_place(line, new)
        yield kinds.COMMENT_INSIDE.at(line.number, column, line.value, advice=advice)


def _ignored(line: Line, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problem of a line that has no effect; what it says is never guessed."""
    known = line.known
    if known is not None:
        # 1994 F6: a field that only another dialect has. What an Allow would open is looked at
        # with its record.
        return () if known is ALLOW else (absent(line, known),)
    likely = likely_field(line.field, dialect)
    for column, text in _as_seen(line, likely):
        seen = next(read(text, dialect), None)
        if seen is not None and (seen.kind is LineKind.BLANK or seen.row is not None):
            return (_invisible_form(line, column, seen, dialect),)
    if line.kind is LineKind.MALFORMED:
        return (_malformed(line, dialect),)
    return _unknown(line, likely, dialect)


def _unknown(line: Line, likely: Field | None, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problem of a line with a field that nothing is known of.

    *likely* is the field of the dialect that was probably meant.
    """
    # 1994 F6
    known = field_of_letters(line.field)
    if known is not None and known is not likely:
        return () if known is ALLOW else (absent(line, known),)
    if likely is not None:
        value = undecorated_value(line.field, line.value)
        new = rule_line(line, value, likely.name)
        is_decorated = new != rule_line(line, line.value, likely.name) or (
            undecorated(line.field) != line.field
        )
        words = _corrected(new) if is_decorated else ""
        fix = in_place(line, new, words=words, effect=effect_of_new(likely))
        problem = kinds.MISSPELT.at(
            line.number,
            line.column,
            line.field,
            likely.name,
            field=likely,
            meant=_meant(likely, dialect, value),
            advice=fix,
        )
        return (problem,)
    if _WORD_END.search(line.field) or _BARE_URL.match(_content(line)):
        # The colon is that of a value.
        problem = _malformed(line, dialect)
        if problem.kind is not kinds.MALFORMED or _BARE_URL.match(_content(line)):
            return (problem,)
    commented = in_place(line, f"# {line.text.lstrip(SPACE)}")
    return (kinds.UNKNOWN.at(line.number, line.column, line.field, advice=commented),)


def _corrected(new: str) -> str:
    """Return the words of the fix that writes *new*."""
    return f"Write {quoted(new)}: a field is obeyed only when its name is exact."


def absent(line: Line, field: Field) -> Problem:
    """Return the problem of a line of a *field* that the dialect does not have."""
    return KIND_CODED[field.absent].at(line.number, line.column, line.field)


def _as_seen(line: Line, likely: Field | None) -> Iterator[tuple[int, str]]:
    """Yield what the author may see in place of *line*, and the column of the character
    that makes the difference.
    """
    odd = first_odd(line.text)
    if odd >= 0:
        start, slash, path = line.text.partition("/")
        yield odd + 1, without_odd(start) + slash + without_odd_ends(path)
    if likely is not None and not is_latin(line.field):
        # A letter of another alphabet, which looks like one of the field *likely*.
        column = next(at for at, it in enumerate(line.text, 1) if not it.isascii())
        yield column, line.text.replace(line.field, likely.name, 1)


def _invisible_form(line: Line, column: int, seen: Line, dialect: Dialect) -> Problem:
    """Return the problem of an odd character that deprives *line* of its effect."""
    field = seen.row
    if field is None:
        deleted = in_place(line, words="Delete the line.")
        return _invisible(
            line, column, "a blank line", is_harmless=True, advice=deleted
        )
    return _invisible(
        line,
        column,
        f'"{seen.field}"',
        field=field,
        meant=_meant(field, dialect, seen.value),
        advice=in_place(line, seen.text, effect=effect_of_new(field)),
    )


def _invisible(line: Line, column: int, seen: str, **more: Any) -> Problem:
    """Return the problem of an odd character; without it the line would be *seen*."""
    name = name_of(line.text[column - 1])
    return kinds.INVISIBLE.at(line.number, column, name, seen, **more)


def _content(line: Line) -> str:
    """Return *line* without its comment and the space around it."""
    return line.text[: line.comment_column - 1].strip(SPACE)


def _malformed(line: Line, dialect: Dialect) -> Problem:
    """Return the problem of a line without a field name and a colon."""
    # Ours O14
    content = _content(line)
    if missing := _without_name(line, content):
        return missing
    # What would be the name of the field: one word, or two as in "User agent x".
    first, *others = _WORD_END.split(content, maxsplit=2)
    names = (first, first + others[0]) if others else ()
    likely = next(filter(None, (likely_field(it, dialect) for it in names)), None)
    if likely is not None:
        words = 1 if likely_field(first, dialect) else 2
        value = "".join(_WORD_END.split(content, maxsplit=words)[words:])
        # A sentence may begin so.
        is_value = likely.role is not Role.RULE or _RULE_VALUE.match(value)
        if ":" not in content or is_value:
            new = rule_line(line, value, likely.name)
            fix = (
                in_place(line, new, effect=effect_of_new(likely)) if is_value else None
            )
            return kinds.NO_COLON.at(
                line.number,
                line.column,
                content,
                likely.name,
                field=likely,
                meant=_meant(likely, dialect, value),
                advice=fix,
            )
    commented = in_place(line, f"# {line.text.lstrip(SPACE)}")
    return kinds.MALFORMED.at(line.number, line.column, content, advice=commented)


def _without_name(line: Line, content: str) -> Problem | None:
    """Return the problem of a line that is a value alone; None if it is none."""
    if _BARE_URL.match(content) and _BARE_SITEMAP.search(content):
        row, level = FIELD_NAMED["sitemap"], INFO
    elif _BARE_PATH.match(content):
        row, level = DISALLOW, ""
    else:
        return None
    new = rule_line(line, content, row.name)
    words = f"Write {quoted(new)}"
    if row is DISALLOW:
        words += ", if the path is to be closed; else begin the line with `#`"
    return kinds.FIELD_MISSING.at(
        line.number,
        line.column,
        content,
        row.name,
        field=row,
        level=level,
        advice=in_place(line, new, words=f"{words}.", effect=effect_of_new(row)),
    )
