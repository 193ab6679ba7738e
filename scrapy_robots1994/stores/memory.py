"""The policies in the memory of one crawl, the least recently used removed first."""

from collections.abc import Callable

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy


class MemoryStore:
    """At most *max_origins* policies, of at most *max_bytes* bytes together.

    The policy that was put last stays, even if it alone is larger. *clock* returns the
    seconds since the epoch.
    """

    def __init__(
        self, max_origins: int, max_bytes: int, clock: Callable[[], float]
    ) -> None:
        self._max_origins = max_origins
        self._clock = clock
        self._policies: LRUCache[Origin, Policy] = LRUCache(
            max_bytes, lambda policy: min(policy.memory_bytes, max_bytes)
        )

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale, until its `keep_until`."""
        policy = self._policies.get(origin)
        if policy is None or self._clock() < policy.keep_until:
            return policy
        del self._policies[origin]
        return None

    def put(self, policy: Policy) -> None:
        """Replace the policy of its origin."""
        self._policies[policy.origin] = policy
        if len(self._policies) > self._max_origins:
            self._policies.popitem()

    def measure(self, policy: Policy) -> None:
        """Take the size of *policy* anew, as it grows with each robot name it is read for."""
        if self._policies.get(policy.origin) is policy:
            self.put(policy)
