"""Find problems with single lines, without regard to other lines."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias
from urllib.parse import quote

from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import (
    UNDECODABLE,
    field_of_letters,
    first_odd,
    is_latin,
    likely_field,
    name_of,
    undecorated,
    undecorated_value,
    without_odd,
    without_odd_ends,
)
from scrapy_robots1994.lint.fixes import (
    Fix,
    bare_line,
    in_place,
    quoted,
    rule_line,
    with_value,
)
from scrapy_robots1994.lint.kinds import ERROR, INFO, KIND_CODED, Problem
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
    USER_AGENT,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.parser.reader import SPACE, Line, read
from scrapy_robots1994.parser.user_agent import EVERYBODY

# A value check is a function that yields the problems with the value of a line.
_ValueCheck: TypeAlias = Callable[[Line, Dialect], Iterator[Problem]]

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
# `_SECOND_FIELD` matches the name and the colon of a second field in a value. After
# space, punctuation, a `*`, or a literal `\n` or `\r`, the name of a second field may be
# written in any case. Directly after other text, the name of a second field must be in
# its usual case, and a value that suits the field must follow.
_SECOND_FIELD = re.compile(
    rf"(?:[{SPACE},;|>]|\\[nr]|(?<=\*)"
    rf"|(?=User-[Aa]gent[{SPACE}]*:[{SPACE}]*[\w*])"
    rf"|(?=(?:Disallow|(?<![a-z])Allow)[{SPACE}]*:[{SPACE}]*(?:[/*]|\Z))"
    rf"|(?=Sitemap[{SPACE}]*:[{SPACE}]*https?://)"
    rf"|(?=Crawl-[Dd]elay[{SPACE}]*:[{SPACE}]*[0-9]))"
    rf"((?ai:{_NAMES_WITH_ROLE}))[{SPACE}]*:"
)
# Only the first `_MAX_SEARCHED` characters of a value are searched for a second field.
# Searching a line of 500 KB would block the event loop for 90 ms.
_MAX_SEARCHED = 10_000
# `_BETWEEN` matches the separators between two fields on one line.
_BETWEEN = re.compile(rf"(?:[{SPACE},;|]|\\[nr]|<(?:br|/?p)[ /]*>)+\Z", re.IGNORECASE)
# `_WORD_END` matches the separators between words in a line without a colon.
_WORD_END = re.compile(f"[{SPACE}=;]+")
# `_RULE_VALUE` matches an empty value, and the beginning of a path, a pattern or a URL.
# `_RULE_VALUE` does not match the beginning of a word.
_RULE_VALUE = re.compile(r"(?:https?://|[/*]|\Z)")
_BARE_URL = re.compile(r"https?://[^\s]+\Z", re.IGNORECASE)
_BARE_SITEMAP = re.compile(r"sitemap|\.xml(?:\.gz)?\Z", re.IGNORECASE)
_BARE_PATH = re.compile(r"/(?![/*])[^\s]*\Z")
# `_SECONDS` matches a number of seconds, also with a decimal comma or a unit.
_SECONDS = re.compile(r"([0-9]+)(?:[.,]([0-9]+))? ?(?:s|secs?|seconds?)?\.?")
_PREFERENCE_FIX = (
    "No change is needed: the line states a preference about the use of pages, and does not "
    "change which pages robots may fetch."
)


def line_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with *line* that do not depend on the record of *line*."""
    field = line.row
    if line.kind in IDLE:
        return
    if second := second_field(line.value):
        # 1994 F3 (form of a line): a line has one field. Report only the second field,
        # because the second field probably causes the other problems.
        yield _two_fields(line, second, dialect)
    elif field is None:
        if problem := _ignored(line, dialect):
            yield problem
    elif template := template_in(line, field):
        yield template
    elif field.bad_value is not None and line.kind is field.bad_value.kind:
        yield _bad_value(line, field, KIND_CODED[field.bad_value.problem])
    elif check := _VALUE_CHECKS[field.role]:
        yield from _effective(line, field, dialect, check)


