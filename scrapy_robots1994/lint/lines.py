"""Find problems with single lines, without regard to other lines."""

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

# A value check is a function that yields the problems with the value of a line.
_ValueCheck: TypeAlias = Callable[[Line, Dialect], Iterator[Problem]]

# The value of a rule has no problem if the value is empty, or if the value is a slash that
# is followed only by characters of `_PLAIN`.
_PLAIN = r"!\"%-)+-9;-~"
_PLAIN_VALUE = re.compile(rf"(?:/[{_PLAIN}]*)?")
# All values are searched as one text, with an NL before each value. If neither
# `_ODD_CHARACTER` nor `_ODD_START` matches, all values are free of problems.
_ODD_CHARACTER = re.compile(rf"[^\n{_PLAIN}]")
_ODD_START = re.compile(r"\n[^\n/]")

# `_VALUE_CHECKS` maps each role to its value check, or to None if the values are not
# checked. The table must have an entry for every role that a dialect can have.
_VALUE_CHECKS: dict[Role, _ValueCheck | None] = {
    Role.NAMES: name_problems,
    Role.RULE: path_problems,
    Role.PAUSE: None,
    Role.SITEMAP: sitemap_problems,
}
_WITH_ROLE = [it.name for it in FIELDS if it.role is not Role.NONE]
_NAMES_WITH_ROLE = "|".join(map(re.escape, _WITH_ROLE))
# `_SECOND_FIELD` matches the name and the colon of a second field in a value. After space,
# punctuation, a `*`, or a literal `\n` or `\r`, the name may be written in any case.
# Directly after other text, the name must be in its usual case, and a value that suits the
# field must follow.
_SECOND_FIELD = re.compile(
    rf"(?:[{SPACE},;|>]|\\[nr]|(?<=\*))((?ai:{_NAMES_WITH_ROLE}))[{SPACE}]*:"
    rf"|(User-[Aa]gent)[{SPACE}]*:(?=[{SPACE}]*[\w*])"
    rf"|(Disallow|(?<![a-z])Allow)[{SPACE}]*:(?=[{SPACE}]*(?:[/*]|\Z))"
    rf"|(Sitemap)[{SPACE}]*:(?=[{SPACE}]*https?://)"
    rf"|(Crawl-[Dd]elay)[{SPACE}]*:(?=[{SPACE}]*[0-9])"
)
# At most this number of characters of a value are searched for a second field, because
# searching a line of 500 KB would block the event loop for 90 ms.
_MAX_SEARCHED = 10_000
# `_BETWEEN` matches the separators between two fields on one line.
_BETWEEN = re.compile(rf"(?:[{SPACE},;|]|\\[nr]|<(?:br|/?p)[ /]*>)+\Z", re.IGNORECASE)
# `_WORD_END` matches the separators between words in a line without a colon.
_WORD_END = re.compile(f"[{SPACE}=;]+")
# `_RULE_VALUE` matches an empty value, and the beginning of a path, a pattern or a URL.
# `_RULE_VALUE` does not match the beginning of a word in a sentence.
_RULE_VALUE = re.compile(r"(?:https?://|[/*]|\Z)")
_BARE_URL = re.compile(r"https?://[^\s]+\Z", re.IGNORECASE)
_BARE_SITEMAP = re.compile(r"sitemap|\.xml(?:\.gz)?\Z", re.IGNORECASE)
_BARE_PATH = re.compile(r"/(?![/*])[^\s]*\Z")


def odd_rules(rules: Iterable[Line]) -> Iterator[Line]:
    """Yield the *rules* whose values may have a problem."""
    values = "\n".join(["", *[it.value for it in rules]])
    # One search through all values is enough for most files, because most files have no
    # odd value.
    if _ODD_CHARACTER.search(values) or _ODD_START.search(values):
        is_plain = _PLAIN_VALUE.fullmatch
        yield from (it for it in rules if not is_plain(it.value))


def line_problems(line: Line, dialect: Dialect) -> Iterable[Problem]:
    """Return the problems with *line* that do not depend on its record."""
    kind, field, value = line.kind, line.row, line.value
    if kind in IDLE:
        return ()
    if second := second_field(value):
        # 1994 F3 (form of a line): a line has one field. Report only the second field,
        # because the second field causes any other problem with the line.
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
    """Return the problem with *line*, whose value has no meaning for its *field*."""
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
    """Yield the problems with the form and with the value of *line*, whose field is *field*.

    *check* yields the problems with a value that has no odd character.
    """
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
        # RFC 9309 2.2.2: the longest rule decides. The new path is shorter, so another rule
        # may decide instead.
        advice=in_place(line, new, effect=Effect.EITHER),
    )


