"""Problems of the values of lines: the names of robots, and the paths of rules."""

import re
from collections.abc import Iterator
from functools import partial

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import SPACE, Line
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.user_agent import EVERYBODY

# From the first of many spaces: if any could begin it, spaces alone would take minutes.
_NEXT_PATH = re.compile(rf"[{SPACE}](?<![{SPACE}]{{2}})[{SPACE}]*(?=/)")
_PUNCTUATION = f"{SPACE}:;,'\"“”"
# Ours O9: what follows belongs to no name of a robot.
_COMMENT_START = re.compile(rf"(?:\A|[{SPACE}])\(")
_WHOLE_NAME_FIX = "Write the name alone: it is for the robot of exactly that name."
# A host, the path on it, and no scheme before them; or a file and a path below it.
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?=/.)")
# How the words look that robots are called by.
_ROBOT_WORD = re.compile(r"(?i).*(?:bot|spider|crawler|slurp|fetcher|teoma|yandex)\b")


def likely_name(name: str) -> str:
    """Return the name that the author of *name* likely meant."""
    name = _COMMENT_START.split(name)[0] or name
    plain = name.strip(_PUNCTUATION).replace(EVERYBODY, "")
    # Quotes and brackets around a star are no name.
    return plain if any(map(str.isalnum, plain)) else EVERYBODY


def name_problems(line: Line, column: int, dialect: Dialect) -> Iterator[Problem]:
    """Yield what is odd about the value of a User-agent line, which begins at *column*."""
    number, field, value, names = line.number, line.row, line.value, line.said
    listed = () if dialect.has_lists else _listed(value)
    if listed:
        # Ours O11
        is_first = names[0] in listed
        outcome = "and the others are left out" if is_first else "which no robot has"
        place = column + max(value.find(","), 0)
        meant = tuple(it for it in listed if it not in names)
        yield kinds.NAME_LIST.at(
            number, place, names[0], outcome, field=field, meant=meant
        )
        return
    for name in names:
        plain, meant = name.strip(_PUNCTUATION), (likely_name(name),)
        is_name = plain == name and not _COMMENT_START.search(name)
        if not is_name and EVERYBODY not in plain[1:]:
            # 1994 A1
            yield kinds.NAME_PUNCTUATION.at(
                number, column, name, field=field, meant=meant
            )
        elif name != EVERYBODY and EVERYBODY in name:
            # 1994 A3: only a star alone is every robot.
            place = column + value.find(EVERYBODY)
            # RFC 9309 2.2.1: a name is compared whole.
            advice = _WHOLE_NAME_FIX if dialect.has_wildcards else ""
            yield kinds.NAME_WILDCARD.at(
                number, place, name, field=field, meant=meant, advice=advice
            )
    if "/" in value:
        # Ours O10
        place = column + value.index("/")
        yield kinds.VERSION.at(number, place, ", ".join(names))


def _listed(value: str) -> tuple[str, ...]:
    """Return the names that the author of *value* likely meant to list; empty if one."""
    if "(" in value:
        # Ours O10: a header has commas and spaces in its comments.
        return ()
    parts = [part.partition("/")[0].strip(SPACE) for part in value.split(",")]
    if len(parts) > 1:
        return tuple(part for part in parts if part)
    words = tuple(word.partition("/")[0] for word in value.split())
    many = sum(_ROBOT_WORD.fullmatch(word) is not None for word in words) > 1
    return words if many else ()


def can_match(path: str, dialect: Dialect) -> bool:
    """Return whether there are URLs that *path*, the path of a rule, covers."""
    if not dialect.has_wildcards:
        # Ours O20: a value that no URL starts with; O19: unless it is a URL.
        return path.startswith("/") or is_absolute(path)
    # RFC 9309 2.2.2: a path begins with a slash; real files also have a wildcard there.
    return path.startswith(("/", "*"))


def is_pattern(path: str, dialect: Dialect) -> bool:
    """Return whether wildcards make *path* more than a prefix in *dialect*."""
    return dialect.has_wildcards and ("*" in path or path.endswith("$"))


