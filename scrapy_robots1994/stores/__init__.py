"""Floor 3: where policies rest."""

from __future__ import annotations

from scrapy_robots1994.stores.base import PolicyStore, SharedStore, Stored
from scrapy_robots1994.stores.memory import MemoryStore
from scrapy_robots1994.stores.url import StoreUrl, locate

__all__ = ["MemoryStore", "PolicyStore", "SharedStore", "StoreUrl", "Stored", "locate"]