def second_field(value: str) -> re.Match[str] | None:
    """Return the match of a second field in *value*, or None.

    Only the first `_MAX_SEARCHED` characters are searched.
    """
    return _SECOND_FIELD.search(value, 0, _MAX_SEARCHED) if ":" in value else None


def _two_fields(line: Line, second: re.Match[str], dialect: Dialect) -> Problem:
    """Return the problem with *line*, whose value contains the field *second*."""
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
    """Return the advice to write each field of *line* on a line of its own."""
    new = [rule_line(line._replace(raw=""), before)]
    start = 0
    while second := _SECOND_FIELD.search(rest, rest.index(":", start) + 1):
        end = second.start(next(it for it in range(1, 6) if second[it]))
        new.append(_without_end(rest[start:end]))
        start = end
    new.append(_without_end(rest[start:]))
    words = f"Write {' and '.join(map(quoted, new))} on lines of their own"
    if rows[0] is DISALLOW and before == "/":
        words += (
            f". If the whole site is not meant, write an empty `Disallow:` or another path "
            f"in place of {quoted(new[0])}"
        )
    return in_place(line, *new, words=f"{words}.", effect=Effect.EITHER)


def _without_end(text: str) -> str:
    """Return *text* without separators at its end. Only the last 99 characters are
    searched.
    """
    return text[:-99] + _BETWEEN.sub("", text[-99:])


def _meant(field: Field | None, dialect: Dialect, value: str) -> tuple[str, ...]:
    """Return the names that the author of a User-agent line with this *value* probably
    meant. Return () if *field* is not User-agent.
    """
    if field is None or field.role is not Role.NAMES:
        return ()
    return tuple(map(likely_name, dialect.names(value)))


def _odd_in_value(field: Field, value: str) -> int:
    """Return the position of the odd character that makes *value* wrong, or -1 if no odd
    character makes *value* wrong.
    """
    if value.isascii():
        return -1
    if field.role is Role.NAMES:
        return first_odd(value)
    # The author may have meant an odd character inside a path. An odd character at the
    # start or end of a path is a mistake.
    return next((at for at in (0, len(value) - 1) if is_odd(value[at])), -1)


def _form_problems(
    line: Line, field: Field, dialect: Dialect, *, has_odd: bool
) -> Iterator[Problem]:
    """Yield the problems with the spaces, control characters and comment of *line*.

    *has_odd* is true if another problem reports the odd characters in *line*.
    """
    # Ours O15 (space before a field or colon): the space is accepted, but reported.
    if not line.raw.startswith(f"{line.field}:"):
        new = rule_line(line, line.value)
        yield kinds.SPACED.at(line.number, 1, advice=in_place(line, new))
    value = line.value
    if not value.isascii():
        # Ours O25 (control characters): leave out undecodable bytes, which another problem
        # reports.
        value = UNDECODABLE.sub("", value)
    if dialect.has_lists:
        # Revisited K1 and K2 (lists of names and of paths): a tab separates two values, so
        # do not report the tab.
        value = value.replace("\t", " ")
    if not (has_odd or is_printable(value)):
        yield _control(line, field)
    if "#" in line.raw and line.value:
        yield from _comment_problems(line)


def _control(line: Line, field: Field) -> Problem:
    """Return the problem with the invisible characters in the value of *line*."""
    advice = None
    if field.role is Role.RULE and "\t" not in line.value:
        new = rule_line(line, percent_encode_control_chars(_encoded(line.value)))
        advice = in_place(line, new)
    return kinds.CONTROL.at(line.number, line.value_column, line.value, advice=advice)


def _encoded(value: str) -> str:
    """Percent-encode each character of *value* that is not printable.

    Leave undecodable bytes unchanged.
    """
    return "".join(
        it
        if it.isprintable() or "\ud800" <= it <= "\udfff"
        else "".join(f"%{octet:02X}" for octet in it.encode())
        for it in value
    )


def _comment_problems(line: Line) -> Iterator[Problem]:
    """Yield a problem if the comment after the value of *line* is probably a mistake."""
    column = line.comment_column
    before = line.text[column - 2]
    if line.value == "/" and before == "/":
        # Ours O13 (start of a comment): a `#` in a URL begins a comment, so the value is
        # only `/`.
        new = rule_line(line, "")
        advice = in_place(line, new, effect=Effect.OPENS)
        yield kinds.CLOSED_BY_COMMENT.at(line.number, column, advice=advice)
    elif before not in SPACE:
        new = rule_line(line, line.value)
        advice = in_place(line, new)
        yield kinds.COMMENT_INSIDE.at(line.number, column, line.value, advice=advice)


