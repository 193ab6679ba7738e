"""Problems of one line by itself."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scrapy_robots1994.checks import kinds, values
from scrapy_robots1994.checks.kinds import Match
from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import DISALLOW, FIELDS, USER_AGENT, LineKind
from scrapy_robots1994.parser.reader import COMMENT, SPACE, Line, lines_of

# Lines that no check is about, but for wildcards: printable ASCII, no space in the value,
# no `#` that begins a comment, no `:` that may end the name of a second field.
_PLAIN_NAME = re.compile(r"[A-Za-z-]+: (?:[A-Za-z0-9._!+-]+|[*])")
_PLAIN_PATH = re.compile(r"[A-Za-z]+:(?: (?:/[!-\"$-9;-~]*)?)?")

# Fields whose slips open a site.
_CLOSING = (USER_AGENT.name, DISALLOW.name)
_CLOSING_KEYS = (USER_AGENT.key, DISALLOW.key)

_EXTENSION_CHECKS = {
    "allow": kinds.ALLOW,
    "crawldelay": kinds.CRAWL_DELAY,
    "sitemap": kinds.SITEMAP,
}
# Fields in use that are in no dialect here.
_EXTENSION = re.compile(
    "cachedelay|cleanparam|comment|contentsignal|contentusage|host|indexpage|nofollow"
    "|noindex|requestrate|robotversion|visittime"
)
# A second field after space or punctuation, after a line end that is spelled out, or
# right after the star of a name.
_SECOND_FIELD = re.compile(
    rf"(?:[{SPACE},;|]|\\[nr]|(?<=\*))"
    rf"((?ai:user-agent|disallow|allow|crawl-delay|sitemap))[{SPACE}]*:"
)


def line_matches(line: Line, dialect: Dialect) -> Iterable[Match]:
    """Return the problems of *line*, whatever record it belongs to."""
    match line.kind:
        case LineKind.DISALLOW | LineKind.ALLOW if _PLAIN_PATH.fullmatch(line.text):
            if "*" in line.value or "$" in line.value:
                return values.path_matches(line, dialect)
        case LineKind.USER_AGENT if _PLAIN_NAME.fullmatch(line.text):
            pass
        case LineKind.DISALLOW | LineKind.ALLOW | LineKind.USER_AGENT:
            return _effective(line, dialect)
        case LineKind.NAMELESS:
            # Ours O12
            return (kinds.NAMELESS.at(line.number, line.column),)
        case LineKind.TIMELESS:
            # Ours X4
            return (kinds.TIMELESS.at(line.number, line.column, line.value),)
        case LineKind.MALFORMED | LineKind.UNKNOWN:
            return (_ignored(line, dialect),)
    # Most lines are plain.
    return ()


def _effective(line: Line, dialect: Dialect) -> Iterator[Match]:
    """Yield the problems of a line that names a robot or a path."""
    if second := second_field(line):
        # 1994 F3: one field a line. What else is odd about the line follows from it.
        name = re.split(r"\\[nr]", line.value[: second.start()])[0]
        meant = _meant(line, dialect, name)
        column = line.value_column + second.start(1)
        yield kinds.TWO_FIELDS.at(
            line.number, column, second[1], line.field, meant=meant
        )
        return
    odd = _odd_in_value(line)
    yield from _form_matches(line, dialect, has_odd=odd >= 0)
    if odd >= 0:
        seen = values.without_odd(line.value).strip(SPACE)
        yield _invisible(
            line,
            line.value_column + odd,
            f'"{line.field}: …"',
            meant=_meant(line, dialect, seen),
            is_harmless=line.kind is LineKind.ALLOW,
        )
    elif line.kind is LineKind.USER_AGENT:
        yield from values.name_matches(line, dialect)
    else:
        yield from values.path_matches(line, dialect)


def second_field(line: Line) -> re.Match[str] | None:
    """Return where a second field begins in the value of *line*, if one does."""
    return _SECOND_FIELD.search(line.value)


def _meant(line: Line, dialect: Dialect, value: str) -> tuple[str, ...]:
    """Return the robots that the author of a User-agent line likely meant."""
    if line.kind is not LineKind.USER_AGENT:
        return ()
    return tuple(map(values.likely_name, dialect.names(value)))


def _odd_in_value(line: Line) -> int:
    """Return where in the value an odd character is that spoils it; -1 if nowhere."""
    value = line.value
    if line.kind is LineKind.USER_AGENT or value.isascii():
        return values.first_odd(value)
    # Inside a path it may be meant; at its ends it is not.
    return next((at for at in (0, len(value) - 1) if values.is_odd(value[at])), -1)


def _form_matches(line: Line, dialect: Dialect, *, has_odd: bool) -> Iterator[Match]:
    """Yield what is odd about the form of a line, whatever its field."""
    # Ours O15: accepted, and reported.
    if not line.text.startswith(f"{line.field}:"):
        yield kinds.SPACED.at(line.number, 1)
    # Ours O25. An undecodable byte is reported by itself.
    value = values.UNDECODABLE.sub("", line.value)
    # Revisited K1, K2: a tab separates the values of a list.
    value = value.replace("\t", " ") if dialect.has_lists else value
    if not (has_odd or is_printable(value)):
        yield kinds.CONTROL.at(line.number, line.value_column, line.value)
    if line.comment and line.value:
        column = line.comment_column
        if line.value == "/" and line.text[column - 2] == "/":
            # Ours O13
            yield kinds.CLOSED_BY_COMMENT.at(line.number, column)
        elif line.text[column - 2] not in SPACE:
            yield kinds.COMMENT_INSIDE.at(line.number, column, line.value)


def _ignored(line: Line, dialect: Dialect) -> Match:
    """Return the problem of a line that has no effect; what it says is never guessed."""
    fields = tuple(it.name for it in FIELDS if it.is_in(dialect.name))
    likely = values.likely_field(line.field, fields)
    for column, text in _as_seen(line, likely):
        seen = next(iter(lines_of(text, dialect)), line)
        if seen.kind not in (LineKind.MALFORMED, LineKind.UNKNOWN, LineKind.COMMENT):
            is_blank = seen.kind is LineKind.BLANK
            shown = "a blank line" if is_blank else f'"{seen.field}"'
            meant = _meant(seen, dialect, seen.value)
            is_harmless = seen.field.lower() not in _CLOSING_KEYS
            return _invisible(line, column, shown, meant=meant, is_harmless=is_harmless)
    if line.kind is LineKind.MALFORMED:
        return _malformed(line, fields)
    return _unknown(line, likely)


def _as_seen(line: Line, likely: str | None) -> Iterator[tuple[int, str]]:
    """Yield what the author may see in place of *line*, and the column of the character
    that makes the difference.
    """
    odd = values.first_odd(line.text)
    if odd >= 0:
        yield odd + 1, values.without_odd(line.text)
    if likely is not None and not line.field.isascii():
        # A letter of another alphabet, which looks like one of the field *likely*.
        column = next(at for at, it in enumerate(line.text, 1) if not it.isascii())
        yield column, line.text.replace(line.field, likely, 1)


def _invisible(line: Line, column: int, seen: str, **more: Any) -> Match:
    """Return the problem of an odd character; without it the line would be *seen*."""
    name = values.name_of(line.text[column - 1])
    return kinds.INVISIBLE.at(line.number, column, name, seen, **more)


def _malformed(line: Line, fields: tuple[str, ...]) -> Match:
    """Return the problem of a line without a colon."""
    # Ours O14
    content = line.text.partition(COMMENT)[0].strip(SPACE)
    likely = values.likely_field(_first_words(content), fields)
    if likely is None or ":" in content:
        return kinds.MALFORMED.at(line.number, line.column, content)
    is_harmless = likely not in _CLOSING
    return kinds.NO_COLON.at(
        line.number, line.column, content, likely, is_harmless=is_harmless
    )


def _first_words(content: str) -> str:
    """Return what would be the field of a line whose colon is missing."""
    # "User agent x" names its field with two words.
    words = re.split(f"[{SPACE}=;]+", content, maxsplit=2)[:2]
    if len(words) > 1 and words[0].lower() == "user":
        return "".join(words)
    return words[0] if len(words) > 1 else ""


def _unknown(line: Line, likely: str | None) -> Match:
    """Return the problem of a line with a field that the dialect does not have.

    *likely* is the field that was likely meant.
    """
    # 1994 F6
    name = values.letters(line.field)
    if likely is not None:
        check = kinds.MISSPELT
    elif name in _EXTENSION_CHECKS:
        check = _EXTENSION_CHECKS[name]
    elif _EXTENSION.fullmatch(name):
        check = kinds.EXTENSION
    else:
        check = kinds.UNKNOWN
    is_harmless = likely not in _CLOSING
    column = line.column
    return check.at(
        line.number, column, line.field, likely or "", is_harmless=is_harmless
    )
