"""Report: what each line of one file does, and what is wrong in it, as values."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress
from operator import ne
from typing import Any

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.values import can_match, is_pattern
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser import Line, LineKind, Record
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect, dialect_named
from scrapy_robots1994.parser.reader import lines_of
from scrapy_robots1994.robotstxt import RobotsTxt

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


class Report:
    """One file: its lines, what each does, its records and its problems.

    Problems with a code in *ignored* are left out. *read_otherwise* are the lines that
    another dialect reads otherwise, by its name.
    """

    def __init__(
        self, name: str, robots: RobotsTxt, ignored: frozenset[str] = frozenset()
    ) -> None:
        here = dialect_named(robots.dialect)
        self.name = name
        self.lines = robots.lines
        self.records = robots.records
        self.effects = list(_effects(self.lines, self.records, here))
        self.problems = [it for it in robots.problems if it.code not in ignored]
        self.is_truncated = robots.is_truncated
        readings = {it.name: [*_meanings(robots.text, it)] for it in DIALECTS.values()}
        ours = readings[here.name]
        self.read_otherwise = {
            name: list(compress(self.lines, map(ne, ours, theirs)))
            for name, theirs in readings.items()
            if theirs != ours
        }

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


def _effects(
    lines: Iterable[Line], records: Iterable[Record], dialect: Dialect
) -> Iterator[str]:
    """Yield what each line does, in order, in printable words; "" for an idle one."""
    starts = {record.first_line for record in records}
    is_open = False
    for line in lines:
        is_open |= line.number in starts
        value = escape_control_chars(line.value, _WIDTH)
        match line.kind:
            case LineKind.BLANK:
                # 1994 F1
                yield "ends the record" if is_open and dialect.has_blank_lines else ""
                is_open = False
            case LineKind.COMMENT | LineKind.SITEMAP:
                yield ""
            case LineKind.CRAWL_DELAY:
                # Ours X4
                yield f"asks for a pause of {value} seconds"
            case LineKind.USER_AGENT:
                # 1994 A1, A3
                begins = "begins a record, for" if line.number in starts else "and for"
                yield f"{begins} {_named(dialect.names(line.value))}"
            case LineKind.DISALLOW:
                yield _effect_of_rule("forbids", line, dialect)
            case LineKind.ALLOW:
                # Ours X1
                yield _effect_of_rule("allows", line, dialect)
            case _:
                yield f"ignored: {line.why_ignored}"


def _named(names: tuple[str, ...]) -> str:
    """Return which robots *names* name."""
    if names == ("*",):
        return "every robot not named"
    quoted = [f'"{escape_control_chars(it, _WIDTH)}"' for it in names]
    return _joined(" and ", quoted, _NAMES_WIDTH)


def _joined(word: str, texts: list[str], width: int) -> str:
    """Return the first of *texts* with *word* between them, on so many characters."""
    more = " …" if len(texts) > _SHOWN_VALUES else ""
    return escape_control_chars(word.join(texts[:_SHOWN_VALUES]) + more, width)


def _effect_of_rule(verb: str, line: Line, dialect: Dialect) -> str:
    """Return what a rule of a record does."""
    paths = dialect.paths(line.value)
    if paths == ("",):
        # 1994 D2
        return f"{verb} nothing"
    if "/" in paths:
        return f"{verb} everything"
    # Ours O20: the others match nothing.
    shown = [escape_control_chars(it, _WIDTH) for it in paths if can_match(it, dialect)]
    if not shown:
        return "matches nothing"
    # 1994 D1
    how = "matches" if is_pattern(line.value, dialect) else "begins with"
    return f"{verb} what {how} {_joined(' or ', shown, _PATHS_WIDTH)}"


def _meanings(text: str, dialect: Dialect) -> Iterator[object]:
    """Yield for each line its names or paths in *dialect*, or what kind of line it is."""
    for line in lines_of(text, dialect):
        match line.kind:
            case LineKind.USER_AGENT:
                yield dialect.names(line.value)
            case LineKind.DISALLOW | LineKind.ALLOW as kind:
                paths = dialect.paths(line.value)
                yield kind, paths, [is_pattern(it, dialect) for it in paths]
            case kind:
                # Ignored is ignored, whatever the reason.
                yield None if line.why_ignored else kind
