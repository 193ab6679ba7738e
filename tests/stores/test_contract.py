"""Every store keeps the contract: ours, and one as a user writes it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tests.stores.contract import LeasingContract, StoreContract
from tests.support.redis_server import RedisServer


class TestFolderStore(StoreContract):
    """The store of a user."""

    def url(self, folder: Path) -> str:
        """Begin with the import path of the class."""
        return f"tests.support.folder_store.FolderStore://{folder}/x"


class TestSqliteStore(StoreContract):
    """The store in a file."""

    def url(self, folder: Path) -> str:
        """Name a file that does not exist."""
        return f"sqlite:///{folder}/robots.db?timeout=20"


@pytest.mark.redis
class TestRedisStore(LeasingContract):
    """The store in a real redis-server."""

    @pytest.fixture(autouse=True)
    def _on(self, server: RedisServer, prefix: str) -> None:
        self._url = f"{server.url}?prefix={prefix}{quote('[*?')}&timeout=20"

    def url(self, folder: Path) -> str:
        """Use a prefix that no other test has."""
        return self._url
