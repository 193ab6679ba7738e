"""Profiles: in which points other parsers read a file otherwise than our dialects do.

A `Setup` is what our own parser reads: a dialect, a text, the names of a robot, the spelling of a
URL. A point changes one of them to what another parser makes of it. If our parser then answers as
the other one, that point is a cause of their disagreement (`diagnosis`).
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from urllib.parse import unquote

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import ROBOTS_TXT, Question
from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import (
    DISALLOW,
    USER_AGENT,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.parser.reader import groups_of
from scrapy_robots1994.parser.rfc9309 import LongestTable
from scrapy_robots1994.parser.robot_reading import RobotReading, RuleColumns
from scrapy_robots1994.parser.rule_table import NO_RULE, PrefixTable, RuleTable
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
    """One of our dialects, with what other parsers do and none of ours does.

    *more_fields* are spellings of fields that it reads besides. A field of *ending* ends a run
    of User-agent lines; with *ends_by_any*, so does any other field. Records *skipped*, by their
    number from 1, speak to no robot. With *has_one_default* the first record for `*` alone is for
    every robot, and with *default_alone* the other names next to a `*` mean nothing. *is_longest*
    says that the longest rule decides, with wildcards or without, else the first in the file.
    """

    more_fields: Mapping[str, Field] = dataclasses.field(default_factory=dict)
    ending: tuple[str, ...] = ()
    ends_by_any: bool = False
    skipped: frozenset[int] = frozenset()
    has_one_default: bool = False
    default_alone: bool = False
    is_longest: bool = False

    def __post_init__(self) -> None:
        """Add to the fields of the dialect."""
        Dialect.__post_init__(self)
        fields = {**self.fields, **self.more_fields}
        for key in self.ending:
            row = fields.get(key, replace(_WITHOUT_EFFECT, name=key))
            fields |= dict.fromkeys((key, row.name), replace(row, ends_names=True))
        reads = {name: self._field_reader(row) for name, row in fields.items()}
        if self.ends_by_any:
            other = replace(_WITHOUT_EFFECT, ends_names=True)
            reads = _AnyField(reads, self._field_reader(other))
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "reads", reads)

    @classmethod
    def of(cls, dialect: Dialect) -> "PeerDialect":
        """Return *dialect* as one that can be changed in every point."""
        given = (it.name for it in dataclasses.fields(dialect) if it.init)
        values = {name: getattr(dialect, name) for name in given}
        return cls(**values, is_longest=dialect.has_wildcards)

    def choice(self, robot: Iterable[str]) -> Choice:
        """Return what chooses the records for a robot with these names."""
        return _PeerChoice(self, tuple(robot))


# Read like a Sitemap, which no rule depends on.
_WITHOUT_EFFECT = Field("", "", role=Role.SITEMAP, kind=LineKind.SITEMAP)


class _AnyField(dict[str, Any]):
    """How lines are read by the names of their fields; those of *other* names in one way."""

    def __init__(self, reads: Mapping[str, Any], other: Any) -> None:
        super().__init__(reads)
        self._other = other

    def get(self, key: str, _: Any = None) -> Any:
        """Return how a line of the field called *key* is read."""
        # The reader looks the name up as written, and then in lower case and without space.
        is_plain = key and key == key.strip().lower()
        return super().get(key, self._other if is_plain else None)


class _PeerChoice(Choice):
    """Which records a robot obeys in a `PeerDialect`."""

    __slots__ = ("_dialect",)

    def __init__(self, dialect: PeerDialect, robot: tuple[str, ...]) -> None:
        super().__init__(robot, dialect.rank, merges_named=dialect.merges_named)
        self._dialect = dialect

    def offer(self, names: Iterable[str], record: int) -> bool:
        """Return whether the robot obeys the *record* with these *names*."""
        dialect, named = self._dialect, list(names)
        if record in dialect.skipped:
            return False
        if dialect.default_alone and EVERYBODY in named:
            named = [EVERYBODY]
        if dialect.has_one_default and self.chosen:
            named = [name for name in named if name != EVERYBODY]
        return super().offer(named, record)


class _LongestPrefix(PrefixTable):
    """Rules without wildcards, of which the longest decides."""

    def __init__(self, rules: RuleColumns) -> None:
        super().__init__(rules, is_first=True)

    def _first_of(self, numbers: list[int]) -> int:
        """Return which of the rules with these *numbers*, which cover a URL, decides."""
        rules = self.rules
        return max(
            numbers,
            key=lambda it: (len(rules.values[it]), not rules.disallows(it)),
        )


class _FirstPattern(LongestTable):
    """Rules with wildcards, of which the first in the file decides."""

    def decide(self, _head: str, _target: str, spelling: str) -> int:
        """Return the number of the rule that decides about a target."""
        found = self.covering(spelling)
        for pattern, number in self._patterns:
            if spelling.startswith(pattern.first) and pattern.covers(spelling):
                found.append(number)
        return min(found, key=self.rules.lines.__getitem__, default=NO_RULE)


def _table(rules: RuleColumns, dialect: PeerDialect) -> RuleTable:
    """Return *rules* ready for questions."""
    if dialect.has_wildcards:
        return (LongestTable if dialect.is_longest else _FirstPattern)(rules)
    if dialect.is_longest:
        return _LongestPrefix(rules)
    return PrefixTable(rules, is_first=dialect.has_allow)


@dataclass(frozen=True)
class Setup:
    """A file as one parser reads it for one robot.

    *names* are those of the robot that our own parser compares, *header* is what other parsers
    get. A URL is asked for as *spell* returns it.
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
        """Return how our own parser reads *body* for the robot of *question*."""
        header = question.others_robot or question.robot
        names = robot_names(question.robot)
        peer = PeerDialect.of(dialect)
        return cls(body, Body(body).text, names, header, reading, peer)

    def rules(self) -> RobotRules:
        """Return the rules that the robot obeys."""
        dialect = self.dialect
        found = RobotReading(
            self.text, dialect, self.reading, self.names, for_warnings=False
        )
        table = _table(found.rules, dialect)
        return RobotRules(found, Body(self.body), dialect, self.header, table)


