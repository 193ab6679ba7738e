"""A fetch of robots.txt in flight and the requests that wait for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.backend import Resolution, Waiter, Work
    from scrapy_robots1994.policy.policy import Policy

ContextT = TypeVar("ContextT")


@dataclass(slots=True, eq=False)
class InFlightFetch(Generic[ContextT]):
    """A fetch in flight and the requests that wait for it.

    *context* is that of the latest attempt, *tried* those of all. *policy* is the
    decided policy while listeners run.
    """

    origin: Origin
    context: ContextT
    last: Policy | None
    # In order of arrival; a dict, so that a cancelled waiter leaves at once.
    waiters: dict[Waiter, ContextT] = field(default_factory=dict)
    tried: list[ContextT] = field(default_factory=list)
    policy: Policy | None = None
    work: Work | None = None

    def next_context(self) -> ContextT:
        """Return the context for the next attempt: of a waiter, and a new one if any."""
        waiting = list(self.waiters.values())
        untried = (context for context in waiting if context not in self.tried)
        others = (context for context in waiting if context != self.context)
        self.context = next(untried, next(others, self.context))
        self.tried.append(self.context)
        return self.context

    def release(self, resolution: Resolution) -> None:
        """Let every waiter go on with *resolution*."""
        for waiter in tuple(self.waiters):
            waiter.release(resolution)
