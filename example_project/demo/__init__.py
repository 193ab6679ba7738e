"""The code of the commands: local sites, crawls of them, and reports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def end_with(main: Callable[[], int]) -> None:
    """Exit with the return value of *main*, or with 130 on Ctrl-C."""
    try:
        code = main()
    except KeyboardInterrupt:
        print("\nInterrupted: not everything was crawled.", file=sys.stderr)
        code = 130
    sys.exit(code)
