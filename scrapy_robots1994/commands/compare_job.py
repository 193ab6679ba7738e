"""The inputs, the pool of processes and the report of one run of `robots-compare`.

The inputs are files, WARC files and URLs. URLs are fetched before the comparison. Each
answer to GET /robots.txt in a WARC file is compared separately. A task compares one
capture with one parser. Each task has a time limit and runs in another process, because
other parsers may hang or crash.
"""

import argparse
import logging
import os
import re
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings
from scrapy.utils.python import global_object_name

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource, listed
from scrapy_robots1994.commands.terminal import Unreadable, WrongUse
from scrapy_robots1994.compare import formats
from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.impact import Example, SiteImpact, Totals, Variant
from scrapy_robots1994.compare.parsers import (
    Capture,
    Direction,
    Parse,
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
from scrapy_robots1994.crawl.setting_types import SCRAPY_PARSERS, load_parser
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import MissingExtra, needs_extra
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

with needs_extra("robots-compare", "report"):
    from pebble import ProcessPool

# At most this number of tasks is scheduled for each process. A scheduled task is waiting or
# running.
_TASKS_PER_PROCESS: Final = 4

NOWHERE = "http://localhost"
"""The origin in the questions about a file whose path does not contain a host name."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


@dataclass(slots=True)
class CompareInputs:
    """The inputs of a comparison. The inputs are the files called *names*, and the
    fetched policies of URLs (*fetched*).

    *reader* reads the files, and limits the number of bytes of each file that are compared.
    *freshness* determines which answers without a file allow all URLs. *unread* contains one
    line about each input that could not be read.
    """

    names: list[str]
    reader: Reader
    freshness: FreshnessSettings
    fetched: list[PolicySource] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def count(self) -> int | None:
        """The number of captures if every input can be read.

        The number is None if one of *names* is a WARC file, because a WARC file may
        contain any number of answers.
        """
        return len(self.names) + len(self.fetched)

    def __iter__(self) -> Iterator[Capture]:
        """Yield the capture of each source in *fetched*, and the captures in the files
        called *names*.
        """
        for source in self.fetched:
            yield from self._captures(source)
        for name in self.names:
            yield from self._captures(PolicySource.from_file(name, self.reader))

    def _captures(self, source: PolicySource) -> Iterator[Capture]:
        """Yield the capture of *source*. If the policy is unknown, add a line to *unread*
        instead.
        """
        if not source.is_known:
            self.unread.append(f"{redact_and_escape(source.name, 100)}: {source.why}")
            return
        # A policy without a file does not contain the body of the answer. In place of the
        # body, other parsers therefore read an empty file.
        rules = source.rules
        body = obeyed_body(rules) if isinstance(rules, RobotsTxt) else b""
        if source.policy is None:
            yield Capture(_label_of(source.name), body)
        else:
            yield capture_of(source.policy, body)


def _label_of(name: str) -> str:
    """Return the origin of the host in the path *name*, or *name* if the path contains no
    host.

    The name of the file can be the host, as in `example.org` or `example.org.txt`. If the
    file is called `robots` or `robots.txt`, the name of its folder can be the host, as in
    `example.org/robots.txt`.
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
    """The options of a comparison, which can be pickled for another process.

    *opts* are the options of the command. *parsers* are the names of the other parsers.
    *settings* are the settings that the command line sets. *variant* is the dialect of our
    parser. *urls* are the URLs in the file given with --urls, or None if the
    questions are made from the files.
    """

    opts: argparse.Namespace
    parsers: tuple[str, ...]
    settings: dict[str, str]
    variant: Variant
    urls: list[str] | None

    @classmethod
    def of(
        cls, opts: argparse.Namespace, settings: Settings, ours: RobotsSettings
    ) -> "Job":
        """Return the job for the options *opts*.

        *settings* are the settings of the command, and *ours* are the settings of this
        package. Raises a `RobotsError` if --parsers or --urls is wrong, or if a library
        for the job is not installed.
        """
        parsers = tuple(_parsers(opts.parsers, settings))
        if not parsers:
            raise WrongUse(
                "--parsers must name at least one parser, for example Protego"
            )
        urls = None if opts.urls is None else listed(opts.urls)
        if urls == []:
            raise WrongUse("--urls: no URL is in the file: write one URL per line")
        priority = SETTINGS_PRIORITIES["cmdline"]
        given = (it for it in settings if settings.getpriority(it) == priority)
        return cls(
            opts,
            parsers,
            {name: settings[name] for name in given},
            Variant(ours.dialect),
            urls,
        )

    def task(self, capture: Capture) -> Comparison:
        """Return the task that compares *capture*.

        The questions are about those URLs of the job that can belong to the file. If the
        job has no URLs, the questions are made from the file.
        """
        # Each question needs an origin, even if the label of the capture is not an origin.
        origin = str(Origin.of(capture.label) or NOWHERE)
        limit, robots = self.opts.questions, self.opts.robot
        made = questions(origin, capture.body, robots=robots, max_questions=limit)
        if self.urls is None:
            return Comparison(capture, tuple(made))
        urls = [
            origin + url if url.startswith("/") else url
            for url in self.urls
            if url.startswith("/") or origin == NOWHERE or str(Origin.of(url)) == origin
        ]
        names = dict.fromkeys(question.robot for question in made)
        asked = (Question(url, name) for url in urls for name in names)
        return Comparison(capture, tuple(asked))


def _parsers(wanted: str | None, settings: Settings) -> dict[str, Parse]:
    """Return the parsers in *wanted*, the value of --parsers, by their names. The parser
    that the project uses comes first.

    Without --parsers, return the installed parsers of Scrapy.
    """
    # Create the crawler directly, because `CrawlerProcess.create_crawler` installs the
    # reactor in Scrapy 2.13.
    crawler = Crawler(Spider, settings)
    paths: Iterable[str] = SCRAPY_PARSERS
    if wanted is not None:
        paths = filter(None, map(str.strip, wanted.split(",")))
    found = peers(paths, crawler, "--parsers", skips_missing=wanted is None)
    in_use = str(settings["ROBOTSTXT_PARSER"]).rpartition(".")[2]
    by_use = sorted(found.items(), key=lambda it: it[0].rpartition(".")[2] != in_use)
    return dict(by_use)


# `_comparer` is the comparer of this process. Only the processes of the pool create a
# comparer.
_comparer: Comparer


def _start(job: Job) -> None:
    """Create the comparer of *job* in this process, with the settings of the project."""
    global _comparer  # noqa: PLW0603 - the initializer of a pool sets globals
    # Discard the output of parsers, so that only the command writes to standard output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Disable logging, because some parsers log a message for each file.
    logging.disable(logging.CRITICAL)
    settings = get_project_settings()
    settings.setdict(job.settings, "cmdline")
    if job.opts.spider:
        loader = load_object(settings["SPIDER_LOADER_CLASS"]).from_settings(settings)
        loader.load(job.opts.spider).update_settings(settings)
    _comparer = Comparer(_parsers(job.opts.parsers, settings), job.variant)


def _compare(name: str, task: Comparison) -> SiteImpact:
    """Compare our answers to the questions of *task* with the answers of the parser
    *name*.

    Return the differences. If `task.diagnose` is true, also explain the examples of
    differences.
    """
    site = _comparer.compare(name, task)
    if task.diagnose:
        site.examples = _comparer.explain(site)
    return site


def _impacts(
    pool: Any, job: Job, inputs: CompareInputs, room: int
) -> Iterator[tuple[str, SiteImpact]]:
    """Yield a pair for each parser and each of *inputs*. The pair consists of the name of
    the parser and a `SiteImpact`.

    At most *room* tasks are scheduled at a time. If a task fails, the task is retried
    without the search for causes. If the retry also fails, each answer of the parser counts
    as a raised exception.
    """
    tasks = ((name, task) for task in map(job.task, inputs) for name in job.parsers)
    scheduled: dict[Any, tuple[str, Comparison]] = {}

    def schedule(name: str, task: Comparison) -> None:
        future = pool.schedule(_compare, (name, task), timeout=job.opts.deadline)
        scheduled[future] = name, task

    while True:
        for name, task in islice(tasks, max(0, room - len(scheduled))):
            schedule(name, task)
        if not scheduled:
            return
        done, _ = futures.wait(scheduled, return_when=futures.FIRST_COMPLETED)
        for future in done:
            name, task = scheduled.pop(future)
            why = future.exception()
            if why is None:
                yield name, future.result()
            elif task.diagnose:
                schedule(name, replace(task, diagnose=False))
            else:
                is_late = isinstance(why, futures.TimeoutError)
                yield name, _raised(name, task, "Timeout" if is_late else "WorkerDied")


def _raised(name: str, task: Comparison, how: str) -> SiteImpact:
    """Return the `SiteImpact` for *task* if the parser *name* did not answer.

    *how* is a name for the reason, such as "Timeout".
    """
    site = SiteImpact.of(task.capture)
    site.pack(task.capture)
    site.stuck.append((name, task.capture.label))
    site.counts[name, Direction.RAISED] = len(task.questions)
    site.causes[name, Direction.RAISED, Cause.OTHER] = len(task.questions)
    for question in task.questions:
        example = Example(question, raised(how), (Cause.OTHER,))
        site.keep((name, Direction.RAISED), example)
    return site


def run(job: Job, inputs: CompareInputs) -> Totals:
    """Compare *inputs* in a pool of at most `job.opts.processes` processes, and return the
    totals.

    After Ctrl-C, the result contains only the totals of the captures that were compared.
    """
    totals = Totals(job.variant)
    processes = job.opts.processes
    if inputs.count is not None:
        processes = max(1, min(processes, inputs.count))
    # Never fork this process, because other threads might be running in this process.
    pool: Any = ProcessPool(
        processes, initializer=_start, initargs=(job,), context=get_context("spawn")
    )
    first = job.parsers[0]
    try:
        with terminal.progress(inputs.count) as step:
            for name, site in _impacts(
                pool, job, inputs, _TASKS_PER_PROCESS * processes
            ):
                # Count each capture once, although each parser has its own task.
                totals.add_site(site, captures=name == first)
                if name == first:
                    step()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda *_: terminal.end_now())
        totals.is_interrupted = True
    finally:
        pool.stop()
        # Kill the processes before `join` deletes their semaphores. Otherwise, a process
        # that is still starting would not find its semaphores, and would print a
        # traceback.
        for process in active_children():
            process.kill()
        pool.join()
    return totals


