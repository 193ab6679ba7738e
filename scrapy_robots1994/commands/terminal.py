"""The options, exit codes and output that all our commands share."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import partial
from inspect import cleandoc
from itertools import count
from typing import NoReturn, TextIO, TypeAlias

from scrapy_robots1994.errors import RobotsError, did_you_mean
from scrapy_robots1994.escaping import (
    escape_control_chars,
    escape_json,
    redact_and_escape,
)
from scrapy_robots1994.parser.dialects import DIALECT_NAMES

WIDTH = 100
"""The width at which printed text is wrapped."""

Paint: TypeAlias = Callable[[str, str], str]
"""Adds a terminal style such as `1;31` to a text, unless colours are off."""


class ExitCode(IntEnum):
    FINE = 0
    FOUND = 1
    WRONG_USE = 2
    UNREAD = 3
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    """The exit code that a shell reports after SIGPIPE."""


EXIT_CODES = """\
exit code: 0 all well; 1 a URL or purpose is disallowed, a problem was found,
evidence is wrong, or there is nothing to compare; 2 wrong use; 3 something
could not be fetched, read or stored; 130 interrupted
"""

MIN_STEPS = 20
"""A progress bar is shown only for at least this many files."""

NOTE_FILES = 100
"""If standard error is not a terminal, progress is printed each time this many files are done."""

MAX_NAMED = 20
"""The maximum number of lines of one kind that are printed. Further lines are only counted."""


class Unreadable(RobotsError):  # noqa: N818 - named like its exit code
    """Something cannot be read or compared."""


class WrongUse(RobotsError):  # noqa: N818 - named like its exit code
    """An option, argument or setting is wrong."""


def add_common_options(parser: argparse.ArgumentParser, help_text: str) -> None:
    """Add the options that all our commands share. *help_text* is one line, a paragraph and
    examples.
    """
    _, parser.description, examples = cleandoc(help_text).split("\n\n", 2)
    parser.epilog = f"{examples}\n\n{EXIT_CODES}"
    # Scrapy's formatter makes a heading of each line that ends in a colon. A line may be wrapped at
    # any space, so the help of an option must not contain a colon before a space.
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether to print in colour; by default, only on a terminal",
    )


def add_dialect_option(parser: argparse.ArgumentParser, default: str) -> None:
    """*default* is the dialect if the project sets none."""
    parser.add_argument(
        "--dialect",
        choices=DIALECT_NAMES,
        help="the dialect of the files; by default, ROBOTS1994_DIALECT of the project, or "
        f"{default}",
    )


def adder(parser: argparse.ArgumentParser) -> Callable[..., argparse.Action]:
    return partial(parser.add_argument, type=not_empty)


def not_empty(text: str) -> str:
    """Raise `ArgumentTypeError` if *text* is empty, perhaps because a shell variable is not set."""
    if not text:
        raise argparse.ArgumentTypeError("a value is missing")
    return text


@contextmanager
def in_one_sentence(parser: argparse.ArgumentParser) -> Iterator[None]:
    """On a `RobotsError`, an `OSError` (such as a full disk) or Ctrl-C, print one sentence and end
    the process.
    """
    try:
        yield
    except (Unreadable, OSError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.filename and error.strerror:
            text = f"{error.filename}: {error.strerror}"
        print_note(f"{parser.prog}: error: {escape_control_chars(text, 500)}")
        end_now(ExitCode.UNREAD)
    except RobotsError as error:
        parser.error(escape_control_chars(str(error), 500))
    except KeyboardInterrupt:
        print_note("interrupted")
        end_now()


def refuse_unknown(args: list[str], parser: argparse.ArgumentParser) -> None:
    """Exit with an error if *args*, which the parser did not recognize, contains an option.
    Remove the first `--`, after which nothing is an option.
    """
    end = args.index("--") if "--" in args else len(args)
    for arg in args[:end]:
        if arg.startswith("-") and arg != "-":
            known = re.findall("--[a-z-]+", parser.format_help())
            hint = did_you_mean(arg.partition("=")[0], known)
            shown = escape_control_chars(arg, 60)
            parser.error(f"unrecognized argument {shown}{hint}")
    del args[end : end + 1]


def print_line(line: str) -> None:
    """Print one line of the result. Characters that the terminal cannot encode are escaped."""
    _print(line, sys.stdout)


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print_line(line)


def print_json(value: object, indent: int | None = None) -> None:
    print_line(escape_json(json.dumps(value, indent=indent)))


def print_note(line: str) -> None:
    _print(line, sys.stderr)


def _print(line: str, stream: TextIO | None) -> None:
    if stream is None:
        # `sys.stdout` and `sys.stderr` are None if they were closed before Python started.
        return
    encoding = stream.encoding or "utf-8"
    shown = line.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(shown, file=stream, flush=True)
    except BrokenPipeError:
        # A program such as `head` closes the pipe early. Do not raise SystemExit, because an event
        # loop would catch it.
        end_now(ExitCode.BROKEN_PIPE)


def capped(lines: Iterable[str]) -> Iterator[str]:
    """Yield up to `MAX_NAMED` of *lines*. If there are more lines, also yield a line that counts
    the rest.
    """
    number = 0
    for number, line in enumerate(lines, 1):
        if number <= MAX_NAMED:
            yield line
    if number > MAX_NAMED:
        yield f"and {number - MAX_NAMED:,} more"


def print_notes(what: str, lines: Iterable[str]) -> None:
    """Print up to `MAX_NAMED` of *lines* as notes, each beginning with *what*."""
    for line in capped(f"{what}: {redact_and_escape(it, 300)}" for it in lines):
        print_note(line)


def painter(choice: str) -> Paint:
    """Return a function that colours text for standard output. *choice* is the value of
    `--color`.
    """
    is_plain = os.environ.get("NO_COLOR") or not os.isatty(1)
    if choice == "never" or (choice == "auto" and is_plain):
        return lambda text, _style: text
    return lambda text, style: f"\x1b[{style}m{text}\x1b[0m"


@contextmanager
def progress(total: int) -> Iterator[Callable[[], object]]:
    """Show how many of *total* files are done. On a terminal, show a bar if `rich` is installed and
    there are at least `MIN_STEPS` files, or else nothing.

    Call the yielded function after each file.
    """
    if not os.isatty(2):
        numbers = count(1)

        def note() -> None:
            number = next(numbers)
            if number % NOTE_FILES == 0:
                print_note(f"{number:,} of {total:,} files")

        yield note
        return
    try:
        from rich.console import Console  # noqa: PLC0415 - imported only when needed
        from rich.progress import Progress  # noqa: PLC0415 - imported only when needed
    except ImportError:
        yield lambda: None
        return
    console, is_off = Console(stderr=True), total < MIN_STEPS
    with Progress(
        console=console, transient=True, redirect_stdout=False, disable=is_off
    ) as bar:
        task = bar.add_task("robots.txt", total=total)
        yield lambda: bar.advance(task)


def end_now(code: int = ExitCode.INTERRUPTED) -> NoReturn:
    """Exit without waiting for threads, which may hang in a DNS lookup."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError):
            stream.flush()
    os._exit(code)
