"""Matcher: what is common to the three ways in which rules cover URLs.

`prefix_matcher.py` is for dialects without Allow, `first_match.py` for those in which
the first rule decides, `rfc9309.py` for wildcards and the longest rule.
"""

from array import array
from collections.abc import Iterable, Sequence
from sys import getsizeof
from typing import NamedTuple, Protocol

from scrapy_robots1994.parser.records import RobotRecord
from scrapy_robots1994.parser.spellings import is_plain, paths_under


class Decision(NamedTuple):
    """A rule that decides: its number among all values of its records, and its value."""

    number: int
    value: str
    allows: bool = False


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
    def has_urls(self) -> bool:
        """Whether it is for one host, and others need another one (Ours O19)."""

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """All rules, if a target without `%` is disallowed just when one of them begins
        its normal spelling; else None.
        """

    def normal_spelling(self, target: str) -> str:
        """Return the one spelling of all targets that rules do not distinguish."""

    def disallows(self, spelling: str, written: str) -> bool:
        """Return whether the target may not be retrieved."""

    def decide(self, spelling: str, written: str) -> Decision | None:
        """Return the rule that decides about the target; None if no rule covers it."""

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory it takes."""


class Columns(NamedTuple):
    """The rules of records that are paths, as columns.

    *paths* are what URLs are compared with, *values* what the file says, *numbers* the
    places among all values of the records. *is_plain* says that all paths are their own
    canonical spelling, *has_urls* that other hosts have other paths.
    """

    paths: Sequence[str]
    values: Sequence[str]
    numbers: Sequence[int]
    is_plain: bool
    has_urls: bool = False

    def only(self, places: Sequence[int]) -> "Columns":
        """Return the rules in these *places*."""
        return self._replace(
            paths=[self.paths[place] for place in places],
            values=[self.values[place] for place in places],
            numbers=[self.numbers[place] for place in places],
        )


def columns_of(record: RobotRecord, start: int, head: str) -> Columns:
    """Return the rules of *record* that may cover a URL with this *head* (scheme and
    authority, perhaps empty); its first value has the number *start*.
    """
    values = record.values
    numbers = range(start, start + len(values))
    # No value has a line end, so this counts those that begin with a slash.
    text = "\n" + "\n".join(values)
    if text.count("\n/") == len(values):
        return Columns(values, values, numbers, is_plain(text))
    # Ours O20: a value without a leading slash covers nothing. Ours O19: unless it is
    # an absolute URL.
    rules = [
        (path, value, number)
        for value, number in zip(values, numbers, strict=True)
        for path in ((value,) if value[0] == "/" else paths_under(value, head))
    ]
    return Columns(
        [path for path, _, _ in rules],
        [value for _, value, _ in rules],
        [number for _, _, number in rules],
        is_plain("".join(path for path, _, _ in rules)),
        "://" in text,
    )


def columns_of_all(records: Sequence[RobotRecord], head: str) -> list[Columns]:
    """Return the columns of each record, for URLs with this *head*."""
    start = 0
    columns = []
    for record in records:
        columns.append(columns_of(record, start, head))
        start += len(record.values)
    return columns


def joined(columns: Sequence[Columns]) -> Columns:
    """Return the rules of all *columns*."""
    if len(columns) == 1:
        return columns[0]
    return Columns(
        [path for it in columns for path in it.paths],
        [value for it in columns for value in it.values],
        [number for it in columns for number in it.numbers],
        all(it.is_plain for it in columns),
        any(it.has_urls for it in columns),
    )


def compact(numbers: Sequence[int]) -> Sequence[int]:
    """Return *numbers* in little memory."""
    return numbers if isinstance(numbers, range) else array("I", numbers)


def memory_of(*containers: Iterable[str]) -> int:
    """Return how many bytes these containers and their texts take; a text that several
    of them hold counts once.
    """
    texts = {id(text): text for each in containers for text in each}
    return sum(map(getsizeof, (*containers, *texts.values())))
