"""Time several sides alternately, so that other load affects all of them equally.

The values are stored as pyperf benchmarks (median, spread, JSON that `pyperf` reads).
pyperf itself measures each benchmark to its end before the next one, and a ratio is
only meaningful if both sides ran under the same load.
"""

from __future__ import annotations

import gc
import math
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

OURS = "scrapy_robots1994"
WARM_UP = 1
"""The number of first rounds of each side that are discarded."""

MIN_SECONDS = 0.02
"""The minimum CPU seconds of one value. Shorter work is repeated."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one race: the values of each side. Smaller values are better.

    *per* says what a value is for ("file", "question"), *unit* is the unit of the values.
    *target* is how many times faster or smaller than the side *against* our side should be.
    """

    what: str
    unit: str
    values: Mapping[str, list[float]]
    against: str = ""
    target: float = 0.0
    notes: Mapping[str, Any] = field(default_factory=dict)

    def median(self, side: str) -> float:
        """Return the median of a side."""
        return median(self.values[side])

    def ratio(self, side: str) -> float:
        """Return the median of *side*, divided by our median. If it is above 1, ours is
        faster.
        """
        ours = self.median(OURS)
        return self.median(side) / ours if ours else math.inf

    @property
    def meets_target(self) -> bool | None:
        """Return whether the target is met, or `None` without a target or without the side
        *against*.
        """
        if not self.target or self.against not in self.values:
            return None
        return self.ratio(self.against) >= self.target


def race(
    sides: Mapping[str, Callable[[], object]], *, rounds: int, per: int = 1
) -> dict[str, list[float]]:
    """Return CPU seconds of each side, divided by *per*, once per round.

    The order of the sides changes from round to round, because the previous side left the
    caches in its state. CPU time excludes other processes.
    """
    for side in sides.values():
        # The first use includes one-time work.
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
    """Return how often *side* must run so that the CPU clock can measure the time."""
    loops = 1
    while (taken := _timed(side, loops)) < MIN_SECONDS:
        loops = max(loops * 2, int(loops * MIN_SECONDS / taken) if taken else 0)
    return loops


def _timed(side: Callable[[], object], loops: int) -> float:
    """Return the CPU seconds of *loops* runs, after a garbage collection, with the
    collector enabled.
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


def as_pyperf(results: Iterable[Result]) -> Any:
    """Return all timed values as one `pyperf.BenchmarkSuite`."""
    pyperf = import_module("pyperf")
    benchmarks = []
    for result in results:
        if result.unit != "s":
            continue
        for side, values in result.values.items():
            about = {"name": f"{result.what}: {side}", "unit": "second"}
            timed = [max(value, 1e-12) for value in values]
            run = pyperf.Run(timed, metadata=about, collect_metadata=False)
            benchmarks.append(pyperf.Benchmark([run]))
    return pyperf.BenchmarkSuite(benchmarks)
