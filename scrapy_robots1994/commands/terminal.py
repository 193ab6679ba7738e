"""Output: lines, notes, exit codes, colour, a progress bar, and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_json
from scrapy_robots1994.lint.formats import Paint, unpainted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class ExitCode(IntEnum):
    """The exit codes of all our commands."""

    FINE = 0
    FOUND = 1
    WRONG_USE = 2
    UNREAD = 3
    INTERRUPTED = 130


class WrongUse(RobotsError):  # noqa: N818 - named for the situation, as its exit code
    """The arguments make no sense; the text says what to write."""


BROKEN_PIPE = 141
"""The exit code of a command that SIGPIPE ends."""

MIN_STEPS = 20
"""Steps that are worth a progress bar."""

# What each word of a style is in the control sequence that all terminals know.
_SGR = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}


def print_line(line: str = "") -> None:
    """Print one line of the answer, in whatever encoding standard output has."""
    encoding = sys.stdout.encoding or "utf-8"
    _write(sys.stdout, line.encode(encoding, "backslashreplace").decode(encoding))


def print_json(value: object, indent: int | None = None) -> None:
    """Print *value* as JSON, on one line without *indent*."""
    print_line(escape_json(json.dumps(value, indent=indent)))


def print_note(line: str) -> None:
    """Print one line that is not part of the answer."""
    _write(sys.stderr, line)


def _write(stream: TextIO, line: str) -> None:
    """Write *line*; where its reader has gone (`| head`) end as other commands do."""
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except BrokenPipeError:
        # Not SystemExit: an event loop would go on with it.
        end_now(BROKEN_PIPE)
    except OSError as error:
        where = "output" if stream is sys.stdout else "error"
        msg = f"standard {where} cannot be written: {error.strerror}"
        raise WrongUse(msg) from None


def painter(choice: str) -> Paint:
    """Return what paints text at standard output, as `--color` chooses."""
    is_plain = os.environ.get("NO_COLOR") or not sys.stdout.isatty()
    if choice == "never" or (choice == "auto" and is_plain):
        return unpainted
    return lambda text, style: (
        f"\x1b[{';'.join(_SGR[word] for word in style.split())}m{text}\x1b[0m"
    )


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show a bar at standard error during the block, which calls what is yielded at
    each step.

    Only where that is a terminal, there is much to do (None: an unknown number) and
    `rich` is installed.
    """
    is_short = total is not None and total < MIN_STEPS
    bar = None if is_short or not sys.stderr.isatty() else _bar()
    if bar is None:
        yield lambda: None
        return
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _bar() -> Any:
    """Return a progress bar; None without the extra."""
    try:
        # Imported here: it takes longer than most answers.
        from rich.console import Console  # noqa: PLC0415 - as above
        from rich.progress import Progress  # noqa: PLC0415 - as above
    except ImportError:
        return None
    return Progress(console=Console(stderr=True), transient=True)


@contextmanager
def interruptible(on_interrupt: Callable[[], object]) -> Iterator[None]:
    """End the block at Ctrl-C and call *on_interrupt*; at a second one end the process."""
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda *_: end_now())
        on_interrupt()


def end_now(code: int = ExitCode.INTERRUPTED) -> NoReturn:
    """End the process, whatever its threads and its event loop still wait for.

    A thread that looks up a host name cannot be ended, and Python waits for it.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            # A progress bar hides the cursor.
            stream.write(
                "\x1b[?25h" if stream is sys.stderr and stream.isatty() else ""
            )
            stream.flush()
    os._exit(code)
