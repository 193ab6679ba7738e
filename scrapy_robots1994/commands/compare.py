"""`scrapy robots-compare`: our parser next to those of others, over many files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.inputs import (
    expand,
    is_url,
    listed,
    read_bytes,
    what_failed,
)
from scrapy_robots1994.commands.options import Options, positive_number
from scrapy_robots1994.commands.terminal import (
    ExitCode,
    WrongUse,
    print_line,
    print_note,
    progress,
)
from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from scrapy_robots1994.commands.compare_inputs import CompareInputs
    from scrapy_robots1994.commands.compare_job import Job, Result
    from scrapy_robots1994.compare.report import ComparisonReport

PARSERS = ("ProtegoRobotParser", "PythonRobotParser", "RerpRobotParser")
"""The parsers that Scrapy has adapters for, by their names there."""

MAX_QUESTIONS = 400
DEADLINE = 20
"""Seconds in which one parser answers all questions about one file."""

MAX_NAMED = 20
"""Lines about what could not be read or compared; of more, the number is printed."""


class RobotsCompare(RobotsCommand):
    """Find where other parsers read a robots.txt differently, and why."""

    arguments = "FILE|FOLDER|WARC|URL..."
    summary = "Compare our reading of robots.txt with that of other parsers"
    description = (
        "Compare how this package and other parsers read robots.txt: files, whole "
        "folders of them, the captures in WARC files, or the robots.txt of URLs. The "
        "questions are made from the files (each path of a rule, extended, cut and "
        "encoded otherwise, for each robot that the file names and for one that it "
        "does not), or are the URLs of --urls."
    )
    examples = """\
examples:
  scrapy robots-compare robots.txt
  scrapy robots-compare folder/ crawl.warc.gz --report report.html
  scrapy robots-compare https://example.com/ --robot mybot --urls urls.txt
  scrapy robots-compare folder/ --parsers Protego,my.module.MyParser --json
  scrapy robots-compare folder/ --scheduler tcp://host:8786
"""
    options: ClassVar[Options] = {
        "--urls": {"metavar": "FILE", "help": "compare for the URLs or paths in FILE"},
        "--robot": {
            "metavar": "NAME",
            "action": "append",
            "default": [],
            "help": "compare for this robot; may be repeated",
        },
        "--parsers": {
            "metavar": "A,B",
            "default": ",".join(PARSERS),
            "help": "other parsers: names in scrapy.robotstxt, or paths (default: the "
            'three that Scrapy can use; RerpRobotParser needs the extra "report")',
        },
        "--questions": {
            "metavar": "N",
            "type": positive_number,
            "default": MAX_QUESTIONS,
            "help": f"questions made from one file at most (default: {MAX_QUESTIONS})",
        },
        "--report": {"metavar": "PATH", "help": "write a .html, .json or .csv file"},
        "--json": {"action": "store_true", "help": "print JSON instead of a table"},
        "--processes": {
            "metavar": "N",
            "type": positive_number,
            "default": os.cpu_count() or 1,
            "help": "processes to work in (default: one a core)",
        },
        "--deadline": {
            "metavar": "SECONDS",
            "type": positive_number,
            "default": DEADLINE,
            "help": "seconds that one parser may take for one file; past it, it counts "
            f"as raised (default: {DEADLINE})",
        },
        "--scheduler": {
            "metavar": "URL",
            "help": "work on the dask cluster of this scheduler, for example "
            'tcp://host:8786 (needs the extra "cluster")',
        },
    }

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Compare, print, write, and return the exit code."""
        from scrapy_robots1994.commands import compare_job  # noqa: PLC0415 - heavy
        from scrapy_robots1994.commands.compare_inputs import CompareInputs  # noqa: PLC0415 - heavy
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - heavy

        if not args:
            raise WrongUse("no file given: name a file, a folder, a WARC file or a URL")
        target = _report_path(opts.report)
        inputs = CompareInputs([name for name in expand(args) if not is_url(name)])
        job = self._job(opts)
        urls = list(dict.fromkeys(filter(is_url, args)))
        lookup = PolicyLookup(urls, inputs.add_fetched)
        self.look_up(lookup, opts.spider)
        with (
            progress("robots.txt", inputs.count) as step,
            compare_job.executor_for(opts.scheduler, opts.processes, inputs.count) as (
                executor,
                workers,
            ),
        ):
            result = compare_job.run(job, inputs, executor, workers, step)
        result.is_interrupted |= lookup.is_interrupted
        report = _report(args, job, inputs, result, self.own_settings)
        _print(report, target, as_json=opts.json)
        _name("not read", inputs.unread)
        stuck = [f"{parser}: {label}" for parser, label in result.stuck]
        _name("no answer in time, counted as raised", stuck)
        if result.is_interrupted:
            # Of an archive the number of files is known at its end.
            total = "" if inputs.count is None else f" of {inputs.count:,}"
            missing = len(lookup.missing)
            print_note(
                f"interrupted: {result.totals.captures:,}{total} files were compared"
                + (f"; {missing} URLs were not fetched" if missing else "")
            )
            return ExitCode.INTERRUPTED
        return ExitCode.UNREAD if inputs.unread or stuck else ExitCode.FINE

    def _job(self, opts: argparse.Namespace) -> Job:
        """Return the job that the options and the settings of the project make."""
        from scrapy import Spider  # noqa: PLC0415 - heavy

        from scrapy_robots1994.commands.compare_job import Job  # noqa: PLC0415 - heavy
        from scrapy_robots1994.crawl.features.peers import peers, portable  # noqa: PLC0415 - heavy
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - heavy

        ours = RobotsSettings.from_settings(self.own_settings)
        wanted = tuple(filter(None, map(str.strip, opts.parsers.split(","))))
        if not wanted:
            raise WrongUse(
                "--parsers must name at least one parser, for example Protego"
            )
        crawler = self.process.create_crawler(Spider)
        try:
            urls = opts.urls and tuple(listed(read_bytes(opts.urls)))
        except OSError as error:
            raise WrongUse(f"--urls: {what_failed(error)}") from error
        return Job(
            parsers=wanted,
            names=tuple(it.name for it in peers(wanted, crawler, "--parsers")),
            settings=portable(self.own_settings),
            dialect=ours.dialect,
            reading=ours.reading,
            max_bytes=ours.max_bytes,
            robots=tuple(opts.robot),
            urls=urls,
            max_questions=opts.questions,
            seconds=opts.deadline,
        )


