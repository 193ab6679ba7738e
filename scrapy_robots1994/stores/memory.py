"""The policies in the memory of one crawl."""

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy

POLICY_BYTES = 1_300
"""The estimated bytes of a policy with its origin and its cache entry, but without its file."""


def policy_memory(max_origins: int, max_bytes: int) -> LRUCache[Origin, Policy]:
    """Return a cache that holds at most *max_origins* policies, and *max_bytes* bytes in total.

    The least recently used policy is removed first. The newest stays even if it alone is larger. A
    policy is measured when it is put, so prepare it before, and put it again when it has grown.
    """
    # Every policy counts as at least this share, so at most *max_origins* fit.
    share = -(-max_bytes // max_origins)

    def size_of(policy: Policy) -> int:
        texts = len(policy.origin.host) + len(policy.final_url or "")
        taken = POLICY_BYTES + texts + policy.stated.memory_bytes
        return min(max(taken, share), max_bytes)

    return LRUCache(max_bytes, size_of)
