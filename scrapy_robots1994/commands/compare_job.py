"""A comparison job: what is compared, the work, and its report.

Files, folders, WARC files (each answer to GET /robots.txt in them), and URLs that are
fetched are compared by the workers of an executor: threads here, or processes of a dask
cluster. Each leaves the parsers to a process of its own (`GuardedComparer`), which a
deadline or Ctrl-C can end.
"""

import argparse
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from threading import Event, get_ident
from typing import TypeVar
from urllib.parse import unquote

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource, is_archive, listed
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.commands.warc import answers_in
from scrapy_robots1994.compare import formats
from scrapy_robots1994.compare.comparer import Comparison
from scrapy_robots1994.compare.impact import SiteImpact, Totals, Variant
from scrapy_robots1994.compare.parsers import (
    Capture,
    Question,
    obeyed_body,
    questions,
)
from scrapy_robots1994.compare.report import (
    ComparisonReport,
    as_plain,
    as_table,
    describe,
)
from scrapy_robots1994.crawl.features.comparison import capture_of
from scrapy_robots1994.crawl.features.peers import (
    GuardedComparer,
    make_comparer,
    peers,
    portable,
)
from scrapy_robots1994.crawl.setting_types import SCRAPY_PARSERS
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import MissingExtra, RobotsError, needs_extra
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

ItemT = TypeVar("ItemT")
FoundT = TypeVar("FoundT")

BATCH = 8
"""Files of one task; two tasks for each worker wait in memory."""

