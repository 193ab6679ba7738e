"""Stores for policies (in memory, in SQLite and in Redis), and the contract for
user-defined stores.
"""

from scrapy_robots1994.stores.base import Lease, PolicyStore, SharedStore, Stored

__all__ = ["Lease", "PolicyStore", "SharedStore", "Stored"]