def report_of(
    totals: Totals, job: Job, args: list[str], inputs: CompareInputs
) -> ComparisonReport:
    """Return the report of *job* with *totals*.

    *args* are the arguments of the command line that name *inputs*.
    """
    # Users share reports, so a report must not show credentials.
    shown = redact_and_escape(", ".join(args[:3]) + ", ..." * bool(args[3:]), 200)
    questions = (
        f"at most {job.opts.questions} questions for each file. The questions are about "
        "paths made from the rules of the file, not about real requests. A site counts "
        "as changed if the answers differ for at least one URL."
    )
    if job.urls is not None:
        questions = f"the {len(job.urls):,} URLs of --urls."
    return ComparisonReport(
        subject=f"{totals.captures:,} robots.txt of {shown}",
        parsers=job.parsers,
        totals=totals,
        metadata=describe(
            job.variant,
            robots=", ".join(job.opts.robot)
            or "each robot that the file names, and one robot that it does not name",
            questions=questions,
        ),
        # Only WARC files and URLs have HTTP answers.
        has_answers=inputs.count is None or any(it.is_known for it in inputs.fetched),
        notes=("Interrupted: not all files were compared.",) * totals.is_interrupted,
    )


def check_report(opts: argparse.Namespace) -> None:
    """Create the folder of --report. Raises a `RobotsError` if no file can be written to the
    folder.
    """
    if opts.report:
        with _report_errors(opts.report):
            formats.check_folder(Path(opts.report))


