"""Where policies are stored: memory, SQLite, Redis, and the contract of other stores."""

from scrapy_robots1994.stores.base import Lease, PolicyStore, SharedStore, Stored
from scrapy_robots1994.stores.memory import MemoryStore
from scrapy_robots1994.stores.url import StoreUrl

__all__ = ["Lease", "MemoryStore", "PolicyStore", "SharedStore", "StoreUrl", "Stored"]
