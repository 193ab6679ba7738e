"""The store for policies in the memory of this process. If the policies exceed a limit, the
least recently used policies are removed.
"""

import sys
from collections.abc import Callable
from functools import partial

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.stores.url import MEMORY_BYTES

POLICY_BYTES = 1_300
"""Approximate number of bytes that a policy takes in memory without its file. The number
includes the origin and the cache entries of the policy.
"""


class MemoryStore:
    """Stores at most *max_origins* policies. The total size of the policies is limited to
    *max_bytes* bytes.

    The size of a policy includes its file and the compiled rules of the file. The policy
    that was stored last is never removed to make room, even if it alone is larger than
    *max_bytes*. *clock* returns the time in seconds since the epoch. `get` removes a
    policy whose `keep_until` has passed.
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
            max_bytes, partial(bytes_of, most=max_bytes)
        )

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale. Return `None` if no policy is
        stored.
        """
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
        """Measure the size of *policy* again. Call this method after rules of *policy* are
        compiled, because the compiled rules belong to the size of *policy*.
        """
        if self._policies.get(policy.origin) is policy:
            self.put(policy)


def bytes_of(policy: Policy, most: int = sys.maxsize) -> int:
    """Return the approximate number of bytes that *policy* takes in memory, including its
    origin and its file. The result is at most *most*.
    """
    # Most of the strings in `texts` are short, but a URL or a header can be long.
    texts = policy.origin.host, policy.final_url, policy.etag, policy.last_modified
    own_bytes = POLICY_BYTES + sum(map(len, filter(None, texts)))
    return min(own_bytes + policy.stated.memory_bytes, most)
