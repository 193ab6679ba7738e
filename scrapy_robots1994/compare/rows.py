"""The rows of a comparison: where another parser decides differently from ours.

There are three sources: files (`robots-compare`), a crawl in which we act and others are
asked (`ROBOTS1994_COMPARE`), and a crawl in which Scrapy's middleware acts and we watch
(`ROBOTS1994_DRY_RUN`). Each puts its questions to `Site.ask`; `Site.result` makes the rows.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, partial
from typing import Any, NamedTuple, Protocol, TypeAlias

from scrapy_robots1994.compare.questions import Question
from scrapy_robots1994.compare.why import (
    MAX_BYTES,
    RACE,
    RAISED,
    STATUS,
    Cause,
    Lines,
    cause_of,
)
from scrapy_robots1994.escaping import redact_credentials
from scrapy_robots1994.parser import Verdict
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.policy.outcomes import TEXT, group_of_verdict
from scrapy_robots1994.robotstxt import RobotsTxt

MIDDLEWARE = "RobotsTxtMiddleware"
"""The name under which a dry run counts what Scrapy's middleware did."""

MAX_ROWS = 20
"""The most differences of one site that are shown. All are counted."""

AROUND, MAX_LINES = 3, 200
"""The lines of a file that are shown around a needed line, and the most that are shown."""

Decision: TypeAlias = str
"""`ALLOWS`, `FORBIDS`, or "raises X"."""

ALLOWS, FORBIDS = "allows", "forbids"


class Parsed(Protocol):
    """A robots.txt, as one parser read it."""

    def allowed(self, url: str, robot: str, /) -> bool:
        """Whether *robot* may retrieve *url*. May raise anything."""


Parse: TypeAlias = Callable[[bytes], Parsed]
"""A parser: reads the bytes of a file. May raise anything."""


class Way(str, Enum):
    """How another decision compares with ours: it is the other that is stricter or laxer."""

    AGREE = "agree"
    STRICTER = "stricter"
    LAXER = "laxer"
    RAISED = "raised"

    @classmethod
    def of(cls, ours: Decision, theirs: Decision) -> "Way":
        """Return the way in which *theirs* differs from *ours*."""
        if ours == theirs:
            return cls.AGREE
        return {ALLOWS: cls.LAXER, FORBIDS: cls.STRICTER}.get(theirs, cls.RAISED)


CHANGES = ("unchanged", "opened", "closed", "both")
"""What becomes of a site when ours replaces another parser."""


@dataclass(frozen=True, slots=True)
class File:
    """What an origin answered to GET /robots.txt, or a file alone.

    If *uniform* is not None, it is our verdict on every URL, and no file decides.
    """

    site: str
    body: bytes
    uniform: Verdict | None = None
    status: int | None = None

    @property
    def basis(self) -> str:
        """What our verdicts are based on: the file, a status, or no answer."""
        uniform = self.uniform
        return (group_of_verdict(uniform.reason, self.status) if uniform else TEXT).name


class Reading:
    """The bytes of a file, read at most once by each of *others* and in each dialect."""

    def __init__(self, body: bytes, others: Mapping[str, Parse]) -> None:
        self.others = others
        self._parsed = cache(partial(_parsed, body))
        self.ours = cache(lambda dialect: RobotsTxt.parse(body, dialect=dialect))

    def theirs(self, name: str, question: Question) -> Decision:
        """Return what the parser *name* decides."""
        parsed = self._parsed(self.others[name])
        robot = question.others_robot or question.robot
        if isinstance(parsed, str):
            return parsed
        try:
            return word_of(parsed.allowed(question.url, robot))
        except BaseException as error:  # noqa: BLE001 - a parser in Rust panics with one
            return _raised(error)


def _parsed(body: bytes, parse: Parse) -> Parsed | Decision:
    try:
        return parse(body)
    except BaseException as error:  # noqa: BLE001 - a parser in Rust panics with one
        return _raised(error)


def _raised(error: BaseException) -> Decision:
    if isinstance(error, KeyboardInterrupt):
        raise error
    return f"raises {type(error).__name__}"


def word_of(is_allowed: object) -> Decision:
    """Return the word for a decision."""
    return ALLOWS if is_allowed else FORBIDS


class Did(NamedTuple):
    """What Scrapy's middleware did in a dry run."""

    is_sent: bool
    is_early: bool
    """Whether it did not have the file yet."""


