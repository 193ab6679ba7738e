"""A custom store fulfils the contract of all stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stores.contract import StoreContract
from tests.stores.folder_store import FolderStore
from tests.stores.guarded_store import SyncStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stores.clock import FakeClock


class TestFolderStore(StoreContract):
    """A store written from the documentation alone."""

    def new_store(self, clock: FakeClock, folder: Path) -> SyncStore:
        """Make the store from its URL."""
        url = f"tests.stores.folder_store.FolderStore://{folder}/x"
        return SyncStore(lambda: FolderStore.from_url(url, timeout=2), clock)
