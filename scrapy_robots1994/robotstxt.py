"""RobotsTxt: one parsed file, its verdicts, lines, records and problems."""

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from scrapy_robots1994.lint.fixes import edited
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.lint.problems import (
    problems_of,
    tightening_problems,
    weakening_problems,
)
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.columns import memory_of
from scrapy_robots1994.parser.dialects import (
    LITERAL,
    dialect_named,
)
from scrapy_robots1994.parser.reader import Line, groups_of, read
from scrapy_robots1994.parser.records import Record, records_of
from scrapy_robots1994.parser.robot_reading import RobotReading
from scrapy_robots1994.parser.rules import RobotRules
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.parser.verdict import Verdict

if TYPE_CHECKING:
    from scrapy_robots1994.parser.usage import Usage, UsageRules

MAX_BYTES = 512_000
"""The default of ROBOTS1994_MAX_BYTES: crawls and commands obey so many bytes of a file."""

# `lost_line` applies the fix of each problem and reads the file again.
_MAX_LOST_LINES = 50

# A crawl has one robot name, or a few; the rules of many robots take too much memory.
_MAX_ROBOTS = 64

# Bytes of a file that is not read yet, without its body.
_UNREAD_BYTES = 300

# All files share this object until `usage` is called; it is replaced, never changed.
_NO_USAGE: "dict[tuple[str, ...], UsageRules]" = {}


