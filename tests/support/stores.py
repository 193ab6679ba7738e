"""Stores as users write them: a read-only store, and stores that violate their contract."""

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
    """A folder with a file for each origin. It is read-only without `?fill=1` in the URL."""

    def __init__(self, folder: str, *, fills: bool) -> None:
        self._folder = Path(folder)
        self._fills = fills

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - needs no time
        """Return the store of a folder."""
        parts = urlsplit(f"file:{url.partition(':')[2]}")
        return cls(parts.path, fills="fill" in parse_qs(parts.query))

    def _path(self, origin: Origin) -> Path:
        """Return the file of *origin*."""
        return self._folder / quote(str(origin), safe="")

    def get(self, origin: Origin) -> bytes | None:
        """Return the bytes of *origin*, or `None`."""
        path = self._path(origin)
        return path.read_bytes() if path.exists() else None

    def put(self, stored: Stored) -> None:
        """Store *stored*; do nothing without `?fill=1`."""
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
    """A store that stores nothing, but fulfils the contract otherwise."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - not needed
        """Make a store from any URL."""
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
    """`get`, `put` and `close` raise SystemExit, as a script would."""

    def get(self, origin: Origin) -> bytes | None:
        """Exit."""
        raise SystemExit(3)

    def put(self, stored: Stored) -> None:
        """Exit."""
        raise KeyboardInterrupt

    def close(self) -> None:
        """Exit."""
        raise SystemExit(3)


class Stutters(FolderStore):
    """A store whose first `get` in each process fails."""

    calls = 0

    def get(self, origin: Origin) -> bytes | None:
        """Fail once."""
        Stutters.calls += 1
        if Stutters.calls == 1:
            raise StoreError("away for a moment")
        return super().get(origin)


class HangsInGet(Forgetful):
    """`get` never returns."""

    def get(self, origin: Origin) -> bytes | None:
        """Wait for ever."""
        threading.Event().wait()
        return None


class HangsInPut(Forgetful):
    """`put` never returns."""

    def put(self, stored: Stored) -> None:
        """Wait for ever, in C code."""
        time.sleep(1_000_000)


class HangsInClose(Forgetful):
    """`close` never returns."""

    def close(self) -> None:
        """Wait for ever for a lock."""
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Shared(Forgetful, SharedStore):
    """A store with leases, which always grants them."""

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Grant the lease."""
        return Lease(granted=True)

    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release nothing."""


class HangsInFromUrl(Forgetful):
    """`from_url` never returns, except in the main thread, where the URL is checked."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Wait for ever in the thread of the store."""
        if threading.current_thread() is not threading.main_thread():
            threading.Event().wait()
        return super().from_url(url, timeout=timeout)


class HangsInLease(Shared):
    """`acquire_lease` never returns."""

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Wait for ever."""
        threading.Event().wait()
        raise AssertionError


class HangsInRelease(Shared):
    """`release_lease` never returns."""

    def release_lease(self, origin: Origin, holder: str) -> None:
        """Wait for ever."""
        threading.Event().wait()


class ReturnsAnything(Shared):
    """`get` and `acquire_lease` return values of types that the contract does not allow."""

    def get(self, origin: Origin) -> Any:
        """Return a number, which `bytes` would turn into gigabytes."""
        return 9_000_000_000

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Any:
        """Return something other than a lease."""
        return True


class LeasesLater(Shared):
    """Another worker has the lease when it is first requested."""

    calls = 0

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Deny the lease once."""
        self.calls += 1
        return Lease(granted=self.calls > 1)

    def put(self, stored: Stored) -> None:
        """Fail, so that something is reported."""
        raise OSError(28, "no space left")


class OwnStore(FolderStore):
    """A store that records the arguments of `from_url`."""

    url = ""
    timeout = 0.0

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Record the arguments."""
        store = super().from_url(url, timeout=timeout)
        store.url, store.timeout = url, timeout
        return store


class Telling(OwnStore):
    """A store whose error message contains its password."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - it fails before
        """Fail."""
        password = url.rpartition("@")[0].rpartition(":")[2]
        raise ValueError(f"no login with {unquote(password)}")


class Unfinished(PolicyStore):
    """A store that lacks all methods but `from_url`."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - it fails before
        """Fail, because the class is abstract."""
        return cls()
