"""`RobotsTxt` (one parsed file) and `Reader`, which shares one object among identical files."""

from enum import EnumMeta
from gc import get_referents
from hashlib import sha256
from sys import getsizeof
from types import FunctionType, NoneType
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect, grammars_of
from scrapy_robots1994.parser.reader import Line, groups_of, with_pauses
from scrapy_robots1994.parser.robot_reading import read_for_robot
from scrapy_robots1994.parser.rules import RobotRules, StrictestRules
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.parser.verdict import Verdict

if TYPE_CHECKING:
    from scrapy_robots1994.lint.kinds import Problem
    from scrapy_robots1994.parser.records import Record
    from scrapy_robots1994.parser.usage import Usage, UsageRules

MAX_BYTES = 512_000
"""The default of ROBOTS1994_MAX_BYTES: 500 KiB, the lowest limit that RFC 9309 2.5 permits."""

# A `RobotsTxt` keeps the rules for only this many robots: those whose rules were read last.
_MAX_ROBOTS = 64

# Shared by all files whose usage preferences have not been read
_NO_USAGE: "dict[tuple[str, ...], UsageRules]" = {}

_SHARED = frozenset((type, EnumMeta, bool, NoneType, FunctionType, Dialect))


class RobotsTxt:
    """One robots.txt, read in one dialect, by default 1994.

    Objects with the same text and dialect are equal. `lines`, `records` and `problems` parse the
    text again on each access. `rules` keeps its results for the 64 robots whose rules were read
    last.
    """

    __slots__ = (
        "__weakref__",
        "_body",
        "_dialect",
        "_others",
        "_rules",
        "_sitemaps",
        "_usage",
        "dialect",
        "memory_bytes",
        "size",
    )

    def __init__(
        self,
        body: bytes | str | Body,
        dialect: str = "1994",
    ) -> None:
        self._body = body if isinstance(body, Body) else Body(body)
        self.size = self._body.size
        """The length of `body` in bytes."""
        self._dialect, *others = grammars_of(dialect)
        # Only "strictest" has a second dialect.
        self._others = tuple(others)
        self.dialect = dialect
        """The dialect in which the file is read."""
        # A tuple, because a dict with one entry would take four times the memory
        self._rules: tuple[RobotRules | StrictestRules, ...] = ()
        self._sitemaps: tuple[str, ...] = ()
        self._usage = _NO_USAGE
        self.memory_bytes = 0
        """The estimated memory of the file and its rules, in bytes. The value is 0 until `prepare`
        measures the memory, and is reset to 0 when more rules or preferences are read.
        """

    @classmethod
    def parse(
        cls,
        body: bytes | str,
        *,
        dialect: str = "1994",
        limit: int | None = None,
        truncated: bool = False,
    ) -> "RobotsTxt":
        """Parse *body*, which may contain any bytes. If *body* is longer than *limit* bytes, only
        the whole lines within the limit are obeyed.

        Set *truncated* if *body* is only the beginning of the file. Raise `ValueError` for an
        unknown *dialect*.
        """
        return cls(Body(body, is_truncated=truncated, limit=limit), dialect)

    def rules(self, robot: str | bytes) -> RobotRules | StrictestRules:
        """Return the rules for *robot*, a bare name or a whole User-Agent header. Never raises.

        The first call for a robot parses the file, which may take tenths of a second for a large
        file. Thread-safe.
        """
        names = robot_names(robot)
        for rules in self._rules:
            if rules.names == names:
                return rules
        return self._read(names)

    def _read(self, names: tuple[str, ...]) -> RobotRules | StrictestRules:
        text = self._body.text
        sitemaps: dict[str, None] = {}
        all_rules = []
        for dialect in (self._dialect, *self._others):
            reading = read_for_robot(text, dialect, names)
            sitemaps |= dict.fromkeys(reading.sitemaps)
            all_rules.append(RobotRules(reading, self._body, dialect, names))
        self._sitemaps = tuple(sitemaps)
        rules = StrictestRules(*all_rules) if self._others else all_rules[0]
        self._rules = (rules, *self._rules[: _MAX_ROBOTS - 1])
        self.memory_bytes = 0
        return rules

    def is_read_for(self, robot: str | bytes, *, with_usage: bool) -> bool:
        """Whether the rules and, if *with_usage*, the preferences for *robot* have been read."""
        names = robot_names(robot)
        is_read = any(it.names == names for it in self._rules)
        return is_read and (names in self._usage or not with_usage)

    def allowed(self, url: str | bytes, robot: str | bytes) -> bool:
        """Return whether *robot* may retrieve the URL or path *url*. Never raises."""
        return self.rules(robot).allowed(url)

    def verdict(self, url: str | bytes, robot: str | bytes) -> Verdict:
        """Return the verdict on the URL or path *url* for *robot*. Never raises."""
        return self.rules(robot).verdict(url)

    def usage(self, url: str | bytes, robot: str | bytes) -> "Usage":
        """Return the usage preferences for *url* and *robot*. Preferences do not affect verdicts.

        The first call for a robot parses the file. Raise `MissingExtra` if the extra `usage` is
        not installed, and no other exception.
        """
        return self.read_usage(robot).of(url)

    def read_usage(self, robot: str | bytes) -> "UsageRules":
        """Return the usage preferences of the file for *robot*.

        Raise `MissingExtra` if the extra `usage` is not installed.
        """
        names, known = robot_names(robot), self._usage
        if names not in known:
            from scrapy_robots1994.parser.usage import UsageRules  # noqa: PLC0415 - rarely used

            rules = UsageRules(self.text, self._dialect, names)
            known = dict(list(known.items())[1 - _MAX_ROBOTS :]) | {names: rules}
            self._usage = known
            self.memory_bytes = 0
        return known[names]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the file. Joining their `raw` attributes gives `text`."""
        groups = groups_of(self.text, self._dialect)
        return tuple(line for group in groups for line in group.lines)

    @property
    def records(self) -> "tuple[Record, ...]":
        """The records of the file, in order."""
        from scrapy_robots1994.parser.records import records_of  # noqa: PLC0415 - a crawl needs no records

        groups = groups_of(self.text, self._dialect)
        return tuple(records_of(groups, self._dialect))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The distinct values of the Sitemap lines, as written and in order.

        Empty in dialects without Sitemap.
        """
        if not self._rules:
            self._read(())
        return self._sitemaps

    @property
    def problems(self) -> "tuple[Problem, ...]":
        """The problems of the file in line order. Problems of the same kind in a record or in the
        file may be merged into one, with all their lines.
        """
        from scrapy_robots1994.lint.problems import problems_of  # noqa: PLC0415 - a crawl needs no lint

        return problems_of(self._body, self._dialect)

    def weakening_problems(self, robot: str | bytes) -> "tuple[Problem, ...]":
        """Return the problems that let *robot* retrieve what the author probably meant to
        disallow.
        """
        from scrapy_robots1994.lint.problems import weakening_problems  # noqa: PLC0415 - a crawl needs no lint

        return weakening_problems(self._body, self._dialect, robot)

    def prepare(self, robot: str | bytes, *, reads_usage: bool = False) -> None:
        """Do the slow work before a request needs the file: read the rules for *robot*, compress
        the body and measure the memory.
        """
        self.rules(robot)
        if reads_usage:
            self.read_usage(robot)
        if not self.memory_bytes:
            self._body.compress()
            self.memory_bytes = memory_of(self)

    @property
    def text(self) -> str:
        """The decoded text that is obeyed, without the incomplete last line of a truncated file.
        Bytes that are not UTF-8 appear as surrogate escapes.
        """
        return self._body.text

    @property
    def body(self) -> bytes:
        """The bytes of the file, up to the limit."""
        return self._body.data

    @property
    def is_truncated(self) -> bool:
        """Whether `body` is only the beginning of the file."""
        return self._body.is_truncated

    def read_as(self, dialect: str) -> "RobotsTxt":
        """Return this file, read in another *dialect*.

        Raise `ValueError` for an unknown *dialect*.
        """
        return self if dialect == self.dialect else RobotsTxt(self._body, dialect)

    def __reduce__(self) -> tuple[type["RobotsTxt"], tuple[Body, str]]:
        """Pickle the file without the rules that have been read from it."""
        return RobotsTxt, (self._body, self.dialect)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RobotsTxt)
            and self.dialect == other.dialect
            and self.text == other.text
        )

    def __hash__(self) -> int:
        return hash((self.text, self.dialect))

    def __repr__(self) -> str:
        return f"<RobotsTxt: {self.size} bytes, {self.dialect}>"


