"""RobotsCommand: what our Scrapy commands share."""

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

import scrapy_robots1994
from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.crawl.setting_types import load_object
from scrapy_robots1994.errors import did_you_mean
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from scrapy_robots1994.commands.fetch_policies import PolicyLookup


class RobotsCommand(ScrapyCommand):
    """A command of ours, described by its `help_text`.

    It has three parts: what the list of commands says, what help says first, and
    examples, which help shows last.
    """

    # Not the docstring, which `python -OO` removes.
    help_text: str
    arguments = ""

    # Set by Scrapy before any method is called that uses them.
    settings: Settings
    crawler_process: CrawlerProcess

    def syntax(self) -> str:
        """Return how the command is called."""
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        """Return what the list of commands says."""
        return self.help_text.partition("\n")[0].rstrip(".")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's own options and those that all our commands have."""
        super().add_options(parser)
        self._parser = parser
        # Scrapy's help, with texts that keep their lines.
        usual: Any = parser.formatter_class
        lines: Any = argparse.RawDescriptionHelpFormatter
        parser.formatter_class = cast("Any", type("Help", (lines, usual), {}))
        terminal.add_common_options(parser, self.help_text)
        terminal.adder(parser)(
            "--spider",
            metavar="NAME",
            help="use the settings and the robot name of this spider of the project",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what is not an option; log warnings only, unless LOG_LEVEL is given."""
        self.settings.set("LOG_LEVEL", "WARNING", priority="cmdline")
        super().process_options(args, opts)
        terminal.check_streams(self._parser)
        terminal.refuse_unknown(args, self._parser)
        if opts.dialect:
            name = "ROBOTS1994_DIALECT"
            self.settings.set(name, opts.dialect, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Execute the command with the settings of its spider."""
        with terminal.in_one_sentence(self._parser):
            self.spider_class(opts).update_settings(self.settings)
            self.exitcode = self.execute(args, opts)

    @abstractmethod
    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Do what the command is for, and return its exit code.

        A `RobotsError` is wrong use, and its text says what to write.
        """

    def spider_class(self, opts: argparse.Namespace) -> type[Spider]:
        """Return the spider that --spider names; `WrongUse` where there is none."""
        if not opts.spider:
            return Spider
        loader = self.crawler_process.spider_loader
        try:
            return loader.load(opts.spider)
        except KeyError:
            shown = repr(escape_control_chars(opts.spider, 60))
            hint = did_you_mean(opts.spider, loader.list())
            raise WrongUse(
                f"--spider: the project has no spider {shown}; `scrapy list` names "
                f"them{hint}"
            ) from None

    def lookup(self, opts: argparse.Namespace) -> "PolicyLookup":
        """Return what fetches and reads robots.txt files as the project would."""
        # Loaded here: Scrapy loads this module whatever command it runs.
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - as above

        return PolicyLookup(self.crawler_process, self.spider_class(opts))


def project_notes(settings: Settings, *, is_dry_run: bool) -> Iterator[str]:
    """Yield why the crawl of the project would not do what is printed here."""
    if is_dry_run:
        yield "note: ROBOTS1994_DRY_RUN is on here, so the built-in's rules would decide"
    name = "ROBOTSTXT_OBEY"
    is_set = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
    try:
        is_off = is_set and not settings.getbool(name)
    except ValueError as error:
        raise WrongUse(f"{name}: {error}") from None
    if is_off:
        yield f"note: {name} is off here, so the crawl would not fetch robots.txt"
    # Scrapy sets it in a project.
    if "SCRAPY_SETTINGS_MODULE" in os.environ and not _is_enabled(settings):
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
