"""The policies in the memory of one crawl, the least recently used removed first."""

from cachetools import LRUCache

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy


def policy_memory(max_origins: int, max_bytes: int) -> LRUCache[Origin, Policy]:
    """Return a cache of at most *max_origins* policies, of at most *max_bytes* bytes
    together.

    The policy that was put last stays, even if it alone is larger. Put a policy again when
    it has grown: it is measured when it is put.
    """
    # Each counts as its share at least, and so many fit.
    share = -(-max_bytes // max_origins)

    def size_of(policy: Policy) -> int:
        return min(max(policy.memory_bytes, share), max_bytes)

    return LRUCache(max_bytes, size_of)
