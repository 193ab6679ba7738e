"""Records: which User-agent lines share which rules."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import seconds_of
from scrapy_robots1994.parser.tokens import Line, LineKind, read_lines
from scrapy_robots1994.parser.user_agent import EVERYBODY


class Agent(NamedTuple):
    """One name of a record, without its version, and its line."""

    name: str
    line: int


class Rule(NamedTuple):
    """One Disallow or Allow value as written, perhaps empty, and its line."""

    value: str
    line: int
    allows: bool = False

    def __str__(self) -> str:
        """Return the rule as a line of a robots.txt, without its end."""
        return f"{'Allow' if self.allows else 'Disallow'}: {self.value}".rstrip(" ")


class Delay(NamedTuple):
    """One Crawl-delay and its line."""

    seconds: float
    line: int


@dataclass(frozen=True, slots=True)
class Record:
    """The policy that some robots share: their names and what they must not retrieve.

    *first_line* and *last_line* are its first User-agent line and its last line of any
    kind. *orphans* and *orphan_delays* are the lines below that a blank line parts from
    the record: the cautious reading obeys them too.
    """

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    first_line: int
    last_line: int
    delays: tuple[Delay, ...] = ()
    orphans: tuple[Rule, ...] = ()
    orphan_delays: tuple[Delay, ...] = ()

    @property
    def is_default(self) -> bool:
        """Whether the record is for every robot that no other record names."""
        # 1994 A3: `*` is the default policy.
        return any(agent.name == EVERYBODY for agent in self.agents)

    @property
    def names(self) -> tuple[str, ...]:
        """The names as written, in order, without their versions."""
        return tuple(agent.name for agent in self.agents)

    def __str__(self) -> str:
        """Return the record as lines of a robots.txt, each ended by NL."""
        lines = [f"User-agent: {agent.name}\n" for agent in self.agents]
        lines += [f"Crawl-delay: {delay.seconds!r}\n" for delay in self.delays]
        lines += [f"{rule}\n" for rule in self.rules]
        return "".join(lines)


@dataclass(slots=True)
class _Draft:
    """A record while its lines come in, and where they stand."""

    dialect: Dialect
    agents: list[Agent] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    delays: list[Delay] = field(default_factory=list)
    orphans: list[Rule] = field(default_factory=list)
    orphan_delays: list[Delay] = field(default_factory=list)
    last_line: int = 0
    # A blank line followed its names: what comes now are orphans (Ours O5).
    is_parted: bool = False

    def record(self) -> Record:
        """Return the record."""
        return Record(
            tuple(self.agents),
            tuple(self.rules),
            self.agents[0].line,
            self.last_line,
            tuple(self.delays),
            tuple(self.orphans),
            tuple(self.orphan_delays),
        )

    def add_names(self, line: Line) -> None:
        """Add the names of a User-agent line."""
        names = self.dialect.names(line.value)
        self.agents += [Agent(name, line.number) for name in names]
        self.last_line = line.number

    def add(self, line: Line) -> None:
        """Add a rule or a delay."""
        if not self.is_parted:
            self.last_line = line.number
        if line.kind is LineKind.CRAWL_DELAY:
            delays = self.orphan_delays if self.is_parted else self.delays
            # Ours X4: never None here, for a line with another value is TIMELESS.
            delays.append(Delay(seconds_of(line.value) or 0.0, line.number))
            return
        allows = line.kind is LineKind.ALLOW
        # Both readings come from one pass: which rules are orphans does not depend on
        # the reading, only whether they are obeyed.
        rules = self.orphans if self.is_parted else self.rules
        for path in self.dialect.paths(line.value):
            rules.append(Rule(path, line.number, allows))


# Ours X2, X4: Allow and Crawl-delay belong to a record as Disallow does.
_OWNED = (LineKind.DISALLOW, LineKind.ALLOW, LineKind.CRAWL_DELAY)


def read_records(lines: Iterable[Line], dialect: Dialect) -> Iterator[Record]:
    """Yield the records of *lines* in order."""
    draft = _Draft(dialect)
    for line in lines:
        if line.kind is LineKind.BLANK:
            # 1994 F1: blank lines separate records. Ours O5: also where only User-agent
            # lines precede them.
            draft.is_parted = dialect.has_blank_lines and bool(draft.agents)
        elif line.kind is LineKind.USER_AGENT:
            # 1994 F1: after a blank line another record starts. Ours O7, X2: also after
            # a rule; X6: but not after a Crawl-delay.
            if draft.is_parted or draft.rules:
                yield draft.record()
                draft = _Draft(dialect)
            draft.add_names(line)
        # Ours O4: a rule above all User-agent lines belongs to no record.
        elif line.kind in _OWNED and draft.agents:
            draft.add(line)
    if draft.agents:
        yield draft.record()


def lines_with_orphans(text: str, dialect: Dialect) -> tuple[Line, ...]:
    """Return the lines of *text*; a rule or a delay without a record is an ORPHAN."""
    lines = tuple(read_lines(text, dialect))
    records = tuple(read_records(lines, dialect))
    owned = {rule.line for record in records for rule in record.rules}
    owned |= {delay.line for record in records for delay in record.delays}
    # Ours O4: a rule that no record owns is ignored.
    return tuple(
        line._replace(kind=LineKind.ORPHAN)
        if line.kind in _OWNED and line.number not in owned
        else line
        for line in lines
    )


def applied(
    records: Sequence[Record], dialect: Dialect, names: Sequence[str]
) -> tuple[Record, ...]:
    """Return the records that a robot with these *names* (see `robot_names`) obeys."""
    chosen = dialect.choose((record.names for record in records), names)
    # A record may have a name twice.
    return tuple(records[position] for position in dict.fromkeys(chosen))


@dataclass(slots=True)
class RobotRecords:
    """What the records of a file say to one robot, in columns.

    An object for each record would be simpler, but a file may have tens of thousands of
    records, and the garbage collector goes through all objects.

    *values* are those of all rules but empty ones; *first_rules* has for each record the
    number of its first rule there. *allows* says which of them are Allow lines; it is
    empty in a dialect without Allow. *orphans* are the numbers of the rules that only
    the cautious reading obeys.
    """

    values: list[str] = field(default_factory=list)
    first_rules: list[int] = field(default_factory=list)
    allows: list[bool] = field(default_factory=list)
    orphans: set[int] = field(default_factory=set)
    crawl_delay: float | None = None

    def marks(self) -> Sequence[int]:
        """Return the mark of each rule: four times its number; one more if it disallows;
        and two more if it is an orphan.
        """
        marks: Sequence[int] = range(1, 4 * len(self.values), 4)
        if True in self.allows:
            marks = [mark - it for mark, it in zip(marks, self.allows, strict=True)]
        if self.orphans:
            marks = list(marks)
            for number in self.orphans:
                marks[number] += 2
        return marks

    def add(
        self,
        values: list[str],
        allows: list[bool],
        orphans: int,
        delays: Sequence[float],
    ) -> None:
        """Add a record; so many of its *values*, the last ones, are those of *orphans*."""
        self.first_rules.append(len(self.values))
        self.values += values
        self.allows += allows
        if orphans:
            self.orphans.update(range(len(self.values) - orphans, len(self.values)))
        if delays:
            # Extended X5: the longest of several.
            self.crawl_delay = max(self.crawl_delay or 0.0, *delays)


RecordSource: TypeAlias = tuple[tuple[str, ...], int, Iterable[tuple[int, str]]]
"""The names of a record, its first line, and the line and value of each of its rules."""


class RuleSources(NamedTuple):
    """Where a file says what `RobotRecords` has, in columns, too.

    *names*, *first_lines* and *first_rules* have an entry for each record. *lines* has
    one for each rule, and so has *ends*: where its value ends in *values*, one text.
    *has_any* says whether the file has any record, for this robot or another.
    """

    names: list[tuple[str, ...]]
    # Quoted, for before Python 3.12 `array` has no subscript.
    first_lines: "array[int]"
    first_rules: "array[int]"
    lines: "array[int]"
    ends: "array[int]"
    # One text, for each string would take 40 to 50 bytes more.
    values: str
    # Distinguishes a file without any record (1994 E1) from one without a record for this robot.
    has_any: bool

    @classmethod
    def of(cls, records: Iterable[RecordSource], *, has_any: bool) -> "RuleSources":
        """Return the columns of *records*."""
        names: list[tuple[str, ...]] = []
        first_lines, first_rules, lines = array("I"), array("I"), array("I")
        values: list[str] = []
        for each, first_line, rules in records:
            names.append(each)
            first_lines.append(first_line)
            first_rules.append(len(values))
            for line, value in rules:
                lines.append(line)
                values.append(value)
        ends = array("I", accumulate(map(len, values)))
        columns = names, first_lines, first_rules, lines, ends, "".join(values)
        return cls(*columns, has_any)

    def value(self, number: int) -> str:
        """Return the value of the rule with this *number*, as the file has it."""
        return self.values[self.ends[number - 1] if number else 0 : self.ends[number]]
