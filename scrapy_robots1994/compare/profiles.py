"""Profiles of other parsers. Each profile describes how a parser differs from our dialects.

A `Setup` is the input of our own parser. The input consists of a dialect, a text, the
names of a robot, and a spelling of URLs. A point changes the setup, so that our parser
imitates another parser in one respect. If our parser gives the answer of the other parser
after this change, the point explains the difference (see `diagnosis`). Each point belongs
to a cause. A profile contains the points of one other parser.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from itertools import chain
from typing import Any, TypeAlias
from urllib.parse import unquote

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import ROBOTS_TXT, Question
from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import FIELDS, Field, LineKind, Role
from scrapy_robots1994.parser.reader import groups_of
from scrapy_robots1994.parser.rfc9309 import LongestTable
from scrapy_robots1994.parser.robot_reading import read_for_robot
from scrapy_robots1994.parser.rule_table import (
    NO_RULE,
    PrefixTable,
    RuleColumns,
    RuleTable,
)
from scrapy_robots1994.parser.rules import RobotRules
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.parser.user_agent import (
    EVERYBODY,
    NAMED,
    Choice,
    first_named,
    robot_names,
)

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_END = r"[ \t]*:[ \t]*(?=#|\r|\n|\Z)"
_EMPTY_RULE = re.compile(rf"(?im)^[ \t]*(?:dis)?allow{_END}")
_EMPTY_ALLOW = re.compile(rf"(?im)^[ \t]*allow{_END}")
_SPACE_BEFORE_COLON = re.compile(r"(?m)^([ \t]*[A-Za-z-]+)[ \t]+:")
_SPACES_ALONE = re.compile(r"(?m)^[ \t]+$")
_NO_COLON = re.compile(
    r"(?im)^([ \t]*(?:dis+al+[ao]w|diasllow|allow|user[ -]?agent))[ \t]+(?=[^\s:])(?![^\s:]*:\s)"
)


@dataclass(frozen=True)
class PeerDialect(Dialect):
    """One of our dialects, with options that imitate other parsers.

    * *has_one_default*: whether a robot obeys only the first of several records for `*`.
    * *default_alone*: whether the other names in a record for `*` are ignored.
    * *is_longest*: whether the longest rule decides, with or without wildcards. If
      *is_longest* is false, the first rule in the file decides.
    """

    has_one_default: bool = False
    default_alone: bool = False
    is_longest: bool = False

    def __post_init__(self) -> None:
        """Add the field `_ENDS_NAMES` to the dialect."""
        Dialect.__post_init__(self)
        added = {_ENDS_NAMES.key: self._field_reader(_ENDS_NAMES)}
        object.__setattr__(self, "reads", {**self.reads, **added})

    @classmethod
    def of(cls, dialect: Dialect) -> "PeerDialect":
        """Return a `PeerDialect` that behaves like *dialect*."""
        given = (it.name for it in dataclasses.fields(dialect) if it.init)
        values = {name: getattr(dialect, name) for name in given}
        return cls(**values, is_longest=dialect.has_wildcards)

    def choice(self, robot: Iterable[str]) -> Choice:
        """Return a `Choice` that selects the records for the robot with the names
        *robot*.
        """
        return _PeerChoice(self, tuple(robot))


# A line with the field `_ENDS_NAMES` ends a run of User-agent lines, and has no other
# effect on rules. The line is read like a Sitemap line.
_ENDS_NAMES = Field(
    "End-of-names", "", role=Role.SITEMAP, kind=LineKind.SITEMAP, ends_names=True
)


class _PeerChoice(Choice):
    """Selects the records that a robot obeys according to a `PeerDialect`."""

    __slots__ = ("_dialect",)

    def __init__(self, dialect: PeerDialect, robot: tuple[str, ...]) -> None:
        super().__init__(robot, dialect.rank, merges_named=dialect.merges_named)
        self._dialect = dialect

    def offer(self, names: Iterable[str], record: int) -> bool:
        """Return whether the robot obeys the record with the number *record* and the names
        *names*.
        """
        dialect, named = self._dialect, list(names)
        if dialect.default_alone and EVERYBODY in named:
            named = [EVERYBODY]
        if dialect.has_one_default and self.chosen:
            named = [name for name in named if name != EVERYBODY]
        return super().offer(named, record)


class _LongestPrefix(PrefixTable):
    """A rule table without wildcards. The longest rule that covers a URL decides."""

    def __init__(self, rules: RuleColumns) -> None:
        super().__init__(rules, is_first=True)

    def _first_of(self, numbers: list[int]) -> int:
        """Return the number of the longest rule. If several rules are equally long, prefer
        an Allow rule.

        *numbers* are the numbers of the rules that cover the URL.
        """
        rules = self.rules
        return max(
            numbers,
            key=lambda it: (len(rules.values[it]), rules.kind(it)),
        )


class _FirstPattern(LongestTable):
    """A rule table with wildcards. The first rule that covers a URL decides."""

    def decide(self, _head: str, _target: str, spelling: str) -> int:
        """Return the number of the first rule that covers *spelling*, the spelling of a
        target.

        Return `NO_RULE` if no rule covers *spelling*.
        """
        found = self.covering(spelling)
        for pattern, number in self._patterns:
            if spelling.startswith(pattern.first) and pattern.covers(spelling):
                found.append(number)
        return min(found, key=self.rules.lines.__getitem__, default=NO_RULE)


def _table(rules: RuleColumns, dialect: PeerDialect) -> RuleTable:
    """Return the rule table that *dialect* needs for *rules*."""
    if dialect.has_wildcards:
        return (LongestTable if dialect.is_longest else _FirstPattern)(rules)
    if dialect.is_longest:
        return _LongestPrefix(rules)
    return PrefixTable(rules, is_first=dialect.has_allow)


@dataclass(frozen=True)
class Setup:
    """The input of our own parser for one file and one robot.

    *names* are the names of the robot. Our parser compares *names* with the names in the
    file. *header* is the name or User-Agent header that other parsers receive. *spell*
    takes a URL, and returns the spelling to compare with the rules.
    """

    body: bytes
    text: str
    names: tuple[str, ...]
    header: str
    reading: str
    dialect: PeerDialect
    spell: Callable[[str], str] = str

    @classmethod
    def of(
        cls, body: bytes, question: Question, dialect: Dialect, reading: str
    ) -> "Setup":
        """Return the setup of our own parser for *body* and the robot of *question*."""
        header = question.others_robot or question.robot
        names = robot_names(question.robot)
        peer = PeerDialect.of(dialect)
        # Write all line ends of 1994 F2 as NL, so that `^` matches the start of each line.
        text = StringIO(Body(body).text, newline=None).read()
        return cls(body, text, names, header, reading, peer)

    def rules(self) -> RobotRules:
        """Return the rules that the robot obeys."""
        dialect = self.dialect
        found = read_for_robot(
            self.text, dialect, self.reading, self.names, for_warnings=False
        )
        table = _table(found.rules, dialect)
        return RobotRules(found, Body(self.body), dialect, self.header, table)


Point: TypeAlias = Callable[[Setup], Setup]
"""A function that returns a changed copy of a setup. The change imitates another parser in
one respect.
"""


def _dialect(**changes: Any) -> Point:
    """Return the point that applies *changes* to the attributes of the dialect."""
    return lambda it: replace(it, dialect=replace(it.dialect, **changes))


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


def _empty_skipped(setup: Setup) -> Setup:
    """Return *setup* without the records that have no rule."""
    groups = [
        it
        for it in groups_of(setup.text, setup.dialect)
        if not it.agents or any(rule.is_obeyed for rule in it.rules)
    ]
    lines = chain.from_iterable(it.lines for it in groups)
    return replace(setup, text="".join(line.raw for line in lines))


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
    # Do not remove a `?` that was added by `_not_itself`.
    is_itself = target == f"{ROBOTS_TXT}?"
    return target if is_itself else target.removesuffix("?")


def _dollar_also_literal(path: str) -> tuple[str, ...]:
    """Return *path*. If *path* contains a `$`, also return *path* with each `$` escaped."""
    return (path, path.replace("$", "%24")) if "$" in path else (path,)


def _url_as_path(path: str) -> tuple[str]:
    """Return *path*. If *path* is an absolute URL, add a slash at the start. With this
    slash, the rule covers no target.
    """
    return (f"/{path}" if _ABSOLUTE.match(path) else path,)


def _text(read: Callable[[bytes], str]) -> Point:
    """Return the point that decodes the file with *read*."""
    return lambda it: replace(it, text=read(it.body))


def _lossy(body: bytes) -> str:
    """Return the text of *body* without the bytes that are not UTF-8.

    Each line end that `str.splitlines` recognises is replaced with a line feed.
    """
    return "\n".join(body.decode("utf-8-sig", "ignore").splitlines())


def _strict(body: bytes) -> str:
    """Return the text of *body*, or "" if *body* is not UTF-8. A byte order mark is not
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


