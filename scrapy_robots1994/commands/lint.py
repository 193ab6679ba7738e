"""`scrapy robots-lint`: a file as a strict robot of 1994 reads it, line by line."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.problem import SEVERITIES
from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import WRONG_USE, RobotsCommand
from scrapy_robots1994.commands.fetch_policies import Inquiry, ask, leave_out
from scrapy_robots1994.commands.inputs import files_in, is_url
from scrapy_robots1994.commands.policies import from_file, from_found
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint import Report, Summary, Unread
from scrapy_robots1994.lint.machine import as_annotations, as_json
from scrapy_robots1994.lint.sarif import as_sarif
from scrapy_robots1994.lint.text import print_report
from scrapy_robots1994.policy import Outcome
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from scrapy_robots1994.commands.policies import Source
    from scrapy_robots1994.lint.text import Paint

FOUND = 1

EXAMPLES = """\
examples:
  scrapy robots-lint robots.txt
  scrapy robots-lint https://example.com/ --only-problems
  scrapy robots-lint --format github --ignore R015,R018 robots.txt
  scrapy robots-lint --summary folder/

exit code: 0 no problem of the severity --fail-on or worse, 1 such a problem, 2 wrong
use or a file that could not be read
"""


class RobotsLint(RobotsCommand):
    """What a strict robot of 1994 makes of a file, and how to mend it."""

    examples = EXAMPLES

    def syntax(self) -> str:
        """How it is called."""
        return "[options] FILE|FOLDER|URL|-..."

    def short_desc(self) -> str:
        """What the list of commands says of it."""
        return "Show a robots.txt as a strict robot of 1994 reads it, with its problems"

    def long_desc(self) -> str:
        """What its help says first."""
        return (
            "Show what each line of a robots.txt does to a strict robot of 1994, and "
            "every problem with its line, column, code, severity, the clause it is "
            "about and how to mend it. A URL without a path means /robots.txt there; "
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
            "--summary", action="store_true", help="print only how many files have what"
        )
        parser.add_argument(
            "--ignore",
            metavar="CODES",
            default="",
            help="codes not to tell, as R015,R018",
        )
        parser.add_argument(
            "--fail-on",
            choices=(*SEVERITIES, "never"),
            default="warning",
            help="least severity that makes the exit code 1 (warning is the default)",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read, print, and leave the exit code."""
        if not args:
            msg = "no file given: name a file, a folder, a URL, or - for standard input"
            raise UsageError(msg)
        ignored = frozenset(it.strip().upper() for it in opts.ignore.split(",") if it)
        unknown = ignored - {kind.code for kind in KINDS}
        if unknown:
            msg = f"--ignore: no such code: {escape_control_chars(', '.join(sorted(unknown)))}"
            raise UsageError(f"{msg}; codes go from R001 to {KINDS[-1].code}")
        try:
            settings = RobotsSettings.from_settings(self.own_settings)
            paint = terminal.painter(opts.color)
        except RobotsError as error:
            raise UsageError(str(error)) from None
        reports = self._reports(files_in(args), settings, ignored, opts.spider)
        tally = _Tally(opts.fail_on)
        for line in _PRINTERS[opts.format](map(tally.add, reports), paint, opts):
            terminal.say(line)
        self.exitcode = tally.exit_code

    def _reports(
        self,
        names: list[str],
        settings: RobotsSettings,
        ignored: frozenset[str],
        spider: str | None,
    ) -> Iterator[Report | Unread]:
        """Yield the report of each file, those to be fetched fetched all at once."""
        inquiry = Inquiry([name for name in names if is_url(name)])
        with terminal.progress("robots.txt", len(inquiry.urls)) as step:
            inquiry.on_found = step
            if inquiry.urls:
                ask(self.process, inquiry, spider)
            else:
                leave_out(self.process, spider)
        if inquiry.error:
            raise UsageError(escape_control_chars(inquiry.error, 300))
        for name in names:
            if is_url(name):
                yield _report(from_found(name, inquiry.found[name]), ignored)
            else:
                yield _report(from_file(name, settings), ignored)


def _report(source: Source, ignored: frozenset[str]) -> Report | Unread:
    """Return what is told of *source*."""
    if isinstance(source.stated, RobotsTxt):
        return Report.of(source.name, source.stated, ignored)
    if source.outcome == Outcome.ABSENT.value:
        why = f"no file (HTTP {source.status}): every robot may retrieve everything"
        return Unread(source.name, why, is_fault=False)
    refused = f"access was refused (HTTP {source.status}); a robot keeps out"
    return Unread(source.name, source.why or refused)


class _Tally:
    """Sees every report on its way, and knows the exit code at the end."""

    def __init__(self, fail_on: str) -> None:
        worst = SEVERITIES.index(fail_on) + 1 if fail_on in SEVERITIES else 0
        self._failing = SEVERITIES[:worst]
        self.exit_code = 0

    def add(self, report: Report | Unread) -> Report | Unread:
        """Note *report* and hand it on."""
        if isinstance(report, Unread):
            if report.is_fault:
                self.exit_code = WRONG_USE
        elif report.has(*self._failing):
            self.exit_code = max(self.exit_code, FOUND)
        return report


def _print_text(
    reports: Iterable[Report | Unread], paint: Paint, opts: argparse.Namespace
) -> Iterator[str]:
    """Yield what people read, and below several files the sum of them."""
    summary = Summary()
    for report in reports:
        if isinstance(report, Unread):
            yield f"{escape_control_chars(report.name)}: {report.why}"
            continue
        summary.add(report)
        if not opts.summary:
            yield from print_report(report, paint, only_problems=opts.only_problems)
    if opts.summary or summary.files > 1:
        yield from summary.table()


def _print_json(
    reports: Iterable[Report | Unread], _paint: Paint, _opts: argparse.Namespace
) -> Iterator[str]:
    """Yield one JSON document."""
    yield json.dumps({"files": [as_json(report) for report in reports]}, indent=1)


def _print_github(
    reports: Iterable[Report | Unread], _paint: Paint, _opts: argparse.Namespace
) -> Iterator[str]:
    """Yield the workflow commands of all problems."""
    for report in reports:
        yield from as_annotations(report)


def _print_sarif(
    reports: Iterable[Report | Unread], _paint: Paint, _opts: argparse.Namespace
) -> Iterator[str]:
    """Yield one SARIF log."""
    yield json.dumps(as_sarif(reports, version("scrapy_robots1994")), indent=1)


_PRINTERS = {
    "text": _print_text,
    "json": _print_json,
    "github": _print_github,
    "sarif": _print_sarif,
}
