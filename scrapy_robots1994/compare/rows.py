"""Ask our parser and others the same questions, and collect the decisions that differ.

The questions come from `robots-compare`, from a crawl (`ROBOTS1994_COMPARE`), or from a dry run, in
which Scrapy's middleware decides (`ROBOTS1994_DRY_RUN`).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, partial
from itertools import islice
from typing import Any, Protocol, TypeAlias

from scrapy_robots1994.compare.questions import Question
from scrapy_robots1994.compare.why import (
    MAX_BYTES,
    RACE,
    RAISED,
    STATUS,
    UNSOUGHT,
    Lines,
    cause_of,
)
from scrapy_robots1994.parser import Rules
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.policy.outcomes import TEXT, group_of_verdict
from scrapy_robots1994.policy.policy import UniformRules
from scrapy_robots1994.robotstxt import RobotsTxt

MIDDLEWARE = "RobotsTxtMiddleware"
"""The name under which Scrapy's middleware is listed among the parsers in a dry run."""

MAX_ROWS = 20
"""The maximum number of differences shown for one site. All differences are counted."""

AROUND, MAX_LINES = 3, 200
"""The number of lines shown before and after each line that makes a difference, and the maximum
number of lines shown for one site.
"""

Decision: TypeAlias = str
"""`ALLOWS`, `FORBIDS`, or "raises" and the name of the exception."""

ALLOWS, FORBIDS = "allows", "forbids"

ACTS = {"sent": ALLOWS, "refused": FORBIDS}
"""What Scrapy's middleware did with a request, and the decision that this implies."""


class Parsed(Protocol):
    """A robots.txt, parsed by any parser."""

    def allowed(self, url: str, robot: str, /) -> bool:
        """Whether *robot* may retrieve *url*. May raise anything."""


Parse: TypeAlias = Callable[[bytes], Parsed]
"""Parses the bytes of a file. May raise anything."""


class Way(str, Enum):
    """How the decision of another parser compares with ours.

    `STRICTER` and `LAXER` describe the other parser.
    """

    AGREE = "agree"
    STRICTER = "stricter"
    LAXER = "laxer"
    RAISED = "raised"

    @classmethod
    def of(cls, ours: Decision, theirs: Decision) -> "Way":
        if ours == theirs:
            return cls.AGREE
        return {ALLOWS: cls.LAXER, FORBIDS: cls.STRICTER}.get(theirs, cls.RAISED)


CHANGES = ("unchanged", "opened", "closed", "both")
"""What changes for a site if our parser replaces another: "opened" if URLs become allowed, "closed"
if URLs become disallowed.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """The decision of *parser* on *url* for *robot*, and why it differs from ours."""

    site: str
    url: str
    robot: str
    others_robot: str
    """The robot that other parsers are asked about; "" stands for *robot*."""
    parser: str
    way: Way
    theirs: Decision
    """The decision to compare with ours. In a row about `MIDDLEWARE`, what the middleware did."""
    says: Decision
    """The decision of *parser*. In a row about `MIDDLEWARE`, the decision of the parser that the
    middleware uses.
    """
    did: str
    """What Scrapy's middleware did (a key of `ACTS`), or "" outside a dry run."""
    cause: str
    """The code of a `Cause`, or "" before it is known."""
    ours: str = ""
    """Our verdict in words."""
    lines: Sequence[int] = ()
    """The 1-based numbers of the lines that make the difference."""
    also: str = ""
    """A sentence that names a dialect in which we decide as *parser* does, or ""."""


@dataclass(frozen=True, slots=True)
class SiteResult:
    """The differences of one site: exact counts, and at most `MAX_ROWS` rows."""

    site: str
    basis: str
    """The source of our verdicts: the file, a status, or no answer."""
    lines: int
    """The number of lines of the file."""
    excerpt: Sequence[tuple[int, str]]
    """The lines that make a difference and those around them, with their 1-based numbers."""
    parsers: Mapping[str, Mapping[str, Any]]
    """For each parser, a mapping with these keys:

    - the value of each `Way`: the number of such decisions
    - "change": what changes for the site if we replace the parser, one of `CHANGES`
    - "dialects": for each dialect, what "change" would be if we read the file in that dialect
    - "cause": the most frequent cause in the parser's rows, or None
    """
    rows: Sequence[Row]