NOWHERE = "http://localhost"
"""The origin of a file whose name does not say one."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


@dataclass(slots=True)
class CompareInputs:
    """The files *names* and what was fetched; *unread* has a line for each fault.

    Of all of them *reader* says what is obeyed, and so compared; *freshness*, what the
    status of an answer means.
    """

    names: list[str]
    reader: Reader
    freshness: FreshnessSettings
    fetched: list[Capture] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add_fetched(self, source: PolicySource) -> None:
        """Add what was fetched, if the origin itself answered."""
        self.fetched += self._captures(source)

    def _captures(self, source: PolicySource) -> Iterator[Capture]:
        """Yield the capture that *source* is, if it was read."""
        if not source.is_known:
            self.unread.append(f"{redact_and_escape(source.name, 100)}: {source.why}")
            return
        # The body of an answer without rules is not stored: the others read an empty file.
        rules = source.rules
        body = obeyed_body(rules) if isinstance(rules, RobotsTxt) else b""
        if source.policy is None:
            yield Capture(_label_of(source.name), body)
        else:
            yield capture_of(source.policy, body)

    def _archived(self, path: Path) -> Iterator[Capture]:
        """Yield each answer to GET /robots.txt in a WARC file, as `answers_in` does.

        It is judged as a crawl does that knows nothing from before (R1 to R5).
        """
        reader = self.reader
        for origin, answer in answers_in(path, reader.limit, self.unread.append):
            policy = Policy.from_response(origin, answer, reader, 0.0, self.freshness)
            robots = reader.read(answer.body, is_truncated=answer.is_truncated)
            yield capture_of(policy, obeyed_body(robots))

    @property
    def count(self) -> int | None:
        """How many files there are; None where an archive does not say."""
        if any(map(is_archive, self.names)):
            return None
        return len(self.names) + len(self.fetched)

    @property
    def has_answers(self) -> bool:
        """Whether statuses are compared, too, and not files alone."""
        return bool(self.fetched) or self.count is None

    def __iter__(self) -> Iterator[Capture]:
        """Yield all captures: each file is one, an archive has one for each answer."""
        yield from self.fetched
        for name in self.names:
            if is_archive(name):
                yield from self._archived(Path(name))
            else:
                yield from self._captures(PolicySource.from_file(name, self.reader))


def _label_of(name: str) -> str:
    """Return the origin that a file is named by, as `example.org`, or by its folder, as
    `example.org/robots.txt`; else the name.
    """
    path = Path(name)
    stem = path.stem if path.suffix.lower() == ".txt" else path.name
    for part in (stem, path.absolute().parent.name):
        if _HOST.fullmatch(unquote(part)):
            return f"http://{part}"
        if stem.lower() != "robots":
            break
    return name


@dataclass(frozen=True, slots=True)
class Job:
    """What to compare, as plain values that travel to a worker.

    *parsers* are classes, paths or names in `scrapy.robotstxt`, *names* what they are
    called. *settings* are those of the project, pickled. *urls* take the place of
    questions made from the files.
    """

    parsers: tuple[str, ...]
    names: tuple[str, ...]
    settings: bytes
    variant: Variant
    robots: tuple[str, ...]
    urls: tuple[str, ...] | None
    max_questions: int
    seconds: int

    @classmethod
    def of(
        cls, opts: argparse.Namespace, settings: Settings, ours: RobotsSettings
    ) -> "Job":
        """Return the job that the options and the settings of the project make."""
        # Not made by the process: Scrapy 2.13 installs the reactor for its first crawler.
        crawler = Crawler(Spider, settings)
        if opts.parsers is None:
            wanted = tuple(it for it in SCRAPY_PARSERS if _is_installed(it, crawler))
        else:
            wanted = tuple(filter(None, map(str.strip, opts.parsers.split(","))))
        if not wanted:
            raise WrongUse(
                "--parsers must name at least one parser, for example Protego"
            )
        urls = None if opts.urls is None else tuple(listed(opts.urls))
        if urls == ():
            raise WrongUse("--urls: no URL is in the file: write one a line")
        found = peers(wanted, crawler, "--parsers")
        # The parser in use stands first.
        in_use = str(settings["ROBOTSTXT_PARSER"]).rpartition(".")[2]
        names = sorted((it.name for it in found), key=lambda name: name != in_use)
        return cls(
            parsers=wanted,
            names=tuple(names),
            settings=portable(settings),
            variant=Variant(ours.dialect, ours.reading),
            robots=tuple(opts.robot),
            urls=urls,
            max_questions=opts.questions,
            seconds=opts.deadline,
        )

    def compare(self, captures: Sequence[Capture]) -> Totals:
        """Compare all of *captures*."""
        comparer, totals = _comparer_of(self), Totals()
        for capture in captures:
            task = Comparison(capture, tuple(self._questions(capture)))
            totals.add_site(comparer.compare(task))
        return totals

    def explain(self, sites: Sequence[SiteImpact]) -> list[SiteImpact]:
        """Explain the examples of all *sites*."""
        return list(map(_comparer_of(self).explain, sites))

    def _questions(self, capture: Capture) -> list[Question]:
        """Return the questions about *capture*: made from it, or the URLs of the job."""
        # A label that is not an origin has a stand-in.
        origin = str(Origin.of(capture.label) or NOWHERE)
        limit = self.max_questions
        made = questions(origin, capture.body, robots=self.robots, max_questions=limit)
        if self.urls is None:
            return made
        urls = [
            origin + url if url.startswith("/") else url
            for url in self.urls
            if url.startswith("/") or origin == NOWHERE or str(Origin.of(url)) == origin
        ]
        robots = dict.fromkeys(question.robot for question in made)
        return [Question(url, robot) for url in urls for robot in robots]


def _is_installed(name: str, crawler: Crawler) -> bool:
    """Return whether the library of Scrapy's parser *name* is installed; else say so."""
    try:
        peers((name,), crawler, "--parsers")
    except MissingExtra as error:
        terminal.print_note(f"compared without it: {error}")
        return False
    return True


# A cluster passes its workers functions and values, and nothing that owns a process.
_comparers: dict[tuple[Job, int], GuardedComparer] = {}
_closed = Event()


def _comparer_of(job: Job) -> GuardedComparer:
    """Return the comparer of *job* in this thread, made at the first call."""
    key = job, get_ident()
    if key not in _comparers:
        make = partial(make_comparer, job.parsers, job.settings, *job.variant)
        _comparers[key] = GuardedComparer(make, job.names, job.seconds)
        if _closed.is_set():
            _comparers[key].close()
    return _comparers[key]


