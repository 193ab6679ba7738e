"""Records: which User-agent lines share which Disallow lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scrapy_robots1994.parser.dialects import Dialect, seconds_of
from scrapy_robots1994.parser.lines import Line, LineKind

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Agent:
    """One name a record speaks to, without its version, and the line that says it."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One Disallow or Allow value as written, perhaps empty, and the line that says
    it; Allow is of the extended dialect alone.
    """

    value: str
    line: int
    allows: bool = False

    def __str__(self) -> str:
        """Return the rule as a line of a robots.txt, without its end."""
        return f"{'Allow' if self.allows else 'Disallow'}: {self.value}".rstrip(" ")


@dataclass(frozen=True, slots=True)
class Delay:
    """One Crawl-delay, of the extended dialect, and the line that says it."""

    seconds: float
    line: int


@dataclass(frozen=True, slots=True)
class Record:
    """The policy that some robots share: their names and what they are not to retrieve.

    *first_line* and *last_line* are its first User-agent line and the last line that
    belongs to it. *delays* are of the extended dialect.
    """

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    first_line: int
    last_line: int
    delays: tuple[Delay, ...] = ()

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
        lines += [f"Crawl-delay: {delay.seconds!r}\n" for delay in self.delays]
        lines += [f"{rule}\n" for rule in self.rules]
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
    delays: list[Delay] = field(default_factory=list)
    last_line: int = 0
    blank_seen: bool = False

    def finished(self) -> Iterator[Record]:
        """Yield the record, if there is one."""
        if self.agents:
            yield Record(
                tuple(self.agents),
                tuple(self.rules),
                self.agents[0].line,
                self.last_line,
                tuple(self.delays),
            )

    def take(self, line: Line, dialect: Dialect) -> None:
        """Make *line*, a rule or a delay, part of the record."""
        # Ours O4: a Disallow line that follows no User-agent line is nobody's.
        if not self.agents:
            return
        self.last_line = line.number
        if line.kind is LineKind.CRAWL_DELAY:
            # Ours X6: it leaves open what the next line belongs to.
            self.delays.append(Delay(seconds_of(line.value) or 0.0, line.number))
            return
        self.blank_seen = False
        allows = line.kind is LineKind.ALLOW
        paths = (line.value,) if allows else dialect.paths(line.value)
        self.rules += [Rule(path, line.number, allows) for path in paths]


# Ours X2, X4: Allow and Crawl-delay belong to a record as Disallow does.
OWNED = (LineKind.DISALLOW, LineKind.ALLOW, LineKind.CRAWL_DELAY)


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
            # Ours X2: after an Allow line, too. Ours X6: but not after a Crawl-delay.
            if draft.blank_seen or draft.rules:
                yield from draft.finished()
                draft = _Draft()
            names = dialect.names(line.value)
            draft.agents += [Agent(name, line.number) for name in names]
            draft.last_line = line.number
        elif line.kind in OWNED:
            joins = joins_split and not draft.rules
            if draft.blank_seen and not joins:
                yield from draft.finished()
                draft = _Draft()
            draft.take(line, dialect)
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