def _bad_value(line: Line, field: Field, bad: kinds.Kind) -> Problem:
    """Return the problem with *line*, whose value has no meaning for its *field*."""
    if bad is kinds.NAMELESS and line.value.startswith("/"):
        return kinds.PATH_AS_NAME.at(
            line, line.value, column=line.value_column, meant=(EVERYBODY,)
        )
    advice = None
    if number := _SECONDS.fullmatch(line.value):
        new = rule_line(line, ".".join(filter(None, number.groups())))
        advice = in_place(line, new, words=f"Write {quoted(new)}.")
    return bad.at(line, line.value, field=field, advice=advice)


def _effective(
    line: Line, field: Field, dialect: Dialect, check: _ValueCheck
) -> Iterator[Problem]:
    """Yield the problems with the form and with the value of *line*, whose field is *field*.

    *check* yields the problems with a value that has no odd character.
    """
    # Ours O15 (space before a field or colon): the space is accepted, but reported.
    if not line.raw.startswith(f"{line.field}:"):
        yield kinds.SPACED.at(line, column=1, advice=with_value(line, line.value))
    if line.comment and line.value:
        yield from _comment_problems(line)
    # An odd character inside a path is sometimes intended. At the start or end of a path,
    # an odd character is a mistake.
    is_name = field is USER_AGENT
    odd = first_odd(line.value, at_ends=not is_name)
    if odd < 0:
        yield from _control_problems(line, field, dialect)
        yield from check(line, dialect)
        return
    as_seen = without_odd if is_name else without_odd_ends
    seen = as_seen(line.value).strip(SPACE)
    yield _invisible(
        line,
        line.value_column + odd,
        f'"{line.field}: …"',
        meant=_meant(field, dialect, seen),
        advice=with_value(line, seen),
    )


def second_field(value: str) -> re.Match[str] | None:
    """Return the match of a second field in *value*, or None. Group 1 is the name of the
    field.

    Only the first `_MAX_SEARCHED` characters are searched.
    """
    return _SECOND_FIELD.search(value, 0, _MAX_SEARCHED) if ":" in value else None


def _two_fields(line: Line, second: re.Match[str], dialect: Dialect) -> Problem:
    """Return the problem with *line*, whose value contains the field *second*."""
    start, name = second.start(1), second[1]
    first, other = line.known, FIELD_NAMED[name.lower()]
    is_second_closing = other.closes or first is None
    return kinds.TWO_FIELDS.at(
        line,
        name,
        line.field,
        column=line.value_column + start,
        field=other if is_second_closing else first,
        meant=_meant(first, dialect, _without_end(line.value[:start])),
        advice=partial(_parted, line, second),
    )


def _parted(line: Line, second: re.Match[str]) -> Fix:
    """Return the advice to write each field of *line* on a line of its own. *second* is the
    match of the second field.
    """
    more = _SECOND_FIELD.finditer(line.value, second.end())
    starts = [0, second.start(1), *(it.start(1) for it in more), len(line.value)]
    parts = [_without_end(line.value[at:end]) for at, end in pairwise(starts)]
    new = [bare_line(line, parts[0]), *parts[1:]]
    words = f"Write {' and '.join(map(quoted, new))} on lines of their own"
    if line.known is DISALLOW and parts[0] == "/":
        words += (
            f". If the line is not meant for the whole site, write an empty `Disallow:` or "
            f"another path in place of {quoted(new[0])}"
        )
    return in_place(line, *new, words=f"{words}.")


def _without_end(text: str) -> str:
    """Return *text* without the separators at the end. Only the last 99 characters are
    searched.
    """
    return text[:-99] + _BETWEEN.sub("", text[-99:])


def _meant(field: Field | None, dialect: Dialect, value: str) -> tuple[str, ...]:
    """Return the names that the author of a User-agent line with this *value* probably
    meant. Return () if *field* is not User-agent.
    """
    if field is not USER_AGENT:
        return ()
    return tuple(map(likely_name, dialect.names(value)))


