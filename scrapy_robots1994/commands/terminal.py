"""Output: lines, notes and exit codes; colour and a progress bar, both of `rich`."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, NoReturn

from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.lint.text import Paint, unpainted

try:
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.progress import Progress
    from rich.style import Style
except ImportError:  # pragma: no cover - without the extra
    Progress = None  # type: ignore[assignment,misc]  # None says that it is not there

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class ExitCode(IntEnum):
    """The exit codes of all our commands."""

    FINE = 0
    FOUND = 1
    WRONG_USE = 2
    UNREAD = 3
    INTERRUPTED = 130


BROKEN_PIPE = 141
"""The exit code of a command that SIGPIPE ends."""

MIN_STEPS = 20
"""Steps that are worth a progress bar."""


def print_line(line: str = "") -> None:
    """Print one line of the answer, in whatever encoding standard output has.

    Where its reader has gone (`| head`) the command ends, as others do.
    """
    encoding = sys.stdout.encoding or "utf-8"
    shown = line.encode(encoding, "backslashreplace").decode(encoding)
    try:
        sys.stdout.write(f"{shown}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered has nowhere to go when Python flushes it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)


def print_note(line: str) -> None:
    """Print one line that is not part of the answer."""
    sys.stderr.write(f"{line}\n")


def painter(choice: str) -> Paint:
    """Return what paints text at standard output, as `--color` chooses.

    Raises `MissingExtra` when colour is wanted and its library is missing.
    """
    if choice == "never":
        return unpainted
    if choice == "auto" and (
        Progress is None or os.environ.get("NO_COLOR") or not sys.stdout.isatty()
    ):
        return unpainted
    if Progress is None:
        msg = (
            "--color=always needs rich: pip install 'scrapy_robots1994[report]', "
            "or leave the option out"
        )
        raise MissingExtra(msg)

    def paint(text: str, style: str) -> str:
        """The text in the style, by the codes that all terminals know."""
        parsed = Style.parse(style)
        return parsed.render(text, color_system=ColorSystem.STANDARD)

    return paint


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show a bar at standard error while the block runs; what is given is called at
    each step.

    Only where that is a terminal, there is much to do (None: an unknown number) and
    `rich` is installed.
    """
    is_short = total is not None and total < MIN_STEPS
    if Progress is None or is_short or not sys.stderr.isatty():
        yield lambda: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def end_now() -> NoReturn:
    """End the process as interrupted, whatever its threads still wait for.

    A thread that looks up a host name cannot be ended, and Python waits for it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ExitCode.INTERRUPTED)