class Asked(NamedTuple):
    """A question, and everybody's decision."""

    question: Question
    ours: Decision
    theirs: Mapping[str, Decision]
    did: Did | None


@dataclass(frozen=True, slots=True)
class Row:
    """One difference: on *url* for *robot*, between our verdict and that of *parser*."""

    site: str
    url: str
    robot: str
    parser: str
    way: Way
    ours: str
    says: Decision
    """What *parser* decides. In a row about `MIDDLEWARE`, what its parser decides."""
    did: str
    """What Scrapy's middleware did in a dry run, else ""."""
    cause: str | None
    """The code of a `Cause`, or None if none was looked for."""
    lines: Sequence[int]
    """The needed lines, from 1."""
    also: str
    """A further sentence, or ""."""


@dataclass(frozen=True, slots=True)
class SiteResult:
    """The differences of one site: exact counts, and at most `MAX_ROWS` rows."""

    site: str
    basis: str
    status: int | None
    lines: int
    excerpt: Sequence[tuple[int, str]]
    parsers: Mapping[str, Mapping[str, Any]]
    """For each parser the numbers of its answers by `Way`, the change in this dialect and in
    each, and the cause of most rows.
    """
    rows: Sequence[Row]
    possible: int
    """How many questions there are, if those asked are a sample."""


class Site:
    """A file, and the answers of all parsers to questions about it.

    Of each parser and way, *keeps* answers are kept: their differences become rows, and from
    them follows what our other dialects change.
    """

    def __init__(
        self,
        file: File,
        others: Mapping[str, Parse],
        dialect: str,
        keeps: float = math.inf,
    ) -> None:
        self.file, self._dialect, self._keeps = file, dialect, keeps
        self._reading = Reading(file.body, others)
        self._counts: dict[str, Counter[Way]] = defaultdict(Counter)
        self._kept: dict[tuple[str, Way], dict[tuple[Question, Did | None], Asked]]
        self._kept = defaultdict(dict)
        self._ours = cache(self._decide)

    def ask(
        self, question: Question, ours: Decision | None = None, did: Did | None = None
    ) -> Asked:
        """Ask the others, and count how they differ from *ours*, if that is known already."""
        theirs = {it: self._reading.theirs(it, question) for it in self._reading.others}
        if did is not None:
            theirs = {MIDDLEWARE: word_of(did.is_sent)} | theirs
        ours = ours or self._ours(question, self._dialect)
        asked = Asked(question, ours, theirs, did)
        for name, decision in theirs.items():
            way = Way.of(ours, decision)
            self._counts[name][way] += 1
            kept = self._kept[name, way]
            if len(kept) < self._keeps:
                kept.setdefault((question, did), asked)
        return asked

    def _decide(self, question: Question, dialect: str) -> Decision:
        if self.file.uniform is not None:
            return word_of(self.file.uniform.allowed)
        rules = self._reading.ours(dialect).rules(question.robot)
        return word_of(rules.allowed(question.url))

    def result(self, *, with_causes: bool = True, possible: int = 0) -> SiteResult:
        """Return the counts, and rows with their causes, which may take long to find."""
        lines = Lines(self.file.body) if with_causes else None
        share = MAX_ROWS // (2 * len(self._counts)) if self._counts else 0
        rows = [
            self._row(asked, name, way, lines)
            for (name, way), kept in self._kept.items()
            for asked in [*kept.values()][: share or 1]
            if way is not Way.AGREE
        ]
        texts = [it.text for it in RobotsTxt.parse(self.file.body).lines]
        needed = {number for row in rows for number in row.lines} or {1}
        around = {it + by for it in needed for by in range(-AROUND, AROUND + 1)}
        shown = sorted(around & {*range(1, len(texts) + 1)})[:MAX_LINES]
        return SiteResult(
            site=self.file.site,
            basis=self.file.basis,
            status=self.file.status,
            lines=len(texts),
            excerpt=[(number, texts[number - 1]) for number in shown],
            parsers={it: self._numbers(it, rows) for it in self._counts},
            rows=rows,
            possible=possible,
        )

    def _numbers(self, name: str, rows: Iterable[Row]) -> dict[str, Any]:
        """Return the numbers of a parser, its changes and the cause of most of its *rows*."""
        changes = {it: self._change(name, it) for it in DIALECT_NAMES}
        causes = Counter(it.cause for it in rows if it.parser == name)
        return {
            **{way.value: self._counts[name][way] for way in Way},
            "change": changes[self._dialect],
            "dialects": changes,
            "cause": next((it for it, _ in causes.most_common(1)), None),
        }

    def _change(self, name: str, dialect: str) -> str:
        ways = {
            Way.of(self._ours(it.question, dialect), it.theirs[name])
            for way in Way
            for it in self._kept[name, way].values()
        }
        return CHANGES[(Way.STRICTER in ways) + 2 * (Way.LAXER in ways)]

    def _row(self, asked: Asked, name: str, way: Way, lines: Lines | None) -> Row:
        question, did = asked.question, asked.did
        parser = next(iter(self._reading.others)) if name == MIDDLEWARE else name
        says = asked.theirs[parser]
        cause: Cause | None = None
        needed: Sequence[int] = ()
        also = ""
        if did is not None and asked.theirs[name] != says:
            # What its parser says does not explain what the middleware did.
            cause = RACE if is_race(asked) else STATUS
        elif self.file.uniform is not None:
            cause = STATUS
        elif way is Way.RAISED:
            cause = RAISED
        elif lines is not None and len(self.file.body) <= MAX_BYTES:
            cause, needed = self._explained(asked, parser, lines)
            also = self._also(question, says)
        verdict = self.file.uniform or self._reading.ours(self._dialect).verdict(
            question.url, question.robot
        )
        return Row(
            site=self.file.site,
            url=redact_credentials(question.url),
            robot=question.robots,
            parser=name,
            way=way,
            ours=str(verdict),
            says=says,
            did=("sent" if did.is_sent else "refused") if did else "",
            cause=cause and cause.code,
            lines=needed,
            also=also,
        )

    def _explained(
        self, asked: Asked, parser: str, lines: Lines
    ) -> tuple[Cause, Sequence[int]]:
        """Return why *parser* decides differently from us, and the needed lines."""
        question = asked.question

        def holds(part: bytes) -> bool:
            site = Site(File("", part), self._reading.others, self._dialect)
            is_ours = site._ours(question, self._dialect) == asked.ours
            return (
                is_ours
                and site._reading.theirs(parser, question) == asked.theirs[parser]
            )

        needed = lines.needed(holds)
        part = RobotsTxt.parse(lines.part(needed), dialect=self._dialect)
        return cause_of(part.lines, question.url, self._dialect), needed

    def _also(self, question: Question, says: Decision) -> str:
        """Say which other dialect of ours decides as the other parser does."""
        # RFC 9309 first: most robots follow it.
        for dialect in sorted(DIALECT_NAMES, key="rfc9309".__ne__):
            if self._ours(question, dialect) == says:
                robots = self._reading.ours(dialect)
                line = robots.verdict(question.url, question.robot).line
                by = f", by line {line}" * bool(line)
                return f"the dialect {dialect} decides so{by}"
        return ""