def memory_of(root: object) -> int:
    """Return the memory of *root* and of all objects that it references, in bytes. Types,
    functions, dialects and enum members do not count, because all files share them.
    """
    # `found` grows during the loop. It also keeps the objects alive, so that no id is reused.
    found, counted, size = [root], set[int](), 0
    for it in with_pauses(found):
        # The second test finds enum members.
        is_shared = type(it) in _SHARED or type(type(it)) is EnumMeta
        if not is_shared and id(it) not in counted:
            counted.add(id(it))
            size += getsizeof(it)
            found += get_referents(it)
            if type(it) is dict:
                # `get_referents` omits the keys if all of them are strings.
                found += it
    return size


class Reader:
    """Reads up to *limit* bytes of each file, in one dialect.

    Identical files share one `RobotsTxt` while it is in use, because a hosting platform may serve
    one file from thousands of origins. Thread-safe.
    """

    def __init__(self, dialect: str, limit: int) -> None:
        self._dialect = dialect
        self.limit = limit
        self._known = WeakValueDictionary[bytes, RobotsTxt]()

    def read(self, body: bytes, *, is_truncated: bool = False) -> RobotsTxt:
        """Parse *body*, which is only the beginning of the file if *is_truncated* is true."""
        within = Body(body, is_truncated=is_truncated, limit=self.limit)
        key = sha256(bytes([within.is_truncated]) + within.data).digest()
        robots = self._known.get(key)
        if robots is None:
            # Two threads may parse the same bytes at the same time. Either result can be used.
            robots = self._known[key] = RobotsTxt(within, self._dialect)
        return robots
