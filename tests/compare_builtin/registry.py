"""What a scenario is, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["builtin", "ours"]
SIDES: tuple[Side, ...] = ("builtin", "ours")


class CrawlError(Exception):
    """A crawl that did not start measured nothing; its message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one side did in a scenario, as measured, and whether that was right."""

    did: str
    ok: bool
    facts: Mapping[str, object] = field(default_factory=dict)


Run = Callable[[Side], Finding]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One situation: its number in the table, what it is, what should happen."""

    number: int
    title: str
    wanted: str
    run: Run


SCENARIOS: dict[int, Scenario] = {}


def scenario(number: int, title: str, wanted: str) -> Callable[[Run], Run]:
    """Enter the decorated function into `SCENARIOS`."""

    def enter(run: Run) -> Run:
        if number in SCENARIOS:
            message = f"two scenarios have the number {number}"
            raise ValueError(message)
        SCENARIOS[number] = Scenario(number, title, wanted, run)
        return run

    return enter
