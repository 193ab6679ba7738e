"""Time several sides alternately, so that other load affects all sides equally."""

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
"""The number of rounds at the start whose values are discarded."""

MIN_SECONDS = 0.02
"""The minimum CPU time of one measurement, in seconds. If one call of a function takes less
than this time, one measurement consists of several calls.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one benchmark.

    *values* contains the values of each side in *unit*; smaller values are better.
    *target* is the smallest acceptable ratio of two medians: the median of the side called
    *against*, divided by our median.
    """

    what: str
    unit: str
    values: Mapping[str, list[float]]
    against: str = ""
    target: float = 0.0
    notes: Mapping[str, Any] = field(default_factory=dict)

    def median(self, side: str) -> float:
        """Return the median of the values of *side*."""
        return median(self.values[side])

    def ratio(self, side: str) -> float:
        """Return the median of *side*, divided by our median. If the ratio is above 1,
        our side is better than *side*.
        """
        ours = self.median(OURS)
        return self.median(side) / ours if ours else math.inf

    @property
    def meets_target(self) -> bool | None:
        """Return whether the ratio for the side *against* is at least *target*. Return
        `None` if there is no target, or if the side *against* was not measured.
        """
        if not self.target or self.against not in self.values:
            return None
        return self.ratio(self.against) >= self.target


def race(
    sides: Mapping[str, Callable[[], object]], *, rounds: int, per: int = 1
) -> dict[str, list[float]]:
    """Return the CPU seconds of each side in each round, divided by *per*.

    The order of the sides changes from round to round, because each side affects the
    caches for the next side. The CPU time does not include the time of other processes.
    """
    for side in sides.values():
        # Run each side once before the measurement, because the first run includes
        # one-time work.
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
    """Return how often *side* must run so that the measurement takes at least
    `MIN_SECONDS`.
    """
    loops = 1
    while (taken := _timed(side, loops)) < MIN_SECONDS:
        loops = max(loops * 2, int(loops * MIN_SECONDS / taken) if taken else 0)
    return loops


def _timed(side: Callable[[], object], loops: int) -> float:
    """Collect garbage, and then return the CPU seconds of *loops* runs. The garbage
    collector stays enabled during the runs.
    """
    gc.collect()
    started = process_time()
    for _ in range(loops):
        side()
    return process_time() - started


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """Return the exponent k of the power law `y = c * x ** k` that fits *points* best.

    An exponent of 0 means constant values, and 1 means linear growth.
    """
    logs = [(math.log(x), math.log(y)) for x, y in points]
    x_mean = sum(x for x, _ in logs) / len(logs)
    y_mean = sum(y for _, y in logs) / len(logs)
    spread = sum((x - x_mean) ** 2 for x, _ in logs)
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / spread
