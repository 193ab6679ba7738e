"""The command `scrapy robots-lint`, which shows what each line of a file does."""

import argparse
from typing import Any, ClassVar

from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.lint_report import TODAY
from scrapy_robots1994.commands.robots_lint import HELP, LintRun, add_options


class RobotsLint(RobotsCommand):
    """The command `scrapy robots-lint`."""

    # A site owner, who has no project, wants to know what today's robots do.
    default_settings: ClassVar[dict[str, Any]] = {"ROBOTS1994_DIALECT": TODAY}
    help_text = HELP.replace("\n  robots-lint", "\n  scrapy robots-lint")
    arguments = "FILE|FOLDER|URL|-..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `robots-lint`."""
        super().add_options(parser)
        add_options(parser)

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Read the files, print their reports, and return the exit code."""
        run = LintRun(args, opts)
        self.lookup(opts).run(run.names, run.add, run.print_end)
        return run.exit_code
