"""Report: what each line of one file does, and what is wrong in it, as values."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scrapy_robots1994.checks.kinds import Problem
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser import Line, LineKind, Record
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect, dialect_named
from scrapy_robots1994.parser.tokens import (
    ALLOW,
    CRAWL_DELAY,
    DISALLOW,
    SITEMAP,
    USER_AGENT,
)
from scrapy_robots1994.robotstxt import RobotsTxt

_WIDTH = 22
_SHOWN_PATHS = 3

# Shorter than `Line.why_ignored`, to fit next to the line.
_WHY_IGNORED = {
    LineKind.UNKNOWN: "1994 has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line before it",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "no number of seconds",
}


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read; *why* is one printable line.

    That an origin has no file is not a fault.
    """

    name: str
    why: str
    is_fault: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """One file: its lines, what each does, its records and its problems.

    *read_otherwise* are the lines that another dialect reads otherwise, by its name.
    """

    name: str
    lines: tuple[Line, ...]
    effects: tuple[str, ...]
    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    is_truncated: bool
    read_otherwise: dict[str, list[Line]]

    @classmethod
    def of(
        cls, name: str, robots: RobotsTxt, ignored: frozenset[str] = frozenset()
    ) -> "Report":
        """Return the report of *robots*, without the problems with a code in *ignored*."""
        lines, records = robots.lines, robots.records
        return cls(
            name,
            lines,
            tuple(_effects(lines, records)),
            records,
            tuple(it for it in robots.problems if it.code not in ignored),
            robots.is_truncated,
            dict(_read_otherwise(lines, dialect_named(robots.dialect))),
        )

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


def _effects(lines: tuple[Line, ...], records: tuple[Record, ...]) -> Iterator[str]:
    """Yield what each line does, in order, in printable words; "" for an idle one."""
    names = _by_line((it.line, it.name) for record in records for it in record.agents)
    paths = _by_line((it.line, it.value) for record in records for it in record.rules)
    starts = {record.first_line for record in records}
    is_open = False
    for line in lines:
        is_open |= line.number in starts
        value = escape_control_chars(line.value, _WIDTH)
        match line.kind:
            case LineKind.BLANK:
                # 1994 F1
                yield "ends the record" if is_open else ""
                is_open = False
            case LineKind.COMMENT | LineKind.SITEMAP:
                yield ""
            case LineKind.CRAWL_DELAY:
                # Ours X4
                yield f"asks for a pause of {value} seconds"
            case LineKind.ALLOW:
                # Ours X1
                yield f"allows what begins with {value}"
            case LineKind.USER_AGENT:
                # 1994 A1, A3
                begins = "begins a record, for" if line.number in starts else "and for"
                yield f"{begins} {_robots(names[line.number])}"
            case LineKind.DISALLOW:
                yield _effect_of_rule(paths[line.number])
            case _:
                yield f"ignored: {_WHY_IGNORED.get(line.kind, line.why_ignored)}"


def _by_line(pairs: Iterable[tuple[int, str]]) -> dict[int, list[str]]:
    """Return the values by line number; in 1994 a line has one."""
    found: dict[int, list[str]] = {}
    for number, value in pairs:
        found.setdefault(number, []).append(value)
    return found


def _robots(names: list[str]) -> str:
    """Return the robots that a User-agent line names."""
    name = " ".join(names)
    shown = f'"{escape_control_chars(name, _WIDTH)}"'
    return "every robot not named" if name == "*" else shown


def _effect_of_rule(paths: list[str]) -> str:
    """Return what a Disallow line of a record does."""
    if paths == [""]:
        # 1994 D2
        return "forbids nothing"
    if "/" in paths:
        return "forbids everything"
    # Ours O20: the others match nothing.
    matching = [it for it in paths if it.startswith("/") or "://" in it]
    if not matching:
        return "matches nothing"
    # 1994 D1
    shown = (escape_control_chars(it, _WIDTH) for it in matching[:_SHOWN_PATHS])
    more = " …" if len(matching) > _SHOWN_PATHS else ""
    return f"forbids what begins with {' or '.join(shown)}{more}"


def _read_otherwise(
    lines: tuple[Line, ...], here: Dialect
) -> Iterator[tuple[str, list[Line]]]:
    """Yield each dialect that reads some of *lines* otherwise than *here*, and those."""
    for there in DIALECTS.values():
        differing = [
            line
            for line in lines
            if line.field and _meaning(line, here) != _meaning(line, there)
        ]
        if differing:
            yield there.name, differing


def _meaning(line: Line, dialect: Dialect) -> tuple[str, ...]:
    """Return the names, paths or known field of *line* in *dialect*, if any."""
    field_name = line.field.lower()
    if field_name == USER_AGENT:
        return dialect.names(line.value)
    if field_name == DISALLOW:
        return dialect.paths(line.value)
    known = {
        ALLOW: dialect.has_allow,
        CRAWL_DELAY: dialect.has_crawl_delay,
        SITEMAP: dialect.has_sitemap,
    }
    return (field_name,) if known.get(field_name) else ()
