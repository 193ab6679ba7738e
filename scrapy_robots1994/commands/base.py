"""What our commands share: options that are refused when wrong, help that shows use."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError

from scrapy_robots1994.parser.dialects import DIALECTS

if TYPE_CHECKING:
    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings

WRONG_USE = 2


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

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's own options and, at a terminal, the choice of colour."""
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
            help="fetch with the settings and the name of this spider of the project",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what is no option; log warnings only, unless more is asked for."""
        super().process_options(args, opts)
        for arg in args:
            if arg.startswith("-") and arg != "-":
                msg = f"unrecognized argument {arg}; --help lists what there is"
                raise UsageError(msg)
        if opts.dialect:
            name = "ROBOTS1994_DIALECT"
            self.own_settings.set(name, opts.dialect, priority="cmdline")
        asked = any(pair.startswith("LOG_LEVEL=") for pair in opts.set)
        if not (opts.loglevel or asked):
            self.own_settings.set("LOG_LEVEL", "WARNING", priority="cmdline")

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
