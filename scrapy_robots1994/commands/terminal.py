"""The options, exit codes and output functions that all our commands share."""

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
from pathlib import Path
from typing import NoReturn, TextIO, TypeAlias

from scrapy_robots1994.errors import RobotsError, did_you_mean
from scrapy_robots1994.escaping import (
    escape_control_chars,
    escape_json,
    redact_and_escape,
)
from scrapy_robots1994.parser.dialects import DIALECT_NAMES

WIDTH = 100
"""The width, in characters, at which text for people is wrapped."""

Paint: TypeAlias = Callable[[str, str], str]
"""Puts a text into a style of the terminal, such as `1;31`, unless colours are off."""


class ExitCode(IntEnum):
    """The exit codes of all our commands."""

    FINE = 0
    FOUND = 1
    WRONG_USE = 2
    UNREAD = 3
    INTERRUPTED = 130


EXIT_CODES = """\
exit code: 0 all well; 1 something is disallowed, a problem was found, or
nothing matches; 2 wrong use; 3 something could not be fetched, read or stored;
130 interrupted
"""

BROKEN_PIPE = 141
"""The exit code that a shell reports for a process that was ended by the signal SIGPIPE."""

MIN_STEPS = 20
"""The minimum number of steps for which a progress bar is shown."""

MAX_NAMED = 20
"""The maximum number of printed notes of one kind. Further notes are only counted."""


class Unreadable(RobotsError):  # noqa: N818 - named like its exit code
    """Raised if a file or folder on the command line cannot be read.

    The message gives the name of the file and the reason.
    """


class WrongUse(RobotsError):  # noqa: N818 - named like its exit code
    """Raised if a command cannot do what the user asked for, for example if an option is
    invalid.

    The message gives the reason, or says what to write instead.
    """


OF_THE_PROJECT = "ROBOTS1994_DIALECT of the project, or 1994"
"""The phrase for the default of --dialect in the help text of commands that read project
settings.
"""


def add_common_options(
    parser: argparse.ArgumentParser, help_text: str, default: str = OF_THE_PROJECT
) -> None:
    """Add the options that all our commands share, and the help text of the command.

    *help_text* consists of one line, a paragraph and examples. *default* is a phrase for
    the dialect that is used if `--dialect` is not given.
    """
    _, parser.description, examples = cleandoc(help_text).split("\n\n", 2)
    parser.epilog = f"{examples}\n\n{EXIT_CODES}"
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether to print in colour; auto, the default, prints colours only on a terminal",
    )
    # The help of an option must not contain a colon before a space. If the help is wrapped
    # after the colon, Scrapy's formatter mistakes the line that ends in the colon for a
    # heading.
    parser.add_argument(
        "--dialect",
        choices=DIALECT_NAMES,
        help=f"read files in this dialect instead of {default}",
    )


def adder(parser: argparse.ArgumentParser) -> Callable[..., argparse.Action]:
    """Return a function that adds an option to *parser*. The option rejects an empty
    value.
    """
    return partial(parser.add_argument, type=not_empty)


def not_empty(text: str) -> str:
    """Return *text*, the value of an option.

    Raises ArgumentTypeError if *text* is empty. The value may be empty because, for
    example, a shell variable is not set.
    """
    if not text:
        raise argparse.ArgumentTypeError("a value is missing")
    return text


@contextmanager
def in_one_sentence(parser: argparse.ArgumentParser) -> Iterator[None]:
    """Run the block. After a `RobotsError` or Ctrl-C, print one sentence and exit."""
    try:
        yield
    except Unreadable as error:
        parser.exit(
            ExitCode.UNREAD,
            f"{parser.prog}: error: {escape_control_chars(str(error), 500)}\n",
        )
    except RobotsError as error:
        parser.error(escape_control_chars(str(error), 500))
    except KeyboardInterrupt:
        print_note("interrupted")
        end_now()


def check_streams(parser: argparse.ArgumentParser) -> None:
    """Check whether the standard streams are open. In a process that cron has started,
    the standard streams may be closed.

    If standard output is closed, the process ends with an error. If standard error is
    closed, notes are discarded.
    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the file is never closed
    if sys.stdout is None:
        parser.error("standard output is closed: redirect it to a file with > FILE")


def refuse_unknown(args: list[str], parser: argparse.ArgumentParser) -> None:
    """End the process if one of *args* looks like an option.

    *args* are the arguments that *parser* did not parse, so any option in *args* is
    unknown. Arguments after the first `--` are never options. The first `--` is removed
    from *args*.
    """
    end = args.index("--") if "--" in args else len(args)
    options = args[:end]
    del args[end : end + 1]
    for arg in options:
        if arg.startswith("-") and arg != "-":
            known = re.findall("--[a-z-]+", parser.format_help())
            hint = did_you_mean(arg.partition("=")[0], known)
            shown = escape_control_chars(arg, 60)
            parser.error(
                f"unrecognized argument {shown}{hint or '; --help lists all options'}"
            )


def print_line(line: str) -> None:
    """Print one line of the result. Characters that cannot be encoded are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    _write(sys.stdout, line.encode(encoding, "backslashreplace").decode(encoding))


