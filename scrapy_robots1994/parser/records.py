"""Public objects for the records of a file.

These objects are made only on demand, for example for `Verdict.record`. Decisions need no such
objects, because rules are compiled directly from lines.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from scrapy_robots1994.escaping import percent_encode_control_chars
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Group


@dataclass(frozen=True, slots=True)
class Agent:
    """A name in a record, without its version, and the 1-based number of its line."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A path in a Disallow or Allow line, and the 1-based number of the line. The path is as
    written, and may be empty.
    """

    value: str
    line: int
    allows: bool = False

    def __str__(self) -> str:
        return f"{'Allow' if self.allows else 'Disallow'}: {self.value}".rstrip(" ")


@dataclass(frozen=True, slots=True)
class Delay:
    """The seconds in a Crawl-delay line, the 1-based number of the line, and its value as
    written.
    """

    seconds: float
    line: int
    written: str

    def __str__(self) -> str:
        return f"Crawl-delay: {self.written}"


@dataclass(frozen=True, slots=True)
class Record:
    """The names of robots, and the rules and delays for them.

    *first_line* and *last_line* are the 1-based numbers of the first line with a name and of the
    last line with a name, rule or delay.
    """

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    first_line: int
    last_line: int
    delays: tuple[Delay, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names in order, in their original case but without versions."""
        return tuple(agent.name for agent in self.agents)

    def for_export(self) -> "Record":
        """Return a copy for exporters, with control characters and invalid UTF-8
        percent-encoded.
        """
        encoded = percent_encode_control_chars
        return replace(
            self,
            agents=tuple(replace(it, name=encoded(it.name)) for it in self.agents),
            rules=tuple(replace(it, value=encoded(it.value)) for it in self.rules),
        )

    def __str__(self) -> str:
        """Return the record as the lines of a robots.txt, each ending with NL."""
        agents = (f"User-agent: {name}" for name in self.names)
        lines = (*agents, *self.delays, *self.rules)
        return "".join(f"{line}\n" for line in lines)


def records_of(groups: Iterable[Group], dialect: Dialect) -> Iterator[Record]:
    """Yield a record for each of *groups* that names a robot."""
    for group in groups:
        if not group.names:
            continue
        agents = [it for it in group.agents if it.said]
        rules = [it for it in group.rules if it.is_obeyed]
        delays = [it for it in group.others if it.kind is LineKind.CRAWL_DELAY]
        yield Record(
            tuple(Agent(name, it.number) for it in agents for name in it.said),
            tuple(
                Rule(path, it.number, it.row is not None and it.row.allows)
                for it in rules
                for path in dialect.paths(it.value)
            ),
            agents[0].number,
            max(it.number for it in (*agents, *rules, *delays)),
            tuple(Delay(it.said, it.number, it.value) for it in delays),
        )
