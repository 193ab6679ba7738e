"""Stores with faults, or with unusual rules for keeping entries."""

from __future__ import annotations

import os
import time
from typing import Any
from urllib.parse import unquote

from typing_extensions import Self

from tests.support.folder_store import FolderStore


class Raises(FolderStore):
    def get(self, origin: str) -> Any:
        raise ValueError(f"cannot log in to db://me:hunter2@db.test for {origin}")


class ReadOnly(FolderStore):
    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        raise OSError(28, "no space left")


class KeepsFirst(FolderStore):
    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        if not self.path(origin).exists():
            super().put(origin, entry, keep_until)


class Forgets(FolderStore):
    """Forgets entries as soon as they expire, as stores may do."""

    def get(self, origin: str) -> bytes | None:
        path = self.path(origin)
        is_kept = path.exists() and path.stat().st_mtime > time.time()
        return super().get(origin) if is_kept else None

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        super().put(origin, entry, keep_until)
        os.utime(self.path(origin), (0, keep_until))


class ReturnsAnything(FolderStore):
    def get(self, origin: str) -> Any:
        return 9_000_000_000  # `bytes(9_000_000_000)` would take 9 GB.


class Asynchronous(FolderStore):
    async def get(self, origin: str) -> Any:  # type: ignore[override]  # the mistake
        """The methods of a store must not be coroutines."""


class LeasesFail(FolderStore):
    def lease(self, origin: str, seconds: float) -> bool:
        raise ConnectionError("gone")

    release = lease


class FailsToClose(FolderStore):
    def close(self) -> None:
        raise ConnectionError("gone")


class Telling(FolderStore):
    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - never used
        password = url.rpartition("@")[0].rpartition(":")[2]
        raise ValueError(f"no login with {unquote(password)}")
