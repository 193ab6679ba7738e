"""Profiles of other parsers. Each profile describes how a parser differs from our dialects.

A `Setup` is the input of our own parser. The input consists of a dialect, a text, the
names of a robot, and a spelling of URLs. A point changes the setup, so that our parser
imitates another parser in one respect. If the changed setup makes our parser give the
answer of the other parser, the point explains the difference (see `diagnosis`). Each
point belongs to a cause. A profile contains the points of one parser.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from operator import attrgetter
from typing import Any, TypeAlias
from urllib.parse import unquote

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import ROBOTS_TXT, Question
from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import FIELDS, LineKind
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.robot_reading import read_for_robot
from scrapy_robots1994.parser.rules import RobotRules
from scrapy_robots1994.parser.spellings import canonical, is_absolute
from scrapy_robots1994.parser.user_agent import (
    EVERYBODY,
    NAMED,
    first_named,
    robot_names,
)

_END = r"[ \t]*:[ \t]*(?=#|\r|\n|\Z)"
_EMPTY_RULE = re.compile(rf"(?im)^[ \t]*(?:dis)?allow{_END}")
_EMPTY_ALLOW = re.compile(rf"(?im)^[ \t]*allow{_END}")
_SPACE_BEFORE_COLON = re.compile(r"(?m)^([ \t]*[A-Za-z-]+)[ \t]+:")
_SPACES_ALONE = re.compile(r"(?m)^[ \t]+$")
_NO_COLON = re.compile(
    r"(?im)^([ \t]*(?:dis+al+[ao]w|diasllow|allow|user[ -]?agent))[ \t]+(?=[^\s:])(?![^\s:]*:\s)"
)

# A line that ends a run of User-agent lines, but does not count as a rule of its record.
_NO_RULE = "Disallow: # no rule"


def _longest_prefix(rule: Line) -> tuple[int, bool]:
    return -len(rule.value), rule.kind is not LineKind.ALLOW


@dataclass(frozen=True)
class Setup:
    """The input of our own parser for one file and one robot.

    *names* are the names of the robot. Our parser compares *names* with the names in the
    file. *header* is the name or User-Agent header that other parsers receive. If
    *is_longest* is true, the longest rule that covers a URL decides, with or without
    wildcards. *spell* takes a URL, and returns the spelling to compare with the rules.
    """

    body: bytes
    text: str
    names: tuple[str, ...]
    header: str
    dialect: Dialect
    is_longest: bool
    spell: Callable[[str], str] = str

    @classmethod
    def of(cls, body: bytes, question: Question, dialect: Dialect) -> "Setup":
        """Return the setup of our own parser for *body* and the robot of *question*."""
        header = question.others_robot or question.robot
        names = robot_names(question.robot)
        # Write each line end of 1994 F2 (line ends) as NL, so that `^` matches the start
        # of each line.
        text = StringIO(Body(body).text, newline=None).read()
        is_longest = dialect.has_wildcards
        return cls(body, text, names, header, dialect, is_longest)

    def rules(self) -> RobotRules:
        """Return the rules that the robot obeys."""
        dialect = self.dialect
        found = read_for_robot(self.text, dialect, self.names)
        if dialect.has_wildcards and not self.is_longest:
            dialect = replace(dialect, order=attrgetter("number"))
        elif self.is_longest and not dialect.has_wildcards:
            dialect = replace(dialect, order=_longest_prefix, merges_named=True)
        return RobotRules(found, Body(self.body), dialect, self.header)


Point: TypeAlias = Callable[[Setup], Setup]
"""A function that returns a changed copy of a setup. The change imitates another parser in
one respect.
"""


def _dialect(**changes: Any) -> Point:
    """Return the point that applies *changes* to the attributes of the dialect."""
    return lambda it: replace(it, dialect=replace(it.dialect, **changes))


def _matching(*, is_longest: bool) -> Point:
    """Return the point that sets `Setup.is_longest`."""
    return lambda it: replace(it, is_longest=is_longest)


def _in_target(change: Callable[[str], str]) -> Point:
    """Return the point that makes a setup apply *change* to the target of each URL."""

    def changed(setup: Setup) -> Setup:
        def spell(url: str) -> str:
            url = setup.spell(url).partition("#")[0]
            target = target_of(url)
            return url.removesuffix(target) + change(target)

        return replace(setup, spell=spell)

    return changed


def _not_itself(target: str) -> str:
    """Return *target*. If *target* is /robots.txt, add an empty query, so that rules apply
    to the target.
    """
    # Our parser always allows the target `/robots.txt`, but not the target `/robots.txt?`.
    # The rules that cover `/robots.txt` also cover `/robots.txt?`.
    return f"{target}?" if canonical(target) == ROBOTS_TXT else target


def _itself_as_written(target: str) -> str:
    """Return *target*. If *target* is a percent-encoded spelling of `/robots.txt`, add an
    empty query.
    """
    return target if target == ROBOTS_TXT else _not_itself(target)


def _in_groups(change: Callable[[Iterable[Group]], Iterable[Group]]) -> Point:
    """Return the point that applies *change* to the groups of the text."""

    def changed(setup: Setup) -> Setup:
        groups = change(groups_of(setup.text, setup.dialect))
        text = "".join(line.raw for group in groups for line in group.lines)
        return replace(setup, text=text)

    return changed


def _without_empty(groups: Iterable[Group]) -> Iterator[Group]:
    """Yield *groups* without the records in which no rule is obeyed. A line `_NO_RULE` is
    not a rule.
    """
    for group in groups:
        rules = (rule for rule in group.rules if rule.text != _NO_RULE)
        if not group.agents or any(rule.is_obeyed for rule in rules):
            yield group


def _first_default(groups: Iterable[Group]) -> Iterator[Group]:
    """Yield *groups* with only the first of the records for `*`."""
    has_default = False
    for group in groups:
        is_default = EVERYBODY in group.names
        if not (is_default and has_default):
            yield group
        has_default |= is_default


def _default_alone(groups: Iterable[Group]) -> Iterator[Group]:
    """Yield *groups*. In each record for `*`, remove all names except `*`."""
    for group in groups:
        if EVERYBODY in group.names:
            group.agents = [it for it in group.agents if it.value == EVERYBODY]
        yield group


def _in_paths(change: Callable[[str], Iterable[str]]) -> Point:
    """Return the point that applies *change* to the path of each rule."""

    def changed(setup: Setup) -> Setup:
        paths = setup.dialect.paths
        return _dialect(
            paths=lambda value: tuple(
                it for path in paths(value) for it in change(path)
            ),
            has_lists=True,
        )(setup)

    return changed


def _without_empty_query(target: str) -> str:
    """Return *target* without a `?` at its end."""
    # Do not remove a `?` that `_not_itself` has added.
    is_itself = target == f"{ROBOTS_TXT}?"
    return target if is_itself else target.removesuffix("?")


def _dollar_also_literal(path: str) -> tuple[str, ...]:
    """Return *path*. If *path* contains a `$`, also return *path* with each `$` escaped."""
    return (path, path.replace("$", "%24")) if "$" in path else (path,)


def _url_as_path(path: str) -> tuple[str]:
    """Return *path*. If *path* is an absolute URL, add a slash at the start, so that the
    rule does not cover any target.
    """
    return (f"/{path}" if is_absolute(path) else path,)


def _text(read: Callable[[bytes], str]) -> Point:
    """Return the point that decodes the file with *read*."""
    return lambda it: replace(it, text=read(it.body))


def _lossy(body: bytes) -> str:
    """Return the text of *body* without the bytes that are not UTF-8.

    Each line end that `str.splitlines` recognises is replaced with a line feed.
    """
    return "\n".join(body.decode("utf-8-sig", "ignore").splitlines())


def _strict(body: bytes) -> str:
    """Return the text of *body*, or "" if it is not UTF-8. A byte order mark is not
    removed.
    """
    try:
        return "\n".join(body.decode().splitlines())
    except UnicodeDecodeError:
        return ""


def _in_text(pattern: re.Pattern[str], to: str) -> Point:
    """Return the point that replaces each match of *pattern* in the text with *to*."""
    return lambda it: replace(it, text=pattern.sub(to, it.text))


def _renamed(fields: str, to: str) -> Point:
    """Return the point that gives some fields the new name *to*. *fields* is a regular
    expression that matches the old names of these fields.
    """
    return _in_text(re.compile(rf"(?aim)^[ \t]*(?:{fields})[ \t]*:"), f"{to}:")


def _ends_names(fields: str, end: str = "Disallow:") -> Point:
    """Return the point that makes some fields end a run of User-agent lines. *fields* is
    a regular expression that matches the names of these fields. *end* is the line that
    replaces a line with one of these fields.
    """
    lines = re.compile(rf"(?aim)^[ \t]*(?:{fields})[ \t]*:.*$")
    return _in_text(lines, end)


def _all_of(*points: Point) -> Point:
    """Return the point that applies *points* in order."""

    def changed(setup: Setup) -> Setup:
        for point in points:
            setup = point(setup)
        return setup

    return changed


def _as_written(value: str) -> tuple[str, ...]:
    """Return the whole *value* of a User-agent line as the only name in the line."""
    return (value,) if value else ()


def _without_stars(value: str) -> tuple[str, ...]:
    """Return the *value* of a User-agent line as written, and also without any `*`."""
    names = (value, value.replace("*", "") if value != EVERYBODY else "")
    return tuple(dict.fromkeys(filter(None, names)))


def at_a_boundary(name: str, robot: str) -> int:
    """Return the rank of *name* for the header *robot*. A longer name has a higher rank.

    Return 0 if no word of the header begins with *name*.
    """
    words = re.finditer(rf"(?<![\w-]){re.escape(name)}", robot)
    return NAMED + len(name) if next(words, None) else 0


def _whole_header(robot: str) -> tuple[str, ...]:
    return (robot.strip().lower(),)


def _before_slash(robot: str) -> tuple[str, ...]:
    return (robot.partition("/")[0].lower(),)


def _named_by(robot: Callable[[str], tuple[str, ...]], **changes: Any) -> Point:
    """Return the point that replaces the robot's names with the names that *robot* returns
    for the header.

    The point also applies *changes* to the attributes of the dialect.
    """
    return lambda it: replace(
        it, names=robot(it.header), dialect=replace(it.dialect, **changes)
    )


# `_UNKNOWN` matches each field name that is not in `FIELDS`.
_KNOWN = "|".join(it.key for it in FIELDS)
_UNKNOWN = rf"(?!(?:{_KNOWN})[ \t]*:)[^\s:#][^:#\n]*"

_ALLOW = _dialect(name="extended")
_EMPTY_ALLOWS = _in_text(_EMPTY_RULE, "Allow: /")
_EMPTY = _in_groups(_without_empty)
_FIRST_DEFAULT = _in_groups(_first_default)
_ALONE = _in_groups(_default_alone)
_ONE_RECORD = _dialect(merges_named=False)
_FIRST = _matching(is_longest=False)
_URL = _in_paths(_url_as_path)

PROTEGO: Mapping[Cause, Point] = {
    Cause.ENCODING: _text(_lossy),
    Cause.ITSELF: _in_target(_itself_as_written),
    Cause.ALLOW: _ALLOW,
    Cause.LONGEST_MATCH: _matching(is_longest=True),
    Cause.WILDCARD: _all_of(
        _in_paths(_dollar_also_literal), _dialect(has_wildcards=True)
    ),
    Cause.SPLIT_RECORD: _dialect(has_blank_lines=False),
    Cause.MISSPELT: _all_of(
        _in_text(_NO_COLON, r"\1: "),
        _renamed("dissallow|dissalow|disalow|diasllow|disallaw", "Disallow"),
        _renamed("user ?agent", "User-agent"),
    ),
    Cause.JOINED: _ends_names(f"crawl-delay|{_UNKNOWN}"),
    Cause.MERGED_RECORDS: _dialect(merges_named=True),
    Cause.AGENT: _named_by(_whole_header, names=_without_stars, rank=at_a_boundary),
    Cause.URL_AS_PATH: _URL,
}
PYTHON: Mapping[Cause, Point] = {
    Cause.ENCODING: _text(_strict),
    Cause.ITSELF: _in_target(_not_itself),
    Cause.ALLOW: _all_of(_EMPTY_ALLOWS, _ALLOW),
    Cause.LONGEST_MATCH: _FIRST,
    Cause.WILDCARD: _dialect(has_wildcards=False),
    Cause.SPLIT_RECORD: _all_of(
        _in_text(_SPACES_ALONE, "#"), _dialect(has_blank_lines=True)
    ),
    Cause.JOINED: _ends_names("crawl-delay|request-rate"),
    Cause.EMPTY_RECORD: _EMPTY,
    Cause.MERGED_RECORDS: _ONE_RECORD,
    Cause.AGENT: _all_of(
        _named_by(_before_slash, names=_as_written, rank=first_named), _ALONE
    ),
    Cause.SEVERAL_DEFAULTS: _FIRST_DEFAULT,
    Cause.URL_AS_PATH: _URL,
    Cause.PERCENT: _all_of(
        _in_paths(lambda it: (unquote(it).removesuffix("?"),)),
        _in_target(unquote),
        _in_target(_without_empty_query),
    ),
}
RERP: Mapping[Cause, Point] = {
    Cause.ENCODING: _text(_lossy),
    Cause.ITSELF: _in_target(_not_itself),
    Cause.ALLOW: _all_of(_in_text(_EMPTY_ALLOW, "Disallow: /"), _EMPTY_ALLOWS, _ALLOW),
    Cause.LONGEST_MATCH: _FIRST,
    Cause.WILDCARD: _dialect(has_wildcards=True),
    Cause.SPLIT_RECORD: _dialect(has_blank_lines=True),
    Cause.MISSPELT: _all_of(
        _in_text(_SPACE_BEFORE_COLON, r"\1-:"), _renamed("useragent", "User-agent")
    ),
    # A record that has only a pause or a sitemap is empty.
    Cause.JOINED: _ends_names("crawl-delay|sitemap", _NO_RULE),
    Cause.EMPTY_RECORD: _EMPTY,
    Cause.MERGED_RECORDS: _ONE_RECORD,
    Cause.AGENT: _all_of(
        _named_by(_whole_header, names=_as_written, rank=first_named), _ALONE
    ),
    Cause.SEVERAL_DEFAULTS: _FIRST_DEFAULT,
    Cause.URL_AS_PATH: _URL,
    Cause.PERCENT: _in_target(_without_empty_query),
}
PROFILES = {
    "ProtegoRobotParser": PROTEGO,
    "PythonRobotParser": PYTHON,
    "RerpRobotParser": RERP,
}
"""A dictionary that maps the name of each of Scrapy's parsers to the parser's profile."""
