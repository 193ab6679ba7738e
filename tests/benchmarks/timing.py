"""Timing: several sides raced in turns, so that a busy machine troubles all alike.

The values are kept as pyperf benchmarks (median, spread, JSON that `pyperf` reads).
The turns are our own: pyperf measures one benchmark to its end before the next one, and
a ratio is only worth something if both sides ran under the same load.
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
"""Turns of every side that are thrown away."""

LEAST = 0.02
"""CPU seconds that one value takes at least; short work is repeated until then."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one race: the values of each side, smaller is better.

    *per* is what one value is of ("file", "question"), *unit* its unit. *against* is
    the side that the target names, *target* how many times better than it we want to
    be.
    """

    what: str
    unit: str
    values: Mapping[str, list[float]]
    against: str = ""
    target: float = 0.0
    notes: Mapping[str, Any] = field(default_factory=dict)

    def median(self, side: str) -> float:
        """The middle value of a side."""
        return median(self.values[side])

    def ratio(self, side: str) -> float:
        """How many times our median goes into that of *side*: above 1 we are ahead."""
        ours = self.median(OURS)
        return self.median(side) / ours if ours else math.inf

    @property
    def meets_target(self) -> bool | None:
        """Whether the target is met; `None` when there is none or no such side."""
        if not self.target or self.against not in self.values:
            return None
        return self.ratio(self.against) >= self.target


def race(
    sides: Mapping[str, Callable[[], object]], *, rounds: int, per: int = 1
) -> dict[str, list[float]]:
    """CPU seconds of each side for one of *per* things, once a round, in turns.

    The order changes from round to round, for each side finds the memory as the one
    before left it. CPU time and not the clock: what other processes take of the machine
    counts for nobody.
    """
    for side in sides.values():
        # What is made with the first use would make the work look longer than it is.
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
    """How often *side* must run for one value that the CPU clock can tell."""
    loops = 1
    while (taken := _timed(side, loops)) < LEAST:
        loops = max(loops * 2, int(loops * LEAST / taken) if taken else 0)
    return loops


def _timed(side: Callable[[], object], loops: int) -> float:
    """CPU seconds of *loops* runs, from a clean heap, with the collector as ever."""
    gc.collect()
    started = process_time()
    for _ in range(loops):
        side()
    return process_time() - started


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """The exponent k of the power law `y = c * x ** k` that fits *points* best.

    0 is flat, 1 is linear.
    """
    logs = [(math.log(x), math.log(y)) for x, y in points]
    x_mean = sum(x for x, _ in logs) / len(logs)
    y_mean = sum(y for _, y in logs) / len(logs)
    spread = sum((x - x_mean) ** 2 for x, _ in logs)
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / spread


def as_pyperf(results: Iterable[Result]) -> Any:
    """All timed values as one `pyperf.BenchmarkSuite`."""
    pyperf = import_module("pyperf")
    benchmarks = []
    for result in results:
        if result.unit != "s":
            continue
        for side, values in result.values.items():
            about = {"name": f"{result.what}: {side}", "unit": "second"}
            kept = [max(value, 1e-12) for value in values]
            run = pyperf.Run(kept, metadata=about, collect_metadata=False)
            benchmarks.append(pyperf.Benchmark([run]))
    return pyperf.BenchmarkSuite(benchmarks)
