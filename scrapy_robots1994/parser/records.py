"""The records of a file as objects for users of the package. Each record of the file
becomes one `Record`.

A crawl needs `Record` objects only for messages and reports. The rules of a crawl are
compiled directly from the lines (`parser/robot_reading.py`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_robots1994.escaping import percent_encode_control_chars
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import Group, Line
from scrapy_robots1994.parser.user_agent import EVERYBODY

if TYPE_CHECKING:
    from typing_extensions import Self


class _Part:
    """The base class of the parts of a record.

    A `JOBDIR` that an earlier version of the package wrote contains the parts of a record
    as pickled named tuples. To unpickle a named tuple, `pickle` calls `__new__` with the
    values, and does not call `__init__`.
    """

    __slots__ = ()

    def __new__(cls, *values: Any, **_: Any) -> "Self":
        """Return a part whose attributes have these *values*, in order."""
        self = super().__new__(cls)
        names: tuple[str, ...] = cls.__slots__
        for name, value in zip(names, values, strict=False):
            object.__setattr__(self, name, value)
        return self


@dataclass(frozen=True, slots=True)
class Agent(_Part):
    """One name in a record, without a version, and the number of its line."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Rule(_Part):
    """One path in a Disallow or Allow line, and the number of the line. The path is the
    *value* as written, and can be empty.
    """

    value: str
    line: int
    allows: bool = False

    def __str__(self) -> str:
        """Return the rule as a line of a robots.txt, without a line end."""
        return f"{'Allow' if self.allows else 'Disallow'}: {self.value}".rstrip(" ")


@dataclass(frozen=True, slots=True)
class Delay(_Part):
    """The seconds in one Crawl-delay line, the number of the line, and the line as text.

    The text contains the field and the value, but no comment.
    """

    seconds: float
    line: int
    written: str = ""

    def __str__(self) -> str:
        """Return the delay as a line of a robots.txt, without a line end."""
        return self.written or f"Crawl-delay: {self.seconds:f}"


@dataclass(frozen=True, slots=True)
class Record:
    """One record, which contains the names of robots, and the rules and delays for the
    robots.

    *first_line* is the number of the first User-agent line of the record. *last_line* is
    the number of the last line that belongs to the record.
    """

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    first_line: int
    last_line: int
    delays: tuple[Delay, ...] = ()

    @property
    def is_default(self) -> bool:
        """Whether the record is the default record, which applies to every robot that is
        not named in another record.
        """
        # 1994 A3 (default record): a record for `*` describes the default policy.
        return any(agent.name == EVERYBODY for agent in self.agents)

    @property
    def names(self) -> tuple[str, ...]:
        """The names as written, in order, without their versions."""
        return tuple(agent.name for agent in self.agents)

    def for_export(self) -> "Record":
        """Return an equivalent record whose strings can be written in every format.

        Control characters, and bytes that are not UTF-8, are percent-encoded.
        """
        return Record(
            _for_export(self.agents, "name"),
            _for_export(self.rules, "value"),
            self.first_line,
            self.last_line,
            _for_export(self.delays, "written"),
        )

    def __str__(self) -> str:
        """Return the record as lines of a robots.txt. Each line ends with
        NL.
        """
        agents = (f"User-agent: {agent.name}" for agent in self.agents)
        lines = (*agents, *self.delays, *self.rules)
        return "".join(f"{line}\n" for line in lines)


T = TypeVar("T", Agent, Rule, Delay)


def _for_export(parts: tuple[T, ...], name: str) -> tuple[T, ...]:
    """Return copies of *parts* for `Record.for_export`. In each copy, the attribute that is
    called *name* is percent-encoded.
    """
    changed: list[dict[str, Any]]
    changed = [{name: percent_encode_control_chars(getattr(it, name))} for it in parts]
    return tuple(map(lambda it, change: replace(it, **change), parts, changed))


def records_of(groups: Iterable[Group], dialect: Dialect) -> Iterator[Record]:
    """Yield a record for each of *groups* that contains a name. The group of the lines
    above all records does not contain a name.
    """
    for group in groups:
        if group.names:
            agents = [it for it in group.agents if it.said]
            rules = [it for it in group.rules if it.is_obeyed]
            delays = [it for it in group.pauses if it.is_obeyed]
            yield Record(
                tuple(Agent(name, it.number) for it in agents for name in it.said),
                _rules(rules, dialect),
                agents[0].number,
                max(it.number for it in (*agents, *rules, *delays)),
                _delays(delays),
            )


def _rules(lines: list[Line], dialect: Dialect) -> tuple[Rule, ...]:
    """Return each path in *lines*, which are Disallow or Allow lines."""
    return tuple(
        Rule(path, it.number, it.row is not None and it.row.allows)
        for it in lines
        for path in dialect.paths(it.value)
    )


def _delays(lines: list[Line]) -> tuple[Delay, ...]:
    """Return the delay in each of *lines*."""
    return tuple(
        Delay(it.said, it.number, f"{it.row.name}: {it.value}")
        for it in lines
        if it.row
    )
