"""Report: what each line of one file does, and what is wrong in it, as values."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import ne
from typing import Any

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.kinds import ERROR, INFO, KINDS, Problem
from scrapy_robots1994.lint.problems import problems_of
from scrapy_robots1994.lint.values import can_match, is_pattern
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect, dialect_named
from scrapy_robots1994.parser.fields import WHY_IGNORED, Field, LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.records import records_of

TODAY = "rfc9309"
"""The dialect that most robots follow today."""

_WIDTH = 22
_SHOWN_VALUES = 3
# So that a line of the report has at most 100 characters.
_NAMES_WIDTH = 27
_PATHS_WIDTH = 23


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read; *why* is one printable line.

    That an origin has no file is not a fault.
    """

    name: str
    why: str
    is_fault: bool = True

    @property
    def severity(self) -> str:
        """That of a problem of the same weight."""
        return ERROR if self.is_fault else INFO


class Report:
    """One file: its lines, what each does, its records and its problems.

    *body* are its bytes, or with *is_truncated* the beginning of them, and *dialect* the name
    of the dialect in which it is read. Problems with a code in *ignored* are left out.
    *read_otherwise* are the lines that another dialect reads otherwise, by its name, and
    *closed_otherwise* the names to which it closes the whole site, and this dialect does not.
    *problems_today* are the problems in `TODAY`, where the file is read in the dialect of 1994.
    """

    def __init__(
        self,
        name: str,
        body: bytes,
        *,
        dialect: str,
        is_truncated: bool = False,
        ignored: frozenset[str] = frozenset(),
    ) -> None:
        here, file = dialect_named(dialect), Body(body, is_truncated=is_truncated)
        text = file.text
        groups = tuple(groups_of(text, here))
        lines = tuple(chain.from_iterable(it.lines for it in groups))
        problems = problems_of(groups, file, here)
        self.name = name
        self.lines = lines
        self.records = tuple(records_of(groups, here))
        self.effects = list(_effects(groups, here))
        self.problems = [it for it in problems if it.code not in ignored]
        self.is_truncated = is_truncated
        ours, closed = _meanings(groups, here), _closed_to(groups, here)
        self.read_otherwise: dict[str, list[Line]] = {}
        self.closed_otherwise: dict[str, list[str]] = {}
        self.problems_today: list[Problem] | None = None
        for other in DIALECTS.values():
            others = tuple(groups_of(text, other))
            theirs = _meanings(others, other)
            if differing := list(compress(lines, map(ne, ours, theirs))):
                self.read_otherwise[other.name] = differing
            if more := [it for it in _closed_to(others, other) if it not in closed]:
                self.closed_otherwise[other.name] = more
            if other.name == TODAY and here.name == "1994":
                today = problems_of(others, file, other)
                self.problems_today = [it for it in today if it.code not in ignored]

    def count(self, *severities: str) -> int:
        """Return how many problems have one of *severities*."""
        return sum(problem.severity in severities for problem in self.problems)


