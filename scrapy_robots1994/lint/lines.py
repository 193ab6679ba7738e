"""Problems of single lines, regardless of their record."""

import re
from collections.abc import Iterator

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import likely_field, name_of, odd_place, seen
from scrapy_robots1994.lint.kinds import WARNING, Problem
from scrapy_robots1994.lint.values import MAX_SEARCHED, value_problems
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import (
    ALLOW,
    DISALLOW,
    FIELD_NAMED,
    FIELDS,
    USER_AGENT,
    Field,
    Role,
)
from scrapy_robots1994.parser.reader import SPACE, Line, lines_of

_NAMES = "|".join(re.escape(it.name) for it in FIELDS if it.role is not Role.NONE)
# A second field on a line, after a space, a punctuation mark, an HTML line break or a literal `\n`.
# In its usual spelling and with a plausible value, it may follow anything but a lowercase letter.
_SECOND_FIELD = re.compile(
    rf"(?:[{SPACE},;|>*]|\\[nr]"
    r"|(?<![a-z])(?=User-agent: ?[\w*]|(?:Disa|A)llow: ?[/*]|Sitemap: ?http))"
    rf"((?ai:{_NAMES}))[{SPACE}]*:"
)
_WORD_END = re.compile(rf"[{SPACE}:=;]+")
_PATH = re.compile(r"(?:https?://|[/*]|\Z)")
_BARE = {
    FIELD_NAMED["sitemap"]: re.compile(
        r"(?i)https?://\S*(?:sitemap\S*|\.xml(?:\.gz)?)"
    ),
    DISALLOW: re.compile(r"/(?![/*])\S*"),
}
_GUESSED = " Some robots, including Googlebot, read it that way"
# Lines whose meaning Google's parser guesses
_GOOGLE = re.compile(
    r"(?ai)(?:user[- ]?agent|diss?all?ow|diasllow|disallaw|allow|site-?map)"
    rf"(?:[\w-]*[{SPACE}]*:|[^{SPACE}:]*[{SPACE}]+[^{SPACE}:]+\Z)"
)


def line_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems of *line*, which must be neither blank nor a comment."""
    content = line.text[: line.comment_column - 1]
    second = _SECOND_FIELD.search(line.value, 0, MAX_SEARCHED)
    if second:
        yield _two_fields(line, second)
        return
    place = odd_place(content)
    problem = _odd_character(line, content, place, dialect) if place >= 0 else None
    if problem:
        yield problem
    elif line.row is None:
        yield from _ignored(line, content.strip(SPACE), dialect)
    else:
        if not line.raw.startswith(f"{line.field}:"):
            yield kinds.SPACED.at(line)
        if line.comment and line.value and content[-1] not in SPACE:
            is_whole = line.row is DISALLOW and line.value == "/"
            yield kinds.COMMENT_INSIDE.at(
                line,
                line.value,
                column=line.comment_column,
                severity=WARNING if is_whole else "",
            )
        yield from value_problems(line, dialect)


def _two_fields(line: Line, second: re.Match[str]) -> Problem:
    first, field = line.known, FIELD_NAMED[second[1].lower()]
    return kinds.TWO_FIELDS.at(
        line,
        second[1],
        line.field,
        column=line.value_column + second.start(1),
        meant=first if first is USER_AGENT or (first and not field.closes) else field,
    )


def _odd_character(
    line: Line, content: str, place: int, dialect: Dialect
) -> Problem | None:
    """Return the problem of the character at *place*, or None if the line has no field even with
    the odd characters corrected.
    """
    text = "".join(map(seen, content))
    name, column = name_of(content[place]), place + 1
    if not text.strip(SPACE):
        # The author sees a blank line.
        return kinds.CHARACTER.at(
            line, name, column=column, severity=WARNING, opens=False
        )
    field = next(lines_of(text, dialect)).row
    if field is None:
        return None
    return kinds.CHARACTER.at(line, name, column=column, meant=field)


def _ignored(line: Line, content: str, dialect: Dialect) -> Iterator[Problem]:
    field, value = _meant(line, content)
    known = line.known
    if field is not None and (
        field in dialect.fields.values()
        # Not the field License, because prose may begin with this word.
        or (field.is_preference and field.in_record and not known)
    ):
        yield _misspelt(line, content, field, value)
    elif field is not None and field.key == "noindex":
        yield kinds.NOINDEX.at(line)
    elif known is ALLOW or (known is not None and known.is_preference):
        # `records.py` checks ignored Allow lines, and `problems.py` usage preferences.
        return
    elif line.field and value != content:
        words = f", and is ignored ({field.meaning})" if field else ", and is ignored"
        if known and known.dialects:
            words = ", but other dialects have it"
        yield kinds.OTHER_FIELD.at(line, line.field, words)
        yield from value_problems(line, dialect)
    else:
        yield kinds.MALFORMED.at(line, content)


def _misspelt(line: Line, content: str, field: Field, value: str) -> Problem:
    odd = next((it for it in line.field if not it.isascii()), "")
    if odd:
        # For example, a letter of another alphabet that looks like a Latin one
        column = line.text.find(odd) + 1
        return kinds.CHARACTER.at(line, name_of(odd), column=column, meant=field)
    guess = _GUESSED if _GOOGLE.match(content) else ""
    if field.role is Role.RULE and value == "*":
        value = "/"
    new = f"{field.name}: {value}".rstrip(SPACE)
    return kinds.MISSPELT.at(line, content, new, guess, meant=field)


def _meant(line: Line, content: str) -> tuple[Field | None, str]:
    """Return the field and the value that the author of *line* probably meant."""
    field = line.known or likely_field(line.field)
    if field:
        return field, line.value
    for field, form in _BARE.items():
        if form.fullmatch(content):
            return field, content
    # The field may be the first word or the first two, as in "User agent x".
    for count in (1, 2):
        *words, value = _WORD_END.split(content, maxsplit=count)
        field = likely_field("".join(words))
        # A rule also needs a path, because a sentence may begin with "allow".
        if field and (field.role is not Role.RULE or _PATH.match(value)):
            return field, value
    return None, ""
