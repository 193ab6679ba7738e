"""Stores that break the contract of stores, each in its own way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.stores import PolicyStore, Stored

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from typing_extensions import Self

    from scrapy_robots1994.origin import Origin


class Forgetful(PolicyStore):
    """A store that holds nothing, and breaks no rule yet."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - it needs none
        """Make one, whatever its URL."""
        return cls()

    async def get(self, origin: Origin) -> bytes | None:
        """Nothing."""
        return None

    async def put(self, stored: Stored) -> None:
        """Hold nothing."""

    async def forget(self, origin: Origin) -> bool:
        """There was nothing."""
        return False

    async def entries(self) -> AsyncIterator[Stored]:
        """Nothing."""
        nothing: tuple[Stored, ...] = ()
        for stored in nothing:
            yield stored

    async def close(self) -> None:
        """Close nothing."""


class RaisesAtTheCall(Forgetful):
    """Its methods are no coroutines, and fail before anything can be awaited."""

    def get(self, origin: Origin) -> Any:
        """Fail."""
        raise ValueError("no coroutine")

    def put(self, stored: Stored) -> Any:
        """Fail."""
        raise ValueError("no coroutine")

    def close(self) -> Any:
        """Fail."""
        raise ValueError("no coroutine")


class Exits(Forgetful):
    """It gives up as a script would."""

    async def get(self, origin: Origin) -> bytes | None:
        """End everything."""
        raise SystemExit(3)

    async def put(self, stored: Stored) -> None:
        """End everything."""
        raise KeyboardInterrupt

    async def close(self) -> None:
        """End everything."""
        raise SystemExit(3)


class ExitsBeside(Forgetful):
    """What it started by itself ends the loop, and it only waits for that."""

    async def get(self, origin: Origin) -> bytes | None:
        """Let something else end everything."""
        asyncio.get_running_loop().call_soon(self._exit)
        await asyncio.sleep(3600)
        return None

    @staticmethod
    def _exit() -> None:
        """End everything."""
        raise SystemExit(3)