def _name(what: str, lines: list[str]) -> None:
    """Print a line for each of *lines*, up to a number."""
    for line in lines[:MAX_NAMED]:
        print_note(f"{what}: {escape_control_chars(line, 300)}")
    if lines[MAX_NAMED:]:
        print_note(f"{what}: {len(lines) - MAX_NAMED} more")


def _report_path(wanted: str | None) -> Path | None:
    """Return where the report goes; refused before the work rather than after it."""
    from scrapy_robots1994.compare.formats import FORMS  # noqa: PLC0415 - heavy

    if wanted is not None and Path(wanted).suffix.lower() not in FORMS:
        shown = repr(escape_control_chars(wanted, 60))
        raise WrongUse(
            f"--report must be a path that ends in .html, .json or .csv, not {shown}"
        )
    return None if wanted is None else Path(wanted)


def _report(
    args: list[str],
    job: Job,
    inputs: CompareInputs,
    result: Result,
    settings: BaseSettings,
) -> ComparisonReport:
    """Return what came of the job, as a report."""
    from scrapy_robots1994.compare.impact import Variant  # noqa: PLC0415 - heavy
    from scrapy_robots1994.compare.report import ComparisonReport, describe  # noqa: PLC0415 - heavy

    totals, variant = result.totals, Variant(job.dialect, job.reading)
    shown = ", ".join(args[:3]) + (", ..." if args[3:] else "")
    asked = (
        f"at most {job.max_questions} questions for each file, at the edges of its rules; "
        "not real requests. One URL that differs makes a site count as changed."
    )
    if job.urls is not None:
        asked = f"the {len(job.urls):,} URLs of --urls."
    in_use = str(settings["ROBOTSTXT_PARSER"]).rpartition(".")[2]
    return ComparisonReport(
        subject=f"{totals.captures:,} robots.txt of {escape_control_chars(shown, 200)}",
        # The parser in use stands first.
        parsers=tuple(sorted(job.names, key=lambda name: name != in_use)),
        totals=totals,
        variant=variant,
        metadata=describe(
            variant,
            robots=", ".join(job.robots)
            or "those that the file names, and one that it does not",
            questions=asked,
        ),
        has_answers=inputs.has_answers,
        notes=("Interrupted: not all files were compared.",) * result.is_interrupted,
    )


def _print(report: ComparisonReport, target: Path | None, *, as_json: bool) -> None:
    """Print *report*, and write it to *target*."""
    from scrapy_robots1994.compare import formats  # noqa: PLC0415 - heavy
    from scrapy_robots1994.compare.report import as_table  # noqa: PLC0415 - heavy

    if as_json:
        print_line(formats.as_json(report).rstrip("\n"))
    elif report.totals.captures or report.notes:
        print_line(
            f"{report.subject}: {report.questions:,} questions to each parser, "
            f"{report.disagreements:,} answers that differ from ours\n\n"
            f"{as_table(report)}"
        )
    if target is not None:
        try:
            formats.write_report(report, target)
        except OSError as error:
            reason = error.strerror or error
            raise RobotsError(
                f"the report {target} cannot be written: {reason}"
            ) from error
        print_note(
            f"The report was written to {escape_control_chars(str(target), 500)}"
        )
