"""`scrapy robots-lint`: a file as a strict robot of 1994 reads it, line by line."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.problem import SEVERITIES
from scrapy_robots1994.commands.base import EXIT_CODES, RobotsCommand
from scrapy_robots1994.commands.inputs import expand, is_url
from scrapy_robots1994.commands.terminal import (
    ExitCode,
    painter,
    print_line,
    print_note,
    progress,
)
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint import Report, Summary, Unread
from scrapy_robots1994.lint.machine import as_annotations, as_json
from scrapy_robots1994.lint.sarif import as_sarif
from scrapy_robots1994.lint.text import print_report
from scrapy_robots1994.policy import Outcome
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from scrapy_robots1994.commands.fetch_policies import PolicyLookup
    from scrapy_robots1994.commands.policy_source import PolicySource
    from scrapy_robots1994.lint.text import Paint

EXAMPLES = f"""\
examples:
  scrapy robots-lint robots.txt
  scrapy robots-lint https://example.com/ --only-problems
  scrapy robots-lint --format github --ignore R015,R018 robots.txt
  scrapy robots-lint --summary --format json folder/

{EXIT_CODES}
"""


class RobotsLint(RobotsCommand):
    """What a strict robot of 1994 reads in a file, and how to fix it."""

    examples = EXAMPLES

    def syntax(self) -> str:
        """Return how it is called."""
        return "[options] FILE|FOLDER|URL|-..."

    def short_desc(self) -> str:
        """Return what the list of commands says of it."""
        return "Show a robots.txt as a strict robot of 1994 reads it, with its problems"

    def long_desc(self) -> str:
        """Return what its help says first."""
        return (
            "Show what each line of a robots.txt does to a strict robot of 1994, and "
            "every problem with its line, column, code, severity, the clause it is "
            "about and how to fix it. A URL without a path means /robots.txt there; "
            "it is fetched with the downloader and the settings of the project."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        parser.add_argument(
            "--format",
            choices=("text", "json", "github", "sarif"),
            default="text",
            help="for people (text, the default), programs (json), GitHub's workflows "
            "(github), code scanning and editors (sarif)",
        )
        parser.add_argument(
            "--only-problems", action="store_true", help="leave out the lines as such"
        )
        parser.add_argument(
            "--summary",
            action="store_true",
            help="print only how many files have which problem",
        )
        parser.add_argument(
            "--ignore",
            metavar="CODES",
            default="",
            help="codes to leave out, as R015,R018",
        )
        parser.add_argument(
            "--fail-on",
            choices=(*SEVERITIES, "never"),
            default="warning",
            help="least severity that makes the exit code 1 (warning is the default)",
        )

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Read, print, and return the exit code."""
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - heavy
        from scrapy_robots1994.commands.policy_source import PolicySource  # noqa: PLC0415 - heavy
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - as above

        if not args:
            msg = "no file given: name a file, a folder, a URL, or - for standard input"
            raise UsageError(msg)
        ignored = _codes(opts.ignore)
        settings = RobotsSettings.from_settings(self.own_settings)
        output = _Output(opts, painter(opts.color))
        names = expand(args)
        lookup = PolicyLookup([name for name in names if is_url(name)])
        lookup.on_end = lambda: output.end(names, lookup)
        try:
            with progress("robots.txt", len(names)) as step:

                def add(source: PolicySource) -> None:
                    output.add(_report(source, ignored))
                    step()

                lookup.on_found = add
                self.look_up(lookup, opts.spider)
                for name in () if lookup.is_interrupted else names:
                    if not is_url(name):
                        add(PolicySource.from_file(name, settings))
        except KeyboardInterrupt:
            lookup.is_interrupted = True
        output.end(names, lookup)
        return ExitCode.INTERRUPTED if lookup.is_interrupted else output.exit_code


def _codes(text: str) -> frozenset[str]:
    """Return the codes of problems that *text* lists."""
    codes = frozenset(it.strip().upper() for it in text.split(",") if it)
    unknown = codes - {kind.code for kind in KINDS}
    if unknown:
        msg = f"--ignore: no such code: {escape_control_chars(', '.join(sorted(unknown)))}"
        raise UsageError(f"{msg}; codes go from R001 to {KINDS[-1].code}")
    return codes


