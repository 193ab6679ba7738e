"""A progress bar, where there is a terminal to show it and `rich` to draw it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress(total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error while the block runs; *total* `None`: not known.

    What it yields is to be told how many files more are done.
    """
    try:
        from rich.console import Console  # noqa: PLC0415 - of the extra `report`
        from rich.progress import Progress  # noqa: PLC0415 - as above
    except ImportError:
        yield lambda _: None
        return
    console = Console(file=sys.stderr)
    with Progress(
        console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("robots.txt", total=total)
        yield lambda count: bar.advance(task, count)
