"""Floor 3: where policies rest."""

from __future__ import annotations

from scrapy_robots1994.stores.base import PolicyStore, SharedStore, Stored
from scrapy_robots1994.stores.locator import Locator, locate
from scrapy_robots1994.stores.memory import MemoryStore

__all__ = ["Locator", "MemoryStore", "PolicyStore", "SharedStore", "Stored", "locate"]
