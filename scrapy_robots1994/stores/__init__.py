"""Stores for policies: in memory, in SQLite, in Redis, and the contract of other stores."""

from scrapy_robots1994.stores.base import Lease, PolicyStore, SharedStore, Stored

__all__ = ["Lease", "PolicyStore", "SharedStore", "Stored"]
