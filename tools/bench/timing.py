"""Time functions in turn, so that other load affects all of them equally."""

from __future__ import annotations

import gc
import math
from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

OURS = "scrapy_robots1994"
WARM_UP = 1
"""This many rounds at the start are discarded."""

MIN_SECONDS = 0.02
"""Fast functions are called repeatedly, until the calls take this much CPU time."""


@dataclass(frozen=True, slots=True)
class Result:
    """The measurements of each side in *unit*; smaller is better.

    *target* is the smallest acceptable ratio of the median of *against* to our median.
    """

    what: str
    unit: str
    values: Mapping[str, list[float]]
    against: str = ""
    target: float = 0.0
    notes: Mapping[str, Any] = field(default_factory=dict)

    def median(self, side: str) -> float:
        return median(self.values[side])

    def ratio(self, side: str) -> float:
        """Return the median of *side* divided by our median. Above 1, ours is better."""
        ours = self.median(OURS)
        return self.median(side) / ours if ours else math.inf

    @property
    def meets_target(self) -> bool | None:
        """Whether the target is met, or None without a target or without results of *against*."""
        if not self.target or self.against not in self.values:
            return None
        return self.ratio(self.against) >= self.target


def race(
    sides: Mapping[str, Callable[[], object]], *, rounds: int, per: int = 1
) -> dict[str, list[float]]:
    """Return, for each side, the CPU seconds of a call in each round, divided by *per*.

    The order of the sides is random, because each side affects the CPU caches of the next one.
    """
    for side in sides.values():
        # The first call includes one-time work.
        side()
    loops = {name: _loops(side) for name, side in sides.items()}
    names = list(sides)
    values: dict[str, list[float]] = {name: [] for name in names}
    dice = Random(1994)  # noqa: S311 - the same order in every run
    for number in range(WARM_UP + rounds):
        for name in dice.sample(names, len(names)):
            seconds = _timed(sides[name], loops[name]) / loops[name] / per
            if number >= WARM_UP:
                values[name].append(seconds)
    return values


def _loops(side: Callable[[], object]) -> int:
    """Return how many calls of *side* together take at least `MIN_SECONDS`."""
    loops = 1
    while (taken := _timed(side, loops)) < MIN_SECONDS:
        loops = max(loops * 2, int(loops * MIN_SECONDS / taken) if taken else 0)
    return loops


def _timed(side: Callable[[], object], loops: int) -> float:
    """Return the CPU seconds of *loops* calls, including the garbage collections they cause."""
    gc.collect()
    started = process_time()
    for _ in range(loops):
        side()
    return process_time() - started


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """Return the exponent *k* of the curve `y = c * x ** k` that fits *points* best.

    *k* is 0 for constant values, and 1 for linear growth.
    """
    logs = [(math.log(x), math.log(y)) for x, y in points]
    x_mean = sum(x for x, _ in logs) / len(logs)
    y_mean = sum(y for _, y in logs) / len(logs)
    spread = sum((x - x_mean) ** 2 for x, _ in logs)
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / spread
