"""The desk before a store: each question has an answer in time, a failure is a miss.

All of it runs in the store's own event loop. Here too it is agreed who fetches: a lease
of the store is held for as long as our fetch runs, renewed while we live.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.policy import UseFresh, decide
from scrapy_robots1994.policy.freshness import CLOCK_SKEW
from scrapy_robots1994.stores.base import SharedStore, Stored
from scrapy_robots1994.stores.circuit_breaker import CircuitBreaker
from scrapy_robots1994.stores.codec import pack

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.stores.base import PolicyStore
    from scrapy_robots1994.stores.url import StoreUrl

T = TypeVar("T")

LEASE: Final = 5.0
"""Seconds after its last sign of life when the lease of a dead worker runs out."""

RENEW_EVERY: Final = LEASE / 4
LOOK_AGAIN: Final = 1.0
"""Seconds after which who waits looks again, though nobody woke it."""


class GuardedStore:
    """Answers for *store*, in about *locator.timeout* seconds whatever the store does.

    *read* makes the policy of a stored form (`packing.unpack`). *longest* is how long
    a fetch may take: no lease is renewed past it, and nobody waits longer for the fetch
    of another.
    """

    def __init__(
        self,
        store: PolicyStore,
        locator: StoreUrl,
        read: Callable[[bytes, Origin], Policy | None],
        longest: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._timeout = locator.timeout
        self._read = read
        self._longest = longest
        self._clock = clock
        self._reading, self._writing = CircuitBreaker.pair(str(locator), time.monotonic)
        self._name = uuid.uuid4().hex
        self._renewing: dict[Origin, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[Any]] = set()

    @property
    def failures(self) -> int:
        """How often the store failed."""
        return self._reading.failures + self._writing.failures

    async def get(self, origin: Origin) -> Policy | None:
        """The policy that the store holds, fresh or stale and not over, or `None`."""
        (packed,) = await self._look(origin) or (None,)
        policy = None if packed is None else self._read(packed, origin)
        return policy if policy and policy.keep_until > self._clock() else None

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait for our turn to fetch *origin*, or for a fresh policy of another's."""
        store = self._store
        if not isinstance(store, SharedStore):
            return None
        give_up = time.monotonic() + self._longest + LEASE
        while time.monotonic() < give_up:
            lease = partial(store.lease, origin, self._name, LEASE)
            is_ours = await self._ask(self._writing, lease)
            if is_ours is None:
                # The store failed: we go on by ourselves.
                return None
            if is_ours:
                self._renew_no_more(origin)
                self._renewing[origin] = asyncio.create_task(self._renew(store, origin))
            elif not self._reading.is_on:
                wait = partial(store.wait, origin, LOOK_AGAIN)
                await self._ask(self._reading, wait, LOOK_AGAIN)
            else:
                # Reading rests after a failure; asking for the lease must not spin.
                await asyncio.sleep(LOOK_AGAIN)
            # Also with the lease in hand: another may have ended just before.
            policy = await self.get(origin)
            if isinstance(decide(policy, self._clock()), UseFresh):
                return policy
            if is_ours:
                return None
        return None

    async def release_lease(self, origin: Origin, made: Policy | None) -> None:
        """Hold what was *made*, then let the next one fetch *origin*."""
        ending = asyncio.current_task()
        assert ending is not None  # noqa: S101 - a coroutine of asyncio runs in a task
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        # Before the first wait: who asks meanwhile has a lease of its own.
        was_leased = self._renew_no_more(origin)
        if made is not None and await self._may_hold(made):
            await self._hold(made)
        if (
            was_leased
            and origin not in self._renewing
            and isinstance(self._store, SharedStore)
        ):
            unlease = partial(self._store.unlease, origin, self._name)
            await self._ask(self._writing, unlease)

    async def _may_hold(self, made: Policy) -> bool:
        """Whether *made* may take the place of what the store holds of its origin.

        Ours R5: what the origin stated always may. What we set ourselves, or what only
        stands in, must not end the last good policy, which a read that failed before
        our fetch, or another crawl since then, may have kept from us. (Where a store
        has no leases, two that end in one moment may still pass each other.)
        """
        if made.is_known and not made.is_stale_on_error:
            return True
        looked = await self._look(made.origin)
        if looked is None:
            # A store that does not answer may hold anything.
            return False
        (packed,) = looked
        if packed is None:
            return True
        held = self._read(packed, made.origin)
        # Of another version, or longer than we read: it is not ours to judge.
        return held is not None and _gives_way(held, made, self._clock())

    async def _hold(self, made: Policy) -> None:
        """Put *made*; if it is over by now, nothing older stays in its place."""
        question: Callable[[], Awaitable[object]]
        if made.keep_until > self._clock():
            stored = Stored(made.origin, pack(made), made.keep_until)
            question = partial(self._store.put, stored)
        else:
            question = partial(self._store.forget, made.origin)
        await self._ask(self._writing, question)

    def _renew_no_more(self, origin: Origin) -> bool:
        """Stop renewing the lease of *origin*; whether one was being renewed."""
        renewing = self._renewing.pop(origin, None)
        if renewing is not None:
            renewing.cancel()
        return renewing is not None

    async def close(self) -> None:
        """Close the store once all is written, however it feels about that."""
        if self._ending:
            await asyncio.wait(self._ending, timeout=self._timeout)
        for renewing in self._renewing.values():
            renewing.cancel()
        self._renewing.clear()
        await self._ask(None, self._store.close)

    async def _renew(self, store: SharedStore, origin: Origin) -> None:
        """Keep our lease of *origin* for as long as a fetch may take."""
        end = time.monotonic() + self._longest
        lease = partial(store.lease, origin, self._name, LEASE)
        while time.monotonic() < end:
            await asyncio.sleep(RENEW_EVERY)
            if await self._ask(self._writing, lease) is False:
                return

    async def _look(self, origin: Origin) -> tuple[bytes | None] | None:
        """What the store holds of *origin*, in a tuple; `None` where it did not say."""

        async def look() -> tuple[bytes | None]:
            return (await self._store.get(origin),)

        return await self._ask(self._reading, look)

    async def _ask(
        self,
        side: CircuitBreaker | None,
        question: Callable[[], Awaitable[T]],
        patience: float = 0.0,
    ) -> T | None:
        """The store's answer; `None` where it fails, is late or is left alone.

        *patience* is what the question itself may wait for. Without a *side* it is
        asked in any case, and nobody minds if it fails.
        """
        if side is not None and not side.may_ask():
            return None
        asked = asyncio.create_task(_answer(question))
        try:
            # Not `wait_for`, which waits for who does not mind being cancelled.
            await asyncio.wait({asked}, timeout=self._timeout + patience)
        finally:
            if not asked.done():
                asked.add_done_callback(_never_mind)
                asked.cancel()
        error = _error_of(asked, self._timeout)
        if side is not None:
            side.succeeded() if error is None else side.failed(error)
        return asked.result() if error is None else None


async def _answer(question: Callable[[], Awaitable[T]]) -> T:
    """The store's answer to *question*, which may raise at the call itself."""
    try:
        return await question()
    except (SystemExit, KeyboardInterrupt) as error:
        # Out of a task these two would end the loop, with all who wait in it.
        raise StoreError(f"it raised {error!r}") from error


def _error_of(asked: asyncio.Future[T], timeout: float) -> BaseException | None:
    """Why a question that was waited for has no answer, if it has none."""
    if not asked.done():
        return StoreError(f"no answer within {timeout:g} seconds")
    return StoreError("gave up") if asked.cancelled() else asked.exception()


def _never_mind(asked: asyncio.Future[T]) -> None:
    """Take note of an answer that came too late, so that asyncio does not complain."""
    if not asked.cancelled():
        asked.exception()


def _gives_way(held: Policy, made: Policy, now: float) -> bool:
    """Whether *held* may end for *made*, which the origin did not state by itself."""
    if held.keep_until <= now:
        # It is over, for us as for every other crawl.
        return True
    if not made.is_known:
        return not held.is_known
    # One from the future, by `decide`, is not newer: the clock went back.
    return not (held.is_known and made.fetched_at < held.fetched_at <= now + CLOCK_SKEW)
