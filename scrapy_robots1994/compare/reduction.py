"""Reduction: the lines that are needed for something to be so, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def reduced(count: int, holds: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Return places out of `range(count)` for which *holds*, one-minimal.

    *holds* must be so of all places together. Of the result no single place can be
    left out. Big pieces are tried first, so that a few lines out of thousands are found
    in about as many trials as `count` has binary digits, times a few.
    """
    kept = list(range(count))
    size = count
    while kept and size:
        size = min(size, len(kept))
        kept, is_less = _without_pieces(kept, size, holds)
        # One line at a time until nothing more goes: then it is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return tuple(kept)


def _without_pieces(
    kept: list[int], size: int, holds: Callable[[Sequence[int]], bool]
) -> tuple[list[int], bool]:
    """Return *kept* without the pieces of *size* that are not needed, and whether there
    were any.
    """
    is_less = False
    # From the end: what a rule needs before it (its User-agent line) goes last.
    end = len(kept)
    while end > 0:
        start = max(0, end - size)
        rest = kept[:start] + kept[end:]
        if holds(rest):
            kept, is_less = rest, True
        end = start
    return kept, is_less