def print_lines(lines: Iterable[str]) -> None:
    """Print each line of the result as soon as *lines* yields it."""
    for line in lines:
        print_line(line)


def print_json(value: object, indent: int | None = None) -> None:
    """Print *value* as JSON. Without *indent*, the output is one line."""
    print_line(escape_json(json.dumps(value, indent=indent)))


def print_note(line: str) -> None:
    """Print to standard error a line that is not part of the result."""
    _write(sys.stderr, line)


class CappedLines:
    """Prints a limited number of lines with *show*, and counts all lines.

    The attribute *count* is the number of lines so far. At most *limit* lines are printed,
    or `MAX_NAMED` lines if *limit* is None.
    """

    def __init__(self, show: Callable[[str], object], limit: int | None = None) -> None:
        self._show = show
        self._limit = MAX_NAMED if limit is None else limit
        self.count = 0

    def add(self, line: str) -> None:
        """Count *line*, and print *line* unless enough lines have been printed."""
        self.count += 1
        if self.count <= self._limit:
            self._show(line)

    def end(self) -> None:
        """Print the number of lines that were not printed, if any."""
        if self.count > self._limit:
            self._show(f"and {self.count - self._limit:,} more")


def print_notes(what: str, lines: Iterable[str]) -> None:
    """Print a note for each of the first *lines*, and the number of further lines.

    *what* is printed at the start of each note.
    """
    notes = CappedLines(lambda it: print_note(f"{what}: {redact_and_escape(it, 300)}"))
    for line in lines:
        notes.add(line)
    notes.end()


def _write(stream: TextIO, line: str) -> None:
    """Write *line* to *stream*. End the process if *stream* is a pipe that was closed, for
    example by `head`.

    Raises `WrongUse` if *line* cannot be written for any other reason.
    """
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except BrokenPipeError:
        # Do not raise SystemExit, because an event loop would catch the exception and
        # continue.
        end_now(BROKEN_PIPE)
    except OSError as error:
        # Discard the buffer. Otherwise, Python would flush the buffer again at exit, and a
        # second failure would change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        where = "output" if stream is sys.stdout else "error"
        msg = f"standard {where} cannot be written: {error.strerror}"
        raise WrongUse(msg) from None


def painter(choice: str) -> Paint:
    """Return a function that colours text for standard output.

    *choice* is the value of `--color`.
    """
    is_plain = os.environ.get("NO_COLOR") or not sys.stdout.isatty()
    if choice == "never" or (choice == "auto" and is_plain):
        return lambda text, _style: text
    return lambda text, style: f"\x1b[{style}m{text}\x1b[0m"


@contextmanager
def progress(total: int | None) -> Iterator[Callable[[], None]]:
    """Show a progress bar on standard error during the block.

    *total* is the number of steps, or None if that number is unknown. The block calls the
    yielded function after each step. The bar is shown only if standard error is a terminal,
    `rich` is installed, and *total* is unknown or at least `MIN_STEPS`.
    """
    bar = None
    if sys.stderr.isatty() and (total is None or total >= MIN_STEPS):
        with suppress(ImportError):
            # Import late, because importing `rich` takes longer than most commands.
            from rich.console import Console  # noqa: PLC0415 - imported only when needed
            from rich.progress import Progress  # noqa: PLC0415 - imported only when needed

            # If standard output is a terminal, redirect standard output to the bar. The bar
            # prints the lines of the result above itself.
            is_shown = sys.stdout.isatty()
            console = Console(stderr=True)
            bar = Progress(console=console, transient=True, redirect_stdout=is_shown)
    if bar is None:
        yield lambda: None
        return
    with bar:
        task = bar.add_task("robots.txt", total=total)
        yield lambda: bar.advance(task)


def end_now(code: int = ExitCode.INTERRUPTED) -> NoReturn:
    """End the process at once, without waiting for threads or the event loop.

    At a normal exit, Python would wait for all threads, and a thread that looks up a host
    name cannot be stopped.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            # Show the cursor again, because a progress bar hides the cursor.
            stream.write(
                "\x1b[?25h" if stream is sys.stderr and stream.isatty() else ""
            )
            stream.flush()
    os._exit(code)
