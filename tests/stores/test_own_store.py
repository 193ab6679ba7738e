"""A store of the user fulfils the contract of all stores."""

from __future__ import annotations

from pathlib import Path

from tests.stores.contract import StoreContract


class TestFolderStore(StoreContract):
    """A store written from the documentation alone."""

    def url(self, folder: Path) -> str:
        """Return its URL, which begins with the import path of the class."""
        return f"tests.support.folder_store.FolderStore://{folder}/x"
