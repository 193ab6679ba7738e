"""Stores that break the contract of stores, each in its own way."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.stores import PolicyStore, Stored

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