def _ends_names(fields: str) -> Point:
    """Return the point that makes some fields end a run of User-agent lines. *fields* is
    a regular expression that matches the names of these fields.
    """
    return _renamed(fields, _ENDS_NAMES.name)


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
    change = _dialect(**changes)
    return lambda it: change(replace(it, names=robot(it.header)))


# `_UNKNOWN` matches each field name that is not in `FIELDS`.
_KNOWN = "|".join(it.key for it in FIELDS)
_UNKNOWN = rf"(?!(?:{_KNOWN})[ \t]*:)[^\s:#][^:#\n]*"

_ALLOW = _dialect(name="extended")
_EMPTY_ALLOWS = _in_text(_EMPTY_RULE, "Allow: /")
_FIRST_DEFAULT = _dialect(has_one_default=True)
_ONE_RECORD = _dialect(merges_named=False)
_FIRST = _dialect(is_longest=False)
_URL = _in_paths(_url_as_path)

PROTEGO: Mapping[Cause, Point] = {
    Cause.ENCODING: _text(_lossy),
    Cause.ITSELF: _in_target(_itself_as_written),
    Cause.ALLOW: _ALLOW,
    Cause.LONGEST_MATCH: _dialect(is_longest=True),
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
    Cause.EMPTY_RECORD: _empty_skipped,
    Cause.MERGED_RECORDS: _ONE_RECORD,
    Cause.AGENT: _named_by(
        _before_slash, names=_as_written, rank=first_named, default_alone=True
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
    Cause.JOINED: _ends_names("crawl-delay|sitemap"),
    Cause.EMPTY_RECORD: _empty_skipped,
    Cause.MERGED_RECORDS: _ONE_RECORD,
    Cause.AGENT: _named_by(
        _whole_header, names=_as_written, rank=first_named, default_alone=True
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
