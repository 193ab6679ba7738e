"""The same with a store that answers late, wrongly or never."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import precondition, rule

from scrapy_robots1994.policy import Policy
from tests.policy.samples import READER
from tests.resolver.drivers import AsyncioDriver, TwistedDriver
from tests.resolver.harness import FILE, FRESHNESS, ResolverHarness
from tests.resolver.test_every_order import MANY, EveryOrder

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from tests.resolver.drivers import Driver, Pending

AGES = {"fresh": 0.0, "stale": 120.0, "old": 5_000.0, "ahead": -500.0}


@dataclass(frozen=True, slots=True)
class StoreRead:
    """One read of the store that has no answer yet."""

    origin: Origin
    answer: Pending[Any]


class LateStore:
    """A store that the test answers for (`backend.Store`)."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.reads: list[StoreRead] = []
        self.released: list[Policy | None] = []

    async def get(self, origin: Origin) -> Policy | None:
        """Wait for the test."""
        return await self._read(origin)

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait for the test."""
        return await self._read(origin)

    async def _read(self, origin: Origin) -> Policy | None:
        read = StoreRead(origin, self.driver.pending())
        self.reads.append(read)
        stored: Policy | None = await read.answer
        return stored

    def release_lease(
        self, origin: Origin, made: Policy | None, *, aborted: bool = False
    ) -> None:
        """Record it."""
        self.released.append(made)


class EveryOrderStored(EveryOrder):
    """Store answers, store failures and everything else in every order."""

    # A waiter released with a stale policy may be released again by its refresh.
    most_releases = 2

    def new_harness(self) -> ResolverHarness:
        """Make a resolver with a store."""
        driver = self.driver_class()
        self.store = LateStore(driver)
        return ResolverHarness(driver, store=self.store, max_retries=2)

    def known(self) -> list[Policy]:
        """Return the policies built from answers, and those of the store."""
        return [*self.backend.fetched, *self.backend.loaded]

    def open_reads(self) -> list[StoreRead]:
        """Return the reads of the store without an answer."""
        return [read for read in self.store.reads if read.answer.is_open]

    def at_work(self) -> set[Origin]:
        """Return the origins being fetched or read from the store."""
        return super().at_work() | {read.origin for read in self.open_reads()}

    def close_others(self) -> None:
        """Answer every read of the store with nothing."""
        while reads := self.open_reads():
            for read in reads:
                read.answer.settle(None)
            self.harness.driver.turn()

    @precondition(lambda self: self.open_reads())
    @rule(data=st.data(), age=st.sampled_from(sorted(AGES)))
    def store_knows(self, data: st.DataObject, age: str) -> None:
        """The store answers with a policy of some age."""
        read = data.draw(st.sampled_from(self.open_reads()))
        at = self.harness.clock.now - AGES[age]
        read.answer.settle(
            Policy.from_response(read.origin, FILE, READER, at, FRESHNESS)
        )

    @precondition(lambda self: self.open_reads())
    @rule(data=st.data())
    def store_knows_nothing(self, data: st.DataObject) -> None:
        """The store has no entry, or failed, which is the same to the resolver."""
        data.draw(st.sampled_from(self.open_reads())).answer.settle(None)

    @precondition(lambda self: self.open_reads())
    @rule(data=st.data())
    def store_raises(self, data: st.DataObject) -> None:
        """A store that raises, which it never should, permits nothing either."""
        read = data.draw(st.sampled_from(self.open_reads()))
        read.answer.fail(ZeroDivisionError())


class OnAsyncio(EveryOrderStored):
    """A released request resumes in a later turn."""

    driver_class = AsyncioDriver


class OnTwisted(EveryOrderStored):
    """A released request resumes at once."""

    driver_class = TwistedDriver


FEWER = settings(MANY, max_examples=50)

TestOnAsyncio = OnAsyncio.TestCase
TestOnAsyncio.settings = FEWER
TestOnTwisted = OnTwisted.TestCase
TestOnTwisted.settings = FEWER
