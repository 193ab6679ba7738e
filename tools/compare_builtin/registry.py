"""The definition of a scenario, and the list of all scenarios."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["builtin", "ours"]
SIDES: tuple[Side, ...] = ("builtin", "ours")
"""The two middlewares that the table compares."""


class CrawlError(Exception):
    """The exception for a crawl that failed, so that nothing was measured. The message
    is the reason of the failure.
    """


@dataclass(frozen=True, slots=True)
class Finding:
    """The measured outcome of a scenario with one middleware, and whether the outcome is
    right.
    """

    did: str
    ok: bool
    facts: Mapping[str, object] = field(default_factory=dict)


Run = Callable[[Side], Finding]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: its number in the table, the situation, and what should happen."""

    number: int
    title: str
    wanted: str
    run: Run


SCENARIOS: dict[int, Scenario] = {}


def scenario(number: int, title: str, wanted: str) -> Callable[[Run], Run]:
    """Add the decorated function to `SCENARIOS`."""

    def register(run: Run) -> Run:
        if number in SCENARIOS:
            message = f"two scenarios have the number {number}"
            raise ValueError(message)
        SCENARIOS[number] = Scenario(number, title, wanted, run)
        return run

    return register
