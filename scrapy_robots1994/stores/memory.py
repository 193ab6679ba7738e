"""The policies in the memory of one crawl, the least recently used removed first."""

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy

POLICY_BYTES = 1_300
"""Memory of a policy without its file, with its origin and its entry."""


def policy_memory(max_origins: int, max_bytes: int) -> LRUCache[Origin, Policy]:
    """Return a cache of at most *max_origins* policies, of at most *max_bytes* bytes
    together.

    The policy that was put last stays, even if it alone is larger. Prepare a policy before
    it is put, and put it again when it has grown: it is measured when it is put.
    """
    # Each counts as its share at least, and so many fit.
    share = -(-max_bytes // max_origins)

    def size_of(policy: Policy) -> int:
        texts = len(policy.origin.host) + len(policy.final_url or "")
        taken = POLICY_BYTES + texts + policy.stated.memory_bytes
        return min(max(taken, share), max_bytes)

    return LRUCache(max_bytes, size_of)
