"""A comparison job: what is compared, the work, and its report.

Files, folders, WARC files (each answer to GET /robots.txt in them), and URLs that are
fetched are compared in a pool of processes, each with a time limit: the parsers are those of
others, and may do anything.
"""

import argparse
import logging
import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent import futures
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.project import get_project_settings

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource, is_archive, listed
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.commands.warc import answers_in
from scrapy_robots1994.compare import formats
from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.impact import Example, SiteImpact, Totals, Variant
from scrapy_robots1994.compare.parsers import (
    Capture,
    Direction,
    Question,
    obeyed_body,
    questions,
    raised,
)
from scrapy_robots1994.compare.report import (
    ComparisonReport,
    as_plain,
    as_table,
    describe,
)
from scrapy_robots1994.crawl.features.comparison import capture_of
from scrapy_robots1994.crawl.features.peers import peers
from scrapy_robots1994.crawl.setting_types import SCRAPY_PARSERS, load_object
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import MissingExtra, needs_extra
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

_TASKS_PER_PROCESS: Final = 4  # that wait in memory or are worked on

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
        for origin, answer, at in answers_in(path, reader.limit, self.unread.append):
            policy = Policy.from_response(origin, answer, reader, at, self.freshness)
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
    """What to compare, as plain values that travel to a process.

    *parsers* are class paths or names in `scrapy.robotstxt`, *names* what they are called.
    *settings* are those of the command line, *spider* is the one whose settings count. *urls*
    take the place of questions made from the files. *seconds* is what one parser may take for
    one file.
    """

    parsers: tuple[str, ...]
    names: tuple[str, ...]
    settings: dict[str, str]
    spider: str | None
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
        _pool_class()
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
            settings=_given(settings),
            spider=opts.spider,
            variant=Variant(ours.dialect, ours.reading),
            robots=tuple(opts.robot),
            urls=urls,
            max_questions=opts.questions,
            seconds=opts.deadline,
        )

    def task(self, capture: Capture) -> Comparison:
        """Return the comparison of *capture*: by questions made from it, or by the URLs."""
        # A label that is not an origin has a stand-in.
        origin = str(Origin.of(capture.label) or NOWHERE)
        limit = self.max_questions
        made = questions(origin, capture.body, robots=self.robots, max_questions=limit)
        if self.urls is None:
            return Comparison(capture, tuple(made))
        urls = [
            origin + url if url.startswith("/") else url
            for url in self.urls
            if url.startswith("/") or origin == NOWHERE or str(Origin.of(url)) == origin
        ]
        robots = dict.fromkeys(question.robot for question in made)
        asked = (Question(url, robot) for url in urls for robot in robots)
        return Comparison(capture, tuple(asked))


def _is_installed(name: str, crawler: Crawler) -> bool:
    """Return whether the library of Scrapy's parser *name* is installed."""
    try:
        peers((name,), crawler, "--parsers")
    except MissingExtra:
        return False
    return True


def _given(settings: Settings) -> dict[str, str]:
    """Return what the command line set, which is text."""
    priority = SETTINGS_PRIORITIES["cmdline"]
    given = (it for it in settings if settings.getpriority(it) == priority)
    return {name: settings[name] for name in given}


# In a process of the pool: its comparer.
_comparer: Comparer


def _start(job: Job) -> None:
    """Make the comparer of *job* in this process, with the settings of the project."""
    global _comparer  # noqa: PLW0603 - what the initializer of a pool is for
    # What a parser prints must not get between the lines of the command.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Some parsers log about each file.
    logging.disable(logging.CRITICAL)
    settings = get_project_settings()
    settings.setdict(job.settings, "cmdline")
    if job.spider:
        loader = load_object(settings["SPIDER_LOADER_CLASS"]).from_settings(settings)
        loader.load(job.spider).update_settings(settings)
    others = peers(job.parsers, Crawler(Spider, settings), "--parsers")
    _comparer = Comparer(others, **job.variant._asdict())


