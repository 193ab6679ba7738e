"""Count function calls, for tests that would otherwise have to measure time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def calls(computation: Callable[[], object]) -> int:
    """Return the number of function calls in *computation*, including calls of C functions."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        computation()
    finally:
        sys.setprofile(before)
    return count
