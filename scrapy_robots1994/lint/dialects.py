"""What changes between the dialects: which lines of a file another reads otherwise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser import Line
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect, dialect_named
from scrapy_robots1994.parser.tokens import (
    ALLOW,
    CRAWL_DELAY,
    DISALLOW,
    SITEMAP,
    USER_AGENT,
)
from scrapy_robots1994.robotstxt import RobotsTxt

_FIELDS_TOLD = 6


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The lines, by number, that *dialect* reads otherwise, and their fields."""

    dialect: str
    lines: tuple[int, ...]
    fields: tuple[str, ...]

    def __str__(self) -> str:
        """Return it as one line that is safe to print."""
        plural = "" if len(self.lines) == 1 else "s"
        told = ", ".join(
            escape_control_chars(field, 30) for field in self.fields[:_FIELDS_TOLD]
        )
        more = ", …" if len(self.fields) > _FIELDS_TOLD else ""
        return (
            f'the dialect "{self.dialect}" reads line{plural} {_runs(self.lines)} '
            f"otherwise ({told}{more})"
        )


def read_otherwise(robots: RobotsTxt) -> Iterator[Otherwise]:
    """Yield for each other dialect that reads a line of *robots* otherwise which these
    are.
    """
    here = dialect_named(robots.dialect)
    said = [line for line in robots.lines if line.field]
    for there in DIALECTS.values():
        lines = [line for line in said if _says(line, here) != _says(line, there)]
        if lines:
            numbers = tuple(line.number for line in lines)
            fields: dict[str, str] = {}
            for line in lines:
                fields.setdefault(line.field.lower(), line.field)
            yield Otherwise(there.name, numbers, tuple(fields.values()))


def _says(line: Line, dialect: Dialect) -> tuple[str, ...]:
    """Return what *line* says in *dialect*: names, paths, or a field; else nothing."""
    match line.field.lower():
        case str(name) if name == USER_AGENT:
            return dialect.names(line.value)
        case str(name) if name == DISALLOW:
            return dialect.paths(line.value)
        case name:
            known = {
                ALLOW: dialect.has_allow,
                CRAWL_DELAY: dialect.has_crawl_delay,
                SITEMAP: dialect.has_sitemap,
            }
            return (name,) if known.get(name) else ()


def _runs(numbers: Sequence[int]) -> str:
    """Return *numbers*, which ascend, with neighbours as one: `2-4, 7`."""
    counter = count()
    runs = []
    for _, run in groupby(numbers, key=lambda number: number - next(counter)):
        first, *rest = run
        runs.append(f"{first}-{rest[-1]}" if rest else str(first))
    return ", ".join(runs)