def is_race(asked: Asked) -> bool:
    """Whether Scrapy's middleware sent what its parser disallows, without having asked it."""
    did = asked.did
    is_early = did is not None and did.is_sent and did.is_early
    return is_early and [*asked.theirs.values()][1] == FORBIDS


def compare(
    file: File,
    others: Mapping[str, Parse],
    asked: Iterable[Question],
    dialect: str,
    possible: int = 0,
) -> SiteResult:
    """Return where *others* differ from us on *file*, of the questions *asked*."""
    site = Site(file, others, dialect)
    for it in asked:
        site.ask(it)
    return site.result(possible=possible)


@dataclass(slots=True)
class Comparison:
    """All sites of a comparison."""

    dialect: str
    parsers: Sequence[str]
    """The names of the others, in order."""
    sites: list[SiteResult] = field(default_factory=list)
    skipped: int = 0
    """How many decisions were not compared."""

    def count(self, parser: str, *ways: Way) -> int:
        """Return how often *parser* answered in one of *ways*, or at all."""
        numbers = [it.parsers.get(parser, {}) for it in self.sites]
        return sum(each.get(way, 0) for each in numbers for way in ways or Way)

    def changes(self, parser: str) -> dict[str, int]:
        """Return the number of sites for each of `CHANGES`."""
        found = (it.parsers[parser] for it in self.sites if parser in it.parsers)
        counts = Counter(it["change"] for it in found)
        return {it: counts[it] for it in CHANGES}

    @property
    def questions(self) -> int:
        """How many questions were compared."""
        return max(map(self.count, self.parsers), default=0)

    @property
    def rows(self) -> Iterator[Row]:
        """The rows of all sites, by site."""
        return (row for it in self.sites for row in it.rows)
