"""RobotsTxt: one parsed file, asked who may retrieve what and what is wrong in it."""

from sys import getsizeof

from scrapy_robots1994.checks import find_problems, find_weakening_problems
from scrapy_robots1994.checks.problem import Problem
from scrapy_robots1994.parser.dialects import (
    LITERAL,
    check_reading,
    dialect_named,
)
from scrapy_robots1994.parser.lines import Line, LineKind
from scrapy_robots1994.parser.names import names_of
from scrapy_robots1994.parser.ordered import OrderedRobotRules
from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.ruling import RobotRules
from scrapy_robots1994.parser.source import Source, contents_of
from scrapy_robots1994.parser.verdict import Verdict

# A crawl has one name, or few; whoever asks for many is not held in memory for it.
_OTHERS_KEPT = 63


class RobotsTxt:
    """One robots.txt, read as the standard of 1994 says.

    Equal to another one of the same text, dialect and reading. Lines, records and
    problems are found when they are asked for; asking never changes an answer.
    """

    __slots__ = ("__weakref__", "_first", "_others", "_reading", "_source")

    def __init__(self, source: Source, reading: str) -> None:
        """Take *source* as it is; use `parse`."""
        self._source = source
        self._reading = reading
        # What was told to who asked first: mostly nobody else ever asks, and for one
        # a dict is large.
        self._first: RobotRules | None = None
        self._others: dict[str | bytes, RobotRules] | None = None

    @classmethod
    def parse(
        cls,
        body: bytes | str,
        *,
        dialect: str = "1994",
        reading: str = LITERAL,
        limit: int | None = None,
        truncated: bool = False,
    ) -> "RobotsTxt":
        """Return the file that *body* is. Never raises on any body.

        Of a body of more than *limit* bytes the whole lines within the limit count.
        *truncated* says that *body* is already only the beginning of the file. A *dialect* or
        *reading* that does not exist is a ValueError.
        """
        check_reading(reading)
        if isinstance(body, str):
            body = body.encode("utf-8", "surrogatepass")
        # Ours O24: of a file over the limit, the whole lines within it are obeyed.
        if limit is not None and len(body) > limit:
            body, truncated = body[: max(limit, 0)], True
        return cls(
            Source(bytes(body), dialect_named(dialect), is_truncated=truncated), reading
        )

    def rules(self, robot: str | bytes) -> RobotRules:
        """Return what the file says to *robot*, a bare name or a whole User-Agent
        header.
        """
        first = self._first
        if first is None:
            first = self._first = self._ruling(robot)
        return first if first.robot == robot else self._ruling_of_another(robot)

    def _ruling_of_another(self, robot: str | bytes) -> RobotRules:
        """Return what the file says to *robot*, who was not the first to ask."""
        others = self._others
        if others is None or len(others) >= _OTHERS_KEPT:
            others = self._others = {}
        found = others.get(robot)
        if found is None:
            found = others[robot] = self._ruling(robot)
        return found

    def _ruling(self, robot: str | bytes) -> RobotRules:
        """Compile what the file says to *robot*."""
        has_allow = self._source.dialect.has_allow
        kind = OrderedRobotRules if has_allow else RobotRules
        return kind(self._source, self._reading, robot)

    def compiled_rules(self, robot: str | bytes) -> RobotRules | None:
        """Return the rules of *robot* if they are compiled already, else None.

        Compiling the rules of a large file takes long: run `rules` in a thread then.
        """
        first = self._first
        if first is not None and first.robot == robot:
            return first
        return None if self._others is None else self._others.get(robot)

    def allowed(self, url: str | bytes, robot: str | bytes) -> bool:
        """Whether *robot* may retrieve *url*: a whole URL, or a path. Never raises."""
        return self.rules(robot).allowed_url(url)

    def verdict(self, url: str | bytes, robot: str | bytes) -> Verdict:
        """Return whether *robot* may retrieve *url*, and why. Never raises."""
        return self.rules(robot).verdict(url)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line of the text, in order; joined they are the text again."""
        return contents_of(self._source).lines

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in order, as the literal reading finds them, whatever the reading
        is.
        """
        return contents_of(self._source).records

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file names, as written, in order, each once; none in a
        dialect that has no such field.
        """
        if not self._source.dialect.has_sitemap:
            return ()
        # Ours X7: they belong to no record and may stand anywhere.
        named = (it.value for it in self.lines if it.kind is LineKind.SITEMAP)
        return tuple(dict.fromkeys(value for value in named if value))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the author of the file should know, in the order of the lines."""
        return find_problems(self._source)

    def weakening_problems(self, robot: str | bytes) -> tuple[Problem, ...]:
        """Return the problems that open the site to *robot* against what the author of
        the file is likely to have meant.
        """
        return find_weakening_problems(self._source, self._reading, names_of(robot))

    @property
    def text(self) -> str:
        """The text that is obeyed, decoded; without what lies beyond the limit."""
        return self._source.text

    @property
    def body(self) -> bytes:
        """The bytes that were parsed; those within the limit, if there is one."""
        return self._source.body

    @property
    def size(self) -> int:
        """How many bytes `body` has."""
        return self._source.size

    @property
    def is_truncated(self) -> bool:
        """Whether only the beginning of the file is known."""
        return self._source.is_truncated

    @property
    def dialect(self) -> str:
        """The name of the dialect the file is read in."""
        return self._source.dialect.name

    @property
    def reading(self) -> str:
        """The name of the reading: how a blank line inside a record counts."""
        return self._reading

    def read_as(self, reading: str) -> "RobotsTxt":
        """Return the same file in another *reading*; ValueError if there is none."""
        check_reading(reading)
        return self if reading == self._reading else RobotsTxt(self._source, reading)

    def compress_body(self) -> None:
        """Store the body compressed from now on; compiled rules stay as they are."""
        self._source.compress()

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the body and all compiled rules take."""
        compiled = [self._first] if self._first else []
        compiled += (self._others or {}).values()
        own = getsizeof(self) + self._source.memory_bytes
        return own + sum(rules.memory_bytes for rules in compiled)

    def __eq__(self, other: object) -> bool:
        """Whether *other* is a file of the same text, dialect and reading."""
        return (
            isinstance(other, RobotsTxt)
            and self.dialect == other.dialect
            and self.reading == other.reading
            and self.text == other.text
        )

    def __hash__(self) -> int:
        """Return the hash of text, dialect and reading."""
        return hash((self.text, self.dialect, self.reading))

    def __repr__(self) -> str:
        """Return what kind of file it is, without its text."""
        size = len(self._source.body)
        return f"<RobotsTxt: {size} bytes, {self.dialect}, {self.reading}>"
