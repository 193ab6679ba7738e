"""Stores of users that violate the contract."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from typing_extensions import Self

from tests.support.folder_store import FolderStore


class Raises(FolderStore):
    """Its errors contain credentials."""

    def get(self, origin: str) -> Any:
        """Fail."""
        raise ValueError(f"cannot log in to db://me:hunter2@db.test for {origin}")


class ReadOnly(FolderStore):
    """Nothing can be put into it."""

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        """Fail."""
        raise OSError(28, "no space left")


class KeepsFirst(FolderStore):
    """It ignores every later entry of an origin."""

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        """Store the first entry."""
        if not self.path(origin).exists():
            super().put(origin, entry, keep_until)


class ReturnsAnything(FolderStore):
    """`bytes()` of what it returns would take gigabytes."""

    def get(self, origin: str) -> Any:
        """Return a number."""
        return 9_000_000_000


class Asynchronous(FolderStore):
    """Its methods are coroutines."""

    async def get(self, origin: str) -> Any:  # type: ignore[override]  # the mistake
        """Return nothing."""


class LeasesFail(FolderStore):
    """It gives a lease to nobody, and fails to end one."""

    def lease(self, origin: str, seconds: float) -> bool:
        """Fail."""
        raise ConnectionError("gone")

    release = lease


class FailsToClose(FolderStore):
    """It cannot be closed."""

    def close(self) -> None:
        """Fail."""
        raise ConnectionError("gone")


class Telling(FolderStore):
    """Its error contains the password in the URL."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - never used
        """Fail."""
        password = url.rpartition("@")[0].rpartition(":")[2]
        raise ValueError(f"no login with {unquote(password)}")
