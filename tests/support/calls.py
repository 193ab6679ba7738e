"""Counts what a computation does instead of how long it takes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def calls(computation: Callable[[], object]) -> int:
    """Return how many functions *computation* calls, those written in C included.

    It is the same number on every machine, busy or not.
    """
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
