"""Run a comparison for `robots-compare`, in several processes if there are many files."""

import argparse
import logging
import os
import pickle
import re
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TypeAlias

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource
from scrapy_robots1994.commands.terminal import ExitCode, Unreadable, WrongUse
from scrapy_robots1994.compare.questions import MAX_QUESTIONS, questions
from scrapy_robots1994.compare.report import (
    ANSWERS,
    FILES,
    Report,
    as_plain,
    as_text,
    write_report,
)
from scrapy_robots1994.compare.rows import Parse, Site, SiteResult, compare
from scrapy_robots1994.crawl.features.parsers import SCRAPY_PARSERS, other_parsers
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin

Source: TypeAlias = PolicySource | str
"""A fetched policy, or the name of a file."""

Result: TypeAlias = SiteResult | str
"""The comparison of one source, or the reason why it could not be read."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


class Worker:
    """Compares our parser with others, one source at a time.

    Creating a `Worker` raises `RobotsError` if a parser cannot be loaded. Without `--parsers`,
    parsers whose extra is not installed are left out.
    """

    def __init__(self, opts: argparse.Namespace, settings: Settings) -> None:
        self._robots, self._urls = opts.robot, opts.urls
        self.settings = settings
        ours = RobotsSettings.from_settings(settings)
        self.dialect, self._reader = ours.dialect, ours.new_reader()
        # Created directly, because a `CrawlerProcess` would install a reactor in Scrapy 2.13.
        crawler = Crawler(Spider, settings)
        self.others: dict[str, Parse] = {}
        if opts.parsers is None:
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

    def compare(self, source: Source) -> Result:
        if isinstance(source, str):
            source = PolicySource.from_file(source, self._reader)
        if source.stated is None or not source.is_known:
            return f"{redact_and_escape(source.name, 100)}: {source.why}"
        if source.policy is not None:
            name = origin = str(source.policy.origin)
            host = _host_and_port(origin)
        else:
            host = host_of(source.name)
            name, origin = host or source.name, f"http://{host or 'localhost'}"
        urls = self._urls
        if urls is not None and host:
            urls = [
                it for it in urls if it.startswith("/") or _host_and_port(it) == host
            ]
        site = Site(name, source.stated, self.others, self.dialect)
        return compare(site, questions(origin, site.body, self._robots, urls))


def host_of(name: str) -> str:
    """Return the host, with its port if any, that the file *name* is named after, such as
    `example.org` for `example.org.txt`. Return "" if the file is not named after a host.
    """
    path = Path(name)
    host = path.stem if path.suffix.lower() == ".txt" else path.name
    return _host_and_port(f"http://{host}") if _HOST.fullmatch(host) else ""


def _host_and_port(url: str) -> str:
    return str(Origin.of(url) or "").partition("://")[2]


_worker: Worker


def _start(opts: argparse.Namespace, settings: dict[str, object]) -> None:
    global _worker  # noqa: PLW0603 - the initializer of a pool sets globals
    # Only the main process handles Ctrl-C and writes to standard output.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    logging.disable(logging.CRITICAL)
    _worker = Worker(opts, Settings(settings))


def _compare(source: Source) -> Result:
    return _worker.compare(source)


def run(
    args: list[str],
    sources: Sequence[Source],
    worker: Worker,
    opts: argparse.Namespace,
) -> int:
    # Log nothing, because a parser may log a line for each file.
    logging.disable(logging.CRITICAL)
    compared: Iterator[Result] = map(worker.compare, sources)
    if opts.processes > 1:
        compared = _in_processes(sources, worker.settings, opts)
    results: list[SiteResult] = []
    unread: list[str] = []
    with terminal.progress(len(sources)) as step:
        for result in compared:
            if isinstance(result, str):
                unread.append(result)
            else:
                results.append(result)
            step()
    asked = (
        f"generated from the rules, not real requests, at most {MAX_QUESTIONS} per file; "
        "a site counts as changed if any answer differs"
    )
    shown = redact_and_escape(", ".join(args[:3]) + ", ..." * bool(args[3:]), 200)
    is_answered = any(isinstance(it, PolicySource) and it.is_known for it in sources)
    report = Report(
        subject=f"{len(results):,} robots.txt of {shown}",
        source=ANSWERS if is_answered else FILES,
        dialect=worker.dialect,
        robots=", ".join(opts.robot)
        or "each robot that a file names, and one other robot",
        asked=asked if opts.urls is None else "about the URLs of --urls",
        parsers=[*worker.others],
        sites=results,
    )
    if opts.json:
        terminal.print_json(as_plain(report), indent=1)
    elif results:
        terminal.print_line(as_text(report))
    if opts.report:
        write_report(report, Path(opts.report))
        terminal.print_notes("The report was written to", [opts.report])
    terminal.print_notes("not read", unread)
    if unread:
        return ExitCode.UNREAD
    return ExitCode.FINE if report.questions else ExitCode.FOUND


def _in_processes(
    sources: Sequence[Source], settings: Settings, opts: argparse.Namespace
) -> Iterator[Result]:
    sent = {name: value for name, value in settings.items() if _can_be_sent(value)}
    # Not forked, because other threads may be running.
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(opts.processes, spawn, _start, (opts, sent))
    try:
        # Ctrl-C may come before a process calls `_start`, so let it inherit (except on Windows)
        # that the signal is ignored.
        usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
        results = pool.map(_compare, sources, chunksize=4)
        signal.signal(signal.SIGINT, usual)
        yield from results
        pool.shutdown()
    except BrokenProcessPool:
        text = "a parser ended its process: run again with --processes 1 to see why"
        raise Unreadable(text) from None
    finally:
        # After Ctrl-C, do not wait for a parser.
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.kill()


def _can_be_sent(value: object) -> bool:
    try:
        return bool(pickle.dumps(value))
    except Exception:  # noqa: BLE001 - pickling a project's object may raise anything
        return False
