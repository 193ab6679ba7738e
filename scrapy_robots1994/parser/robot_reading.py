"""Read in one pass which lines of a file a robot obeys, and which the dialect ignores."""

from collections.abc import Sequence
from typing import NamedTuple

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.user_agent import EVERYBODY, joined_names

# Before Python 3.12, accessing an enum member calls a function, so access each member only once.
_ORPHAN, _SITEMAP = LineKind.ORPHAN, LineKind.SITEMAP
_CRAWL_DELAY = LineKind.CRAWL_DELAY

# The names of the default record, shared by all files
_DEFAULT: tuple[str, ...] = (EVERYBODY,)


class Ignored(NamedTuple):
    """What the dialect ignores or takes literally in the records that a robot obeys."""

    wildcards: int
    """The number of rules whose `*` or final `$` is an ordinary character."""
    allows: int
    """The number of Allow lines, in a dialect without that field."""
    split: int
    """The number of rules that a blank line separates from their record."""
    line: int
    """The 1-based number of the first line that is counted above."""

    def __str__(self) -> str:
        parts = [
            f"{number} {noun if number == 1 else many}"
            for number, noun, many in (
                (self.wildcards, "rule with a wildcard", "rules with wildcards"),
                (self.allows, "Allow line", "Allow lines"),
                (self.split, "rule below a blank line", "rules below a blank line"),
            )
            if number
        ]
        return f"{', '.join(parts)}; the first is line {self.line}"


def has_wildcard(path: str) -> bool:
    """Whether *path* contains a `*` or a final `$`, which are special in rfc9309."""
    return "*" in path or path[-1:] == "$"


class RobotReading:
    def __init__(self) -> None:
        # One line for each path
        self.rules: list[Line] = []
        # The first line of each record that the robot obeys
        self.first_lines: list[int] = []
        # The names in each record that the robot obeys
        self.names: list[tuple[str, ...]] = []
        # Allow lines, and rules below a blank line, as in `Ignored`
        self.allows: list[Line] = []
        self.split: list[Line] = []
        self.crawl_delay: float | None = None
        # The distinct sitemaps of the file, as written and in order
        self.sitemaps: tuple[str, ...] = ()
        # Whether the file has a record
        self.has_any = False
        self.ignored: Ignored | None = None

    def add(self, group: Group) -> None:
        """Add the record of *group*, except for its delay."""
        for rule in group.rules:
            # 1994 D2, Ours O21: an empty path disallows nothing.
            if rule.value:
                # Ours O5
                (self.split if rule.kind is _ORPHAN else self.rules).append(rule)
        self.allows += (it for it in group.without if it.value)
        self.first_lines.append(group.agents[0].number)
        # Share the tuple of the record above: thousands of records may have the same names.
        names = tuple(group.names)
        before = self.names[-1] if self.names else _DEFAULT
        self.names.append(before if before == names else names)


def read_for_robot(text: str, dialect: Dialect, robot: Sequence[str]) -> RobotReading:
    """Return what a robot obeys in *text*. *robot* is the result of `robot_names`."""
    joined = joined_names(robot)
    sitemaps: dict[str, None] = {}
    reading, highest, has_any = RobotReading(), 0, False
    # The first group (the lines before the first record) has no names.
    for group in groups_of(text, dialect, only_effective=True):
        has_any = has_any or bool(group.names)
        pauses: dict[tuple[int, int], float] = {}
        for line, run in zip(group.others, group.runs, strict=True):
            if line.kind is _SITEMAP:
                # Ours X7: sitemaps belong to no record.
                sitemaps[line.said] = None
            elif line.kind is _CRAWL_DELAY:
                pauses[run] = max(line.said, pauses.get(run, 0))
        rank = dialect.rank_of(group.names, joined)
        if rank > highest:
            # This record names the robot more specifically than the earlier ones.
            reading, highest = RobotReading(), rank
        elif not (rank == highest > 0 and dialect.obeys_all(rank)):
            continue
        reading.add(group)
        for (start, end), seconds in pauses.items():
            # In rfc9309, a delay applies only to the nearest run of User-agent lines above it.
            names = group.names[start:end]
            if not dialect.pauses_by_run or dialect.rank_of(names, joined) == rank:
                # Ours X5: the longest delay for the robot applies.
                reading.crawl_delay = max(seconds, reading.crawl_delay or 0)
    if dialect.has_lists:
        # Revisited K2
        reading.rules = [
            it._replace(value=path)
            for it in reading.rules
            for path in dialect.paths(it.value)
        ]
    reading.has_any = has_any
    reading.sitemaps = tuple(filter(None, sitemaps))
    reading.ignored = _ignored(reading, dialect)
    return reading


def _ignored(reading: RobotReading, dialect: Dialect) -> Ignored | None:
    wildcards: list[Line] = []
    if not dialect.has_wildcards:
        wildcards = [it for it in reading.rules if has_wildcard(it.value)]
    # Without a Disallow, an Allow has no effect in any dialect.
    allows = reading.allows if reading.rules else []
    numbers = [it.number for it in (*wildcards, *allows, *reading.split)]
    if not numbers:
        return None
    return Ignored(len(wildcards), len(allows), len(reading.split), min(numbers))
