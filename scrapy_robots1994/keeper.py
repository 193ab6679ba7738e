"""Floor 4, the driver: finds or fetches the policy of an origin, once for all who ask.

The keeper decides nothing (`upkeep` does) and knows neither Scrapy nor Twisted: what it
needs from outside is handed in. The rules of this file:

* at most one fetch an origin at a time, however many wait and however they arrive;
* every waiter has a waiting object of its own, so no waiter can take another's result;
* an origin is settled, and its fetch forgotten, *before* the first waiter goes on;
* a waiter is released with a `Policy` or with `Released`, never with nothing: there is
  no value here that means "allowed" by being absent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from scrapy_robots1994.upkeep import (
    Cancelled,
    Fetch,
    Outcome,
    Unanswered,
    UseFresh,
    UseStale,
    decide,
    outcome_of,
)
from scrapy_robots1994.upkeep.policy import Policy, prolong, settle, unknown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Generator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.standard import RobotsTxt
    from scrapy_robots1994.upkeep import Answer, Answered, Terms

WayT = TypeVar("WayT")
WayT_contra = TypeVar("WayT_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Released:
    """A wait ended without a policy (R6); *why* is one printable line."""

    why: str


Found: TypeAlias = Policy | Released


class Waiter(Protocol):
    """The waiting object of one request; awaiting it gives what it is released with."""

    def release(self, found: Found) -> None:
        """Let the one who waits go on with *found*.

        Of no effect a second time, or when the wait was cancelled; never raises.
        """

    def __await__(self) -> Generator[Any, Any, Found]:
        """Wait for `release`."""


class Memory(Protocol):
    """Policies of this process (`stores.MemoryStore`)."""

    def get(self, origin: Origin) -> Policy | None:
        """The policy held, fresh or stale, or `None`."""

    def put(self, policy: Policy) -> None:
        """Hold *policy*."""


class Outside(Protocol[WayT_contra]):
    """What the keeper needs from outside; *way* is how the page request leaves."""

    async def fetch(self, origin: Origin, way: WayT_contra) -> Answer:
        """Ask *origin* for its robots.txt once; a failure is an answer, not raised."""

    async def read(self, answer: Answered) -> RobotsTxt:
        """Parse the body of *answer*."""

    def start(self, work: Coroutine[Any, Any, None], ended: Callable[[], None]) -> None:
        """Run *work* beside everything else; call *ended* once it ended.

        Also when it was cancelled before its first step: nothing of *work* runs then.
        """

    def new_waiter(self) -> Waiter:
        """A fresh waiting object."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def settled(
        self, policy: Policy, answer: Answer, way: WayT_contra
    ) -> Awaitable[None]:
        """Told of each policy that an answer made, before anyone uses it."""

    def released(self, origin: Origin, why: str) -> None:
        """Told that a fetch of *origin* ended without a policy."""


@dataclass(slots=True)
class _Fetching:
    """A fetch under way and who waits for it."""

    # In order of arrival; a dict, so that a cancelled waiter leaves at once.
    waiters: dict[Waiter, None] = field(default_factory=dict)


class PolicyKeeper(Generic[WayT]):
    """The policies of all origins of one crawl, each fetched at most once at a time."""

    def __init__(self, outside: Outside[WayT], memory: Memory, terms: Terms) -> None:
        self._outside = outside
        self._memory = memory
        self._terms = terms
        self._fetching: dict[Origin, _Fetching] = {}

    def recall(self, origin: Origin) -> Policy | None:
        """The policy of *origin* if it is known and fresh; never waits.

        `None` means "ask `find`", not "allowed".
        """
        policy = self._memory.get(origin)
        if policy is None:
            return None
        decision = decide(policy, self._outside.now())
        return decision.policy if isinstance(decision, UseFresh) else None

    async def find(self, origin: Origin, way: WayT) -> Found:
        """The policy of *origin*, fetched if need be; `Released` when there is none.

        A policy that just ran out is handed back at once while one refresh runs beside.
        Cancelling the wait of one request disturbs neither the fetch nor the others.
        """
        decision = decide(self._memory.get(origin), self._outside.now())
        if isinstance(decision, Fetch):
            return await self._wait(origin, way, decision.last)
        if isinstance(decision, UseStale) and origin not in self._fetching:
            self._fetch(origin, way, last=decision.policy)
        return decision.policy

    async def _wait(self, origin: Origin, way: WayT, last: Policy | None) -> Found:
        """Join the fetch of *origin*, started by the first who needs it."""
        waiter = self._outside.new_waiter()
        fetching = self._fetching.get(origin)
        if fetching is None:
            # The waiter must stand in line before the fetch starts: on an instant
            # answer the fetch is over before `_fetch` returns.
            self._fetch(origin, way, last=last, first=waiter)
        else:
            fetching.waiters[waiter] = None
        try:
            return await waiter
        finally:
            # A cancelled waiter leaves the line; a released one has left it already.
            fetching = self._fetching.get(origin)
            if fetching is not None:
                fetching.waiters.pop(waiter, None)

    def _fetch(
        self,
        origin: Origin,
        way: WayT,
        *,
        last: Policy | None,
        first: Waiter | None = None,
    ) -> None:
        """Start the one fetch of *origin*; however it ends, `_end` is called."""
        fetching = _Fetching({} if first is None else {first: None})
        self._fetching[origin] = fetching
        work = self._fetch_and_settle(origin, fetching, way, last)
        never_began = Released("the fetch of robots.txt never began")
        ended = partial(self._end, origin, fetching, never_began)
        try:
            self._outside.start(work, ended)
        except BaseException:
            work.close()
            ended()
            raise

    async def _fetch_and_settle(
        self, origin: Origin, fetching: _Fetching, way: WayT, last: Policy | None
    ) -> None:
        """Fetch, make the policy, hold it, release everyone, whatever happens."""
        found: Found = Released("the fetch of robots.txt broke off")
        try:
            answer = await self._outside.fetch(origin, way)
            if isinstance(answer, Cancelled):
                # Ours R6: no policy is stored, the next request starts afresh.
                found = Released(answer.detail)
            else:
                policy = await self._policy_of(origin, answer, last)
                await self._outside.settled(policy, answer, way)
                self._memory.put(policy)
                found = policy
        finally:
            # Also on a cancelled task and on a closing crawl: nobody hangs (R6).
            self._end(origin, fetching, found)

    def _end(self, origin: Origin, fetching: _Fetching, found: Found) -> None:
        """Forget *fetching* and release its waiters; of no effect a second time."""
        if self._fetching.get(origin) is not fetching:
            return
        del self._fetching[origin]
        try:
            if isinstance(found, Released):
                self._outside.released(origin, found.why)
        finally:
            for waiter in tuple(fetching.waiters):
                waiter.release(found)

    async def _policy_of(
        self, origin: Origin, answer: Answered | Unanswered, last: Policy | None
    ) -> Policy:
        """The policy that *answer* makes, given the last good one."""
        if (
            isinstance(answer, Unanswered)
            or outcome_of(answer.status) is Outcome.UNREACHABLE
        ):
            now = self._outside.now()
            if last is not None and now < last.keep_until:
                return prolong(last, answer, now, self._terms)
            return unknown(origin, answer, now, self._terms)
        robots = None
        if outcome_of(answer.status) is Outcome.PARSED:
            robots = await self._outside.read(answer)
        return settle(origin, answer, robots, self._outside.now(), self._terms)
