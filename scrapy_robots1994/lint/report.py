"""The report on one file, with the effect of each line and the problems with the file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import ne
from typing import Any

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.kinds import ERROR, INFO, KINDS, SEVERITIES, Problem
from scrapy_robots1994.lint.problems import problems_of
from scrapy_robots1994.lint.records import allows
from scrapy_robots1994.lint.values import can_match, is_pattern
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect, grammars_of
from scrapy_robots1994.parser.fields import WHY_IGNORED, Field, LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.records import records_of

TODAY = "rfc9309"
"""The dialect that most robots follow today."""

_WIDTH = 22
_SHOWN_VALUES = 3
# With these maximum widths, no line of the report is longer than 100 characters.
_NAMES_WIDTH = 27
_PATHS_WIDTH = 23


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read.

    *why* is the reason, in one printable line. *is_fault* is false if the origin has no
    file, because a missing file is not a fault.
    """

    name: str
    why: str
    is_fault: bool = True

    @property
    def severity(self) -> str:
        """Return "error" for a fault, otherwise "info"."""
        return ERROR if self.is_fault else INFO


class Report:
    """The report on one file, with its lines, their effects, its records and its problems.

    *body* contains the bytes of the file. If *is_truncated* is true, *body* is only the
    beginning of the file. *dialect* is the name of the dialect in which the file is read.
    The report does not contain problems whose code is in *ignored*.

    *read_otherwise* maps the name of another dialect to the lines that the other dialect
    reads differently from *dialect*. *closed_otherwise* maps the name of another dialect
    to robot names. The other dialect disallows the whole site for these names, but
    *dialect* does not. If *dialect* is `"1994"`, *problems_today* contains the problems
    in the dialect `TODAY`. In any other dialect, *problems_today* is None.
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
        here, file = grammars_of(dialect)[0], Body(body, is_truncated=is_truncated)
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
        """Return the number of problems whose severity is one of *severities*."""
        return sum(problem.severity in severities for problem in self.problems)


@dataclass(slots=True)
class Summary:
    """The number of files, and the number of places, with each kind of problem.

    *files* is the number of all files, and *clean* is the number of files without a problem.
    For each code of a problem, *by_file* counts the files with the problem, and *by_place*
    counts the places with the problem. *severities* contains the highest severity that was
    found for each code.
    """

    files: int = 0
    clean: int = 0
    by_file: Counter[str] = field(default_factory=Counter)
    by_place: Counter[str] = field(default_factory=Counter)
    severities: dict[str, str] = field(default_factory=dict)

    def add(self, report: Report) -> None:
        """Add the problems of *report* to the counts."""
        codes = [problem.code for problem in report.problems]
        self.files += 1
        self.clean += not codes
        self.by_file.update(set(codes))
        self.by_place.update(codes)
        for problem in report.problems:
            before = self.severities.get(problem.code, problem.severity)
            worst = min(before, problem.severity, key=SEVERITIES.index)
            self.severities[problem.code] = worst

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row for each kind of problem that was found."""
        for kind in KINDS:
            if kind.code in self.by_file:
                yield {
                    "code": kind.code,
                    "files": self.by_file[kind.code],
                    "places": self.by_place[kind.code],
                    "severity": self.severities[kind.code],
                    "clause": kind.clause,
                    "title": kind.title,
                }


def _effects(groups: Iterable[Group], dialect: Dialect) -> Iterator[str]:
    """Yield a short description of the effect of each line, in the order of the lines.

    The effect is "" for a comment, and for a blank line that does not end a record.
    """
    for group in groups:
        # Every group with names is a record. The group above all records has no names.
        is_open = bool(group.names)
        for place, line in enumerate(group.lines):
            if line.kind is LineKind.BLANK:
                # 1994 F1 (records): blank lines separate records.
                yield "ends the record" if is_open and dialect.has_blank_lines else ""
                is_open = False
            elif line.kind is LineKind.COMMENT:
                yield ""
            elif line.row is None and line.known and line.known.is_preference:
                yield "states a usage preference, which is not a rule"
            elif line.row is None or not line.is_obeyed:
                yield f"ignored: {WHY_IGNORED[line.kind]}"
            elif line.row.role is Role.NAMES and place:
                yield f"and for {_named(line, dialect)}"
            else:
                yield _effect(line, line.row, dialect)


