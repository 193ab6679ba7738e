"""The command `scrapy robots-lint`."""

import argparse
from typing import Any, ClassVar

from scrapy_robots1994.commands.base import PolicyCommand
from scrapy_robots1994.commands.lint_report import TODAY
from scrapy_robots1994.commands.robots_lint import HELP, LintRun, add_options


class RobotsLint(PolicyCommand):
    # Site owners usually have no Scrapy project, and want to know what today's robots do.
    default_settings: ClassVar[dict[str, Any]] = {"ROBOTS1994_DIALECT": TODAY}
    help_text = HELP.replace("\n  robots-lint", "\n  scrapy robots-lint")
    arguments = "FILE|FOLDER|URL|-..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        add_options(parser)

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        run = LintRun(args, opts)
        self.lookup(opts).run(run.names, run.add, run.print_end)
        return run.exit_code
