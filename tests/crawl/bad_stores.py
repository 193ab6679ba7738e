"""Stores that break the contract of stores, each in its own way."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.stores import Lease, PolicyStore, SharedStore, Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from scrapy_robots1994.origin import Origin


class Forgetful(PolicyStore):
    """A store that stores nothing, and breaks no rule yet."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - it needs none
        """Make one, whatever its URL."""
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


class Raises(Forgetful):
    """Every method fails, and says more than it should."""

    def get(self, origin: Origin) -> Any:
        """Fail."""
        raise ValueError("cannot log in to db://me:hunter2@db.test with hunter2")

    put = forget = close = get  # type: ignore[assignment]  # wrong on purpose


class Asynchronous(Forgetful):
    """Its methods are coroutines."""

    async def get(self, origin: Origin) -> Any:  # type: ignore[override]  # wrong on purpose
        """Return nothing."""


class Exits(Forgetful):
    """It gives up as a script would."""

    def get(self, origin: Origin) -> bytes | None:
        """End everything."""
        raise SystemExit(3)

    def put(self, stored: Stored) -> None:
        """End everything."""
        raise KeyboardInterrupt

    def close(self) -> None:
        """End everything."""
        raise SystemExit(3)


class HangsInGet(Forgetful):
    """It never answers."""

    def get(self, origin: Origin) -> bytes | None:
        """Wait for ever."""
        threading.Event().wait()
        return None


class HangsInPut(Forgetful):
    """It never stores."""

    def put(self, stored: Stored) -> None:
        """Wait for ever, in C code."""
        time.sleep(1_000_000)


class HangsInClose(Forgetful):
    """It never closes."""

    def close(self) -> None:
        """Wait for ever for a thread that is no daemon of ours."""
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Shared(Forgetful, SharedStore):
    """A store with leases, which always grants them."""

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Grant it."""
        return Lease(granted=True)

    def release_lease(
        self, origin: Origin, holder: str, *, failed_for: float = 0.0
    ) -> None:
        """End nothing."""


class HangsInFromUrl(Forgetful):
    """It can be made for its URL to be checked, and never to be used."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Wait for ever in the thread of the store."""
        if threading.current_thread() is not threading.main_thread():
            threading.Event().wait()
        return super().from_url(url, timeout=timeout)


class HangsInLease(Shared):
    """It never says who has a lease."""

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Wait for ever."""
        threading.Event().wait()
        raise AssertionError


class HangsInRelease(Shared):
    """It never ends a lease."""

    def release_lease(
        self, origin: Origin, holder: str, *, failed_for: float = 0.0
    ) -> None:
        """Wait for ever."""
        threading.Event().wait()


class ReturnsAnything(Shared):
    """What it returns is not of the contract."""

    def get(self, origin: Origin) -> Any:
        """Return a number, of which `bytes` would make gigabytes."""
        return 9_000_000_000

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Any:
        """Return no lease."""
        return True

    def ended_leases(self) -> Any:
        """Return no pairs."""
        return [None, 1, "ab", (object(), 1, 2)]


class LeasesForNoTime(Shared):
    """Another worker has the lease for a time that is no number."""

    asked = 0

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Refuse it once, for a time that is no number."""
        self.asked += 1
        return Lease(granted=self.asked > 1, seconds_left=float("nan"))

    def put(self, stored: Stored) -> None:
        """Fail, so that something is reported."""
        raise OSError(28, "no space left")
