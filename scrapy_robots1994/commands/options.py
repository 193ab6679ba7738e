"""The options of our commands: those of several in one table, and how help shows them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy_robots1994.checks.kinds import SEVERITIES
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.errors import did_you_mean
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterable

Options: TypeAlias = "dict[str, dict[str, Any]]"
"""Options by their flags, each with the keywords of `add_argument`."""

EXIT_CODES = """\
exit code: 0 all well; 1 something disallowed, a problem, or nothing fits; 2 wrong use;
3 something could not be fetched or read; 130 interrupted
"""

COMMON: Options = {
    "--color": {
        "choices": ("auto", "always", "never"),
        "default": "auto",
        "help": "colour: at a terminal (auto, the default), always or never",
    },
    "--dialect": {
        "choices": tuple(DIALECTS),
        # Scrapy's formatter takes a line that ends with a colon for a heading.
        "help": "read files in this dialect; if not given, in ROBOTS1994_DIALECT of the "
        "project, or 1994",
    },
}

PROJECT: Options = {
    "--spider": {
        "metavar": "NAME",
        "help": "use the settings and the robot name of this spider of the project",
    },
}

JSON: Options = {
    "--json": {"action": "store_true", "help": "print JSON, one object a line"},
}

URLS: Options = {
    "--urls": {"metavar": "FILE", "help": "a file with one URL a line, - for stdin"},
}

LINT: Options = {
    "--format": {
        "choices": ("text", "json", "github", "sarif"),
        "default": "text",
        "help": "for people (text, the default), programs (json), GitHub's workflows "
        "(github), code scanning and editors (sarif)",
    },
    "--only-problems": {
        "action": "store_true",
        "help": "leave out the lines without a problem",
    },
    "--summary": {
        "action": "store_true",
        "help": "print only how many files have which problem",
    },
    "--ignore": {
        "metavar": "CODES",
        "default": "",
        "help": "codes of problems to leave out, as R015,R018",
    },
    "--fail-on": {
        "choices": (*SEVERITIES, "never"),
        "default": "warning",
        "help": "least severity that makes the exit code 1 (warning is the default)",
    },
}


class HelpFormatter(argparse.HelpFormatter):
    """Help in which a text of several lines, as the examples, keeps them."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap a text that is a single line; argparse has no public hook for it."""
        if "\n" in text:
            return text
        return super()._fill_text(text, width, indent)


def add_options(parser: argparse.ArgumentParser, options: Options) -> None:
    """Add *options* to *parser*."""
    for flag, keywords in options.items():
        parser.add_argument(flag, **keywords)


def refuse_unknown(args: Iterable[str], known: Iterable[str]) -> None:
    """Raise `WrongUse` if one of *args* looks like an option, which is not *known*."""
    for arg in args:
        if arg.startswith("-") and arg != "-":
            shown = escape_control_chars(arg, 60)
            flag = arg.partition("=")[0]
            hint = did_you_mean(flag, known) or "; --help lists all options"
            raise WrongUse(f"unrecognized argument {shown}{hint}")


def positive_number(text: str) -> int:
    """Return a whole number of 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text)):
        msg = f"write a whole number, 1 or more, not {escape_control_chars(text)}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)
