"""Values that count, and are not what their author is likely to have meant."""

import re
from collections.abc import Iterator

from scrapy_robots1994.checks.problem import ERROR, INFO, WARNING, Finding, Kind
from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.parser.records import Contents
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.tokens import COMMENT, SPACE, Line, LineKind
from scrapy_robots1994.parser.user_agent import EVERYBODY

PATHLESS = Kind(
    "R005",
    "O20",
    ERROR,
    "value without a leading slash",
    'the value "{}" does not begin with a slash and matches nothing',
    "Write the path from the root of the site: `Disallow: /path`.",
    weakens_policy=True,
)
SPACED = Kind(
    "R011",
    "O15",
    INFO,
    "space before the field or the colon",
    "space at the start of the line or before the colon",
    "Delete the space: other robots may not see the line.",
)
WILDCARD = Kind(
    "R015",
    "D1",
    WARNING,
    "wildcard in a value",
    'the "{}" of "{}" is an ordinary character: only URLs that hold it match',
    "Write the beginning of the paths without wildcards; a rule covers all below it.",
)
CONTROL = Kind(
    "R028",
    "O25",
    WARNING,
    "control character",
    'invisible characters are part of "{}"',
    "Delete them, or write them percent-encoded.",
)
NAME_LIST = Kind(
    "R029",
    "O11",
    WARNING,
    "several names on one line",
    'commas belong to a name: "{}" is one name, which no robot has',
    "Write one User-agent line for each name.",
    weakens_policy=True,
)
NAME_WILDCARD = Kind(
    "R030",
    "A3",
    WARNING,
    "wildcard in a name",
    'the "*" is part of the name "{}", which no robot has',
    "Write the name alone: it speaks to every robot whose name holds it.",
    weakens_policy=True,
)
VERSION = Kind(
    "R031",
    "O10",
    INFO,
    "version in a name",
    'the version is left out of the name "{}"',
    "Write the name alone: the record is for all versions.",
)
COMMENT_INSIDE = Kind(
    "R032",
    "O13",
    INFO,
    "comment without space before it",
    'a comment begins here: the value is "{}"',
    "Put a space before a comment; write a `#` in a path as `%23`.",
)
URL_VALUE = Kind(
    "R033",
    "O19",
    INFO,
    "URL as a value",
    'the value "{}" is compared with whole URLs; most robots expect a path',
    "Write the path alone: `Disallow: /path`.",
)
PATH_LIST = Kind(
    "R034",
    "D1",
    WARNING,
    "several paths on one line",
    'white space belongs to a path: "{}" is one path',
    "Write one Disallow line for each path.",
    weakens_policy=True,
)

KINDS = (
    PATHLESS,
    SPACED,
    WILDCARD,
    CONTROL,
    NAME_LIST,
    NAME_WILDCARD,
    VERSION,
    COMMENT_INSIDE,
    URL_VALUE,
    PATH_LIST,
)

# What later languages give a meaning: a star anywhere, a dollar at the end.
_WILDCARD = re.compile(r"\*|\$\Z")
_NEXT_PATH = re.compile(rf"[{SPACE}]+(?=/)")


def in_values(contents: Contents) -> Iterator[Finding]:
    """Yield what is odd about the lines that count."""
    for line in contents.lines:
        if line.kind is LineKind.DISALLOW:
            yield from _in_form(line)
            yield from _in_path(line)
        elif line.kind is LineKind.USER_AGENT:
            yield from _in_form(line)
            yield from _in_name(line)


def _in_form(line: Line) -> Iterator[Finding]:
    """Yield what is odd about the form of a line, whatever its field."""
    # Ours O15: accepted, and told.
    if not line.text.startswith(f"{line.field}:"):
        yield SPACED.at(line.number, 1)
    if not is_printable(line.value):
        # Ours O25
        yield CONTROL.at(line.number, _value_column(line), line.value)
    if line.comment and line.value:
        at = line.text.index(COMMENT)
        if line.text[at - 1] not in SPACE:
            # Ours O13
            yield COMMENT_INSIDE.at(line.number, at + 1, line.value)


def _in_path(line: Line) -> Iterator[Finding]:
    """Yield what is odd about the value of a Disallow line."""
    value, start = line.value, _value_column(line)
    if not value:
        return
    if not value.startswith("/"):
        # Ours O20: a value that no URL starts with; O19: unless it is a URL.
        kind = URL_VALUE if is_absolute(value) else PATHLESS
        yield kind.at(line.number, start, value)
        return
    wildcard = _WILDCARD.search(value)
    if wildcard:
        # 1994 D1: a path is compared as it stands.
        column = start + wildcard.start()
        yield WILDCARD.at(line.number, column, wildcard[0], value)
    next_path = _NEXT_PATH.search(value)
    if next_path:
        # 1994 D1: one path a line.
        yield PATH_LIST.at(line.number, start + next_path.start(), value)


def _in_name(line: Line) -> Iterator[Finding]:
    """Yield what is odd about the value of a User-agent line."""
    value, start = line.value, _value_column(line)
    name, slash, _ = value.partition("/")
    if "," in name:
        # Ours O11
        yield NAME_LIST.at(line.number, start + name.index(","), value)
    elif EVERYBODY in name.strip(SPACE) != EVERYBODY:
        # 1994 A3: only a star alone is everybody.
        yield NAME_WILDCARD.at(line.number, start + name.index(EVERYBODY), value)
    if slash:
        # Ours O10
        yield VERSION.at(line.number, start + len(name), value)


def _value_column(line: Line) -> int:
    """Return the column, from 1, where the value of the line begins."""
    value = line.text.partition(":")[2]
    return len(line.text) - len(value.lstrip(SPACE)) + 1
