"""What a terminal adds: colour and a progress bar, both of `rich`, if it is there."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

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

NOBODY_READS = 141
"""The exit code of a command that SIGPIPE ends."""

LONG = 20
"""So many things to do are worth a progress bar."""


def say(line: str = "") -> None:
    """Print one line of the answer, in whatever encoding standard output has.

    Where nobody reads it any more (`| head`) the command ends, as others do.
    """
    encoding = sys.stdout.encoding or "utf-8"
    shown = line.encode(encoding, "backslashreplace").decode(encoding)
    try:
        sys.stdout.write(f"{shown}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered has nowhere to go when Python flushes it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(NOBODY_READS)


def note(line: str) -> None:
    """Print one line beside the answer."""
    sys.stderr.write(f"{line}\n")


def painter(choice: str) -> Paint:
    """Return what paints text at standard output, as `--color` chooses.

    Raises `MissingExtra` when colour is asked for and cannot be had.
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

    Only where that is a terminal, there is much to do (None: nobody knows how much) and
    `rich` is installed.
    """
    is_short = total is not None and total < LONG
    if Progress is None or is_short or not sys.stderr.isatty():
        yield lambda: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
