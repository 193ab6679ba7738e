"""The base classes of our Scrapy commands, and notes about the project's settings."""

import argparse
import os
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from scrapy import Spider
from scrapy.commands import ScrapyCommand
from scrapy.crawler import CrawlerProcess
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.misc import load_object

import scrapy_robots1994
from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.errors import did_you_mean
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from scrapy_robots1994.commands.fetch_policies import PolicyLookup


class RobotsCommand(ScrapyCommand):
    """Adds the options and the error handling that our commands share."""

    # An attribute, because `python -OO` removes docstrings.
    help_text: str
    """A line for the list of commands, a paragraph, and examples, separated by blank lines."""
    arguments = ""
    # Scrapy sets `settings` before `add_options`, and `crawler_process` before `run`.
    settings: Settings
    crawler_process: CrawlerProcess

    def syntax(self) -> str:
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        return self.help_text.partition("\n")[0].rstrip(".")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        self._parser = parser
        # Scrapy's formatter would join the lines of our help texts.
        usual: Any = parser.formatter_class
        lines: Any = argparse.RawDescriptionHelpFormatter
        parser.formatter_class = cast("Any", type("Help", (lines, usual), {}))
        terminal.add_common_options(parser, self.help_text)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Besides what Scrapy does, refuse unknown options, and log only warnings by default."""
        self.settings.set("LOG_LEVEL", "WARNING", priority="cmdline")
        super().process_options(args, opts)
        terminal.refuse_unknown(args, self._parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        with terminal.in_one_sentence(self._parser):
            self.exitcode = self.execute(args, opts)

    @abstractmethod
    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Run the command and return its exit code.

        May raise `RobotsError`, whose message is printed without a traceback.
        """


class PolicyCommand(RobotsCommand):
    """A command that reads robots.txt with the settings of the project and of a spider."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        dialect = self.default_settings.get("ROBOTS1994_DIALECT", "1994")
        terminal.add_dialect_option(parser, dialect)
        terminal.adder(parser)(
            "--spider",
            metavar="NAME",
            help="use the settings and the robot name of this spider's class in the project",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if opts.dialect:
            name = "ROBOTS1994_DIALECT"
            self.settings.set(name, opts.dialect, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        with terminal.in_one_sentence(self._parser):
            self.spider_class(opts).update_settings(self.settings)
        super().run(args, opts)

    def spider_class(self, opts: argparse.Namespace) -> type[Spider]:
        if not opts.spider:
            return Spider
        loader = self.crawler_process.spider_loader
        try:
            return loader.load(opts.spider)
        except KeyError:
            shown = repr(escape_control_chars(opts.spider, 60))
            hint = did_you_mean(opts.spider, loader.list())
            raise WrongUse(
                f"--spider: the project in this folder has no spider {shown}; "
                f"`scrapy list` lists its spiders{hint}"
            ) from None

    def lookup(self, opts: argparse.Namespace) -> "PolicyLookup":
        """Return a lookup that fetches robots.txt as a crawl of the project would."""
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - imported only when needed

        if self.settings["LOG_LEVEL"] == "WARNING":
            from scrapy_robots1994.crawl.log import logger  # noqa: PLC0415 - imported only when needed

            # Hide log lines about origins, because the command prints the same information itself.
            logger.addFilter(lambda record: not hasattr(record, "origin"))
        return PolicyLookup(self.crawler_process, self.spider_class(opts))


def project_notes(settings: Settings) -> Iterator[str]:
    """Yield reasons why a crawl of the project would decide differently from this command."""
    name = "ROBOTSTXT_OBEY"
    is_set = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
    try:
        is_off = is_set and not settings.getbool(name)
    except ValueError as error:
        raise WrongUse(f"{name}: {error}") from None
    if is_off:
        yield f"note: {name} is off, so a crawl would not fetch robots.txt"
    # Scrapy sets this variable inside a project.
    if "SCRAPY_SETTINGS_MODULE" in os.environ and not _is_enabled(settings):
        yield (
            "note: this project does not enable scrapy_robots1994, so its crawls use "
            "Scrapy's own middleware; to enable it, set "
            'ADDONS = {"scrapy_robots1994.Addon": 500} in the settings of the project'
        )


def _is_enabled(settings: Settings) -> bool:
    ours = (scrapy_robots1994.Addon, scrapy_robots1994.Robots1994Middleware)
    for name in ("ADDONS", "DOWNLOADER_MIDDLEWARES"):
        for path, place in settings.getdict(name).items():
            with suppress(ImportError, NameError, ValueError, TypeError):
                if place is not None and issubclass(load_object(path), ours):
                    return True
    return False
