"""RobotsCommand: what our Scrapy commands share."""

from __future__ import annotations

from abc import abstractmethod
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError

from scrapy_robots1994.commands.options import (
    COMMON,
    EXIT_CODES,
    PROJECT,
    HelpFormatter,
    Options,
    add_options,
    refuse_unknown,
)
from scrapy_robots1994.commands.terminal import (
    ExitCode,
    WrongUse,
    end_now,
    print_note,
)
from scrapy_robots1994.errors import RobotsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    import argparse

    from scrapy import Spider
    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings

    from scrapy_robots1994.commands.fetch_policies import PolicyLookup


class _Help(HelpFormatter, ScrapyHelpFormatter):
    """Scrapy's help, with examples that keep their lines."""


class RobotsCommand(ScrapyCommand):
    """A command of ours, described by its class attributes.

    The list of commands says *summary* of it; help shows *arguments*, *description*,
    *options* and *examples*.
    """

    arguments = ""
    summary = ""
    description = ""
    examples = ""
    options: ClassVar[Options] = {}

    def syntax(self) -> str:
        """Return how the command is called."""
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        """Return what the list of commands says."""
        return self.summary

    def long_desc(self) -> str:
        """Return what help says first."""
        return self.description

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
        """Add Scrapy's own options, those that all our commands have, and *options*."""
        super().add_options(parser)
        parser.formatter_class = _Help
        parser.epilog = f"{self.examples}\n{EXIT_CODES}"
        add_options(parser, COMMON | PROJECT | self.options)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what is not an option; log warnings only, unless LOG_LEVEL is given."""
        super().process_options(args, opts)
        try:
            refuse_unknown(args, COMMON | PROJECT | self.options)
        except WrongUse as error:
            raise UsageError(str(error)) from error
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
        from scrapy_robots1994.crawl.requests import RobotName  # noqa: PLC0415 - as above

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
