"""Report: what is told of one file, as values."""

from collections import Counter
from dataclasses import dataclass, field

from scrapy_robots1994.checks.problem import Problem
from scrapy_robots1994.lint.dialects import Otherwise, read_otherwise
from scrapy_robots1994.lint.effects import effects_of
from scrapy_robots1994.parser import Line, Record
from scrapy_robots1994.robotstxt import RobotsTxt


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read; *why* is one printable line.

    It is no fault that there is none.
    """

    name: str
    why: str
    is_fault: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """One file: its lines, what each does, its records and its problems.

    *otherwise* are the lines that another dialect reads otherwise.
    """

    name: str
    lines: tuple[Line, ...]
    effects: tuple[str, ...]
    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    is_cut: bool = False
    otherwise: tuple[Otherwise, ...] = ()
    count: Counter[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Count the problems by their severity."""
        count = Counter(problem.severity for problem in self.problems)
        object.__setattr__(self, "count", count)

    @classmethod
    def of(
        cls, name: str, robots: RobotsTxt, ignored: frozenset[str] = frozenset()
    ) -> "Report":
        """Return the report of *robots*, which is called *name*, without the problems
        whose code is in *ignored*.
        """
        return cls(
            name,
            robots.lines,
            tuple(effects_of(robots)),
            robots.records,
            tuple(it for it in robots.problems if it.code not in ignored),
            robots.is_truncated,
            tuple(read_otherwise(robots)),
        )

    def has(self, *severities: str) -> bool:
        """Whether a problem has one of *severities*."""
        return any(self.count[severity] for severity in severities)