def _effect(line: Line, field: Field, dialect: Dialect) -> str:
    """Describe the effect of *line*, whose field is *field*."""
    if field.effect is None:
        raise NotImplementedError(field.name)
    said = _SAID[field.role](line, dialect)
    return "matches nothing" if said is None else field.effect.format(said)


def _named(line: Line, _dialect: Dialect) -> str:
    """Describe the robots that a User-agent line names."""
    names = line.said
    if names == ("*",):
        # 1994 A3 (default record): `*` means the robots that no other record names.
        return "every robot not named"
    quoted = [f'"{escape_control_chars(it, _WIDTH)}"' for it in names]
    return _joined(" and ", quoted, _NAMES_WIDTH)


def _covered(line: Line, dialect: Dialect) -> str | None:
    """Describe the paths that a rule covers. Return None if the rule matches nothing."""
    value = line.value
    paths = dialect.paths(value)
    if paths == ("",):
        # 1994 D2 (empty value): everything may be retrieved.
        return "nothing"
    if "/" in paths:
        return "everything"
    # Ours O20 (no leading slash): a path without a leading slash matches nothing.
    shown = [escape_control_chars(it, _WIDTH) for it in paths if can_match(it, dialect)]
    if not shown:
        return None
    # 1994 D1 (prefixes): a path without wildcards covers the URLs that begin with the path.
    how = "matches" if is_pattern(value, dialect) else "begins with"
    return f"what {how} {_joined(' or ', shown, _PATHS_WIDTH)}"


def _seconds(line: Line, _dialect: Dialect) -> str:
    """Return the number of seconds in a line that asks for a pause, as a decimal number."""
    return f"{line.said:f}".rstrip("0").rstrip(".")


def _value(line: Line, _dialect: Dialect) -> str:
    """Return the value of *line* as written, but safe to print."""
    return escape_control_chars(line.value, _WIDTH)


# `_SAID` maps each role to the function that describes the value of a line. The table must
# have an entry for the role of every field that a dialect reads.
_SAID: dict[Role, Callable[[Line, Dialect], str | None]] = {
    Role.NAMES: _named,
    Role.RULE: _covered,
    Role.PAUSE: _seconds,
    Role.SITEMAP: _value,
}


def _joined(word: str, texts: list[str], width: int) -> str:
    """Join the first few *texts* with *word*, in at most *width* characters."""
    more = " …" if len(texts) > _SHOWN_VALUES else ""
    return escape_control_chars(word.join(texts[:_SHOWN_VALUES]) + more, width)


def _meanings(groups: Iterable[Group], dialect: Dialect) -> list[object]:
    """Return the meaning of each line in *dialect*, for comparisons between dialects."""
    found: list[object] = []
    for group in groups:
        agents = [it.number for it in group.agents if it.is_obeyed]
        found += [_meaning(line, agents, dialect) for line in group.lines]
    return found


def _meaning(line: Line, agents: list[int], dialect: Dialect) -> object:
    """Return the meaning of *line* in *dialect*, or None if the line has no effect.

    Two lines with equal meanings have the same effect. The meaning of a rule or a pause
    includes the line numbers of its User-agent lines. *agents* contains the line numbers of
    all User-agent lines of the record.
    """
    if line.row is None or not line.is_obeyed:
        return None
    if line.row.role is Role.RULE:
        paths = dialect.paths(line.value)
        return line.kind, paths, [is_pattern(it, dialect) for it in paths], agents
    if line.row.role is Role.PAUSE:
        # A pause applies only to the User-agent lines above the pause.
        return line.kind, line.said, [it for it in agents if it < line.number]
    return line.kind, line.said


def _closed_to(groups: Iterable[Group], dialect: Dialect) -> list[str]:
    """Return the robot names, without duplicates, for which *groups* disallow the whole
    site.
    """
    whole = ("/", "/*", "*") if dialect.has_wildcards else ("/",)
    found: dict[str, None] = {}
    for group in groups:
        rules = [it for it in group.rules if it.is_obeyed]
        paths = [(path, allows(it)) for it in rules for path in dialect.paths(it.value)]
        closed = {path for path, is_allowed in paths if not is_allowed}
        opened = {path for path, is_allowed in paths if is_allowed}
        # Ours X1 (Allow), RFC 9309 2.2.2: if an Allow line has the same path as a
        # Disallow line, the Allow line can decide.
        if any(path in closed and path not in opened for path in whole):
            found |= dict.fromkeys(group.names)
    return list(found)
