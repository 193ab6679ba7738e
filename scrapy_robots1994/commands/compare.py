"""The command `scrapy robots-compare`, which compares our parser with others."""

import argparse
import os
from pathlib import Path

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import PolicyCommand
from scrapy_robots1994.commands.inputs import expand, listed, refuse_twice
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import is_http

MAX_ALONE = 50
"""Up to this many files are compared in one process."""


class RobotsCompare(PolicyCommand):
    help_text = """Compare this package with other parsers of robots.txt.

    Compare how this package and other parsers read robots.txt files, given as file
    names, folders or URLs. The parsers are asked about the URLs of --urls or, by
    default, about a sample of paths made from the rules: the path of a rule, longer
    and shorter paths, and the same path percent-encoded differently. By default,
    the questions are about each robot that the file names, and about one that it
    does not name. A file named after a host, such as example.org.txt, counts as the
    robots.txt of http://example.org and https://example.org.

    examples:
      scrapy robots-compare robots.txt
      scrapy robots-compare folder/ --report report.html
      scrapy robots-compare https://example.com/ --robot mybot --urls urls.txt
      scrapy robots-compare folder/ --parsers Protego,my.module.MyParser --json
    """
    arguments = "FILE|FOLDER|URL..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from scrapy_robots1994.crawl.features.parsers import SCRAPY_PARSERS  # noqa: PLC0415 - imported only when needed

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
            f"default, ROBOTSTXT_PARSER and, if installed, {', '.join(SCRAPY_PARSERS)}",
        )
        report = "write the report to this .html or .json file"
        with_value("--report", metavar="PATH", help=report)
        add("--json", action="store_true", help="print JSON instead of a table")
        add(
            "--processes",
            metavar="N",
            type=int,
            default=os.cpu_count() or 1,
            help=f"number of processes for more than {MAX_ALONE} files; by default, one "
            "for each core",
        )

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        from scrapy_robots1994.commands import compare_job  # noqa: PLC0415 - imported only when needed
        from scrapy_robots1994.compare.report import prepare  # noqa: PLC0415 - imported only when needed
        from scrapy_robots1994.crawl.setting_types import REPORT_PATH  # noqa: PLC0415 - imported only when needed

        if not args:
            raise WrongUse("no file given: pass a file, a folder or a URL")
        if opts.processes < 1:
            raise WrongUse("--processes must be 1 or more")
        # Report wrong options now, because the comparison may take a long time.
        REPORT_PATH.read("--report", opts.report)
        refuse_twice(args, (opts.urls,))
        names = expand(args)
        if opts.urls is not None:
            opts.urls = [redact_credentials(it) for it in listed(opts.urls)]
            if not opts.urls:
                raise WrongUse("--urls: the file contains no URLs; write one per line")
            for url in opts.urls:
                if not url.startswith("/") and "://" not in url:
                    shown = escape_control_chars(url, 60)
                    raise WrongUse(
                        f"--urls: {shown!r} is neither a URL nor a path; write "
                        "https://host/path or /path"
                    )
        worker = compare_job.Worker(opts, self.settings)
        if opts.report:
            prepare(Path(opts.report))
        sources: list[compare_job.Source] = []
        self.lookup(opts).run(filter(is_http, names), sources.append)
        sources += [name for name in names if not is_http(name)]
        if len(sources) <= MAX_ALONE:
            opts.processes = 1
        return compare_job.run(args, sources, worker, opts)