@dataclass(slots=True)
class Summary:
    """How many files have which problem, and in how many places."""

    files: int = 0
    clean: int = 0
    by_file: Counter[str] = field(default_factory=Counter)
    by_place: Counter[str] = field(default_factory=Counter)

    def add(self, report: Report) -> None:
        """Count the problems of one more file."""
        codes = [problem.code for problem in report.problems]
        self.files += 1
        self.clean += not codes
        self.by_file.update(set(codes))
        self.by_place.update(codes)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each kind of problem that was found, and how often."""
        for kind in KINDS:
            if kind.code in self.by_file:
                yield {
                    "code": kind.code,
                    "files": self.by_file[kind.code],
                    "places": self.by_place[kind.code],
                    "severity": kind.severity,
                    "clause": kind.clause,
                    "title": kind.title,
                }


def _effects(groups: Iterable[Group], dialect: Dialect) -> Iterator[str]:
    """Yield what each line does, in order, in printable words; "" for an idle one."""
    for group in groups:
        # The first line of a record begins it.
        is_open = bool(group.names)
        for place, line in enumerate(group.lines):
            if line.kind is LineKind.BLANK:
                # 1994 F1
                yield "ends the record" if is_open and dialect.has_blank_lines else ""
                is_open = False
            elif line.kind is LineKind.COMMENT:
                yield ""
            elif line.row is None or not line.is_obeyed:
                yield f"ignored: {WHY_IGNORED[line.kind]}"
            elif line.row.role is Role.NAMES and place:
                yield f"and for {_named(line, dialect)}"
            else:
                yield _effect(line, line.row, dialect)


def _effect(line: Line, field: Field, dialect: Dialect) -> str:
    """Return what a line of *field* does."""
    if field.effect is None:
        raise NotImplementedError(field.name)
    said = _SAID[field.role](line, dialect)
    return "matches nothing" if said is None else field.effect.format(said)


def _named(line: Line, _dialect: Dialect) -> str:
    """Return which robots a User-agent line names."""
    names = line.said
    if names == ("*",):
        # 1994 A3
        return "every robot not named"
    quoted = [f'"{escape_control_chars(it, _WIDTH)}"' for it in names]
    return _joined(" and ", quoted, _NAMES_WIDTH)


def _covered(line: Line, dialect: Dialect) -> str | None:
    """Return which paths a rule covers; None if it matches nothing."""
    value = line.value
    paths = dialect.paths(value)
    if paths == ("",):
        # 1994 D2
        return "nothing"
    if "/" in paths:
        return "everything"
    # Ours O20: the others match nothing.
    shown = [escape_control_chars(it, _WIDTH) for it in paths if can_match(it, dialect)]
    if not shown:
        return None
    # 1994 D1
    how = "matches" if is_pattern(value, dialect) else "begins with"
    return f"what {how} {_joined(' or ', shown, _PATHS_WIDTH)}"


def _seconds(line: Line, _dialect: Dialect) -> str:
    """Return the seconds that a line requests, whatever its unit is."""
    return f"{line.said:f}".rstrip("0").rstrip(".")


def _value(line: Line, _dialect: Dialect) -> str:
    """Return the value as written."""
    return escape_control_chars(line.value, _WIDTH)


# What the value of a line says, in the words of its effect. A role that is not here is an
# error.
_SAID: dict[Role, Callable[[Line, Dialect], str | None]] = {
    Role.NAMES: _named,
    Role.RULE: _covered,
    Role.PAUSE: _seconds,
    Role.SITEMAP: _value,
}


def _joined(word: str, texts: list[str], width: int) -> str:
    """Return the first of *texts* with *word* between them, on so many characters."""
    more = " …" if len(texts) > _SHOWN_VALUES else ""
    return escape_control_chars(word.join(texts[:_SHOWN_VALUES]) + more, width)


def _meanings(groups: Iterable[Group], dialect: Dialect) -> list[object]:
    """Return what each line says in *dialect*: its own effect, and for a rule or a pause also
    the User-agent lines whose robots it is for.
    """
    found: list[object] = []
    for group in groups:
        agents = tuple(it.number for it in group.agents if it.is_obeyed)
        for line in group.lines:
            meaning = _meaning(line, dialect)
            role = line.row.role if line.row and line.row.in_record else Role.NONE
            if role is Role.RULE:
                meaning = meaning and (meaning, agents)
            elif role is Role.PAUSE:
                # RFC 9309: a pause is for the names above it.
                above = [it for it in agents if it < line.number]
                meaning = meaning and (meaning, *above)
            found.append(meaning)
    return found


def _closed_to(groups: Iterable[Group], dialect: Dialect) -> list[str]:
    """Return the robot names for which *groups* disallow the whole site, each once."""
    whole = ("/", "/*", "*") if dialect.has_wildcards else ("/",)
    found: dict[str, None] = {}
    for group in groups:
        rules = [it for it in group.rules if it.is_obeyed and it.row is not None]
        paths = [(path, it.row) for it in rules for path in dialect.paths(it.value)]
        closed = {path for path, row in paths if row and not row.allows}
        opened = {path for path, row in paths if row and row.allows}
        # Ours X1, RFC 9309 2.2.2: a rule of the same path opens it again.
        if any(path in closed and path not in opened for path in whole):
            found |= dict.fromkeys(group.names)
    return list(found)


def _meaning(line: Line, dialect: Dialect) -> object:
    """Return what a line says in *dialect*; None if it has no effect of its own."""
    if line.row is None or not line.is_obeyed:
        return None
    if line.row.role is not Role.RULE:
        return line.kind, line.said
    paths = dialect.paths(line.value)
    return line.kind, paths, [is_pattern(it, dialect) for it in paths]
