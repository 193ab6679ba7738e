"""Matcher: what is common to the three ways in which rules cover URLs.

`prefix_matcher.py` is for dialects without Allow, `first_match.py` for those in which
the first rule decides, `rfc9309.py` for wildcards and the longest rule.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from sys import getsizeof
from typing import NamedTuple, Protocol

from scrapy_robots1994.parser.records import RobotRecord, Rule
from scrapy_robots1994.parser.spellings import paths_under


class Matcher(Protocol):
    """The rules of one robot, compiled for questions.

    A question is a target (path and query) in two spellings: the one that
    *normal_spelling* returns, and as written.
    """

    @property
    def is_plain(self) -> bool:
        """Whether a target without `%` is its own normal spelling to these rules, and
        may be given with the fragment that follows it.
        """

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """All rules, if a target without `%` is disallowed just when one of them begins
        its normal spelling; else None.
        """

    def normal_spelling(self, target: str) -> str:
        """Return the one spelling of all targets that rules do not distinguish."""

    def disallows(self, spelling: str, written: str) -> bool:
        """Return whether the target may not be retrieved."""

    def decide(self, spelling: str, written: str) -> Rule | None:
        """Return the rule that decides about the target; None if no rule covers it."""

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""


class Columns(NamedTuple):
    """The rules of one record that are paths, as columns.

    *paths* are what URLs are compared with, *values* what the file says. Those from
    *first_orphan* on are orphans.
    """

    paths: Sequence[str]
    values: Sequence[str]
    lines: Sequence[int]
    allows: Sequence[bool]
    first_orphan: int

    def part(self, start: int, end: int) -> "Columns":
        """Return the rules in these places."""
        if (start, end) == (0, len(self.paths)):
            return self
        place = slice(start, end)
        paths, values = self.paths[place], self.values[place]
        lines, allows = self.lines[place], self.allows[place]
        return Columns(paths, values, lines, allows, end - start)

    def only(self, places: Sequence[int]) -> "Columns":
        """Return the rules in these *places*, without saying whether they allow."""
        paths, values, lines = (
            [self.paths[place] for place in places],
            [self.values[place] for place in places],
            [self.lines[place] for place in places],
        )
        return Columns(paths, values, lines, (), len(paths))


def joined(columns: Sequence[Columns]) -> Columns:
    """Return the rules of all *columns*, without saying which are orphans."""
    if len(columns) == 1:
        return columns[0]
    paths = [path for it in columns for path in it.paths]
    return Columns(
        paths,
        [value for it in columns for value in it.values],
        [line for it in columns for line in it.lines],
        [allows for it in columns for allows in it.allows],
        len(paths),
    )


def columns_of(record: RobotRecord, head: str) -> Columns:
    """Return the rules of *record* that may cover a URL with this *head* (scheme and
    authority, perhaps empty).
    """
    values, lines, allows = record.values, record.lines, record.allows
    paths: Sequence[str] = values
    # Ours O20: a value without a leading slash covers nothing. Ours O19: unless it is
    # an absolute URL.
    if sum(value[0] == "/" for value in values) < len(values):
        pairs = [
            (place, path)
            for place, value in enumerate(values)
            for path in ((value,) if value[0] == "/" else paths_under(value, head))
        ]
        paths = [path for _, path in pairs]
        values = [values[place] for place, _ in pairs]
        lines = [lines[place] for place, _ in pairs]
        allows = [allows[place] for place, _ in pairs] if allows else ()
    return Columns(
        paths, values, lines, allows, bisect_left(lines, record.orphans_from)
    )


def compact(lines: Sequence[int]) -> Sequence[int]:
    """Return numbers of lines in little memory."""
    return lines if isinstance(lines, range) else array("I", lines)


def memory_of(*containers: Iterable[str]) -> int:
    """Return how many bytes these containers and their texts take; a text that several
    of them hold counts once.
    """
    texts = {id(text): text for each in containers for text in each}
    return sum(map(getsizeof, (*containers, *texts.values())))
