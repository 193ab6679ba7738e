"""The console script `robots-lint`, which imports neither Scrapy nor Twisted.

The command `scrapy robots-lint` also uses this module. Unlike the console script, the
command reads the settings of the project and fetches URLs.
"""

import argparse

from scrapy_robots1994 import __version__
from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import Lookup, PolicySource, expand
from scrapy_robots1994.commands.terminal import ExitCode, WrongUse
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.lint import formats
from scrapy_robots1994.lint.kinds import KIND_CODED, SEVERITIES
from scrapy_robots1994.lint.report import Report, Summary, Unread
from scrapy_robots1994.parser.usage import why_unread
from scrapy_robots1994.robotstxt import MAX_BYTES, Reader, RobotsTxt


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `robots-lint` and `scrapy robots-lint` share."""
    add = parser.add_argument
    add(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="for people (text, the default), for programs (json), or as annotations for "
        "GitHub workflows (github)",
    )
    add("--only-problems", action="store_true", help="print only the problems")
    summary = "print only the number of files with each problem"
    add("--summary", action="store_true", help=summary)
    ignored = "ignore the problems with these codes, such as R015,R018"
    add("--ignore", metavar="CODES", default="", help=ignored)
    add(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        default="warning",
        help="lowest severity for which the exit code is 1 (warning is the default)",
    )


class LintRun:
    """Prints a report on each file that *args* name, and counts the problems."""

    def __init__(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise WrongUse(
                "no file given: name a file, a folder, or - for standard input; `scrapy "
                "robots-lint` also takes URLs"
            )
        if opts.format == "github" and opts.summary:
            raise WrongUse("--format github prints each problem: leave --summary out")
        self.exit_code = ExitCode.FINE
        self.names = expand(args)
        self._opts = opts
        self._ignored = _codes(opts.ignore)
        self._failing = SEVERITIES[: ("never", *SEVERITIES).index(opts.fail_on)]
        self._paint = terminal.painter(opts.color)
        self._summary = Summary()
        self._reports: dict[str, Report | Unread] = {}

    def add(self, source: PolicySource) -> None:
        """Add the report on *source* to the totals.

        Depending on the options, the report itself is printed now, is printed later by
        `print_end`, or is not printed.
        """
        form, is_summary = self._opts.format, self._opts.summary
        # Users share reports, so a report must not show credentials.
        name = redact_credentials(source.name)
        report: Report | Unread
        if isinstance(source.rules, RobotsTxt):
            robots = source.rules
            report = Report(
                name,
                robots.body,
                dialect=robots.dialect,
                is_truncated=robots.is_truncated,
                ignored=self._ignored,
            )
            self._summary.add(report)
            if why := why_unread(robots.text):
                terminal.print_note(f"{name}: {why}")
            code = ExitCode.FOUND if report.count(*self._failing) else ExitCode.FINE
        else:
            report, is_summary = _unread(name, source), False
            code = ExitCode.UNREAD if report.is_fault else ExitCode.FINE
        self.exit_code = max(self.exit_code, code)
        if form == "github":
            terminal.print_lines(formats.as_annotations(report))
        elif form == "text" and not is_summary:
            only = self._opts.only_problems
            lines = formats.as_text(report, self._paint, only_problems=only)
            terminal.print_lines(lines)
        elif not is_summary:
            self._reports[source.name] = report

    def print_end(self) -> None:
        """Print the summary or the JSON document, if the options require a summary or
        JSON. Call this method after `add` was called for all files.
        """
        form, is_summary = self._opts.format, self._opts.summary
        if form == "text" and (is_summary or self._summary.files > 1):
            terminal.print_lines(formats.summary_as_text(self._summary))
        if form != "json":
            return
        # List the reports in the order of the names. Reports on fetched files were added in
        # the order in which the answers arrived.
        reports = [self._reports[it] for it in self.names if it in self._reports]
        if is_summary:
            document = formats.summary_as_json(self._summary, reports)
        else:
            document = {"files": list(map(formats.as_json, reports))}
        terminal.print_json(document, indent=1)


def _unread(name: str, source: PolicySource) -> Unread:
    """Return the entry that replaces the report on *source* if *source* contains no file.

    The entry gives the reason why *source* contains no file.
    """
    if source.policy is None or source.why:
        return Unread(name, source.why)
    verdict = source.policy.rules("").verdict(f"{source.policy.origin}/")
    row = source.policy.outcome.row
    return Unread(name, verdict.explain(), is_fault=not row.allows)


def _codes(text: str) -> frozenset[str]:
    """Return the codes of problems in *text*, a comma-separated list.

    Raises `WrongUse` if a code is unknown.
    """
    codes = frozenset(filter(None, map(str.strip, text.upper().split(","))))
    unknown = codes - KIND_CODED.keys()
    if unknown:
        shown = escape_control_chars(", ".join(sorted(unknown)))
        last = max(KIND_CODED)
        raise WrongUse(f"--ignore: no such code: {shown}; codes go from R001 to {last}")
    return codes


HELP = """Show what each line of a robots.txt does, and its problems.

Show what each line of a robots.txt means for a robot that follows the dialect.
Also show each problem with its line, column, code, severity, clause and fix.
A folder means all files under it, and - means standard input. The command
`scrapy robots-lint` also takes URLs, and fetches them with the downloader and
the settings of the project. A URL without a path means /robots.txt of its
origin. The console script robots-lint starts without Scrapy.

examples:
  robots-lint --dialect rfc9309 robots.txt
  robots-lint --format github --ignore R015,R018 robots.txt
  robots-lint --summary --format json folder/
  scrapy robots-lint https://example.com/ --only-problems
"""


def main(argv: list[str] | None = None) -> int:
    """Run the console script with the arguments *argv*, and return its exit code."""
    parser = argparse.ArgumentParser(
        "robots-lint",
        usage="%(prog)s [options] FILE|FOLDER|-...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    terminal.add_common_options(parser, HELP, "1994")
    version = f"%(prog)s {__version__}"
    parser.add_argument("--version", action="version", version=version)
    add_options(parser)
    opts, args = parser.parse_known_args(argv)
    with terminal.in_one_sentence(parser):
        terminal.check_streams(parser)
        terminal.refuse_unknown(args, parser)
        run = LintRun(args, opts)
        reader = Reader(opts.dialect or "1994", MAX_BYTES)
        Lookup(reader).run(run.names, run.add, run.print_end)
    return run.exit_code
