"""RobotsTxt: one parsed file, its verdicts, lines, records and problems."""

from sys import getsizeof
from weakref import WeakValueDictionary

from scrapy_robots1994.checks import find_problems, find_weakening_problems
from scrapy_robots1994.checks.kinds import Problem
from scrapy_robots1994.parser.body import Body, encode
from scrapy_robots1994.parser.dialects import (
    LITERAL,
    Dialect,
    check_reading,
    dialect_named,
)
from scrapy_robots1994.parser.records import Record, lines_with_orphans, read_records
from scrapy_robots1994.parser.ruleset import RobotRules
from scrapy_robots1994.parser.tokens import SITEMAP, Line, LineKind, read_lines
from scrapy_robots1994.parser.verdict import Verdict

# A crawl has one name, or a few; the rules of many robots take too much memory.
_MAX_OTHER_ROBOTS = 63


class RobotsTxt:
    """One robots.txt in a dialect and a reading; that of 1994, to the letter, by default.

    Equal to another one of the same text, dialect and reading. Lines, records and
    problems are read from the text at each access; rules stay compiled.
    """

    __slots__ = (
        "__weakref__",
        "_body",
        "_dialect",
        "_other_rules",
        "_reading",
        "_rules",
    )

    def __init__(self, body: Body, dialect: Dialect, reading: str) -> None:
        """Take *body* as it is; use `parse`."""
        self._body = body
        self._dialect = dialect
        self._reading = reading
        # Mostly there is one robot, and a dict for it alone would be large.
        self._rules: RobotRules | None = None
        self._other_rules: dict[str | bytes, RobotRules] | None = None

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

        Of a body of more than *limit* bytes the whole lines within the limit count.
        *truncated* says that *body* is already only the beginning of the file. A
        *dialect* or *reading* that does not exist is a ValueError.
        """
        check_reading(reading)
        if isinstance(body, str):
            body = encode(body)
        # Ours O24: of a file over the limit, the whole lines within it are obeyed.
        if limit is not None and len(body) > limit:
            body, truncated = body[: max(limit, 0)], True
        return cls(
            Body(bytes(body), is_truncated=truncated), dialect_named(dialect), reading
        )

    def rules(self, robot: str | bytes) -> RobotRules:
        """Return what the file says to *robot*, a bare name or a whole User-Agent
        header.

        The first call for a robot compiles its rules; for a large file use `prepare`.
        """
        rules = self.compiled_rules(robot)
        if rules is None:
            rules = RobotRules(self._body, self._dialect, self._reading, robot)
            self._keep(rules)
        return rules

    def prepare(self, robot: str | bytes, url: str) -> RobotRules:
        """Return what the file says to *robot*, ready for quick answers about the host
        of *url*.

        For a large file call it in a thread; it never keeps other threads waiting for
        long.
        """
        rules = self.rules(robot)
        rules.prepare(url)
        return rules

    def compiled_rules(self, robot: str | bytes) -> RobotRules | None:
        """Return the rules of *robot* if they are compiled already, else None."""
        rules = self._rules
        if rules is not None and rules.robot == robot:
            return rules
        return None if self._other_rules is None else self._other_rules.get(robot)

    def _keep(self, rules: RobotRules) -> None:
        """Keep compiled *rules* for the next question of their robot."""
        if self._rules is None:
            self._rules = rules
            return
        others = self._other_rules
        if others is None or len(others) >= _MAX_OTHER_ROBOTS:
            others = self._other_rules = {}
        others[rules.robot] = rules

    def allowed(self, url: str | bytes, robot: str | bytes) -> bool:
        """Return whether *robot* may retrieve *url*: a whole URL, or a path. Never
        raises.
        """
        rules = self._rules
        if rules is None or rules.robot != robot:
            rules = self.rules(robot)
        return rules.allowed_url(url)

    def verdict(self, url: str | bytes, robot: str | bytes) -> Verdict:
        """Return whether *robot* may retrieve *url*, and why. Never raises."""
        return self.rules(robot).verdict(url)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line of the text, in order; joined they are the text again."""
        return lines_with_orphans(self.text, self._dialect)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in order, as the literal reading finds them, in any reading."""
        lines = read_lines(self.text, self._dialect)
        return tuple(read_records(lines, self._dialect))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file names, as written, in order, each once; none in a
        dialect without that field.
        """
        # The field first: the body may be compressed.
        if not self._dialect.has_sitemap or SITEMAP not in self.text.lower():
            return ()
        # Ours X7: they belong to no record and may stand anywhere.
        lines = read_lines(self.text, self._dialect)
        named = (it.value for it in lines if it.kind is LineKind.SITEMAP)
        return tuple(dict.fromkeys(value for value in named if value))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the author of the file should know, in the order of the lines."""
        return find_problems(self._body, self._dialect)

    def weakening_problems(
        self, robot: str | bytes, limit: int | None = None
    ) -> tuple[Problem, ...]:
        """Return the problems that open the site to *robot*, against what the author of
        the file is likely to have meant; at most *limit* of them.
        """
        return find_weakening_problems(
            self._body, self._dialect, self._reading, robot, limit
        )

    @property
    def text(self) -> str:
        """The text that is obeyed, decoded; without what lies beyond the limit.

        Bytes that are not UTF-8 are surrogate escapes.
        """
        return self._body.text

    @property
    def body(self) -> bytes:
        """The bytes that were parsed; those within the limit, if there is one."""
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
    def dialect(self) -> str:
        """The name of the dialect in which the file is read."""
        return self._dialect.name

    @property
    def reading(self) -> str:
        """The name of the reading: how a blank line inside a record counts."""
        return self._reading

    def read_as(self, reading: str) -> "RobotsTxt":
        """Return the same file in another *reading*; ValueError if there is none."""
        check_reading(reading)
        if reading == self._reading:
            return self
        return RobotsTxt(self._body, self._dialect, reading)

    def compress_body(self) -> None:
        """Store the body compressed from now on; compiled rules stay as they are."""
        self._body.compress()

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the body and all compiled rules take."""
        compiled = [*(self._other_rules or {}).values()]
        if self._rules is not None:
            compiled.append(self._rules)
        own = getsizeof(self) + getsizeof(self._other_rules) + self._body.memory_bytes
        return own + sum(rules.memory_bytes for rules in compiled)

    def __reduce__(self) -> tuple[type["RobotsTxt"], tuple[Body, Dialect, str]]:
        """Pickle the file without its compiled rules, which other processes make."""
        return RobotsTxt, (self._body, self._dialect, self._reading)

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
        """Return what kind of file it is, without its text."""
        return f"<RobotsTxt: {self.size} bytes, {self.dialect}, {self.reading}>"


class Reader:
    """Reads files by the settings of a crawl, the same one for the same bytes.

    Some hosting platforms serve one file from thousands of origins: their policies share
    it for as long as one of them exists. May be used from several threads. *limit* is
    the number of bytes of a body that are read.
    """

    def __init__(self, dialect: str, reading: str, limit: int) -> None:
        self._dialect = dialect
        self._reading = reading
        self.limit = limit
        self._known: WeakValueDictionary[tuple[int, bool], RobotsTxt]
        self._known = WeakValueDictionary()

    def read(self, body: bytes, *, is_truncated: bool = False) -> RobotsTxt:
        """Return the file *body*; *is_truncated* says that it is only the beginning."""
        # Ours O24: of a file over the limit, the whole lines within it are obeyed.
        if len(body) > self.limit:
            body, is_truncated = body[: self.limit], True
        key = hash(body), is_truncated
        known = self._known.get(key)
        # Different bodies may have the same hash.
        if known is not None and known.body == body:
            return known
        robots = RobotsTxt.parse(
            body, dialect=self._dialect, reading=self._reading, truncated=is_truncated
        )
        # Two threads may have parsed the same body: the last one stays, both are right.
        self._known[key] = robots
        return robots
