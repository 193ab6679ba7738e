"""The embedded store: policies in this process, bounded, each with its own expiry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cachetools import TLRUCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy

MAX_ORIGINS = 100_000
"""Origins held when `memory://` does not say otherwise."""


class MemoryStore:
    """Policies by origin, least recently used out first, each out at its `keep_until`.

    Never raises for an origin it does not hold. *clock* gives seconds since the epoch.
    """

    def __init__(self, max_origins: int, clock: Callable[[], float]) -> None:
        self._policies: TLRUCache[Origin, Policy] = TLRUCache(
            maxsize=max_origins, ttu=_keep_until, timer=clock
        )

    def get(self, origin: Origin) -> Policy | None:
        """The policy held of *origin*, fresh or stale; `None` when none is."""
        return self._policies.get(origin)

    def put(self, policy: Policy) -> None:
        """Hold *policy*, in place of an older one of its origin."""
        # A policy that is over at once is not stored, and cachetools before 8 then
        # leaves the older one in its place.
        self.forget(policy.origin)
        self._policies[policy.origin] = policy

    def forget(self, origin: Origin) -> None:
        """Hold nothing of *origin* any more; fine if nothing was held."""
        self._policies.pop(origin, None)

    def __iter__(self) -> Iterator[Policy]:
        """Every policy held at this moment."""
        return iter(list(self._policies.values()))

    def __len__(self) -> int:
        """How many origins are held."""
        return len(self._policies)


def _keep_until(_origin: Origin, policy: Policy, _now: float) -> float:
    """When an entry goes: the policy knows (`ttu` of `cachetools.TLRUCache`)."""
    return policy.keep_until