class Site:
    """The decisions of all parsers on one robots.txt.

    *stated* is the file, or `UniformRules` if there is none. Without a file, the other parsers
    parse an empty one. The rows and the changes are computed from up to *keeps* decisions for each
    parser and `Way`.
    """

    def __init__(
        self,
        name: str,
        stated: RobotsTxt | UniformRules,
        others: Mapping[str, Parse],
        dialect: str,
        keeps: float = math.inf,
    ) -> None:
        self.name, self.stated = name, stated
        self._others, self._dialect, self._keeps = others, dialect, keeps
        self._parsed = cache(lambda parser: others[parser](self.body))
        self._read_as = cache(self._read)
        self._again = cache(self._ours)
        self._counts: Counter[tuple[str, Way]] = Counter()
        self._kept: dict[tuple[str, Way], dict[Row, None]] = defaultdict(dict)
        self.races = 0
        """The number of disallowed requests that Scrapy's middleware sent before it had the
        file.
        """

    @property
    def body(self) -> bytes:
        """The file that the other parsers parse."""
        return self.stated.body if isinstance(self.stated, RobotsTxt) else b""

    def ask(self, question: Question, did: str = "", *, is_early: bool = False) -> None:
        """Ask all parsers, and count their decisions.

        In a dry run, *did* is a key of `ACTS`, and *is_early* is true if the request came before
        Scrapy's middleware had the file.
        """
        url, robot, others_robot = question
        ours = self._ours(url, robot, self._dialect)
        for parser in self._others:
            says = decision_of(
                partial(self._parsed, parser), url, others_robot or robot
            )
            theirs = ACTS[did] if parser == MIDDLEWARE else says
            way, cause = Way.of(ours, theirs), ""
            if is_early and (theirs, says) == (ALLOWS, FORBIDS):
                cause = RACE.code
                self.races += 1
            # The middleware did not act as its parser says, or there is no file.
            elif theirs != says or isinstance(self.stated, UniformRules):
                cause = STATUS.code
            elif way is Way.RAISED:
                cause = RAISED.code
            self._counts[parser, way] += 1
            kept = self._kept[parser, way]
            if len(kept) < self._keeps:
                row = Row(self.name, *question, parser, way, theirs, says, did, cause)
                kept[row] = None

    def _read(self, dialect: str) -> RobotsTxt | UniformRules:
        stated = self.stated
        return stated.read_as(dialect) if isinstance(stated, RobotsTxt) else stated

    def _rules(self, robot: str, dialect: str) -> Rules:
        return self._read_as(dialect).rules(robot)

    def _ours(self, url: str, robot: str, dialect: str) -> Decision:
        return word_of(is_allowed=self._rules(robot, dialect).allowed(url))

    def result(self, *, with_causes: bool = True) -> SiteResult:
        """Return the counts and the rows. Finding the causes of the rows may take a long time."""
        body, lines = self.body, None
        if with_causes and len(body) <= MAX_BYTES:
            lines = Lines(body)
        share = max(MAX_ROWS // (2 * len(self._others)), 1)
        differing = (
            row
            for (_, way), kept in self._kept.items()
            for row in islice(kept, share)
            if way is not Way.AGREE
        )
        rows = [self._explained(it, lines) for it in islice(differing, MAX_ROWS)]
        texts = [it.text for it in RobotsTxt.parse(body).lines]
        needed = {number for row in rows for number in row.lines} or {1}
        around = {it + by for it in needed for by in range(-AROUND, AROUND + 1)}
        shown = sorted(around & {*range(1, len(texts) + 1)})[:MAX_LINES]
        basis = TEXT
        if isinstance(self.stated, UniformRules):
            verdict = self.stated.usual
            basis = group_of_verdict(verdict.reason, verdict.status)
        return SiteResult(
            site=self.name,
            basis=basis.name,
            lines=len(texts),
            excerpt=[(number, texts[number - 1]) for number in shown],
            parsers={
                it: self._numbers(it, rows) for it in self._others if self._counts
            },
            rows=rows,
        )

    def _numbers(self, parser: str, rows: Iterable[Row]) -> dict[str, Any]:
        changes = {it: self._change(parser, it) for it in DIALECT_NAMES}
        causes = Counter(it.cause for it in rows if it.parser == parser)
        return {
            **{way.value: self._counts[parser, way] for way in Way},
            "change": changes[self._dialect],
            "dialects": changes,
            "cause": next((it for it, _ in causes.most_common(1)), None),
        }

    def _change(self, parser: str, dialect: str) -> str:
        ways = {
            Way.of(self._again(it.url, it.robot, dialect), it.theirs)
            for way in Way
            for it in self._kept[parser, way]
        }
        return CHANGES[(Way.STRICTER in ways) + 2 * (Way.LAXER in ways)]

    def _explained(self, row: Row, lines: Lines | None) -> Row:
        """Return *row* with our verdict and the cause, found by trying parts of *lines*."""
        url, robot, dialect = row.url, row.robot, self._dialect
        verdict = self._rules(robot, dialect).verdict(url)
        row = replace(row, ours=str(verdict))
        if row.cause:
            return row
        if lines is None:
            return replace(row, cause=UNSOUGHT.code)

        def holds(part: bytes) -> bool:
            file = RobotsTxt.parse(part, dialect=dialect)
            if file.allowed(url, robot) != verdict.allowed:
                return False
            read = partial(self._others[row.parser], part)
            return decision_of(read, url, row.others_robot or robot) == row.says

        needed = lines.needed(holds)
        cause = cause_of(lines.part(needed), url, dialect)
        return replace(row, cause=cause.code, lines=needed, also=self._also(row))

    def _also(self, row: Row) -> str:
        # RFC 9309 comes first, because most robots follow it.
        for dialect in sorted(DIALECT_NAMES, key="rfc9309".__ne__):
            if self._ours(row.url, row.robot, dialect) == row.says:
                line = self._rules(row.robot, dialect).verdict(row.url).line
                by = f", by line {line}" * bool(line)
                return f"the dialect {dialect} also {row.says} it{by}"
        return ""


def decision_of(read: Callable[[], Parsed], url: str, robot: str) -> Decision:
    """Return the decision of the parsed file that *read* returns, or the exception in words."""
    try:
        return word_of(is_allowed=read().allowed(url, robot))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic in a Rust parser is not an Exception
        return f"raises {type(error).__name__}"


def word_of(*, is_allowed: bool) -> Decision:
    return ALLOWS if is_allowed else FORBIDS


def compare(site: Site, questions: Iterable[Question]) -> SiteResult:
    for it in questions:
        site.ask(it)
    return site.result()
