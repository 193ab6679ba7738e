"""Comparing without a crawl: from the arguments of the command to what it prints."""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES

from scrapy_robots1994.commands.compare_fetching import fetch
from scrapy_robots1994.commands.compare_inputs import (
    files_of,
    is_archive,
    sources_of,
)
from scrapy_robots1994.commands.compare_job import Bench, Job
from scrapy_robots1994.commands.compare_pool import run
from scrapy_robots1994.commands.inputs import is_url, listed, why_unread
from scrapy_robots1994.commands.terminal import progress, say
from scrapy_robots1994.compare import ComparisonReport, as_json, as_table
from scrapy_robots1994.crawl.features import report_file
from scrapy_robots1994.crawl.setting_types import REPORT_PATH, SCRAPY_PARSERS
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import RobotsError, SettingsError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    import argparse
    from collections import Counter
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from scrapy_robots1994.commands.base import RobotsCommand
    from scrapy_robots1994.commands.compare_pool import Outcome

FINE, UNREADABLE, INTERRUPTED = 0, 3, 130

SAMPLES = 6
"""Disagreements shown of each parser, direction and cause."""


def compare(args: list[str], opts: argparse.Namespace, command: RobotsCommand) -> int:
    """Compare what *args* name, print what came of it, and return the exit code.

    Raises `RobotsError` or `OSError`, with a sentence, before anything is compared.
    """
    target = _target(opts.report)
    job = _job(opts, command.own_settings)
    names = Bench(job).names
    paths = [Path(arg) for arg in args if not is_url(arg)]
    for path in paths:
        # A misspelt argument is wrong use, and known before hours of work.
        path.stat()
    fetched = fetch([arg for arg in args if is_url(arg)], opts.spider, command.process)
    unread = list(fetched.unread)
    files = list(files_of(paths, lambda error: unread.append(why_unread(error))))
    count = len(files) + len(fetched.captures)
    if not (count or unread):
        # Nothing would differ, and nobody would know that nothing was asked.
        msg = f"no file is in {escape_control_chars(', '.join(args), 300)}: name another one"
        raise RobotsError(msg)
    is_counted = not any(map(is_archive, files))
    with progress("robots.txt", count if is_counted else None) as step:
        outcome = run(
            job,
            chain(fetched.captures, sources_of(files, unread.append)),
            min(opts.processes, count) if is_counted else opts.processes,
            step,
        )
    report = _report(args, names, outcome)
    say(as_json(report).rstrip("\n") if opts.json else _told(report, outcome))
    if target is not None:
        report_file.write(report, target)
        _note(f"The report was written to {escape_control_chars(str(target), 500)}")
    unread += outcome.result.unreadable
    for line in unread:
        _note(f"not read: {line}")
    if outcome.is_interrupted:
        _note("Interrupted: these are the files compared until then.")
        return INTERRUPTED
    return UNREADABLE if unread else FINE


def _note(line: str) -> None:
    """Say something that is not the answer."""
    sys.stderr.write(f"{line}\n")


def _target(wanted: str | None) -> Path | None:
    """Where the report goes; refused before the work rather than after it."""
    path = REPORT_PATH.read("--report", wanted)
    if path is None:
        return None
    report_file.check_libraries(path)
    return Path(path)


def _job(opts: argparse.Namespace, settings: BaseSettings) -> Job:
    """The job that the options and the settings of the project make."""
    ours = RobotsSettings.from_settings(settings)
    parsers = ",".join(SCRAPY_PARSERS) if opts.parsers is None else opts.parsers
    named = tuple(name.strip() for name in parsers.split(",") if name.strip())
    if not named:
        msg = "--parsers must name at least one parser, for example Protego"
        raise SettingsError(msg)
    return Job(
        parsers=named,
        dialect=ours.dialect,
        reading=ours.reading,
        limit=ours.max_bytes,
        robots=tuple(opts.robot),
        urls=None if opts.urls is None else tuple(listed(Path(opts.urls).read_bytes())),
        most=opts.questions,
        samples=SAMPLES,
        overrides=tuple(_overrides(settings)),
    )


def _overrides(settings: BaseSettings) -> Iterator[tuple[str, str]]:
    """What was set on the command line, for the other processes."""
    for name in settings:
        priority = settings.getpriority(name)
        if priority == SETTINGS_PRIORITIES["cmdline"] and isinstance(
            settings[name], str
        ):
            yield str(name), settings[name]


def _report(
    args: list[str], names: tuple[str, ...], outcome: Outcome
) -> ComparisonReport:
    """What came of the job, as a report."""
    totals = outcome.result.totals
    shown = ", ".join(args[:3]) + (", ..." if args[3:] else "")
    return ComparisonReport(
        subject=f"{totals.captures:,} robots.txt of {escape_control_chars(shown, 200)}",
        when=datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        parsers=names,
        captures=totals.captures,
        skipped=totals.skipped,
        counts=totals.counts,
        causes=totals.causes,
        explanations=outcome.explanations,
        is_sampled=False,
        note="Interrupted: not all files were compared." * outcome.is_interrupted,
    )


def _told(report: ComparisonReport, outcome: Outcome) -> str:
    """The report as text for a terminal, and where the time went."""
    head = (
        f"{report.subject}: {report.questions:,} questions to each parser, "
        f"{report.disagreements:,} answers that differ from ours"
    )
    return f"{head}\n\n{as_table(report)}\n\n{_split(outcome.result.spent)}"


def _split(spent: Counter[str]) -> str:
    """Where the time went, in per cent of all processes together."""
    whole = spent.total() or 1
    parts = [
        f"{name or 'questions, causes and counting'} {100 * time / whole:.0f} %"
        for name, time in sorted(spent.items(), key=lambda it: (not it[0], -it[1]))
    ]
    return f"time: {', '.join(parts)}"
