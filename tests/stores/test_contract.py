"""Our stores, and an example of a user's own store, pass the contract tests."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tests.stores.contract import LeasingContract, StoreContract
from tests.support.redis_server import RedisServer


class TestFolderStore(StoreContract):
    def url(self, folder: Path) -> str:
        return f"tests.support.folder_store.FolderStore://{folder}/x"


class TestSqliteStore(StoreContract):
    def url(self, folder: Path) -> str:
        return f"sqlite:///{folder}/robots.db?timeout=20"


@pytest.mark.redis
class TestRedisStore(LeasingContract):
    @pytest.fixture(autouse=True)
    def _on(self, server: RedisServer, prefix: str) -> None:
        self._url = f"{server.url}?prefix={prefix}{quote('[*?')}&timeout=20"

    def url(self, folder: Path) -> str:
        return self._url