def _before_wildcard(path: str) -> str:
    """Return *path* up to what later dialects give a meaning: a star, or a dollar at the end."""
    return path.removesuffix("$").partition("*")[0]


def path_problems(line: Line, column: int, dialect: Dialect) -> Iterator[Problem]:
    """Yield what is odd about the value of a rule, which begins at *column*."""
    number, field, value = line.number, line.row, line.value
    end = 0
    # Revisited K2: there may be several paths.
    for path in dialect.paths(value):
        start = value.index(path, end)
        end = start + len(path)
        place = column + start
        if not path.startswith("/"):
            if path and not can_match(path, dialect):
                advice = partial(_path_fix, line, start, path, dialect)
                yield kinds.PATHLESS.at(number, place, path, field=field, advice=advice)
            elif path and is_absolute(path):
                yield kinds.URL_VALUE.at(number, place, path)
            continue
        beginning = path if dialect.has_wildcards else _before_wildcard(path)
        if beginning != path:
            # 1994 D1: a path is compared as it is written.
            at = len(beginning)
            advice = partial(_wildcard_fix, line, start, path, dialect)
            yield kinds.WILDCARD.at(
                number, place + at, path[at], path, field=field, advice=advice
            )
        if next_path := _NEXT_PATH.search(path):
            # 1994 D1: one path a line.
            place += next_path.start()
            yield kinds.PATH_LIST.at(number, place, path, field=field)


def _by_directories(dialect: Dialect) -> str:
    """Return what to do about paths that only a wildcard can name."""
    return (
        "Name the directories that hold these paths, a line for each, or delete the "
        f"{_rule_word(dialect)}."
    )


def _rule_word(dialect: Dialect) -> str:
    """Return what to delete, so that nothing else goes with it."""
    return "path" if dialect.has_lists else "line"


def _rewritten(line: Line, start: int, path: str, new: str) -> str:
    """Return the line with *new* in the place of *path*, which begins at *start*."""
    name, value = line.field, line.value
    before, after = value[:start], value[start + len(path) :]
    return f"`{escape_control_chars(f'{name}: {before}{new}{after}')}`"


def _path_fix(line: Line, start: int, path: str, dialect: Dialect) -> str:
    """Return what to write in place of *path*, which does not begin with a slash."""
    if is_absolute(path):
        return kinds.URL_VALUE.fix
    if not path.strip("*"):
        rule = _rewritten(line, start, path, "/")
        return f"Write {rule}, if the whole site is meant."
    if _before_wildcard(path) != path and not dialect.has_wildcards:
        return f"{dialect.name} cannot express a wildcard. {_by_directories(dialect)}"
    rule = _rewritten(line, start, path, f"/{path}")
    if host := _HOST.match(path):
        on_host = _rewritten(line, start, path, path[host.end() :])
        return f"Write {on_host}, if it begins with the host of this site; else {rule}."
    return f"Write {rule}, if the path begins at the root of the site."


def _wildcard_fix(line: Line, start: int, path: str, dialect: Dialect) -> str:
    """Return what to write in place of *path*, which has a wildcard.

    The beginning without wildcards may cover far more than is meant; advice that closes
    a site would do harm.
    """
    beginning = _before_wildcard(path)
    rest = path.removeprefix(beginning)
    rule = _rewritten(line, start, path, beginning)
    if not rest.strip("*"):
        whole = ", if the whole site is meant" if beginning == "/" else ""
        return f"Write {rule}{whole}: it means the same."
    if beginning == "/" and rest == "$":
        return (
            f"{dialect.name} cannot express the home page alone, and a rule for / covers "
            f"the whole site. Delete the {_rule_word(dialect)}."
        )
    if beginning == "/":
        return (
            f"{dialect.name} cannot express it: without wildcards only / covers these "
            f"paths, which is the whole site. {_by_directories(dialect)}"
        )
    why = ", which is more than the wildcard does; otherwise name the paths one by one"
    if rest == "$":
        why = f": {dialect.name} cannot express where a path ends"
    return f"Write {rule}, if it may cover all paths that begin so{why}."
