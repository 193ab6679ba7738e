"""Floor 3: where policies rest."""

from __future__ import annotations

from .locator import Locator, locate
from .memory import MemoryStore

__all__ = ["Locator", "MemoryStore", "locate"]
