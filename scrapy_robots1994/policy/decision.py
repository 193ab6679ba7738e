"""What to do with the policy we hold, or do not hold, at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from scrapy_robots1994.policy.policy import Policy

CLOCK_SKEW = 60.0
"""A policy dated at most so many seconds ahead of our clock is not from the future."""


@dataclass(frozen=True, slots=True)
class UseFresh:
    """The policy is fresh: use it."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class UseStale:
    """The policy has just run out: use it, and let one refresh run beside."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class Fetch:
    """Ask the origin and wait; *last* is the last good policy, if there is one (R5)."""

    last: Policy | None


FreshnessDecision: TypeAlias = UseFresh | UseStale | Fetch


def decide(policy: Policy | None, now: float) -> FreshnessDecision:
    """What to do with *policy* at *now* (seconds since the epoch).

    A policy that we set ourselves because the origin was unreachable (R5) is never used
    once it ran out; one dated in the future (the clock went back) is asked again.
    """
    if policy is None or now >= policy.keep_until:
        return Fetch(None)
    last = policy if policy.is_known else None
    if policy.fetched_at > now + CLOCK_SKEW:
        return Fetch(last)
    if now < policy.fresh_until:
        return UseFresh(policy)
    if last is not None and now < policy.stale_until:
        return UseStale(policy)
    return Fetch(last)
