"""The rows of a comparison: where another parser decides differently from ours.

There are three sources: files (`robots-compare`), a crawl in which we act and others are
asked (`ROBOTS1994_COMPARE`), and a crawl in which Scrapy's middleware acts and we watch
(`ROBOTS1994_DRY_RUN`). Each hands its questions to `Site.ask`; `Site.finish` makes the rows.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property, partial
from typing import NamedTuple, Protocol, TypeAlias

from scrapy_robots1994.compare.questions import Question
from scrapy_robots1994.compare.why import MAX_BYTES, Cause, Lines, Needed, cause_of
from scrapy_robots1994.escaping import redact_credentials
from scrapy_robots1994.parser import Verdict
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.policy.outcomes import TEXT, AnswerGroup, group_of_verdict
from scrapy_robots1994.robotstxt import RobotsTxt

MIDDLEWARE = "RobotsTxtMiddleware"
"""The name under which a dry run counts what Scrapy's middleware did."""

MAX_ROWS = 20
"""The most differences of one site that are shown. All are counted."""

MAX_SAME = 5
"""The most questions of a site, answered alike, that a crawl keeps for other dialects."""

MAX_SITES = 20_000
MAX_SITES_BYTES = 64_000_000
"""The most sites, and bytes of their files, that are listed. Of others, answers count."""

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
    def basis(self) -> AnswerGroup:
        """What our verdicts are based on: the file, a status, or no answer."""
        if self.uniform is None:
            return TEXT
        return group_of_verdict(self.uniform.reason, self.status)


class Reading:
    """A file, read at most once by each of *others* and in each of our dialects."""

    def __init__(self, file: File, others: Mapping[str, Parse]) -> None:
        self.file = file
        self.others = others
        self._parsed = cache(partial(_parsed, file.body))
        self._ours = cache(lambda it: RobotsTxt.parse(file.body, dialect=it))

    def theirs(self, name: str, question: Question) -> Decision:
        """Return what the parser *name* decides."""
        return _decision(self._parsed(self.others[name]), question)

    def ours(self, question: Question, dialect: str) -> Decision:
        """Return what we decide in *dialect*."""
        rules = self.file.uniform or self._ours(dialect).rules(question.robot)
        if isinstance(rules, Verdict):
            return _word(rules.allowed)
        return _word(rules.allowed(question.url))

    def verdict(self, question: Question, dialect: str) -> Verdict:
        """Return our verdict in *dialect*."""
        ours, uniform = self._ours(dialect), self.file.uniform
        return uniform or ours.verdict(question.url, question.robot)

    @cached_property
    def lines(self) -> Lines:
        """The file as its lines."""
        return Lines(self.file.body)


def _parsed(body: bytes, parse: Parse) -> Parsed | Decision:
    try:
        return parse(body)
    except BaseException as error:  # noqa: BLE001 - a parser in Rust panics with one
        return _raised(error)


def _decision(parsed: Parsed | Decision, question: Question) -> Decision:
    if isinstance(parsed, str):
        return parsed
    robot = question.others_robot or question.robot
    try:
        return _word(parsed.allowed(question.url, robot))
    except BaseException as error:  # noqa: BLE001 - a parser in Rust panics with one
        return _raised(error)


def _raised(error: BaseException) -> Decision:
    if isinstance(error, KeyboardInterrupt):
        raise error
    return f"raises {type(error).__name__}"


def _word(is_allowed: object) -> Decision:
    return ALLOWS if is_allowed else FORBIDS


class Did(NamedTuple):
    """What Scrapy's middleware did in a dry run, and why, should its parser say otherwise."""

    is_sent: bool
    cause: Cause


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and everybody's decision."""

    question: Question
    ours: Decision
    theirs: Mapping[str, Decision]
    did: Did | None = None

    @property
    def is_race(self) -> bool:
        """Whether Scrapy's middleware sent what its parser, had it waited, disallows."""
        did = self.did
        is_known = did is not None and did.cause is Cause.RACE and did.is_sent
        return is_known and [*self.theirs.values()][1] == FORBIDS

    @property
    def ways(self) -> dict[str, Way]:
        """How each of the others differs from ours."""
        return {name: Way.of(self.ours, it) for name, it in self.theirs.items()}


