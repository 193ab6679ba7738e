"""What our commands share: options, exit codes, the spider's settings, and Ctrl-C."""

from __future__ import annotations

import argparse
from abc import abstractmethod
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError

from scrapy_robots1994.commands.terminal import ExitCode, end_now, print_note
from scrapy_robots1994.errors import RobotsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.dialects import DIALECTS

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings

    from scrapy_robots1994.commands.fetch_policies import PolicyLookup


EXIT_CODES = """\
exit code: 0 all well; 1 something disallowed, a problem, or nothing fits; 2 wrong use;
3 something could not be fetched or read; 130 interrupted"""


class _Help(ScrapyHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Scrapy's help, with examples that keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Keep the lines of a text that has some; wrap one that is a single line."""
        if "\n" in text:
            return argparse.RawDescriptionHelpFormatter._fill_text(  # noqa: SLF001 - it is what a formatter overrides
                self, text, width, indent
            )
        return argparse.HelpFormatter._fill_text(self, text, width, indent)  # noqa: SLF001 - as above


class RobotsCommand(ScrapyCommand):
    """A command of ours; *examples* stand at the end of its help."""

    examples = ""

    @abstractmethod
    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Do what the command is for, and return its exit code.

        A `RobotsError` is wrong use, and its text says what to write.
        """

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Execute the command with the settings of its spider."""
        try:
            self._use_spider(opts.spider)
            self.exitcode = self.execute(args, opts)
        except RobotsError as error:
            text = escape_control_chars(str(error), 500)
            raise UsageError(text, print_help=False) from error
        except KeyboardInterrupt:
            print_note("interrupted")
            self.exitcode = ExitCode.INTERRUPTED
        if self.exitcode == ExitCode.INTERRUPTED:
            end_now()

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's own options and those that all our commands have."""
        super().add_options(parser)
        parser.formatter_class = _Help
        parser.epilog = self.examples
        parser.add_argument(
            "--color",
            choices=("auto", "always", "never"),
            default="auto",
            help="colour: at a terminal (auto, the default), always or never; "
            "pip install 'scrapy_robots1994[report]' brings it",
        )
        parser.add_argument(
            "--dialect",
            choices=tuple(DIALECTS),
            help="read files in this dialect; if not given, in that of the project "
            "(ROBOTS1994_DIALECT)",
        )
        parser.add_argument(
            "--spider",
            metavar="NAME",
            help="use the settings and the robot name of this spider of the project",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what is not an option; log warnings only, unless told otherwise."""
        super().process_options(args, opts)
        for arg in args:
            if arg.startswith("-") and arg != "-":
                msg = f"unrecognized argument {arg}; --help lists what there is"
                raise UsageError(msg)
        if opts.dialect:
            name = "ROBOTS1994_DIALECT"
            self.own_settings.set(name, opts.dialect, priority="cmdline")
        is_chosen = any(pair.startswith("LOG_LEVEL=") for pair in opts.set)
        if not (opts.loglevel or is_chosen):
            self.own_settings.set("LOG_LEVEL", "WARNING", priority="cmdline")

    def _use_spider(self, name: str | None) -> None:
        """Add the settings of the spider *name* to those of the project."""
        if name:
            self.spider_class(name).update_settings(self.own_settings)

    def spider_class(self, name: str) -> type[Spider]:
        """Return the spider of this *name*; `UsageError` where the project has none."""
        loader = self.process.spider_loader
        try:
            return loader.load(name)
        except KeyError:
            shown = escape_control_chars(name, 60)
            msg = (
                f"--spider: the project has no spider {shown!r}; "
                f"`scrapy list` names them{did_you_mean(name, loader.list())}"
            )
            raise UsageError(msg) from None

    def look_up(self, lookup: PolicyLookup, spider: str | None) -> None:
        """Fetch what *lookup* wants, with the settings and the name of *spider*."""
        # Loaded here: Scrapy loads this module whatever command it runs.
        from scrapy import Spider  # noqa: PLC0415 - as above

        from scrapy_robots1994.commands.fetch_policies import fetch_policies  # noqa: PLC0415 - as above
        from scrapy_robots1994.crawl.user_agent import RobotName  # noqa: PLC0415 - as above

        kind = self.spider_class(spider) if spider else Spider
        if lookup.urls:
            fetch_policies(self.process, lookup, kind)
        else:
            crawler: Any = SimpleNamespace(settings=self.own_settings, spider=kind)
            lookup.robot = RobotName(crawler).usual
        if lookup.error:
            raise RobotsError(lookup.error)

    @property
    def own_settings(self) -> Settings:
        """The settings of the project and the command line."""
        assert self.settings is not None  # noqa: S101 - set before any use, by Scrapy
        return self.settings

    @property
    def process(self) -> CrawlerProcess:
        """The process that crawls."""
        process: Any = self.crawler_process
        assert process is not None  # noqa: S101 - set before `run`, by Scrapy
        made: CrawlerProcess = process
        return made


def positive_number(text: str) -> int:
    """Return a whole number of 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text)):
        msg = f"write a whole number, 1 or more, not {escape_control_chars(text)}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)
