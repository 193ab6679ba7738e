"""A lasting store behind its desk, for tests that are no coroutines."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_robots1994.policy.reader import Reader
from scrapy_robots1994.stores import PolicyStore, Stored, StoreUrl
from scrapy_robots1994.stores.codec import unpack
from scrapy_robots1994.stores.guarded import GuardedStore
from tests.policy.samples import TERMS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from typing_extensions import Self

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy

T = TypeVar("T")
READER = Reader("1994", "literal", 512_000)
LONGEST = 180.0


def new_desk(
    store: PolicyStore,
    clock: Callable[[], float],
    *,
    timeout: float = 5.0,
    longest: float = LONGEST,
) -> GuardedStore:
    """Make a desk before *store* as a crawl with default settings has it."""
    locator = StoreUrl(url="test://store", timeout=timeout)
    read = partial(unpack, reader=READER, terms=TERMS)
    return GuardedStore(store, locator, read, longest, clock)


async def _next(entries: AsyncIterator[Stored]) -> Stored:
    """The next of *entries*, as a coroutine, which `anext` does not promise to be."""
    return await anext(entries)


class Loop:
    """An event loop that a test drives, closed after it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run *work* to its end."""
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        """End the loop; nothing of a store may still run in it."""
        left = asyncio.all_tasks(self._loop)
        self._loop.close()
        assert not left


class Held:
    """Policies in a lasting store, asked one at a time (`contract.Holder`)."""

    def __init__(self, store: PolicyStore, clock: Callable[[], float]) -> None:
        self.loop = Loop()
        self._store = store
        self._clock = clock
        self.desk = new_desk(store, clock)

    def __enter__(self) -> Self:
        """Open nothing; a store opens itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the store and the loop."""
        self.loop.run(self.desk.close())
        self.loop.close()

    def get(self, origin: Origin) -> Policy | None:
        """The policy held, read from its stored form."""
        return self.loop.run(self.desk.get(origin))

    def put(self, policy: Policy) -> None:
        """Hold the stored form of *policy*."""
        self.loop.run(self.desk.release_lease(policy.origin, policy))

    def forget(self, origin: Origin) -> bool:
        """Hold nothing of *origin*."""
        return self.loop.run(self._store.forget(origin))

    def __iter__(self) -> Iterator[Policy]:
        """Every policy that is not over, as it comes."""
        entries = self._store.entries()
        while True:
            try:
                stored = self.loop.run(_next(entries))
            except StopAsyncIteration:
                return
            policy = unpack(stored.packed, stored.origin, READER, TERMS)
            assert policy is not None
            assert policy.keep_until == stored.keep_until
            if policy.keep_until > self._clock():
                yield policy

    def __len__(self) -> int:
        """How many there are."""
        return sum(1 for _ in self)