def _report(source: PolicySource, ignored: frozenset[str]) -> Report | Unread:
    """Return the report of *source*."""
    if isinstance(source.rules, RobotsTxt):
        return Report.of(source.name, source.rules, ignored)
    if source.outcome == Outcome.ABSENT.value:
        why = f"no file (HTTP {source.status}): every robot may retrieve everything"
        return Unread(source.name, why, is_fault=False)
    refused = f"access was refused (HTTP {source.status}); a robot keeps out"
    return Unread(source.name, source.why or refused)


class _Output:
    """Prints reports as they come, or one document at the end, and counts."""

    def __init__(self, opts: argparse.Namespace, paint: Paint) -> None:
        self._opts = opts
        self._paint = paint
        self._summary = Summary()
        self._reports: list[Report | Unread] = []
        worst = SEVERITIES.index(opts.fail_on) + 1 if opts.fail_on in SEVERITIES else 0
        self._failing = SEVERITIES[:worst]
        self._done = 0
        self.exit_code = ExitCode.FINE

    def add(self, report: Report | Unread) -> None:
        """Count *report*, and print it if its format is printed piece by piece."""
        self._done += 1
        if isinstance(report, Unread):
            if report.is_fault:
                self.exit_code = ExitCode.UNREAD
        else:
            self._summary.add(report)
            if report.has(*self._failing):
                self.exit_code = max(self.exit_code, ExitCode.FOUND)
        if self._opts.format in _DOCUMENTS:
            if not self._opts.summary or isinstance(report, Unread):
                self._reports.append(report)
            return
        lines: Callable[[Report | Unread], Iterator[str]] = (
            self._text if self._opts.format == "text" else as_annotations
        )
        for line in lines(report):
            print_line(line)

    def _text(self, report: Report | Unread) -> Iterator[str]:
        """Yield the lines about one file for people."""
        if isinstance(report, Unread):
            yield f"{escape_control_chars(report.name)}: {report.why}"
        elif not self._opts.summary:
            only = self._opts.only_problems
            yield from print_report(report, self._paint, only_problems=only)

    def end(self, names: list[str], lookup: PolicyLookup) -> None:
        """Print what comes after all files, and after Ctrl-C how many are missing."""
        if self._opts.format in _DOCUMENTS:
            self._reports.sort(key=lambda report: names.index(report.name))
            document = _summary if self._opts.summary else _DOCUMENTS[self._opts.format]
            print_line(json.dumps(document(self._reports, self._summary), indent=1))
        elif self._opts.format == "text" and (
            self._opts.summary or self._summary.files > 1
        ):
            for line in self._summary.table():
                print_line(line)
        if lookup.is_interrupted:
            missing = len(names) - self._done
            print_note(f"interrupted: {missing:,} of {len(names):,} are not reported")


def _files(reports: list[Report | Unread], _summary: Summary) -> dict[str, Any]:
    """Return all reports as one JSON document."""
    return {"files": [as_json(report) for report in reports]}


def _sarif(reports: list[Report | Unread], _summary: Summary) -> dict[str, Any]:
    """Return all reports as one SARIF log."""
    return as_sarif(reports, version("scrapy_robots1994"))


def _summary(unread: list[Report | Unread], summary: Summary) -> dict[str, Any]:
    """Return how many files have which problem, and which could not be read."""
    return {
        "files": summary.files,
        "without_problems": summary.clean,
        "unread": [as_json(report) for report in unread],
        "problems": [
            {
                "code": kind.code,
                "files": summary.by_file[kind.code],
                "places": summary.by_place[kind.code],
                "severity": kind.severity,
                "clause": kind.clause,
                "title": kind.title,
            }
            for kind in KINDS
            if summary.by_file[kind.code]
        ],
    }


_DOCUMENTS = {"json": _files, "sarif": _sarif}
