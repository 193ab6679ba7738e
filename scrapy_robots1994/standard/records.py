"""Records: which User-agent lines share which Disallow lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scrapy_robots1994.standard.dialects import Dialect
from scrapy_robots1994.standard.lines import Line, LineKind

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Agent:
    """One name a record speaks to, without its version, and the line that says it."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One Disallow value as written, perhaps empty, and the line that says it."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Record:
    """The policy that some robots share: their names and what they are not to retrieve.

    *first_line* and *last_line* are its first User-agent line and the last line that
    belongs to it.
    """

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    first_line: int
    last_line: int

    @property
    def is_default(self) -> bool:
        """Whether the record is for every robot that no other record names."""
        # 1994 A3: `*` is the default policy.
        return any(agent.name == EVERYBODY for agent in self.agents)

    @property
    def names(self) -> tuple[str, ...]:
        """The names as written, in order, without their versions."""
        return tuple(agent.name for agent in self.agents)

    def speaks_to(self, names: str) -> bool:
        """Whether the record names a robot that goes by *names* (see `names_of`)."""
        return any(speaks_to(agent.name, names) for agent in self.agents)

    def __str__(self) -> str:
        """Return the record as lines of a robots.txt, each ended by NL."""
        lines = [f"User-agent: {agent.name}\n" for agent in self.agents]
        lines += [f"Disallow: {rule.value}".rstrip(" ") + "\n" for rule in self.rules]
        return "".join(lines)


def speaks_to(name: str, names: str) -> bool:
    """Whether the User-agent value *name* means a robot that goes by *names* (see
    `names_of`).
    """
    # 1994 A2: substring, without case. Ours O8: the record's value inside the robot's
    # name; the other way round a short name would match nearly everything.
    # 1994 A3: `*` is no name.
    return name != EVERYBODY and name.lower() in names


@dataclass(slots=True)
class _Draft:
    """A record while its lines are being read."""

    agents: list[Agent] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    last_line: int = 0
    blank_seen: bool = False

    def finished(self) -> Iterator[Record]:
        """Yield the record, if there is one."""
        if self.agents:
            first = self.agents[0].line
            yield Record(tuple(self.agents), tuple(self.rules), first, self.last_line)


def read_records(
    lines: Iterable[Line], dialect: Dialect, *, joins_split: bool = False
) -> Iterator[Record]:
    """Yield the records of *lines* in order.

    With *joins_split* a blank line between the User-agent lines and the Disallow lines
    of a record is no boundary: this is the cautious reading.
    """
    draft = _Draft()
    for line in lines:
        if line.kind is LineKind.BLANK:
            # 1994 F1: blank lines separate records.
            # Ours O5: also where only User-agent lines stand before them; the cautious
            # reading waits for what comes next.
            draft.blank_seen = True
        elif line.kind is LineKind.USER_AGENT:
            # Ours O7: a User-agent line after a Disallow line starts a new record.
            if draft.blank_seen or draft.rules:
                yield from draft.finished()
                draft = _Draft()
            names = dialect.names(line.value)
            draft.agents += [Agent(name, line.number) for name in names]
            draft.last_line = line.number
        elif line.kind is LineKind.DISALLOW:
            joins = joins_split and not draft.rules
            if draft.blank_seen and not joins:
                yield from draft.finished()
                draft = _Draft()
            # Ours O4: a Disallow line that follows no User-agent line is nobody's.
            if draft.agents:
                draft.blank_seen = False
                paths = dialect.paths(line.value)
                draft.rules += [Rule(path, line.number) for path in paths]
                draft.last_line = line.number
    yield from draft.finished()


def applied(records: tuple[Record, ...], names: str) -> tuple[Record, ...]:
    """Return the records that a robot that goes by *names* (see `names_of`) obeys: one
    that names it, or the default ones.
    """
    for record in records:
        # Ours O1: of several records that match, the first in the file.
        if record.speaks_to(names):
            return (record,)
    # 1994 A3: `*` is for a robot that matched no other record.
    # Ours O2: several such records are obeyed together.
    return tuple(record for record in records if record.is_default)


def print_records(records: Iterable[Record]) -> str:
    """Return *records* as a robots.txt that reads as the same records."""
    return "\n".join(map(str, records))
