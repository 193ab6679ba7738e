"""The policies that a crawl keeps in memory."""

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy

POLICY_BYTES = 1_300
"""The estimated size of a policy without its file."""


def policy_memory(max_origins: int, max_bytes: int) -> LRUCache[Origin, Policy]:
    """Return a cache of up to *max_origins* policies and *max_bytes* bytes.

    The newest policy stays even if it alone exceeds *max_bytes*. After a policy has grown, put it
    into the cache again, so that its new size counts.
    """
    # Every policy counts as at least this many bytes, so that at most *max_origins* fit.
    share = -(-max_bytes // max_origins)

    def size_of(policy: Policy) -> int:
        texts = len(policy.origin.host) + len(policy.final_url or "")
        taken = POLICY_BYTES + texts + policy.stated.memory_bytes
        return min(max(taken, share), max_bytes)

    return LRUCache(max_bytes, size_of)
