"""`robots-lint`, the console script: it imports neither Scrapy nor Twisted.

`scrapy robots-lint` is the same with the settings of the project, and fetches URLs.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from scrapy_robots1994 import __version__
from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.kinds import SEVERITIES
from scrapy_robots1994.commands.inputs import expand, is_url, read_bytes, why_unread
from scrapy_robots1994.commands.options import (
    COMMON,
    EXIT_CODES,
    LINT,
    HelpFormatter,
    add_options,
    refuse_unknown,
)
from scrapy_robots1994.commands.terminal import (
    ExitCode,
    WrongUse,
    end_now,
    interruptible,
    painter,
    print_json,
    print_line,
    print_note,
    progress,
)
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint import formats
from scrapy_robots1994.lint.report import Report, Summary, Unread
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Callable

    Parse = Callable[[bytes], RobotsTxt]
    Add = Callable[[str, RobotsTxt | Unread], object]
    Fetch = Callable[[list[str], Add, Callable[[], object]], bool]

MAX_BYTES = 512_000
"""Bytes of a file that are obeyed, as ROBOTS1994_MAX_BYTES has it."""

DESCRIPTION = (
    "Show what each line of a robots.txt does to a strict robot of 1994, and every "
    "problem with its line, column, code, severity, the clause it is about and how to "
    "fix it. A folder means all files under it, - standard input."
)

_EXAMPLES = f"""\
examples:
  robots-lint robots.txt
  robots-lint --format github --ignore R015,R018 robots.txt
  robots-lint --summary --format json folder/
  scrapy robots-lint https://example.com/

{EXIT_CODES}"""


class LintRun:
    """One run: reads what the arguments name, prints it, and counts.

    *parse* reads the bytes of a file. *fetch*, if there is one, gets the URLs, what to
    call with each of their files, and what to call before the process ends; it returns
    whether it was interrupted.
    """

    def __init__(
        self,
        args: list[str],
        opts: argparse.Namespace,
        parse: Parse,
        fetch: Fetch | None = None,
    ) -> None:
        if not args:
            msg = "no file given: name a file, a folder, a URL, or - for standard input"
            raise WrongUse(msg)
        self._opts = opts
        self._parse = parse
        self._fetch = fetch
        self._ignored = _codes(opts.ignore)
        self._names = expand(args)
        self._urls = [name for name in self._names if is_url(name)]
        if self._urls and fetch is None:
            url = escape_control_chars(self._urls[0], 300)
            raise WrongUse(
                f"{url} is a URL: use `scrapy robots-lint`, which fetches it"
            )
        worst = SEVERITIES.index(opts.fail_on) + 1 if opts.fail_on in SEVERITIES else 0
        self._failing = SEVERITIES[:worst]
        self._paint = painter(opts.color)
        self._summary = Summary()
        self._reports: list[Report | Unread] = []
        self._done = 0
        self._exit_code = ExitCode.FINE

    def run(self) -> int:
        """Read and print everything, and return the exit code."""
        with (
            interruptible(self._interrupt),
            progress("robots.txt", len(self._names)) as step,
        ):

            def add(name: str, robots: RobotsTxt | Unread) -> None:
                self._add(name, robots)
                step()

            self._read_all(add)
        self._print_end()
        return self._exit_code

    def _read_all(self, add: Add) -> None:
        """Fetch the URLs, then read the files."""
        if self._urls and self._fetch and self._fetch(self._urls, add, self._give_up):
            self._interrupt()
            return
        for name in self._names:
            if not is_url(name):
                try:
                    add(name, self._parse(read_bytes(name)))
                except OSError as error:
                    add(name, Unread(name, why_unread(error)))

    def _interrupt(self) -> None:
        """Note that Ctrl-C ended the work."""
        self._exit_code = ExitCode.INTERRUPTED

    def _give_up(self) -> None:
        """Print the end before the process ends."""
        self._interrupt()
        self._print_end()

    def _add(self, name: str, robots: RobotsTxt | Unread) -> None:
        """Count one file, and print it if its format is printed piece by piece."""
        self._done += 1
        report: Report | Unread
        if isinstance(robots, Unread):
            report = robots
            if report.is_fault:
                self._exit_code = ExitCode.UNREAD
        else:
            report = Report.of(name, robots, self._ignored)
            self._summary.add(report)
            if report.count(*self._failing):
                self._exit_code = max(self._exit_code, ExitCode.FOUND)
        is_wanted = isinstance(report, Unread) or not self._opts.summary
        if self._opts.format in ("json", "sarif"):
            self._reports += [report] * is_wanted
        elif self._opts.format == "github":
            for line in formats.as_annotations(report):
                print_line(line)
        elif is_wanted:
            only = self._opts.only_problems
            for line in formats.as_text(report, self._paint, only_problems=only):
                print_line(line)

    def _print_end(self) -> None:
        """Print what comes after all files, and after Ctrl-C how many are missing."""
        opts, summary = self._opts, self._summary
        if opts.format in ("json", "sarif"):
            order = {name: place for place, name in enumerate(self._names)}
            self._reports.sort(key=lambda report: order[report.name])
            if opts.summary:
                unread = [it for it in self._reports if isinstance(it, Unread)]
                document = formats.summary_as_json(summary, unread)
            elif opts.format == "sarif":
                document = formats.as_sarif(self._reports, __version__)
            else:
                document = {"files": list(map(formats.as_json, self._reports))}
            print_json(document, indent=1)
        elif opts.format == "text" and (opts.summary or summary.files > 1):
            for line in formats.summary_as_text(summary):
                print_line(line)
        if self._exit_code == ExitCode.INTERRUPTED:
            missing, count = len(self._names) - self._done, len(self._names)
            print_note(f"interrupted: {missing:,} of {count:,} are not reported")


def _codes(text: str) -> frozenset[str]:
    """Return the codes of problems that *text* lists."""
    codes = frozenset(it.strip().upper() for it in text.split(",") if it)
    unknown = codes - {kind.code for kind in KINDS}
    if unknown:
        shown = escape_control_chars(", ".join(sorted(unknown)))
        last = KINDS[-1].code
        raise WrongUse(f"--ignore: no such code: {shown}; codes go from R001 to {last}")
    return codes


def main(argv: list[str] | None = None) -> int:
    """Run the console script; the exit code is returned."""
    parser = argparse.ArgumentParser(
        "robots-lint",
        usage="%(prog)s [options] FILE|FOLDER|-...",
        description=DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    add_options(parser, COMMON | LINT)
    opts, args = parser.parse_known_args(argv)
    try:
        refuse_unknown(args, COMMON | LINT)
        dialect = opts.dialect or "1994"
        parse = partial(RobotsTxt.parse, dialect=dialect, limit=MAX_BYTES)
        code = LintRun(args, opts, parse).run()
    except WrongUse as error:
        parser.error(str(error))
    if code == ExitCode.INTERRUPTED:
        end_now()
    return code
