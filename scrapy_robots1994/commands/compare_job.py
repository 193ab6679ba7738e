"""A job: which parsers are asked what, by settings that travel to another process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.project import get_project_settings

from scrapy_robots1994.commands.compare_inputs import NOWHERE, capture_of, origin_of
from scrapy_robots1994.compare import (
    Capture,
    Comparer,
    Disagreement,
    Explanation,
    Parser,
    Question,
    Totals,
    our_parser,
    questions,
)
from scrapy_robots1994.crawl.features.peers import peers
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_robots1994.commands.compare_inputs import Source
    from scrapy_robots1994.compare import ParsedFile


@dataclass(frozen=True, slots=True)
class Job:
    """What to compare, as plain values.

    *urls* are asked instead of questions made from the files; *overrides* are settings
    of the command line. At most *most* questions are made of a file, *samples*
    disagreements kept of each kind.
    """

    parsers: tuple[str, ...]
    dialect: str
    reading: str
    limit: int
    robots: tuple[str, ...]
    urls: tuple[str, ...] | None
    most: int
    samples: int
    overrides: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Result:
    """What came of some files: counts and samples, nanoseconds by whom, and what could
    not be read.
    """

    totals: Totals
    spent: Counter[str]
    unreadable: list[str]

    def add(self, other: Result) -> None:
        """Take over what *other* found."""
        self.totals.add(other.totals)
        self.spent.update(other.spent)
        self.unreadable += other.unreadable


class _Timed:
    """A reading whose questions are timed."""

    __slots__ = ("_name", "_reading", "_spent")

    def __init__(self, reading: ParsedFile, name: str, spent: Counter[str]) -> None:
        self._reading = reading
        self._name = name
        self._spent = spent

    def allowed(self, url: str, robot: str) -> bool:
        """What the reading says."""
        started = perf_counter_ns()
        try:
            return self._reading.allowed(url, robot)
        finally:
            self._spent[self._name] += perf_counter_ns() - started


def _timed(parser: Parser, spent: Counter[str]) -> Parser:
    """*parser*, with the time it takes added to *spent*."""

    def read_timed(body: bytes) -> ParsedFile:
        started = perf_counter_ns()
        try:
            return _Timed(parser.parse(body), parser.name, spent)
        finally:
            spent[parser.name] += perf_counter_ns() - started

    return Parser(parser.name, read_timed)


class Bench:
    """The parsers of a job in one process, and the time each has taken."""

    def __init__(self, job: Job) -> None:
        settings = get_project_settings()
        # A crawler sets up logging by its settings, here as in any process.
        settings.set("LOG_LEVEL", "WARNING", priority="command")
        for name, value in job.overrides:
            settings.set(name, value, priority="cmdline")
        self.spent: Counter[str] = Counter()
        timed = partial(_timed, spent=self.spent)
        options: dict[str, Any] = {"dialect": job.dialect, "reading": job.reading}
        others = peers(job.parsers, Crawler(Spider, settings))
        self.names = tuple(other.name for other in others)
        ours = timed(our_parser(**options))
        self.comparer = Comparer(ours, list(map(timed, others)), **options)


@cache
def bench_of(job: Job) -> Bench:
    """The parsers of *job*, made once a process."""
    return Bench(job)


def compare_some(job: Job, sources: Sequence[Source]) -> Result:
    """Compare all of *sources*."""
    bench = bench_of(job)
    bench.spent.clear()
    started = perf_counter_ns()
    result = Result(Totals(job.samples), Counter(), [])
    for source in sources:
        try:
            capture = _cut(capture_of(source), job.limit)
        except OSError as error:
            result.unreadable.append(escape_control_chars(str(error), 300))
            continue
        asked = _asked(job, capture)
        result.totals.add(bench.comparer.compare(capture, asked, job.samples))
    result.spent.update(bench.spent)
    result.spent[""] = perf_counter_ns() - started - bench.spent.total()
    return result


def explain_some(job: Job, found: Sequence[Disagreement]) -> list[Explanation]:
    """Explain all of *found*."""
    return list(map(bench_of(job).comparer.explain, found))


def _cut(capture: Capture, limit: int) -> Capture:
    """*capture* with the whole lines that are obeyed, for all parsers alike."""
    if len(capture.body) <= limit:
        return capture
    # Ours O24: the whole lines within the limit.
    body = capture.body[:limit]
    end = max(body.rfind(b"\n"), body.rfind(b"\r")) + 1
    return Capture(capture.label, body[:end], capture.uniform)


def _asked(job: Job, capture: Capture) -> list[Question]:
    """The questions about *capture*: made from it, or the URLs of the job."""
    origin = origin_of(capture)
    if job.urls is None:
        return questions(origin, capture.body, robots=job.robots, most=job.most)
    urls = [
        origin + url if url.startswith("/") else url
        for url in job.urls
        if url.startswith("/") or origin == NOWHERE or str(Origin.of(url)) == origin
    ]
    made = questions(origin, capture.body, robots=job.robots, most=job.most)
    robots = dict.fromkeys(question.robot for question in made)
    return [Question(url, robot) for url in urls for robot in robots]