def _control_problems(line: Line, field: Field, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem if the value of *line* has invisible characters."""
    # Ours O25 (control characters): leave out undecodable bytes, because another problem
    # reports these bytes.
    value = UNDECODABLE.sub("", line.value)
    if dialect.has_lists:
        # Revisited K1 and K2 (lists of names and of paths): a tab separates two values, so
        # do not report the tab.
        value = value.replace("\t", " ")
    if is_printable(value):
        return
    advice = None
    if field.role is Role.RULE and "\t" not in line.value:
        encoded = (
            it if it.isprintable() else quote(it, errors="surrogateescape")
            for it in line.value
        )
        advice = with_value(line, "".join(encoded))
    yield kinds.CONTROL.at(line, line.value, column=line.value_column, advice=advice)


def _comment_problems(line: Line) -> Iterator[Problem]:
    """Yield a problem if the comment after the value of *line* is probably a mistake."""
    column = line.comment_column
    before = line.text[column - 2]
    if line.value == "/" and before == "/":
        # Ours O13 (start of a comment): a `#` in a URL begins a comment, so the value is
        # only `/`.
        advice = with_value(line, "")
        yield kinds.CLOSED_BY_COMMENT.at(line, column=column, advice=advice)
    elif before not in SPACE:
        advice = with_value(line, line.value)
        yield kinds.COMMENT_INSIDE.at(line, line.value, column=column, advice=advice)


def _ignored(line: Line, dialect: Dialect) -> Problem | None:
    """Return the problem with *line*, which has no effect. Return None if there is
    nothing to report.

    For some lines, the problem suggests what the author meant. The parser never guesses
    what an author meant.
    """
    if line.known is not None:
        return _absent(line, line.known)
    likely = likely_field(line.field, dialect)
    for column, text in _as_seen(line, likely):
        seen = next(read(text, dialect), None)
        if seen is not None and (seen.kind is LineKind.BLANK or seen.row is not None):
            return _invisible_form(line, column, seen, dialect)
    known = field_of_letters(line.field)
    if known is not None and known is not likely:
        return _absent(line, known)
    if likely is not None:
        return _misspelt(line, likely, dialect)
    return _without_meaning(line, dialect)


def _absent(line: Line, field: Field) -> Problem | None:
    """Return the problem with *line*, whose *field* exists only in other dialects.

    Return None if *field* is Allow, because `ignored_allows` checks an Allow line together
    with its record.
    """
    if field is ALLOW:
        return None
    # 1994 F6 (fields): a field that only other dialects have is ignored.
    advice, effect = None, "is ignored"
    if field.is_preference:
        advice, effect = Fix(_PREFERENCE_FIX), "states a usage preference"
    return KIND_CODED[field.absent].at(line, line.field, effect, advice=advice)


def _misspelt(line: Line, likely: Field, dialect: Dialect) -> Problem:
    """Return the problem with *line*, whose author probably meant the field *likely*."""
    value = undecorated_value(line.field, line.value)
    new = rule_line(line, value, likely.name)
    words = ""
    if value != line.value or undecorated(line.field) != line.field:
        words = f"Write {quoted(new)}: a field is obeyed only when its name is exact."
    return kinds.MISSPELT.at(
        line,
        line.field,
        likely.name,
        field=likely,
        meant=_meant(likely, dialect, value),
        advice=in_place(line, new, words=words),
    )


def _as_seen(line: Line, likely: Field | None) -> Iterator[tuple[int, str]]:
    """If *line* contains an odd character, such as a letter of another alphabet, yield
    the texts that the author could see in an editor.

    With each text, yield the column of the first odd character.
    """
    odd = first_odd(line.text)
    if odd >= 0:
        start, slash, path = line.text.partition("/")
        yield odd + 1, without_odd(start) + slash + without_odd_ends(path)
    if likely is not None and not is_latin(line.field):
        # The field of the line can contain a letter of another alphabet that looks like a
        # letter in the name of *likely*.
        column = next(at for at, it in enumerate(line.text, 1) if not it.isascii())
        yield column, line.text.replace(line.field, likely.name, 1)


def _invisible_form(line: Line, column: int, seen: Line, dialect: Dialect) -> Problem:
    """Return the problem with *line*, which has no effect because of an odd character.

    *column* is the column of the odd character. *seen* is the line that the author sees.
    """
    field = seen.row
    if field is None:
        advice = in_place(line, words="Delete the line.")
        return _invisible(
            line, column, "a blank line", weakens_policy=False, advice=advice
        )
    name, meant = f'"{seen.field}"', _meant(field, dialect, seen.value)
    advice = in_place(line, seen.text)
    return _invisible(line, column, name, field=field, meant=meant, advice=advice)


def _invisible(line: Line, column: int, seen: str, **more: Any) -> Problem:
    """Return the problem with the odd character at *column* of *line*.

    *seen* says what the line would be without the odd character.
    """
    name = name_of(line.text[column - 1])
    return kinds.INVISIBLE.at(line, name, seen, column=column, **more)


def _without_meaning(line: Line, dialect: Dialect) -> Problem:
    """Return the problem with *line*. If *line* has a field, the field is not similar to a
    known field.

    The problem with some lines is that a value has no field, or that the name of a field
    has no colon.
    """
    # A colon in the line can be part of a value, such as a URL.
    content = line.text[: line.comment_column - 1].strip(SPACE)
    is_malformed = line.kind is LineKind.MALFORMED or _BARE_URL.match(content)
    if is_malformed or _WORD_END.search(line.field):
        guess = _without_field(line, content) or _without_colon(line, content, dialect)
        if guess is not None:
            return guess
    commented = in_place(line, f"# {line.text.lstrip(SPACE)}")
    if is_malformed:
        # Ours O14 (line without a colon): the line is ignored. The parser never guesses the
        # meaning of the line.
        return kinds.MALFORMED.at(line, content, advice=commented)
    # 1994 F6 (fields): an unknown field is ignored.
    return kinds.UNKNOWN.at(line, line.field, advice=commented)


def _without_colon(line: Line, content: str, dialect: Dialect) -> Problem | None:
    """Return the problem with *line* if *line* begins with the name of a field, but has
    no colon after the name. Return None for any other line.
    """
    # The name of the field may be the first word, or the first two words, as in "User agent
    # x".
    for words in (1, 2):
        parts = _WORD_END.split(content, maxsplit=words)
        likely = likely_field("".join(parts[:words]), dialect)
        if likely is None or len(parts) == 1:
            continue
        value = "".join(parts[words:])
        # A sentence can begin with a word such as "allow", so the rest of the line must
        # look like a path.
        is_value = likely.role is not Role.RULE or _RULE_VALUE.match(value)
        if ":" in content and not is_value:
            return None
        new = rule_line(line, value, likely.name)
        return kinds.NO_COLON.at(
            line,
            content,
            likely.name,
            field=likely,
            meant=_meant(likely, dialect, value),
            advice=in_place(line, new) if is_value else None,
        )
    return None


def _without_field(line: Line, content: str) -> Problem | None:
    """Return the problem with *line* if the line has a value but no field.

    Otherwise, return None.
    """
    if _BARE_URL.match(content) and _BARE_SITEMAP.search(content):
        row, level, condition = FIELD_NAMED["sitemap"], INFO, ""
    elif _BARE_PATH.match(content):
        row, level = DISALLOW, ERROR
        condition = (
            ", if the path is meant to be disallowed; otherwise begin the line with `#`"
        )
    else:
        return None
    new = rule_line(line, content, row.name)
    words = f"Write {quoted(new)}{condition}."
    advice = in_place(line, new, words=words)
    return kinds.FIELD_MISSING.at(
        line, content, row.name, field=row, severity=level, advice=advice
    )
