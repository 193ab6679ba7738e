"""One run of `robots-compare`: its files, its processes, its report."""

import argparse
import logging
import os
import pickle
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TypeAlias

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource
from scrapy_robots1994.commands.terminal import ExitCode, Unreadable, WrongUse
from scrapy_robots1994.compare.questions import Question, is_asked, questions
from scrapy_robots1994.compare.report import (
    ANSWERS,
    FILES,
    Report,
    as_plain,
    as_text,
    describe,
    write_report,
)
from scrapy_robots1994.compare.rows import Comparison, File, Parse, SiteResult, compare
from scrapy_robots1994.crawl.features.comparison import (
    file_of,
)
from scrapy_robots1994.crawl.features.parsers import SCRAPY_PARSERS, other_parsers
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.robotstxt import RobotsTxt

Result: TypeAlias = SiteResult | str
"""The differences of a file, or why it cannot be read."""

NOTE_FILES = 100
"""Without a progress bar, a line is printed after so many files."""

NOWHERE = "http://localhost"
"""The origin of the questions about a file that is not named by a host."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


class Worker:
    """Compares one file after the other. Raise `RobotsError` if a parser cannot be loaded."""

    def __init__(self, opts: argparse.Namespace, settings: Settings) -> None:
        self._robots, self._urls = opts.robot, opts.urls
        self.settings = settings
        ours = RobotsSettings.from_settings(settings)
        self.dialect, self._reader = ours.dialect, ours.new_reader()
        # Not by `CrawlerProcess`, which installs a reactor in Scrapy 2.13.
        crawler = Crawler(Spider, settings)
        self.others: dict[str, Parse] = {}
        if opts.parsers is None:
            # What the project uses comes first.
            for name in (PARSER_SETTING, *SCRAPY_PARSERS):
                with suppress(MissingExtra):
                    self.others |= other_parsers([name], crawler)
        else:
            wanted = filter(None, map(str.strip, opts.parsers.split(",")))
            self.others = other_parsers(wanted, crawler, "--parsers")
        if not self.others:
            raise WrongUse(
                "--parsers must name at least one parser, for example Protego"
            )

    def compare(self, source: PolicySource | str) -> Result:
        """Compare a fetched policy or a file. Return why, if it cannot be read."""
        if isinstance(source, str):
            source = PolicySource.from_file(source, self._reader)
        if not source.is_known:
            return f"{redact_and_escape(source.name, 100)}: {source.why}"
        if source.policy is not None:
            file = file_of(source.policy)
            origins = [file.site]
        else:
            host = host_of(source.name)
            origins = [f"{it}://{host}" for it in ("http", "https") if host]
            assert isinstance(source.rules, RobotsTxt)  # noqa: S101 - of a file
            file = File(host or source.name, source.rules.body)
        return self._compare(file, origins)

    def _compare(self, file: File, origins: list[str]) -> SiteResult:
        """Ask the questions about *origins*, or all if these are not known."""
        first = (origins or [NOWHERE])[0]
        made, count = questions(first, file.body, self._robots)
        if self._urls is not None:
            known = {Origin.of(it) for it in origins}
            urls = (first + it if it.startswith("/") else it for it in self._urls)
            asked = [
                it
                for it in filter(is_asked, urls)
                if not known or Origin.of(it) in known
            ]
            robots = dict.fromkeys(it.robot for it in made)
            made = [Question(url, it) for it in robots for url in asked]
            count = len(made)
        return compare(file, self.others, made, self.dialect, count)


def host_of(name: str) -> str:
    """Return the host that names the file *name*, as in `example.org.txt`, or ""."""
    path = Path(name)
    host = path.stem if path.suffix.lower() == ".txt" else path.name
    return host if _HOST.fullmatch(host) else ""


_worker: Worker


def _start(opts: argparse.Namespace, settings: dict[str, object]) -> None:
    """Make the worker of this process of the pool."""
    global _worker  # noqa: PLW0603 - the initializer of a pool sets globals
    # The command handles Ctrl-C, and alone writes to standard output.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    logging.disable(logging.CRITICAL)
    _worker = Worker(opts, Settings(settings))


def _compare(name: str) -> Result:
    return _worker.compare(name)


def run(
    args: list[str],
    sources: Sequence[PolicySource | str],
    worker: Worker,
    opts: argparse.Namespace,
) -> int:
    """Compare *sources*, which *args* name, print and write the report, and return the exit
    code.
    """
    compared = Comparison(worker.dialect, [*worker.others])
    unread: list[str] = []
    for result in _noted(len(sources), _results(sources, worker, opts)):
        if isinstance(result, str):
            unread.append(result)
        else:
            compared.sites.append(result)
    _print_report(_report_of(compared, sources, args, opts), opts)
    terminal.print_notes("not read", unread)
    if unread:
        return ExitCode.UNREAD
    return ExitCode.FINE if compared.questions else ExitCode.FOUND


def _results(
    sources: Sequence[PolicySource | str], worker: Worker, opts: argparse.Namespace
) -> Iterator[Result]:
    """Yield the result of each source, from other processes if there are many files."""
    # Some parsers log each file.
    logging.disable(logging.CRITICAL)
    if opts.processes == 1:
        yield from map(worker.compare, sources)
        return
    yield from map(worker.compare, (it for it in sources if not isinstance(it, str)))
    files = [it for it in sources if isinstance(it, str)]
    settings = {
        name: value for name, value in worker.settings.items() if _can_be_sent(value)
    }
    # Never forked: other threads may be running.
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(opts.processes, spawn, _start, (opts, settings))
    try:
        yield from pool.map(_compare, files, chunksize=4)
        pool.shutdown()
    except BrokenProcessPool:
        text = "a parser ended its process: compare with --processes 1 to see how"
        raise Unreadable(text) from None
    finally:
        # After Ctrl-C, nobody waits for a parser.
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.kill()


def _can_be_sent(value: object) -> bool:
    """Return whether *value* can be pickled, which a lambda, for example, cannot."""
    try:
        return bool(pickle.dumps(value))
    except Exception:  # noqa: BLE001 - pickling a project's object may raise anything
        return False


def _noted(total: int, results: Iterator[Result]) -> Iterator[Result]:
    """Yield *results*, and show the progress: a bar on a terminal, else a line now and then."""
    with terminal.progress(total) as step:
        for number, result in enumerate(results, 1):
            yield result
            step()
            if number % NOTE_FILES == 0 and not sys.stderr.isatty():
                terminal.print_note(f"{number:,} of {total:,} files")


def _report_of(
    compared: Comparison,
    sources: Sequence[PolicySource | str],
    args: list[str],
    opts: argparse.Namespace,
) -> Report:
    shown = redact_and_escape(", ".join(args[:3]) + ", ..." * bool(args[3:]), 200)
    possible = sum(it.possible for it in compared.sites)
    sample = f"a sample of {compared.questions:,} of {possible:,}"
    if compared.questions >= possible:
        sample = f"all {possible:,}"
    asked = (
        f"{sample} that the rules suggest, not real requests; one answer that differs makes "
        "a site count as changed"
    )
    if opts.urls is not None:
        asked = f"the {len(opts.urls):,} URLs of --urls"
    robots = ", ".join(opts.robot) or "each that a file names, and one that it does not"
    is_answered = any(isinstance(it, PolicySource) and it.is_known for it in sources)
    return Report(
        f"{len(compared.sites):,} robots.txt of {shown}",
        compared,
        describe(compared.dialect, robots=robots, questions=asked),
        ANSWERS if is_answered else FILES,
    )


def _print_report(report: Report, opts: argparse.Namespace) -> None:
    if opts.json:
        terminal.print_json(as_plain(report), indent=1)
    elif report.comparison.sites:
        asked = report.metadata["questions"]
        terminal.print_line(
            f"{report.subject}\nquestions: {asked}\n\n{as_text(report)}"
        )
    if opts.report:
        with report_errors(opts.report):
            write_report(report, Path(opts.report))
        terminal.print_notes("The report was written to", [str(Path(opts.report))])


@contextmanager
def report_errors(path: str) -> Iterator[None]:
    """Raise a `RobotsError` if the block raises an `OSError` about the report *path*."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise Unreadable(f"the report {path} cannot be written: {why}") from error