def run(
    job: Job, inputs: CompareInputs, opts: argparse.Namespace, step: Callable[[], None]
) -> Totals:
    """Return what came of all *inputs*; *step* is called after each.

    Ctrl-C ends it early, with what has been compared until then.
    """
    totals = Totals()
    _closed.clear()
    with _executor_for(opts) as (executor, workers):
        completed = partial(_completed, executor, workers)
        try:
            for part in completed(job.compare, inputs):
                totals.add(part)
                for _ in range(part.captures):
                    step()
            changed = [site for site in totals.sites.values() if site.examples]
            for sites in completed(job.explain, changed):
                totals.sites.update({site.label: site for site in sites})
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, lambda *_: terminal.end_now())
            totals.is_interrupted = True
        except futures.CancelledError:
            # Only a cluster does that.
            terminal.print_note("--scheduler: the cluster cancelled the work")
            totals.is_interrupted = True
        finally:
            # Ends all processes, and the calls that wait for them.
            _closed.set()
            for comparer in list(_comparers.values()):
                comparer.close()
            _comparers.clear()
    return totals


@contextmanager
def _executor_for(
    opts: argparse.Namespace,
) -> Iterator[tuple[futures.Executor, int]]:
    """Yield what runs the work, and how many workers it has.

    With --scheduler those of its dask cluster; else a thread for each of --processes.
    """
    if not opts.scheduler:
        # It starts no more threads than there are tasks.
        pool = futures.ThreadPoolExecutor(opts.processes)
        try:
            yield pool, opts.processes
        finally:
            pool.shutdown(cancel_futures=True)
        return
    with needs_extra("--scheduler", "cluster"):
        distributed = import_module("distributed")
    try:
        with distributed.Client(opts.scheduler, timeout=10) as client:
            threads = sum(client.nthreads().values())
            # More than one try: a worker may die, and others take its tasks over.
            yield client.get_executor(retries=3), max(threads, 1)
    except RobotsError:
        raise
    except Exception as error:
        why = str(error) or type(error).__name__
        raise WrongUse(f"--scheduler: the cluster failed: {why}") from error


def _completed(
    executor: futures.Executor,
    workers: int,
    work: Callable[[list[ItemT]], FoundT],
    items: Iterable[ItemT],
) -> Iterator[FoundT]:
    """Yield what *work* returns for batches of *items*, never many of them under way."""
    waiting = iter(items)
    under_way: set[futures.Future[FoundT]] = set()
    while True:
        while len(under_way) < 2 * workers and (batch := list(islice(waiting, BATCH))):
            under_way.add(executor.submit(work, batch))
        if not under_way:
            return
        done, under_way = futures.wait(under_way, return_when=futures.FIRST_COMPLETED)
        yield from (future.result() for future in done)


def report_of(
    totals: Totals, job: Job, args: list[str], inputs: CompareInputs
) -> ComparisonReport:
    """Return what came of the job, as a report."""
    # A report is for others, too.
    shown = redact_and_escape(", ".join(args[:3]) + ", ..." * bool(args[3:]), 200)
    questions = (
        f"at most {job.max_questions} questions for each file, at the edges of its rules; "
        "not real requests. One URL that differs makes a site count as changed."
    )
    if job.urls is not None:
        questions = f"the {len(job.urls):,} URLs of --urls."
    robots = ", ".join(job.robots)
    return ComparisonReport(
        subject=f"{totals.captures:,} robots.txt of {shown}",
        parsers=job.names,
        totals=totals,
        metadata=describe(
            job.variant,
            robots=robots or "those that the file names, and one that it does not",
            questions=questions,
        ),
        has_answers=inputs.has_answers,
        notes=("Interrupted: not all files were compared.",) * totals.is_interrupted,
    )


def print_report(report: ComparisonReport, opts: argparse.Namespace) -> None:
    """Print *report*, and write it to the path of --report."""
    if opts.json:
        terminal.print_json(as_plain(report), indent=1)
    elif report.totals.captures or report.notes:
        terminal.print_line(
            f"{report.subject}: {report.questions:,} questions to each parser, "
            f"{report.disagreements:,} answers that differ from ours\n\n"
            f"{as_table(report)}"
        )
    if not opts.report:
        return
    try:
        formats.write_report(report, Path(opts.report))
    except OSError as error:
        why = error.strerror or error
        raise WrongUse(f"the report {opts.report} cannot be written: {why}") from error
    terminal.print_notes("The report was written to", [opts.report])
