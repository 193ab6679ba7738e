"""RobotsCommand: what our Scrapy commands share."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from scrapy import Spider
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object
from scrapy.utils.project import inside_project

import scrapy_robots1994
from scrapy_robots1994.commands.terminal import (
    COMMON,
    EXIT_CODES,
    ExitCode,
    HelpFormatter,
    Options,
    WrongUse,
    end_now,
    help_of,
    print_note,
    refuse_unknown,
)
from scrapy_robots1994.errors import RobotsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings

    from scrapy_robots1994.commands.fetch_policies import PolicyLookup


class _Help(HelpFormatter, ScrapyHelpFormatter):
    """Scrapy's help, with examples that keep their lines."""


class RobotsCommand(ScrapyCommand):
    """A command of ours, described by its docstring.

    That of a subclass has three parts: what the list of commands says, what help says
    first, and examples, which help shows last.
    """

    arguments = ""
    options: ClassVar[Options] = {}

    # Set by Scrapy before any method is called that uses them.
    settings: Settings
    crawler_process: CrawlerProcess

    def syntax(self) -> str:
        """Return how the command is called."""
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        """Return what the list of commands says."""
        return help_of(self)[0].rstrip(".")

    def long_desc(self) -> str:
        """Return what help says first."""
        return help_of(self)[1]

    @property
    def all_options(self) -> Options:
        """The options that all our commands have, and those of this one."""
        spider = {
            "metavar": "NAME",
            "help": "use the settings and the robot name of this spider of the project",
        }
        return COMMON | {"--spider": spider} | self.options

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's own options and ours."""
        super().add_options(parser)
        parser.formatter_class = _Help
        parser.epilog = f"{help_of(self)[2]}\n\n{EXIT_CODES}"
        for flag, keywords in self.all_options.items():
            parser.add_argument(flag, **keywords)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what is not an option; log warnings only, unless LOG_LEVEL is given."""
        self.settings.set("LOG_LEVEL", "WARNING", priority="cmdline")
        super().process_options(args, opts)
        try:
            refuse_unknown(args, self.all_options)
        except WrongUse as error:
            raise UsageError(str(error)) from error
        if opts.dialect:
            name = "ROBOTS1994_DIALECT"
            self.settings.set(name, opts.dialect, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Execute the command with the settings of its spider."""
        try:
            self.spider_class(opts).update_settings(self.settings)
            self.exitcode = self.execute(args, opts)
        except RobotsError as error:
            text = escape_control_chars(str(error), 500)
            raise UsageError(text, print_help=False) from error
        except KeyboardInterrupt:
            print_note("interrupted")
            self.exitcode = ExitCode.INTERRUPTED
        if self.exitcode == ExitCode.INTERRUPTED:
            end_now()

    @abstractmethod
    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Do what the command is for, and return its exit code.

        A `RobotsError` is wrong use, and its text says what to write.
        """

    def spider_class(self, opts: argparse.Namespace) -> type[Spider]:
        """Return the spider that --spider names; `UsageError` where there is none."""
        if not opts.spider:
            return Spider
        loader = self.crawler_process.spider_loader
        try:
            return loader.load(opts.spider)
        except KeyError:
            shown = escape_control_chars(opts.spider, 60)
            msg = (
                f"--spider: the project has no spider {shown!r}; `scrapy list` names "
                f"them{did_you_mean(opts.spider, loader.list())}"
            )
            raise UsageError(msg) from None

    def lookup(self, opts: argparse.Namespace) -> PolicyLookup:
        """Return what fetches and reads robots.txt files as the project would."""
        # Loaded here: Scrapy loads this module whatever command it runs.
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - as above

        return PolicyLookup(self.crawler_process, self.spider_class(opts))


def project_notes(settings: Settings) -> Iterator[str]:
    """Yield why the crawl of the project would not do what is printed here."""
    name = "ROBOTSTXT_OBEY"
    is_set = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
    if is_set and not settings.getbool(name):
        yield f"note: {name} is off here, so the crawl would not fetch robots.txt"
    if inside_project() and not _is_enabled(settings):
        yield (
            "note: this project does not enable scrapy_robots1994, so its crawl uses "
            "Scrapy's own middleware; fill the ADDONS line of its settings: "
            'ADDONS = {"scrapy_robots1994.Addon": 500}'
        )


def _is_enabled(settings: Settings) -> bool:
    """Whether the add-on or the middleware is in *settings*."""
    ours = (scrapy_robots1994.Addon, scrapy_robots1994.Robots1994Middleware)
    for name in ("ADDONS", "DOWNLOADER_MIDDLEWARES"):
        for path, place in settings.getdict(name).items():
            with suppress(ImportError, NameError, ValueError, TypeError):
                if place is not None and issubclass(load_object(path), ours):
                    return True
    return False