def _ignored(line: Line, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problem, if any, with *line*, which has no effect.

    The problem may suggest what the author meant, but the parser never guesses a meaning.
    """
    known = line.known
    if known is not None:
        # 1994 F6 (fields): a field that only other dialects have is ignored.
        # `effective_allows` checks an Allow line together with its record.
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
    """Return the problem with *line*, whose field is unknown.

    *likely* is the field that the author probably meant. *likely* is None if *dialect* has
    no similar field.
    """
    # 1994 F6: an unknown field is ignored.
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
        # The colon is part of a value, and does not end the name of a field.
        problem = _malformed(line, dialect)
        if problem.kind is not kinds.MALFORMED or _BARE_URL.match(_content(line)):
            return (problem,)
    commented = in_place(line, f"# {line.text.lstrip(SPACE)}")
    return (kinds.UNKNOWN.at(line.number, line.column, line.field, advice=commented),)


_PREFERENCE_FIX = (
    "Nothing need be done: the line states a preference about the use of pages, and does not "
    "change which pages robots may fetch."
)


def _corrected(new: str) -> str:
    """Return the words of the advice to write the line *new*."""
    return f"Write {quoted(new)}: a field is obeyed only when its name is exact."


def absent(line: Line, field: Field) -> Problem:
    """Return the problem with *line*, whose *field* exists only in other dialects."""
    advice, effect = None, "is ignored"
    if field.is_preference:
        advice, effect = Fix(_PREFERENCE_FIX), "states a usage preference"
    kind = KIND_CODED[field.absent]
    return kind.at(line.number, line.column, line.field, effect, advice=advice)


def _as_seen(line: Line, likely: Field | None) -> Iterator[tuple[int, str]]:
    """Yield each text that the author may see in place of *line*.

    With each text, yield the column of the first character that the author sees
    differently.
    """
    odd = first_odd(line.text)
    if odd >= 0:
        start, slash, path = line.text.partition("/")
        yield odd + 1, without_odd(start) + slash + without_odd_ends(path)
    if likely is not None and not is_latin(line.field):
        # In the field of the line, a letter of another alphabet may look like a letter in
        # the name of *likely*.
        column = next(at for at, it in enumerate(line.text, 1) if not it.isascii())
        yield column, line.text.replace(line.field, likely.name, 1)


def _invisible_form(line: Line, column: int, seen: Line, dialect: Dialect) -> Problem:
    """Return the problem with *line*, which has no effect because of an odd character.

    *column* is the column of the odd character. *seen* is the line that the author sees.
    """
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
    """Return the problem with the odd character at *column* of *line*.

    *seen* says what the line would be without the odd character.
    """
    name = name_of(line.text[column - 1])
    return kinds.INVISIBLE.at(line.number, column, name, seen, **more)


def _content(line: Line) -> str:
    """Return the text of *line* without its comment and without space at its ends."""
    return line.text[: line.comment_column - 1].strip(SPACE)


def _malformed(line: Line, dialect: Dialect) -> Problem:
    """Return the problem with *line*, which does not begin with a field name and a colon."""
    # Ours O14 (line without a colon): the line is ignored. The parser never guesses the
    # meaning of the line.
    content = _content(line)
    if missing := _without_name(line, content):
        return missing
    # The name of the field may be the first word, or the first two words as in "User agent
    # x".
    first, *others = _WORD_END.split(content, maxsplit=2)
    names = (first, first + others[0]) if others else ()
    likely = next(filter(None, (likely_field(it, dialect) for it in names)), None)
    if likely is not None:
        words = 1 if likely_field(first, dialect) else 2
        value = "".join(_WORD_END.split(content, maxsplit=words)[words:])
        # A sentence may begin with a word such as "allow", so the rest of the line must
        # look like a path.
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
    """Return the problem with *line* if the line has a value but no field.

    Otherwise, return None.
    """
    if _BARE_URL.match(content) and _BARE_SITEMAP.search(content):
        row, level = FIELD_NAMED["sitemap"], INFO
    elif _BARE_PATH.match(content):
        row, level = DISALLOW, ""
    else:
        return None
    new = rule_line(line, content, row.name)
    words = f"Write {quoted(new)}"
    if row is DISALLOW:
        words += (
            ", if the path is meant to be disallowed; otherwise begin the line with `#`"
        )
    return kinds.FIELD_MISSING.at(
        line.number,
        line.column,
        content,
        row.name,
        field=row,
        level=level,
        advice=in_place(line, new, words=f"{words}.", effect=effect_of_new(row)),
    )
