"""A store that fails, hangs or refuses as a test says."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

from scrapy_robots1994.stores import SharedStore, Stored
from tests.policy.samples import NOW

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from typing_extensions import Self

    from scrapy_robots1994.origin import Origin


class StubbornStore(SharedStore):
    """A store in a dict that fails, hangs or refuses leases as a test says."""

    def __init__(self) -> None:
        self.held: dict[Origin, bytes] = {}
        self.leases: dict[Origin, str] = {}
        self.error: BaseException | None = None
        self.hangs = False
        self.calls: list[str] = []
        self.called: defaultdict[tuple[str, int], asyncio.Event]
        self.called = defaultdict(asyncio.Event)
        self.woken = asyncio.Event()

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Never asked."""
        raise NotImplementedError

    async def _mood(self, call: str) -> None:
        """Do what every call does first."""
        self.calls.append(call)
        self.called[call, self.calls.count(call)].set()
        if self.error is not None:
            raise self.error
        while self.hangs:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:  # noqa: PERF203 - worse than any real one
                if not self.hangs:
                    raise

    async def get(self, origin: Origin) -> bytes | None:
        """What is held."""
        await self._mood("get")
        return self.held.get(origin)

    async def put(self, stored: Stored) -> None:
        """Hold it."""
        await self._mood("put")
        self.held[stored.origin] = stored.packed

    async def forget(self, origin: Origin) -> bool:
        """Hold it no more."""
        await self._mood("forget")
        return self.held.pop(origin, None) is not None

    async def entries(self) -> AsyncIterator[Stored]:
        """Nothing."""
        for origin, packed in self.held.items():
            yield Stored(origin, packed, NOW)

    async def close(self) -> None:
        """Close nothing."""
        await self._mood("close")

    async def lease(self, origin: Origin, holder: str, seconds: float) -> bool:
        """First come, first served."""
        await self._mood("lease")
        return self.leases.setdefault(origin, holder) == holder

    async def unlease(self, origin: Origin, holder: str) -> None:
        """End it and wake all."""
        await self._mood("unlease")
        if self.leases.get(origin) == holder:
            del self.leases[origin]
            self.woken.set()

    async def wait(self, origin: Origin, seconds: float) -> None:
        """Wait until somebody is through."""
        await self._mood("wait")
        await asyncio.wait_for(self.woken.wait(), seconds)
