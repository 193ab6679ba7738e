"""The console script `robots-lint`, which imports neither Scrapy nor Twisted.

`scrapy robots-lint` also uses this module, and can fetch URLs.
"""

import argparse
import re
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Any

from scrapy_robots1994 import __version__
from scrapy_robots1994.commands import lint_report, terminal
from scrapy_robots1994.commands.inputs import Lookup, PolicySource, expand
from scrapy_robots1994.commands.lint_report import TODAY, Report
from scrapy_robots1994.commands.terminal import ExitCode, WrongUse
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.lint.kinds import ERROR, INFO, KINDS, SEVERITIES
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.robotstxt import MAX_BYTES, Reader, RobotsTxt

_DIALECT = re.compile(r"(?m)^ROBOTS1994_DIALECT *(?:: *[\w.]+ *)?= *[\"'](.*?)[\"']")


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="text for people (the default), json for programs, or GitHub annotations",
    )
    add("--only-problems", action="store_true", help="print only the problems")
    ignored = "ignore the problems with these codes, such as R008,R018"
    add("--ignore", metavar="CODES", default="", help=ignored)
    add(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        default="warning",
        help="lowest severity for which the exit code is 1 (warning is the default)",
    )


class LintRun:
    def __init__(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise WrongUse(
                "no file given: pass a file, a folder, or - for standard input"
            )
        self.exit_code = ExitCode.FINE
        self.names = expand(args)
        self._opts = opts
        self._ignored = _codes(opts.ignore)
        self._failing = SEVERITIES[: ("never", *SEVERITIES).index(opts.fail_on)]
        self._paint = terminal.painter(opts.color)
        self._documents: dict[str, dict[str, Any]] = {}

    def add(self, source: PolicySource) -> None:
        """Print the report on *source*, or keep it for the JSON document."""
        # Reports are shared, so they must not contain credentials.
        name = redact_credentials(source.name)
        if not isinstance(source.stated, RobotsTxt):
            self._add_unread(name, source)
            return
        report = Report(name, source.stated, self._ignored)
        if any(it.severity in self._failing for it in report.problems):
            self.exit_code = max(self.exit_code, ExitCode.FOUND)
        if self._opts.format == "json":
            self._documents[source.name] = lint_report.as_json(report)
        elif self._opts.format == "github":
            terminal.print_lines(lint_report.as_annotations(report))
        elif self._opts.only_problems:
            terminal.print_lines(lint_report.problems_as_text(report, self._paint))
        else:
            terminal.print_lines(lint_report.as_text(report, self._paint))

    def _add_unread(self, name: str, source: PolicySource) -> None:
        """Say why there is no file to report on. A missing robots.txt is not an error."""
        why, is_fault = source.why, True
        if source.policy is not None and not why:
            why = source.policy.rules("").verdict(f"{source.policy.origin}/").explain()
            is_fault = not source.policy.outcome.row.allows
        if is_fault:
            self.exit_code = max(self.exit_code, ExitCode.UNREAD)
        if self._opts.format == "json":
            self._documents[source.name] = {"file": name, "unread": why}
        elif self._opts.format == "github":
            severity = ERROR if is_fault else INFO
            terminal.print_line(lint_report.annotation(name, severity, why))
        else:
            terminal.print_line(f"{escape_control_chars(name)}: {why}")

    def print_end(self) -> None:
        """Print the JSON document, with the files in the order of the arguments."""
        if self._opts.format == "json":
            files = [self._documents[it] for it in self.names if it in self._documents]
            terminal.print_json({"files": files}, indent=1)


def _codes(text: str) -> frozenset[str]:
    """Split a comma-separated list, and raise `WrongUse` for an unknown code."""
    codes = frozenset(filter(None, map(str.strip, text.upper().split(","))))
    unknown = codes - {it.code for it in KINDS}
    if unknown:
        shown = escape_control_chars(", ".join(sorted(unknown)))
        ends = f"{KINDS[0].code} to {KINDS[-1].code}"
        raise WrongUse(f"--ignore: no such code: {shown}; the codes are {ends}")
    return codes


def project_dialect() -> str:
    """Return `ROBOTS1994_DIALECT` of the Scrapy project that contains the current folder, or
    "rfc9309" if there is no such project or setting.

    The settings file is searched, not run, so only a literal string is found. Raise `WrongUse` for
    an unknown dialect.
    """
    here, config = Path.cwd(), ConfigParser()
    folders = (it for it in (here, *here.parents) if (it / "scrapy.cfg").is_file())
    try:
        folder = next(folders)
        config.read(folder / "scrapy.cfg", encoding="utf-8")
        module = config.get("settings", "default").replace(".", "/")
        found = _DIALECT.findall((folder / f"{module}.py").read_text("utf-8-sig"))
    except (StopIteration, Error, OSError, ValueError):
        return TODAY
    dialect = found[-1] if found else TODAY
    if dialect not in DIALECT_NAMES:
        shown = escape_control_chars(dialect, 60)
        raise WrongUse(f"ROBOTS1994_DIALECT of the project: no dialect {shown!r}")
    return dialect


HELP = """Show what each line of a robots.txt does, and its problems.

Show what each line of a robots.txt means to a robot, with its problems below it.
A folder means all files under it, and - means standard input. The command
`scrapy robots-lint` also takes URLs, and fetches them as a crawl does; a URL
without a path means /robots.txt. `robots-lint` itself does not load Scrapy.

examples:
  robots-lint robots.txt
  robots-lint --only-problems --dialect 1994 folder/
  robots-lint --format github --ignore R008,R018 robots.txt
  scrapy robots-lint https://example.com/
"""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "robots-lint",
        usage="%(prog)s [options] FILE|FOLDER|-...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    terminal.add_common_options(parser, HELP)
    terminal.add_dialect_option(parser, TODAY)
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    add_options(parser)
    opts, args = parser.parse_known_args(argv)
    with terminal.in_one_sentence(parser):
        terminal.refuse_unknown(args, parser)
        run = LintRun(args, opts)
        reader = Reader(opts.dialect or project_dialect(), MAX_BYTES)
        Lookup(reader).run(run.names, run.add, run.print_end)
    return run.exit_code