@dataclass(frozen=True, slots=True)
class Row:
    """One difference: on *url* for *robot*, between our verdict and *parser*'s.

    *says* is what *parser* decides, and *did* what Scrapy's middleware did in a dry run, else
    "". A row about `MIDDLEWARE` compares with *did*, and *says* is of its parser. *lines* are
    the needed lines, from 1; *cause* is None if they were not looked for. *also* is a further
    sentence, or "".
    """

    site: str
    url: str
    robot: str
    parser: str
    way: Way
    ours: str
    says: Decision
    did: str
    cause: Cause | None
    lines: Sequence[int] = ()
    also: str = ""


@dataclass(slots=True)
class Site:
    """The differences of one site: exact counts, and at most `MAX_ROWS` rows."""

    file: File
    dialect: str
    counts: Counter[tuple[str, Way]] = field(default_factory=Counter)
    rows: list[Row] = field(default_factory=list)
    possible: int = 0
    """How many questions the rules suggest, if those asked are a sample."""
    _ways: set[tuple[str, str, Way]] = field(default_factory=set)
    """The ways in which each parser differs from us in each of our dialects."""
    _kept: dict[tuple[str, Way], dict[tuple[Question, Did | None], Asked]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """What becomes a row, and some questions of which all agree."""

    def ask(
        self,
        reading: Reading,
        question: Question,
        ours: Decision,
        did: Did | None = None,
    ) -> Asked:
        """Ask the others, and count how they differ from *ours*."""
        theirs = {it: reading.theirs(it, question) for it in reading.others}
        if did is not None:
            theirs = {MIDDLEWARE: _word(did.is_sent)} | theirs
        asked = Asked(question, ours, theirs, did)
        for name, way in asked.ways.items():
            self.counts[name, way] += 1
            self._ways.add((name, self.dialect, way))
            kept = self._kept[name, way]
            limit = MAX_SAME if way is Way.AGREE else MAX_ROWS // (2 * len(theirs)) or 1
            # A site may change its file during a crawl: the first one is shown.
            if len(kept) < limit and reading.file == self.file:
                kept.setdefault((question, did), asked)
        return asked

    def is_asked(self, parser: str) -> bool:
        """Whether *parser* was asked about this site."""
        return any(self.counts[parser, it] for it in Way)

    def change(self, parser: str, dialect: str) -> str:
        """Return the one of `CHANGES` that ours makes in place of *parser*, in *dialect*."""
        is_opened = (parser, dialect, Way.STRICTER) in self._ways
        return CHANGES[is_opened + 2 * ((parser, dialect, Way.LAXER) in self._ways)]

    def finish(
        self, reading: Reading, answers: Iterable[Asked] = (), *, with_causes: bool
    ) -> None:
        """Make the rows, and compare *answers*, or those kept, in our other dialects."""
        kept = [asked for it in self._kept.values() for asked in it.values()]
        for it in answers or kept:
            for dialect in DIALECT_NAMES:
                ours = reading.ours(it.question, dialect)
                for name, theirs in it.theirs.items():
                    self._ways.add((name, dialect, Way.of(ours, theirs)))
        self.rows = [
            self._row(reading, asked, name, with_causes=with_causes)
            for (name, way), kept in self._kept.items()
            for asked in kept.values()
            if way is not Way.AGREE
        ]
        self._kept.clear()

    def _row(
        self, reading: Reading, asked: Asked, name: str, *, with_causes: bool
    ) -> Row:
        question, did = asked.question, asked.did
        parser = next(iter(reading.others)) if name == MIDDLEWARE else name
        says = asked.theirs[parser]
        cause: Cause | None = None
        lines: Sequence[int] = ()
        also = ""
        if did is not None and asked.theirs[name] != says:
            # What its parser says does not explain what the middleware did.
            cause = Cause.STATUS if self.file.uniform else did.cause
        elif with_causes:
            cause, lines = self._explained(reading, asked, parser)
            also = self._also(reading, question, says)
        return Row(
            self.file.site,
            redact_credentials(question.url),
            question.robots,
            name,
            asked.ways[name],
            str(reading.verdict(question, self.dialect)),
            says,
            ("sent" if did.is_sent else "refused") if did else "",
            cause,
            lines,
            also,
        )

    def _explained(
        self, reading: Reading, asked: Asked, parser: str
    ) -> tuple[Cause | None, Sequence[int]]:
        """Return why *parser* decides otherwise than we do, and the needed lines."""
        theirs, question = asked.theirs[parser], asked.question
        if self.file.uniform is not None:
            return Cause.STATUS, ()
        if theirs not in {ALLOWS, FORBIDS}:
            return Cause.RAISED, ()
        if len(self.file.body) > MAX_BYTES:
            return None, ()

        def holds(part: bytes) -> bool:
            read = Reading(File("", part), reading.others)
            is_ours = read.ours(question, self.dialect) == asked.ours
            return is_ours and read.theirs(parser, question) == theirs

        lines = reading.lines.needed(holds)
        part = RobotsTxt.parse(reading.lines.part(lines), dialect=self.dialect)
        return cause_of(Needed(part.lines, question.url, self.dialect)), lines

    def _also(self, reading: Reading, question: Question, says: Decision) -> str:
        """Say which other dialect of ours decides as the other parser does."""
        # RFC 9309 first: most robots follow it.
        for dialect in sorted(DIALECT_NAMES, key="rfc9309".__ne__):
            verdict = reading.verdict(question, dialect)
            if dialect != self.dialect and _word(verdict.allowed) == says:
                by = f", by line {verdict.line}" if verdict.line else ""
                # An answer without a file is the same in every dialect.
                is_of_file = self.file.uniform is None
                return f"our dialect {dialect} decides so{by}" if is_of_file else ""
        return ""


def compare(
    file: File, others: Mapping[str, Parse], asked: Iterable[Question], dialect: str
) -> Site:
    """Return where *others* differ from us on *file*."""
    site, reading = Site(file, dialect), Reading(file, others)
    answers = [site.ask(reading, it, reading.ours(it, dialect)) for it in asked]
    site.finish(reading, answers, with_causes=True)
    return site


@dataclass(slots=True)
class Comparison:
    """All sites of a comparison. *parsers* are the names of the others, in order.

    *answers* counts every answer, *skipped* the decisions that were not compared. If
    *is_full*, some sites are not listed.
    """

    dialect: str
    parsers: Sequence[str]
    answers: Counter[tuple[str, Way]] = field(default_factory=Counter)
    sites: dict[str, Site] = field(default_factory=dict)
    files: int = 0
    possible: int = 0
    skipped: int = 0
    is_full: bool = False
    _bytes: int = 0

    def add(self, site: Site) -> None:
        """Add *site* with its answers so far, and list it if there is room."""
        self.files += 1
        self.answers.update(site.counts)
        self.possible += site.possible
        self._bytes += len(site.file.body)
        if len(self.sites) < MAX_SITES and self._bytes <= MAX_SITES_BYTES:
            self.sites[site.file.site] = site
        else:
            self.is_full = True

    def count(self, parser: str, *ways: Way) -> int:
        """Return how often *parser* answered in one of *ways*, or at all."""
        return sum(self.answers[parser, it] for it in ways or Way)

    @property
    def questions(self) -> int:
        """How many questions were compared."""
        return max(map(self.count, self.parsers), default=0)

    @property
    def rows(self) -> Iterator[Row]:
        """The rows of all sites, by site."""
        return (row for _, it in sorted(self.sites.items()) for row in it.rows)
