"""The command `scrapy robots-compare`, which compares our parser with other parsers."""

import argparse
import os

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.inputs import expand, is_url, refuse_twice
from scrapy_robots1994.commands.terminal import ExitCode, WrongUse
from scrapy_robots1994.escaping import escape_control_chars

LARGEST = 1_000_000_000
"""The maximum value of a numeric option. The value is limited because a timer cannot wait
for 10,000,000,000 seconds.
"""


def positive_number(text: str) -> int:
    """Return the positive whole number in *text*, or `LARGEST` if the number is larger than
    `LARGEST`.

    Raises ArgumentTypeError if *text* is not a positive whole number.
    """
    if not (text.isascii() and text.isdigit() and int(text)):
        msg = f"write a whole number, 1 or more, not {escape_control_chars(text)}"
        raise argparse.ArgumentTypeError(msg)
    return min(int(text), LARGEST)


class RobotsCompare(RobotsCommand):
    """The command `scrapy robots-compare`."""

    help_text = """Compare this package with other parsers of robots.txt.

    Compare how this package and other parsers read robots.txt: files, folders of
    files, or the robots.txt of URLs. The parsers are
    asked about the URLs of --urls, or about paths made from each rule: the path
    itself, longer and shorter paths, and paths that are percent-encoded
    differently. The questions are about each robot that the file names, and about
    one robot that the file does not name.

    examples:
      scrapy robots-compare robots.txt
      scrapy robots-compare folder/ --report report.html
      scrapy robots-compare https://example.com/ --robot mybot --urls urls.txt
      scrapy robots-compare folder/ --parsers Protego,my.module.MyParser --json
    """
    arguments = "FILE|FOLDER|URL..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `robots-compare`."""
        # Import late, because Scrapy loads this module for every command.
        from scrapy_robots1994.crawl.setting_types import SCRAPY_PARSERS  # noqa: PLC0415 - imported only when needed

        super().add_options(parser)
        add, with_value = parser.add_argument, terminal.adder(parser)
        urls = "compare the answers for the URLs or paths in FILE"
        with_value("--urls", metavar="FILE", help=urls)
        robot = "compare the answers for this robot; may be repeated"
        with_value("--robot", metavar="NAME", action="append", default=[], help=robot)
        add(
            "--parsers",
            metavar="A,B",
            help="the other parsers, as names in scrapy.robotstxt or as import paths; by "
            f"default, the installed parsers among {', '.join(SCRAPY_PARSERS)}",
        )
        add(
            "--questions",
            metavar="N",
            type=positive_number,
            default=400,
            help="maximum number of questions about one file; %(default)s by default",
        )
        report = "write the report to this .html or .json file"
        add("--report", metavar="PATH", help=report)
        add("--json", action="store_true", help="print JSON instead of a table")
        add(
            "--processes",
            metavar="N",
            type=positive_number,
            default=os.cpu_count() or 1,
            help="number of processes; by default, one for each core",
        )
        add(
            "--deadline",
            metavar="SECONDS",
            type=positive_number,
            default=20,
            help="time limit of one parser for one file, in seconds; a parser that is slower "
            "counts as an exception; %(default)s by default",
        )

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Compare the files, print and write the report, and return the exit code."""
        # Import late, because Scrapy loads this module for every command.
        from scrapy_robots1994.commands import compare_job  # noqa: PLC0415 - imported only when needed
        from scrapy_robots1994.crawl.setting_types import REPORT_PATH  # noqa: PLC0415 - imported only when needed

        if not args:
            raise WrongUse("no file given: name a file, a folder or a URL")
        # Check the report before the comparison, because the comparison may take a long
        # time.
        REPORT_PATH.read("--report", opts.report)
        if opts.report == "":
            raise WrongUse("--report needs a path that ends in .html or .json")
        refuse_twice(args, (opts.urls,))
        names = expand(args)
        lookup = self.lookup(opts)
        job = compare_job.Job.of(opts, self.settings, lookup.settings)
        files = [name for name in names if not is_url(name)]
        freshness = lookup.settings.freshness
        inputs = compare_job.CompareInputs(files, lookup.reader, freshness)
        compare_job.check_report(opts)
        lookup.run(filter(is_url, names), inputs.fetched.append)
        totals = compare_job.run(job, inputs)
        report = compare_job.report_of(totals, job, args, inputs)
        compare_job.print_report(report, opts)
        terminal.print_notes("not read", inputs.unread)
        stuck = map(": ".join, totals.stuck)
        terminal.print_notes("no answer, counted as an exception", stuck)
        if totals.is_interrupted:
            compared = f"{totals.captures:,} of {inputs.count:,} files were compared"
            terminal.print_note(f"interrupted: {compared}")
            terminal.end_now()
        if inputs.unread or totals.stuck:
            return ExitCode.UNREAD
        # The exit code is FOUND if no question was asked. A comparison has no questions
        # if no URL of --urls belongs to the origin of an input.
        return ExitCode.FINE if report.questions else ExitCode.FOUND
