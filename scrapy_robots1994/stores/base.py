"""The contract of stores that last: they move bytes and know nothing of policies.

A store of one's own subclasses `PolicyStore`, and `SharedStore` if several machines or
processes use it at once. It is named by its import path:
`ROBOTS1994_STORE = "mypackage.stores.MyStore://whatever?it=needs"`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from typing_extensions import Self

    from scrapy_robots1994.origin import Origin


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store holds of *origin*: *packed* as it was put, and until when.

    *keep_until* is in seconds since the epoch; past it nobody wants the entry.
    """

    origin: Origin
    packed: bytes
    keep_until: float


class PolicyStore(ABC):
    """Holds one packed answer for each origin, beyond the life of a process.

    All methods run in one asyncio event loop that is not the crawl's, and must not
    block it. What cannot be done is a `StoreError` with one printable sentence; a
    caller takes any other exception for one. Whoever calls sets a time limit and
    cancels past it: a store must survive that, and may be slow or away as long as it
    likes. Entries past their `keep_until` may go at any moment.
    """

    @classmethod
    @abstractmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """The store that *url* names; opens nothing yet.

        *timeout* is the time limit of the caller in seconds, so that a store can give
        up by itself in time. Raises `SettingsError` with a sentence that says what to
        write instead.
        """

    @abstractmethod
    async def get(self, origin: Origin) -> bytes | None:
        """What was put last for *origin*, or `None`."""

    @abstractmethod
    async def put(self, stored: Stored) -> None:
        """Hold *stored* in place of what is held of its origin.

        Once this returned, what was put outlives the death of this process.
        """

    @abstractmethod
    async def forget(self, origin: Origin) -> bool:
        """Hold nothing of *origin* any more; whether there was something."""

    @abstractmethod
    def entries(self) -> AsyncIterator[Stored]:
        """Everything held, in no order; the store may be changed meanwhile."""

    @abstractmethod
    async def close(self) -> None:
        """Give back connections, files and threads; also where nothing was opened."""


class SharedStore(PolicyStore):
    """A store in which workers also agree on who fetches: by leases that run out."""

    @abstractmethod
    async def lease(self, origin: Origin, holder: str, seconds: float) -> bool:
        """Let *holder* alone fetch *origin*, from now on for *seconds*.

        `True` also for who holds it already, whose time then begins anew. `False`
        while another one holds it.
        """

    @abstractmethod
    async def unlease(self, origin: Origin, holder: str) -> None:
        """End the lease of *origin*, if *holder* has it, and wake all who wait."""

    @abstractmethod
    async def wait(self, origin: Origin, seconds: float) -> None:
        """Return when a lease of *origin* ended, at the latest after *seconds*.

        Also when it ended after `lease` was refused and before this was called.
        """
