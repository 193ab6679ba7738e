"""The same with a store behind the memory that answers late, wrongly or never."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import precondition, rule

from scrapy_robots1994.policy import Policy
from scrapy_robots1994.policy.faults import RetrySchedule
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.resolver.drives import AsyncioDrive, TwistedDrive
from tests.resolver.scene import FILE, TERMS, Scene
from tests.resolver.test_every_order import MANY, EveryOrder

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from tests.resolver.drives import Drive, Pending

AGES = {"fresh": 0.0, "stale": 120.0, "old": 5_000.0, "ahead": -500.0}


@dataclass(frozen=True, slots=True)
class Looking:
    """One question to the store that has no answer yet."""

    origin: Origin
    answer: Pending[Any]


class LateStore:
    """A store whose every answer is the test's (`backend.Store`)."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.looks: list[Looking] = []
        self.dones: list[Policy | None] = []

    async def get(self, origin: Origin) -> Policy | None:
        """Wait for the test."""
        return await self._look(origin)

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait for the test."""
        return await self._look(origin)

    async def _look(self, origin: Origin) -> Policy | None:
        look = Looking(origin, self.drive.pending())
        self.looks.append(look)
        held: Policy | None = await look.answer
        return held

    def release_lease(
        self, origin: Origin, made: Policy | None, *, aborted: bool = False
    ) -> None:
        """Note it."""
        self.dones.append(made)


class EveryOrderStored(EveryOrder):
    """Store answers, store failures and everything else in every order."""

    # Whoever was released with a stale policy may be so once more by its refresh.
    most_releases = 2

    def new_scene(self) -> Scene:
        """Make a keeper with a store."""
        drive = self.drive_of()
        self.store = LateStore(drive)
        return Scene(drive, store=self.store, retries=RetrySchedule(times=2))

    def known(self) -> list[Policy]:
        """Policies that an answer made, and those the store held."""
        return [*self.backend.told, *self.backend.loaded]

    def open_looks(self) -> list[Looking]:
        """Questions to the store without an answer."""
        return [look for look in self.store.looks if look.answer.is_open]

    def at_work(self) -> set[Origin]:
        """Origins asked, and origins looked up."""
        return super().at_work() | {look.origin for look in self.open_looks()}

    def close_others(self) -> None:
        """Let the store know nothing from now on."""
        while looks := self.open_looks():
            for look in looks:
                look.answer.settle(None)
            self.scene.drive.turn()

    @precondition(lambda self: self.open_looks())
    @rule(data=st.data(), age=st.sampled_from(sorted(AGES)))
    def store_knows(self, data: st.DataObject, age: str) -> None:
        """The store answers with a policy, of whatever age."""
        look = data.draw(st.sampled_from(self.open_looks()))
        at = self.scene.clock.now - AGES[age]
        robots = RobotsTxt.parse(FILE.body)
        look.answer.settle(Policy.from_response(look.origin, FILE, robots, at, TERMS))

    @precondition(lambda self: self.open_looks())
    @rule(data=st.data())
    def store_knows_nothing(self, data: st.DataObject) -> None:
        """The store has no entry, or failed: to the keeper that is one."""
        data.draw(st.sampled_from(self.open_looks())).answer.settle(None)

    @precondition(lambda self: self.open_looks())
    @rule(data=st.data())
    def store_breaks_its_word(self, data: st.DataObject) -> None:
        """A store that raises, as it never should, opens nothing either."""
        look = data.draw(st.sampled_from(self.open_looks()))
        look.answer.fail(ZeroDivisionError())


class OnAsyncio(EveryOrderStored):
    """Who is released goes on a turn later."""

    drive_of = AsyncioDrive


class OnTwisted(EveryOrderStored):
    """Who is released goes on at once."""

    drive_of = TwistedDrive


FEWER = settings(MANY, max_examples=50)

TestOnAsyncio = OnAsyncio.TestCase
TestOnAsyncio.settings = FEWER
TestOnTwisted = OnTwisted.TestCase
TestOnTwisted.settings = FEWER