def print_report(report: ComparisonReport, opts: argparse.Namespace) -> None:
    """Print *report*. With --report, also write *report* to a file."""
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
    with _report_errors(opts.report):
        formats.write_report(report, Path(opts.report))
    terminal.print_notes("The report was written to", [str(Path(opts.report))])


@contextmanager
def _report_errors(path: str) -> Iterator[None]:
    """Run the block. If the block raises an `OSError`, raise a `RobotsError` that says why
    the report *path* cannot be written.
    """
    try:
        yield
    except OSError as error:
        kind = WrongUse if isinstance(error, IsADirectoryError) else Unreadable
        why = error.strerror or error
        raise kind(f"the report {path} cannot be written: {why}") from error


def peers(
    wanted: Iterable[str | type],
    crawler: Crawler,
    setting: str = "ROBOTS1994_COMPARE",
    *,
    skips_missing: bool = False,
) -> dict[str, Parse]:
    """Return a dict that maps the name of each parser in *wanted* to the parser.

    *wanted* is the value of *setting*. Each item is a parser class, the import path of a
    parser class, or the name of a parser of Scrapy. Raise `SettingsError` if an item does
    not name a parser. The name of a parser is the name of its class. If several classes
    have equal names, the name of each parser is the import path of its class.

    If the library of a parser is not installed, raise `MissingExtra`, or skip the parser
    if *skips_missing* is true.
    """
    ignored = (MissingExtra,) if skips_missing else ()
    kinds = dict.fromkeys(load_parser(it, crawler.settings, setting) for it in wanted)
    numbers = Counter(kind.__name__ for kind in kinds)
    found: dict[str, Parse] = {}
    for kind in kinds:
        with suppress(*ignored):
            with needs_extra(kind.__name__, "report"):
                try:
                    kind.from_crawler(crawler, b"")
                except ImportError:
                    raise
                except Exception:  # noqa: BLE001, S110 - errors are counted for each file later
                    pass
            is_only = numbers[kind.__name__] == 1
            name = kind.__name__ if is_only else global_object_name(kind)
            found[name] = partial(kind.from_crawler, crawler)
    return found


def capture_of(policy: Policy, body: bytes) -> Capture:
    """Return a capture of the answer from which *policy* was made. *body* is the body that
    the other parsers read.
    """
    label = str(policy.origin)
    if policy.robots is not None:
        return Capture(label, body)
    uniform = policy.rules("").verdict(f"{label}/")
    return Capture(label, body, uniform, policy.status)
