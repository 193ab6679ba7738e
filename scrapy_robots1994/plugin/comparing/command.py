"""`scrapy robots-compare`: our reading beside those of others, over many files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.printable import printable

if TYPE_CHECKING:
    import argparse


class RobotsCompare(ScrapyCommand):
    """Compares our reading of robots.txt files with that of other parsers."""

    requires_project = False
    default_settings: ClassVar = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """What stands behind the name of the command."""
        return "[options] FILE|FOLDER|WARC|URL..."

    def short_desc(self) -> str:
        """The line of `scrapy --help`."""
        return "Compare our reading of robots.txt with that of other parsers"

    def long_desc(self) -> str:
        """The text of `--help`."""
        return (
            "Compare how this package and other parsers read robots.txt: files, whole "
            "folders of them, WARC files or the robots.txt of URLs. The questions are "
            "made from the files (each path that a rule has, extended, cut and encoded "
            "otherwise, asked by each robot that the file names and by one it does "
            "not), or are the URLs of --urls."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to those of every command."""
        super().add_options(parser)
        group = parser.add_argument_group("Comparison")
        group.add_argument(
            "--urls",
            metavar="FILE",
            help="ask about the URLs or paths in FILE, a line each",
        )
        group.add_argument(
            "--robot",
            metavar="NAME",
            action="append",
            default=[],
            help="ask as this robot; may be repeated",
        )
        group.add_argument(
            "--parsers",
            metavar="A,B",
            help="parsers to compare with: names in scrapy.robotstxt or paths "
            "(default: the three that come with Scrapy)",
        )
        group.add_argument(
            "--questions",
            metavar="N",
            type=int,
            default=400,
            help="questions made from one file at most (default: 400)",
        )
        group.add_argument(
            "--report",
            metavar="PATH",
            help="write what was found to a .html, .json or .csv file",
        )
        group.add_argument(
            "--json", action="store_true", help="print JSON instead of a table"
        )
        group.add_argument(
            "--processes",
            metavar="N",
            type=int,
            default=os.cpu_count() or 1,
            help="processes to work in (default: one a core)",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Compare, print, write; the exit code says whether all could be read."""
        # Loaded here, for Scrapy loads this module at whatever command.
        from scrapy_robots1994.plugin.comparing import offline  # noqa: PLC0415 - as above

        assert self.settings is not None  # noqa: S101 - set before `run`, by Scrapy
        if not args:
            msg = "name at least one file, folder, WARC file or URL"
            raise UsageError(msg)
        if opts.questions < 1 or opts.processes < 1:
            msg = "--questions and --processes are numbers of 1 or more"
            raise UsageError(msg)
        try:
            self.exitcode = offline.compare(args, opts, self.settings)
        except (RobotsError, OSError) as error:
            raise UsageError(printable(str(error), 500), print_help=False) from error