class RobotsTxt:
    """One robots.txt, read in a dialect and a reading.

    The defaults are the dialect of 1994 and the literal reading. Two objects are equal if
    their text, dialect and reading are. Each access to lines, records or problems reads the
    text again; the rules of a robot are read once.
    """

    __slots__ = (
        "__weakref__",
        "_body",
        "_dialect",
        "_memory_bytes",
        "_reading",
        "_rules",
        "_sitemaps",
        "_usage",
    )

    def __init__(
        self,
        body: bytes | str | Body,
        dialect: str = "1994",
        reading: str = LITERAL,
    ) -> None:
        """Store the *body* of a file; callers use `parse`, which also takes a limit."""
        self._body = body if isinstance(body, Body) else Body(body)
        self._dialect = dialect_named(dialect, reading)
        self._reading = reading
        # One item for each tuple of names, because headers that differ only in a version have
        # the same names. Most files have one item; a dict would take four times the memory.
        self._rules: tuple[RobotRules, ...] = ()
        self._sitemaps: tuple[str, ...] | None = None
        # The usage preferences, by the names of the robot that asked.
        self._usage = _NO_USAGE
        # The estimate of `memory_bytes`, until the file stores something new.
        self._memory_bytes: int | None = None

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
        """Return the file with this *body*. Never raises on any body.

        If *body* has more than *limit* bytes, only the whole lines within the limit are
        obeyed. *truncated* says that *body* is itself only the beginning of the file.
        Raises ValueError for an unknown *dialect* or *reading*.
        """
        return cls(Body(body, is_truncated=truncated, limit=limit), dialect, reading)

    def _read_for(
        self, robot: str | bytes, *, for_warnings: bool
    ) -> tuple[RobotReading, RobotRules]:
        """Read the file once for *robot*; store the sitemaps and the rules of this robot."""
        body, dialect, names = self._body, self._dialect, robot_names(robot)
        reading = RobotReading(
            body.text, dialect, self._reading, names, for_warnings=for_warnings
        )
        self._sitemaps = reading.sitemaps
        rules = self._known_rules(names)
        if rules is None:
            rules = RobotRules(reading, body, dialect, robot)
            self._rules = (rules, *self._rules[: _MAX_ROBOTS - 1])
        self._memory_bytes = None
        return reading, rules

    def _known_rules(self, names: tuple[str, ...]) -> RobotRules | None:
        """Return the stored rules of the robot with these *names*; None if there are none."""
        for rules in self._rules:
            if rules.names == names:
                return rules
        return None

    def rules(self, robot: str | bytes) -> RobotRules:
        """Return the rules of the file for *robot*, a bare name or a whole User-Agent
        header. Never raises.

        The first call for a robot reads the file. A large file takes many milliseconds; the
        call may be made in a thread.
        """
        known = self._known_rules(robot_names(robot))
        return known or self._read_for(robot, for_warnings=False)[1]

    def is_read_for(self, robot: str | bytes, *, with_usage: bool) -> bool:
        """Return whether the rules of *robot* are stored, so that `rules` returns at once;
        *with_usage* asks for its usage preferences, too.
        """
        names = robot_names(robot)
        is_missing = self._known_rules(names) is None
        return not (is_missing or (with_usage and names not in self._usage))

    def allowed(self, url: str | bytes, robot: str | bytes) -> bool:
        """Return whether *robot* may retrieve *url*, a whole URL or a path. Never raises."""
        return self.rules(robot).allowed(url)

    def verdict(self, url: str | bytes, robot: str | bytes) -> Verdict:
        """Return whether *robot* may retrieve *url*, a whole URL or a path, and why. Never
        raises.
        """
        return self.rules(robot).verdict(url)

    def usage(self, url: str | bytes, robot: str | bytes) -> "Usage":
        """Return the usage preferences of the file for *url* and *robot*. Never raises.

        Usage preferences do not change whether *url* may be retrieved. The first call for a
        robot reads the file, as the first call of `rules` does.
        """
        return self.read_usage(robot).of(url)

    def read_usage(self, robot: str | bytes) -> "UsageRules":
        """Return the usage preferences of the file for *robot* and any URL. Never raises."""
        names, known = robot_names(robot), self._usage
        if names not in known:
            # Import late: most programs and crawls never read usage preferences.
            from scrapy_robots1994.parser.usage import UsageRules  # noqa: PLC0415 - rarely used

            rules = UsageRules.of_text(self.text, self._dialect, names)
            known = dict(list(known.items())[1 - _MAX_ROBOTS :]) | {names: rules}
            self._usage = known
            self._memory_bytes = None
        return known[names]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line of the text, in order; their raw texts, joined, are the text."""
        return tuple(read(self.text, self._dialect))

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in order. They are those of the literal reading, whatever `reading` is."""
        groups = groups_of(self.text, self._dialect)
        return tuple(records_of(groups, self._dialect))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of the Sitemap lines as written, in order, each once. Empty in a dialect
        without that field.
        """
        if self._sitemaps is None:
            reading = RobotReading(
                self.text, self._dialect, self._reading, (), for_warnings=False
            )
            self._sitemaps = reading.sitemaps
        return self._sitemaps

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the file, in the order of its lines."""
        groups = tuple(groups_of(self.text, self._dialect))
        return problems_of(groups, self._body, self._dialect)

    def weakening_problems(
        self, robot: str | bytes, limit: int | None = None
    ) -> tuple[Problem, ...]:
        """Return at most *limit* problems that open the site to *robot*: each allows URLs that
        the author of the file probably wanted to disallow.
        """
        reading, _ = self._read_for(robot, for_warnings=True)
        return weakening_problems(reading, self._dialect, robot_names(robot), limit)

    def policy_problems(
        self, robot: str | bytes, limit: int | None = None
    ) -> tuple[Problem, ...]:
        """Return the problems of the file that a crawl logs.

        First come the problems that open the site to *robot* against the probable intent of its
        author, then the problems that close it; at most *limit* of each kind.
        """
        # Read the file once, for the messages of a crawl and for the rules of its robot.
        reading, _ = self._read_for(robot, for_warnings=True)
        dialect, names = self._dialect, robot_names(robot)
        opening = weakening_problems(reading, dialect, names, limit)
        return opening + tightening_problems(reading, dialect, names, limit)

    def lost_line(self, url: str | bytes, robot: str | bytes) -> Problem | None:
        """Return the first problem whose fix would disallow *url* to *robot*, or None.

        The line of that problem has no effect, or not the effect that its author probably
        wanted.
        """
        for problem in self.weakening_problems(robot, _MAX_LOST_LINES):
            if problem.edits and not problem.is_split:
                text = edited(self.lines, problem.edits)
                fixed = RobotsTxt.parse(
                    text, dialect=self.dialect, reading=self._reading
                )
                if not fixed.allowed(url, robot):
                    return problem
        return None

    @property
    def text(self) -> str:
        """The decoded text that is obeyed: of a truncated file, its whole lines.

        Bytes that are not UTF-8 are surrogate escapes.
        """
        return self._body.text

    @property
    def body(self) -> bytes:
        """The bytes that were parsed: the whole body, or its bytes within the limit."""
        return self._body.data

    @property
    def size(self) -> int:
        """How many bytes `body` has."""
        return self._body.size

    @property
    def is_truncated(self) -> bool:
        """Whether only the beginning of the file is known."""
        return self._body.is_truncated

    @property
    def has_whole_line(self) -> bool:
        """Whether any line can be obeyed: of a truncated file, one that has an end."""
        return self._body.has_whole_line

    @property
    def dialect(self) -> str:
        """The name of the dialect in which the file is read."""
        return self._dialect.name

    @property
    def reading(self) -> str:
        """The name of the reading: how a blank line inside a record counts."""
        return self._reading

    def read_as(
        self, reading: str | None = None, *, dialect: str | None = None
    ) -> "RobotsTxt":
        """Return the file read in another *reading* or *dialect*, or in both.

        Raises ValueError for an unknown *dialect* or *reading*.
        """
        reading, dialect = reading or self._reading, dialect or self.dialect
        if (reading, dialect) == (self._reading, self.dialect):
            return self
        return RobotsTxt(self._body, dialect, reading)

    def compress_body(self) -> None:
        """Store the body compressed from now on; rules stay as they are."""
        self._body.compress()
        self._memory_bytes = None

    @property
    def memory_bytes(self) -> int:
        """An estimate of the bytes of memory that the file takes with all that it stores.

        Of a large file it takes many milliseconds, once until the file is read for another robot.
        """
        if not (self._rules or self._usage or self._sitemaps):
            # A file that no robot has asked about yet has little but its body.
            return _UNREAD_BYTES + self.size
        if self._memory_bytes is None:
            self._memory_bytes = memory_of(self)
        return self._memory_bytes

    def __reduce__(self) -> tuple[type["RobotsTxt"], tuple[Body, str, str]]:
        """Pickle the file without its rules; the process that loads it reads them again."""
        return RobotsTxt, (self._body, self.dialect, self._reading)

    def __eq__(self, other: object) -> bool:
        """Return whether *other* is a file of the same text, dialect and reading."""
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
        """Return the size, dialect and reading of the file, without its text."""
        return f"<RobotsTxt: {self.size} bytes, {self.dialect}, {self.reading}>"


class Reader:
    """Reads files by the settings of a crawl, and returns one object for equal bytes.

    Some hosting platforms serve one file from thousands of origins. The policies of these
    origins share one `RobotsTxt` as long as one of the policies exists. Several threads may
    use a reader. *limit* is the number of bytes of a body that are read.
    """

    def __init__(self, dialect: str, reading: str, limit: int) -> None:
        self._dialect = dialect
        self._reading = reading
        self.limit = limit
        self._known: WeakValueDictionary[int, RobotsTxt]
        self._known = WeakValueDictionary()

    def read(self, body: bytes, *, is_truncated: bool = False) -> RobotsTxt:
        """Return the file *body*; *is_truncated* says that it is only the beginning."""
        within = Body(body, is_truncated=is_truncated, limit=self.limit)
        key = hash((within.data, within.is_truncated))
        known = self._known.get(key)
        # Different bodies may have the same hash.
        is_same = known is not None and known.is_truncated == within.is_truncated
        if known is not None and is_same and known.body == within.data:
            return known
        robots = RobotsTxt(within, self._dialect, self._reading)
        # Two threads may parse one body at a time. The later object stays; both are correct.
        self._known[key] = robots
        return robots
