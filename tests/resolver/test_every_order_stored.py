"""`test_every_order` with a store that answers late, fails or has an old policy."""

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
    """One read of the store, and its answer."""

    origin: Origin
    answer: Pending[Any]


class LateStore:
    """A store whose answers are given by the test (`backend.Store`)."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.reads: list[StoreRead] = []
        self.released: list[Policy | None] = []

    async def get(self, origin: Origin) -> Policy | None:
        """Wait for the test's answer."""
        return await self._read(origin)

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait for the test's answer."""
        return await self._read(origin)

    async def _read(self, origin: Origin) -> Policy | None:
        read = StoreRead(origin, self.driver.pending())
        self.reads.append(read)
        stored: Policy | None = await read.answer
        return stored

    def release_lease(self, origin: Origin, made: Policy | None) -> None:
        """Record the policy."""
        self.released.append(made)


class EveryOrderStored(EveryOrder):
    """Store answers, store failures and everything else in every order."""

    # A waiter released with a stale policy may be released again by its refresh.
    max_releases = 2

    def new_harness(self) -> ResolverHarness:
        """Make a resolver with a store."""
        driver = self.driver_class()
        self.store = LateStore(driver)
        return ResolverHarness(driver, store=self.store, max_retries=2)

    def policies(self) -> list[Policy]:
        """Return the policies built from responses, and those loaded from the store."""
        return [*self.backend.fetched, *self.backend.loaded]

    def open_reads(self) -> list[StoreRead]:
        """Return the reads of the store without an answer."""
        return [read for read in self.store.reads if read.answer.is_open]

    def in_progress(self) -> set[Origin]:
        """Return the origins being fetched or read from the store."""
        return super().in_progress() | {read.origin for read in self.open_reads()}

    def complete_others(self) -> None:
        """Answer every read of the store with `None`."""
        while reads := self.open_reads():
            for read in reads:
                read.answer.complete(None)
            self.harness.driver.turn()

    @precondition(lambda self: self.open_reads())
    @rule(data=st.data(), age=st.sampled_from(sorted(AGES)))
    def store_has_a_policy(self, data: st.DataObject, age: str) -> None:
        """The store returns a policy of some age."""
        read = data.draw(st.sampled_from(self.open_reads()))
        at = self.harness.clock.now - AGES[age]
        read.answer.complete(
            Policy.from_response(read.origin, FILE, READER, at, FRESHNESS)
        )

    @precondition(lambda self: self.open_reads())
    @rule(data=st.data())
    def store_has_no_policy(self, data: st.DataObject) -> None:
        """The store has no entry or failed; the resolver treats both alike."""
        data.draw(st.sampled_from(self.open_reads())).answer.complete(None)

    @precondition(lambda self: self.open_reads())
    @rule(data=st.data())
    def store_raises(self, data: st.DataObject) -> None:
        """The store raises, which it should never do."""
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
