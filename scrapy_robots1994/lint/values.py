"""Problems of values: names of robots, paths of rules, delays and sitemaps."""

import re
from collections.abc import Iterator

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import ROBOTS, misspelt_robot
from scrapy_robots1994.lint.kinds import INFO, WARNING, Problem
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import USER_AGENT, Role, seconds_of
from scrapy_robots1994.parser.reader import SPACE, Line
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.user_agent import EVERYBODY

# Only this many characters are searched, because a hostile value may be as long as the file.
MAX_SEARCHED = 10_000
_SLOW_SECONDS = 600

_ROBOT = re.compile(r"(?i)[\w-]*(?:bot|spider|crawler|slurp)")
_GENERIC = re.compile(r"(?i)(?:ro)?bot|(?:web)?(?:spider|crawler)")
_SEPARATOR = re.compile(rf"(?<![{SPACE}])[{SPACE}]+and[{SPACE}]+|[,;|]")
# Punctuation where names of robots have none. `WWW::Mechanize` and `Xenu's` are real names.
_ODD_MARK = re.compile(r"[*,;|<>\[\]{}\"`\u2018-\u201d]|(?<!\S)[(:']|[:'](?!\S)")
_TOKEN_END = re.compile(rf"[{SPACE}/\\(]")
_NO_LIST = re.compile(r"[(\[]|://|@")
_PART_END = re.compile(rf"[,;|](?=[{SPACE}]*/)|[{SPACE}]")
_NEXT_PATH = re.compile(rf"[,;|{SPACE}]+(?:/|<!--)")


def value_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    role = line.known.role if line.known else Role.NONE
    if role is Role.NAMES:
        yield from _name_problems(line, dialect)
    elif role is Role.RULE:
        yield from _path_problems(line, dialect)
    elif role is Role.PAUSE:
        yield from _delay_problems(line)
    elif role is Role.SITEMAP and not is_absolute(line.value):
        yield _bad_value(line, "is not an absolute URL")


def _bad_value(line: Line, words: str) -> Problem:
    # An empty value has no column.
    column = line.value_column if line.value else line.column
    return kinds.BAD_VALUE.at(line, line.value, words, column=column)


def _name_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    value, column = line.value[:MAX_SEARCHED], line.value_column
    if not value.partition("/")[0]:
        yield kinds.ODD_NAME.at(line, value, "a name is missing", meant=USER_AGENT)
    elif not dialect.has_lists and _is_list(value):
        words = "a line has one name, and Googlebot reads only the first"
        yield kinds.ODD_NAME.at(line, value, words, column=column, meant=USER_AGENT)
    elif "/" in value:
        # Ours O10: a whole User-Agent header stands for the robot that it names.
        yield _cut_name(line, value, column)
    else:
        for name in line.said:
            yield from _odd_name(line, name, dialect)


def _odd_name(line: Line, name: str, dialect: Dialect) -> Iterator[Problem]:
    column = line.value_column + line.value.find(name)
    mark = _ODD_MARK.search(name)
    if mark and name != EVERYBODY:
        words = f'most robots read the "{mark[0]}" as part of the name'
        yield kinds.ODD_NAME.at(line, name, words, column=column, meant=USER_AGENT)
    elif dialect.merges_named and " " in name:
        yield _cut_name(line, name, column)
    elif robot := misspelt_robot(name):
        yield kinds.MISSPELT_ROBOT.at(
            line, name, robot, column=column, meant=USER_AGENT
        )


def _cut_name(line: Line, name: str, column: int) -> Problem:
    many, severity = ("most", WARNING) if "(" in name else ("some", "")
    texts = many, name, _TOKEN_END.split(name, maxsplit=1)[0]
    return kinds.CUT_NAME.at(line, *texts, column=column, severity=severity)


def _is_list(value: str) -> bool:
    if _NO_LIST.search(value):
        return False
    parts = [it for it in _SEPARATOR.split(value) if it.strip(SPACE)]
    # One name may have several words, such as "My Company Bot".
    words = value.split()
    is_list = all(it == EVERYBODY or is_robot(it) for it in words)
    return len(parts) > 1 or (is_list and len(words) > 1)


def is_robot(text: str) -> bool:
    is_word = _ROBOT.fullmatch(text) and not _GENERIC.fullmatch(text)
    return bool(is_word) or text.lower() in ROBOTS


def can_match(path: str, dialect: Dialect) -> bool:
    """Whether a rule with *path* can cover a URL at all."""
    if dialect.has_wildcards:
        # Real files also contain paths that begin with `*`, and robots obey them.
        return path.startswith(("/", EVERYBODY))
    # Ours O19, O20
    return path.startswith("/") or is_absolute(path)


def before_wildcard(path: str) -> str:
    return path.partition("*")[0].rstrip("$")


def paths_with_columns(line: Line, dialect: Dialect) -> Iterator[tuple[str, int]]:
    end = 0
    for path in dialect.paths(line.value):
        start = line.value.index(path, end)
        end = start + len(path)
        yield path, line.value_column + start


def _path_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    for path, column in paths_with_columns(line, dialect):
        if path and not path.startswith("/"):
            yield from _pathless(line, path, column, dialect)
            continue
        # A rule for `//` alone may be intended, because faulty links lead to such URLs.
        if path.startswith("//") and path.strip("/*$"):
            words = "begins with two slashes, and matches only URLs with both"
            yield kinds.PATHLESS.at(line, path, words, column=column, severity=WARNING)
        if found := _PART_END.search(path, 0, MAX_SEARCHED):
            named = {" ": "space", "\t": "tab"}.get(found[0], "separator")
            if path.startswith("<!--", found.end()):
                named = "HTML comment"
            # The text after a space may belong to the path, or be a comment.
            opens = _NEXT_PATH.match(path, found.start()) is not None
            at = column + found.start()
            yield kinds.SEVERAL_PATHS.at(line, named, path, column=at, opens=opens)


def _pathless(
    line: Line, path: str, column: int, dialect: Dialect
) -> Iterator[Problem]:
    is_url, matches = is_absolute(path), can_match(path, dialect)
    if is_robot(path):
        yield kinds.ROBOT_AS_PATH.at(line, path, column=column)
    elif is_url or not path.startswith(EVERYBODY):
        words = "does not begin with a slash, and matches nothing"
        if is_url:
            words = "is a URL, but most robots expect a path"
        severity = INFO if matches else ""
        yield kinds.PATHLESS.at(
            line, path, words, column=column, severity=severity, opens=not matches
        )


def _delay_problems(line: Line) -> Iterator[Problem]:
    seconds = seconds_of(line.value)
    if seconds is None:
        yield _bad_value(line, "is not a number of seconds, and is ignored")
    elif seconds > _SLOW_SECONDS:
        yield _bad_value(line, f"is in seconds: {seconds / 60:,.0f} minutes")
