"""`scrapy robots-compare`: our reading beside those of others, over many files."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    import argparse

MOST_QUESTIONS = 400

EXAMPLES = """\
examples:
  scrapy robots-compare robots.txt
  scrapy robots-compare folder/ crawl.warc.gz --report report.html
  scrapy robots-compare https://example.com/ --robot mybot --urls urls.txt
  scrapy robots-compare folder/ --parsers Protego,my.module.MyParser --json

exit code: 0 compared, 2 wrong use, 3 not all could be read, 130 interrupted
"""


class RobotsCompare(RobotsCommand):
    """Where do other parsers read a robots.txt otherwise, and because of what."""

    examples = EXAMPLES

    def syntax(self) -> str:
        """How it is called."""
        return "[options] FILE|FOLDER|WARC|URL..."

    def short_desc(self) -> str:
        """What the list of commands says of it."""
        return "Compare our reading of robots.txt with that of other parsers"

    def long_desc(self) -> str:
        """What the help says of it."""
        return (
            "Compare how this package and other parsers read robots.txt: files, whole "
            "folders of them, the captures in WARC files, or the robots.txt of URLs. "
            "The questions are made from the files (each path of a rule, extended, cut "
            "and encoded otherwise, asked by each robot that the file names and by one "
            "that it does not), or are the URLs of --urls."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what is asked, of whom, and where the answers go."""
        super().add_options(parser)
        add = parser.add_argument
        add("--urls", metavar="FILE", help="ask about the URLs or paths in FILE")
        add(
            "--robot",
            metavar="NAME",
            action="append",
            default=[],
            help="ask as this robot; may be repeated",
        )
        add(
            "--parsers",
            metavar="A,B",
            help="other parsers: names in scrapy.robotstxt, or paths (default: the "
            'three that Scrapy can use; RerpRobotParser wants the extra "report")',
        )
        add(
            "--questions",
            metavar="N",
            type=_positive,
            default=MOST_QUESTIONS,
            help=f"questions made from one file at most (default: {MOST_QUESTIONS})",
        )
        add("--report", metavar="PATH", help="write a .html, .json or .csv file")
        add("--json", action="store_true", help="print JSON instead of a table")
        add(
            "--processes",
            metavar="N",
            type=_positive,
            default=os.cpu_count() or 1,
            help="processes to work in (default: one a core)",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Compare, print, write."""
        # Loaded here: Scrapy loads this module whatever command it runs.
        from scrapy_robots1994.commands import (  # noqa: PLC0415 - as above
            compare_offline as offline,
        )

        if not args:
            msg = "no file given: name a file, a folder, a WARC file or a URL"
            raise UsageError(msg)
        try:
            self.exitcode = offline.compare(args, opts, self)
        except (RobotsError, OSError) as error:
            raise UsageError(
                escape_control_chars(str(error), 500), print_help=False
            ) from error


def _positive(text: str) -> int:
    """A whole number of 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text)):
        msg = f"write a whole number, 1 or more, not {escape_control_chars(text)}"
        raise ArgumentTypeError(msg)
    return int(text)
