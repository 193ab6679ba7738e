"""Stores as users write them: a read-only store, and stores that violate the contract."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from typing_extensions import Self

from scrapy_robots1994 import Origin, StoreError
from scrapy_robots1994.stores.base import Lease, PolicyStore, SharedStore, Stored
from tests.support.folder_store import FolderStore


class ReadOnlyFolder(PolicyStore):
    """A folder with a file for each origin. The store is read-only unless the URL has a `fill`
    parameter.
    """

    def __init__(self, folder: str, *, fills: bool) -> None:
        self._folder = Path(folder)
        self._fills = fills

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - not needed
        """Return the store of the folder in *url*."""
        parts = urlsplit(f"file:{url.partition(':')[2]}")
        return cls(parts.path, fills="fill" in parse_qs(parts.query))

    def _path(self, origin: Origin) -> Path:
        """Return the path of the file of *origin*."""
        return self._folder / quote(str(origin), safe="")

    def get(self, origin: Origin) -> bytes | None:
        """Return the stored bytes for *origin*, or `None`."""
        path = self._path(origin)
        return path.read_bytes() if path.exists() else None

    def put(self, stored: Stored) -> None:
        """Write *stored*, unless the store is read-only."""
        if self._fills:
            self._path(stored.origin).write_bytes(stored.packed)

    def forget(self, origin: Origin) -> bool:
        """Delete nothing."""
        return False

    def entries(self) -> Iterator[Stored]:
        """Yield nothing."""
        return iter(())

    def close(self) -> None:
        """Close nothing."""


class Forgetful(PolicyStore):
    """A store that stores nothing, but otherwise fulfils the contract of stores."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - not needed
        """Return a store, whatever the URL is."""
        return cls()

    def get(self, origin: Origin) -> bytes | None:
        """Return nothing."""
        return None

    def put(self, stored: Stored) -> None:
        """Store nothing."""

    def forget(self, origin: Origin) -> bool:
        """Delete nothing."""
        return False

    def entries(self) -> Iterator[Stored]:
        """Yield nothing."""
        return iter(())

    def close(self) -> None:
        """Close nothing."""


class KeepsNothing(Forgetful):
    """A store to which nothing can be written."""

    def put(self, stored: Stored) -> None:
        """Fail."""
        raise StoreError("the disk is full")


class Raises(Forgetful):
    """A store whose methods raise an error that contains credentials."""

    def get(self, origin: Origin) -> Any:
        """Fail."""
        raise ValueError("cannot log in to db://me:hunter2@db.test with hunter2")

    put = forget = close = get  # type: ignore[assignment]  # wrong on purpose


class Asynchronous(Forgetful):
    """A store whose methods are coroutines."""

    async def get(self, origin: Origin) -> Any:  # type: ignore[override]  # wrong on purpose
        """Return nothing."""


class Exits(Forgetful):
    """A store whose `get` and `close` raise SystemExit, and whose `put` raises
    KeyboardInterrupt.
    """

    def get(self, origin: Origin) -> bytes | None:
        """Exit."""
        raise SystemExit(3)

    def put(self, stored: Stored) -> None:
        """Raise the exception of Ctrl-C."""
        raise KeyboardInterrupt

    def close(self) -> None:
        """Exit."""
        raise SystemExit(3)


class Stutters(FolderStore):
    """A store whose first `get` in each process fails."""

    calls = 0

    def get(self, origin: Origin) -> bytes | None:
        """Fail at the first call in the process."""
        Stutters.calls += 1
        if Stutters.calls == 1:
            raise StoreError("away for a moment")
        return super().get(origin)


class HangsInGet(Forgetful):
    """A store whose `get` never returns."""

    def get(self, origin: Origin) -> bytes | None:
        """Wait for ever."""
        threading.Event().wait()
        return None


class HangsInPut(Forgetful):
    """A store whose `put` never returns."""

    def put(self, stored: Stored) -> None:
        """Wait for ever, in C code."""
        time.sleep(1_000_000)


class HangsInClose(Forgetful):
    """A store whose `close` never returns."""

    def close(self) -> None:
        """Wait for ever for a lock."""
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Shared(Forgetful, SharedStore):
    """A store that grants every lease."""

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Grant the lease."""
        return Lease(granted=True)

    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release nothing."""


class HangsInFromUrl(Forgetful):
    """A store whose `from_url` never returns, except in the main thread.

    The main thread checks the URL.
    """

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Wait for ever, unless the method runs in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            threading.Event().wait()
        return super().from_url(url, timeout=timeout)


class HangsInLease(Shared):
    """A store whose `acquire_lease` never returns."""

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Wait for ever."""
        threading.Event().wait()
        raise AssertionError


class HangsInRelease(Shared):
    """A store whose `release_lease` never returns."""

    def release_lease(self, origin: Origin, holder: str) -> None:
        """Wait for ever."""
        threading.Event().wait()


class ReturnsAnything(Shared):
    """A store whose `get` and `acquire_lease` return values that violate the contract."""

    def get(self, origin: Origin) -> Any:
        """Return a number. The result of `bytes()` for this number would take gigabytes."""
        return 9_000_000_000

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Any:
        """Return something other than a lease."""
        return True


class LeasesLater(Shared):
    """A store that denies the first request for a lease, as if another worker had this
    lease.
    """

    calls = 0

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Deny the first lease, and grant every later lease."""
        self.calls += 1
        return Lease(granted=self.calls > 1)

    def put(self, stored: Stored) -> None:
        """Fail, so that the crawl reports an error of the store."""
        raise OSError(28, "no space left")


class OwnStore(FolderStore):
    """A store that records the arguments of `from_url`."""

    url = ""
    timeout = 0.0

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Return a store with the arguments as attributes."""
        store = super().from_url(url, timeout=timeout)
        store.url, store.timeout = url, timeout
        return store


class Telling(OwnStore):
    """A store whose errors contain the password from the store URL."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - not needed
        """Fail with the password in the message."""
        password = url.rpartition("@")[0].rpartition(":")[2]
        raise ValueError(f"no login with {unquote(password)}")


class Unfinished(PolicyStore):
    """A store that has no method except `from_url`."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - not needed
        """Fail, because the class is abstract."""
        return cls()
