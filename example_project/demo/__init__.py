"""The code of `./run`, `./beyond` and `./distributed`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def end_with(main: Callable[[], int]) -> None:
    """Call *main* and exit with its return value, or with 130 on Ctrl-C."""
    try:
        code = main()
    except KeyboardInterrupt:
        print("\nInterrupted: not everything was crawled.", file=sys.stderr)
        code = 130
    sys.exit(code)