def _compare(names: tuple[str, ...], task: Comparison) -> SiteImpact:
    """Return how the parsers called *names* differ from ours, with explained examples."""
    site = SiteImpact.of(task.capture)
    for name in names:
        site.add(_comparer.compare(name, task, _comparer.theirs(name, task)))
    for name in names if task.diagnose else ():
        site.examples.update(_comparer.explain(name, site))
    return site


class _Work:
    """Tasks in a pool, never many at once.

    A task that fails is tried again in parts: each parser alone, then without a search for
    causes. What fails even so counts as raised.
    """

    def __init__(self, pool: Any, job: Job, room: int) -> None:
        self._pool = pool
        self._job = job
        self._room = room
        self._tasks: dict[Any, tuple[tuple[str, ...], Comparison]] = {}

    def impacts(self, inputs: CompareInputs) -> Iterator[tuple[SiteImpact, int]]:
        """Yield each impact, and how many captures it ends: 1, or 0 for all parsers but one."""
        captures = iter(inputs)
        while True:
            for capture in islice(captures, max(0, self._room - len(self._tasks))):
                self._schedule(self._job.names, self._job.task(capture))
            if not self._tasks:
                return
            done, _ = futures.wait(self._tasks, return_when=futures.FIRST_COMPLETED)
            for future in done:
                names, task = self._tasks.pop(future)
                why = future.exception()
                if why is None:
                    yield future.result(), names[0] == self._job.names[0]
                elif len(names) > 1:
                    for name in names:
                        self._schedule((name,), task)
                elif task.diagnose:
                    self._schedule(names, replace(task, diagnose=False))
                else:
                    how = (
                        "Timeout"
                        if isinstance(why, futures.TimeoutError)
                        else "WorkerDied"
                    )
                    yield _raised(names[0], task, how), names[0] == self._job.names[0]

    def _schedule(self, names: tuple[str, ...], task: Comparison) -> None:
        """Begin to compare *names* by *task*."""
        seconds = self._job.seconds * len(names)
        future = self._pool.schedule(_compare, (names, task), timeout=seconds)
        self._tasks[future] = names, task


def _raised(name: str, task: Comparison, how: str) -> SiteImpact:
    """Return the impact of a parser that did not answer *task*, and why."""
    site = SiteImpact.of(task.capture)
    site.stuck.append((name, site.label))
    site.counts[name, Direction.RAISED] = len(task.questions)
    site.causes[name, Direction.RAISED, Cause.OTHER] = len(task.questions)
    for question in task.questions:
        example = Example(question, raised(how), (Cause.OTHER,))
        site.keep((name, Direction.RAISED), example, task.capture)
    return site


def run(
    job: Job, inputs: CompareInputs, processes: int, step: Callable[[], None]
) -> Totals:
    """Return what came of all *inputs*; *step* is called after each.

    Ctrl-C ends it early, with what has been compared until then.
    """
    totals = Totals()
    if inputs.count is not None:
        processes = max(1, min(processes, inputs.count))
    pool = _pool_class()(
        processes, initializer=_start, initargs=(job,), context=_context()
    )
    try:
        work = _Work(pool, job, _TASKS_PER_PROCESS * processes)
        for site, captures in work.impacts(inputs):
            totals.add_site(site, captures)
            if captures:
                step()
        # Ends a process that is still starting only when it has started.
        pool.close()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda *_: terminal.end_now())
        totals.is_interrupted = True
        pool.stop()
    except BaseException:
        pool.stop()
        raise
    pool.join()
    return totals


def _context() -> Any:
    """Return how processes start: never forked from this one, which may have threads."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    # Loaded once for all processes.
    context.set_forkserver_preload([__name__])
    return context


def _pool_class() -> Any:
    """Return the class of the pool of processes."""
    with needs_extra("robots-compare", "report"):
        import pebble  # noqa: PLC0415 - an extra
    return pebble.ProcessPool


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