Point: TypeAlias = Callable[[Setup], Setup]
"""Returns a setup with what another parser does in one point."""


def _dialect(**changes: Any) -> Point:
    """Return the point that changes attributes of the dialect."""
    return lambda it: replace(it, dialect=replace(it.dialect, **changes))


def _in_target(change: Callable[[str], str]) -> Point:
    """Return the point that reads the target of the URL otherwise."""

    def changed(setup: Setup) -> Setup:
        def spell(url: str) -> str:
            url = setup.spell(url).partition("#")[0]
            target = target_of(url)
            return url.removesuffix(target) + change(target)

        return replace(setup, spell=spell)

    return changed


def _not_itself(target: str) -> str:
    """Return *target* so that robots.txt is a file like any other."""
    # With an empty query the same rules cover it.
    return f"{target}?" if canonical(target) == ROBOTS_TXT else target


def _itself_as_written(target: str) -> str:
    """Return *target* so that robots.txt in another spelling is a file like any other."""
    return target if target == ROBOTS_TXT else _not_itself(target)


def _empty_skipped(setup: Setup) -> Setup:
    """Leave out records without a rule."""
    groups = enumerate(groups_of(setup.text, setup.dialect))
    empty = (number for number, it in groups if not any(r.is_obeyed for r in it.rules))
    return _dialect(skipped=frozenset(empty))(setup)


def _in_paths(change: Callable[[str], Iterable[str]]) -> Point:
    """Return the point that reads the path of a rule otherwise."""

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
    is_itself = target == f"{ROBOTS_TXT}?"  # see `_not_itself`
    return target if is_itself else target.removesuffix("?")


def _dollar_also_literal(path: str) -> tuple[str, ...]:
    """Return *path*, and with each `$` as that character, if it has one."""
    return (path, path.replace("$", "%24")) if "$" in path else (path,)


def _url_as_path(path: str) -> tuple[str]:
    """Return a URL as a path: no target begins so."""
    return (f"/{path}" if _ABSOLUTE.match(path) else path,)


def _text(read: Callable[[bytes], str]) -> Point:
    """Return the point that decodes the file otherwise."""
    return lambda it: replace(it, text=read(it.body))


def _lossy(body: bytes) -> str:
    """Return *body* without what is not UTF-8, its lines ended as `str.splitlines` does."""
    return "\n".join(body.decode("utf-8-sig", "ignore").splitlines())


def _strict(body: bytes) -> str:
    """Return *body* if it is UTF-8, else nothing; a byte order mark stays."""
    try:
        return "\n".join(body.decode().splitlines())
    except UnicodeDecodeError:
        return ""


def _in_text(pattern: re.Pattern[str], to: str) -> Point:
    """Return the point that reads a form of line otherwise."""
    return lambda it: replace(it, text=pattern.sub(to, it.text))


def _all_of(*points: Point) -> Point:
    """Return several points as one."""

    def changed(setup: Setup) -> Setup:
        for point in points:
            setup = point(setup)
        return setup

    return changed


def _as_written(value: str) -> tuple[str, ...]:
    """Return the whole value of a User-agent line as a name."""
    return (value,) if value else ()


def _without_stars(value: str) -> tuple[str, ...]:
    """Return the name as written, and without `*` in it."""
    names = (value, value.replace("*", "") if value != EVERYBODY else "")
    return tuple(dict.fromkeys(filter(None, names)))


def at_a_boundary(name: str, robot: str) -> int:
    """Rank a name that begins at the start of a word of the robot's header, longer ones first."""
    words = re.finditer(rf"(?<![\w-]){re.escape(name)}", robot)
    return NAMED + len(name) if next(words, None) else 0


def _whole_header(robot: str) -> tuple[str, ...]:
    return (robot.strip().lower(),)


def _before_slash(robot: str) -> tuple[str, ...]:
    return (robot.partition("/")[0].lower(),)


def _named_by(robot: Callable[[str], tuple[str, ...]], **changes: Any) -> Point:
    """Return the point that compares the robot's names otherwise."""
    change = _dialect(**changes)
    return lambda it: change(replace(it, names=robot(it.header)))


_MISSPELT = {
    key: field
    for field, keys in {
        DISALLOW: "dissallow dissalow disalow diasllow disallaw",
        USER_AGENT: "useragent",
    }.items()
    for key in keys.split()
} | {"user agent": USER_AGENT}

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
        _in_text(_NO_COLON, r"\1: "), _dialect(more_fields=_MISSPELT)
    ),
    Cause.JOINED: _dialect(ends_by_any=True, ending=("crawl-delay",)),
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
    Cause.JOINED: _dialect(ending=("crawl-delay", "request-rate")),
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
        _in_text(_SPACE_BEFORE_COLON, r"\1-:"),
        _dialect(more_fields={"useragent": USER_AGENT}),
    ),
    Cause.JOINED: _dialect(ending=("crawl-delay", "sitemap")),
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
"""What each parser of Scrapy does otherwise, by its name."""
