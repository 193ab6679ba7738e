"""Show results as text: medians, ratios to our median, and whether targets are met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def heading(about: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in about.items() if value)


def shown(result: Result) -> str:
    lines = [f"\n{result.what}"]
    for side in result.values:
        amount = scaled(result.median(side), result.unit)
        ratio = "" if side == OURS else f"{result.ratio(side):8.2f} times ours"
        spread = _spread(result.values[side])
        lines.append(f"  {side:<28}{amount:>14}{spread}{ratio}")
    if result.meets_target is not None:
        met = "met" if result.meets_target else "NOT met"
        lines.append(f"  target: {result.target:.3g} times {result.against}: {met}")
    lines += [f"  {name}: {value}" for name, value in result.notes.items()]
    return "\n".join(lines)


def scaled(value: float, unit: str) -> str:
    if not unit.startswith("s"):
        return f"{value:,.2f} {unit}"
    for scale, name in SCALES:
        if value >= scale:
            return f"{value / scale:.3g} {name}{unit[1:]}"
    return f"{value:.3g} {unit}"


def _spread(values: list[float]) -> str:
    """Return half the range of *values*, as a percentage of the smallest."""
    if len(values) < 2 or not min(values):
        return " " * 8
    return f" ±{(max(values) / min(values) - 1) * 50:4.0f} %"
