"""`scrapy robots-lint`: a file as a strict robot of 1994 reads it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.robots_lint import LintRun, add_options
from scrapy_robots1994.lint.report import Unread
from scrapy_robots1994.policy import Outcome
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    import argparse

    from scrapy_robots1994.commands.fetch_policies import PolicySource


class RobotsLint(RobotsCommand):
    """`scrapy robots-lint`."""

    help_text = """Show a robots.txt as a strict robot of 1994 reads it, with its problems.

    Show what each line of a robots.txt does to a strict robot of 1994, and every
    problem with its line, column, code, severity, the clause it is about and how to fix
    it. A folder means all files under it. A URL without a path means /robots.txt there;
    it is fetched with the downloader and the settings of the project. The console
    script robots-lint does the same for files, without Scrapy.

    examples:
      scrapy robots-lint robots.txt
      scrapy robots-lint https://example.com/ --only-problems
      scrapy robots-lint --format github --ignore R015,R018 robots.txt
      scrapy robots-lint --summary --format json folder/
    """
    arguments = "FILE|FOLDER|URL|-..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        add_options(parser)

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Read, print, and return the exit code."""
        run = LintRun(args, opts)
        self.lookup(opts).run(
            run.names, lambda it: run.add(it.name, _file_of(it)), run.print_end
        )
        return run.exit_code


def _file_of(source: PolicySource) -> RobotsTxt | Unread:
    """Return the file that was fetched or read, or why there is none."""
    if isinstance(source.rules, RobotsTxt):
        return source.rules
    if source.outcome == Outcome.ABSENT.value:
        why = f"no file (HTTP {source.status}): every robot may retrieve everything"
        return Unread(source.name, why, is_fault=False)
    refused = f"access was refused (HTTP {source.status}); a robot keeps out"
    return Unread(source.name, source.why or refused)
