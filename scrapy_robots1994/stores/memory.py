"""The policies in the memory of this process. If they exceed a limit, the least recently
used policies are removed.
"""

from collections.abc import Callable

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.stores.url import MEMORY_BYTES

POLICY_BYTES = 1_300
"""Bytes of a policy without its file: the policy, its origin, and its entries in caches."""


class MemoryStore:
    """Stores at most *max_origins* policies, with at most *max_bytes* bytes in all.

    The size of a policy includes its file and the compiled rules of the file. The policy
    that was stored last is never removed to make room. *clock* returns seconds since the
    epoch. `get` removes a policy whose `keep_until` is past.
    """

    def __init__(
        self,
        max_origins: int,
        clock: Callable[[], float],
        max_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._clock = clock
        self._max_origins = max_origins
        self._policies: LRUCache[Origin, Policy] = LRUCache(
            max_bytes, lambda policy: min(bytes_of(policy), max_bytes)
        )

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale, or `None`."""
        policy = self._policies.get(origin)
        if policy is None or self._clock() < policy.keep_until:
            return policy
        del self._policies[origin]
        return None

    def put(self, policy: Policy) -> None:
        """Store *policy*, and replace any older policy of its origin."""
        self._policies[policy.origin] = policy
        if len(self._policies) > self._max_origins:
            self._policies.popitem()

    def measure(self, policy: Policy) -> None:
        """Count the bytes of *policy* again, because its rules have been compiled."""
        if self._policies.get(policy.origin) is policy:
            self.put(policy)


def bytes_of(policy: Policy) -> int:
    """Return about how many bytes *policy* takes with its origin and its file."""
    # These texts are usually short, but a URL or a header may have any length.
    texts = policy.origin.host, policy.final_url, policy.etag, policy.last_modified
    own_bytes = POLICY_BYTES + sum(len(text) for text in texts if text)
    return own_bytes + (0 if policy.robots is None else policy.robots.memory_bytes)
