"""Floor 4, the driver: finds or fetches the policy of an origin, once for all who ask.

The keeper decides nothing (`upkeep` does) and knows neither Scrapy nor Twisted: what it
needs from outside is handed in. The rules of this file:

* at most one fetch an origin at a time, however many wait and however they arrive;
* every waiter has a waiting object of its own, so no waiter can take another's result;
* an origin is settled, and its fetch forgotten, *before* the first waiter goes on;
* a store is asked before the origin is, and only a policy that is fresh by `decide`
  saves the fetch; a store that knows nothing costs a fetch and no more;
* a waiter is released with a `Policy` or with `FetchAborted`, never with nothing: there is
  no value here that means "allowed" by being absent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from scrapy_robots1994.policy import (
    Cancelled,
    Fetch,
    Outcome,
    Policy,
    RobotsResponse,
    UseFresh,
    UseStale,
    decide,
    meaning_of,
)
from scrapy_robots1994.policy.backend import FetchAborted, Found, Waiter
from scrapy_robots1994.policy.policy import prolong, renew, settle, unknown

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import (
        FetchError,
        FreshnessDecision,
        FreshnessSettings,
    )
    from scrapy_robots1994.policy.backend import Memory, ResolverBackend, Store

__all__ = ["FetchAborted", "Found", "PolicyResolver", "Waiter"]

WayT = TypeVar("WayT")


@dataclass(slots=True)
class _Fetching:
    """A fetch under way and who waits for it."""

    # In order of arrival; a dict, so that a cancelled waiter leaves at once.
    waiters: dict[Waiter, None] = field(default_factory=dict)


class PolicyResolver(Generic[WayT]):
    """The policies of all origins of one crawl, each fetched at most once at a time."""

    def __init__(
        self,
        outside: ResolverBackend[WayT],
        memory: Memory,
        terms: FreshnessSettings,
        store: Store | None = None,
    ) -> None:
        self._outside = outside
        self._memory = memory
        self._terms = terms
        self._store = store
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
        """The policy of *origin*, fetched if need be; `FetchAborted` when there is none.

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
        never_began = FetchAborted("the fetch of robots.txt never began")
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
        """Find or make the policy, hold it, release everyone, whatever happens."""
        found: Found = FetchAborted("the fetch of robots.txt broke off")
        made: Policy | None = None
        try:
            match await self._look(origin, fetching, way, last):
                case UseFresh(policy):
                    found = policy
                case UseStale(last) | Fetch(last):  # pragma: no branch - no others
                    found = await self._ask(origin, way, last)
                    made = None if isinstance(found, FetchAborted) else found
        finally:
            # Also on a cancelled task and on a closing crawl: nobody hangs (R6).
            self._end(origin, fetching, found)
            if self._store is not None:
                self._store.release_lease(origin, made)

    async def _look(
        self, origin: Origin, fetching: _Fetching, way: WayT, last: Policy | None
    ) -> FreshnessDecision:
        """What the store knows; anything but `UseFresh` means: it is ours to fetch."""
        if self._store is None:
            return Fetch(last)
        held = await self._store.get(origin)
        # Memory may know better, where the store was away for a while.
        newer = last is not None and (not held or held.fetched_at < last.fetched_at)
        decision = decide(last if newer else held, self._outside.now())
        if not isinstance(decision, UseFresh):
            if isinstance(decision, UseStale) and not newer:
                # As in `find`: it is used at once, and the refresh runs beside.
                await self._recall(decision.policy, way)
                for waiter in tuple(fetching.waiters):
                    waiter.release(decision.policy)
            made = await self._store.acquire_lease(origin)
            if made is None:
                return decision
            decision = UseFresh(made)
        await self._recall(decision.policy, way)
        return decision

    async def _recall(self, policy: Policy, way: WayT) -> None:
        """Hold a policy that the store held."""
        await self._outside.recalled(policy, way)
        self._memory.put(policy)

    async def _ask(self, origin: Origin, way: WayT, last: Policy | None) -> Found:
        """Ask the origin itself, and hold what comes of it."""
        validators = None if last is None else last.validators
        answer = await self._outside.fetch(origin, way, validators)
        if isinstance(answer, Cancelled):
            # Ours R6: no policy is stored, the next request starts afresh.
            return FetchAborted(answer.detail)
        policy = await self._policy_of(origin, answer, last)
        await self._outside.settled(policy, answer, way, last)
        self._memory.put(policy)
        return policy

    def _end(self, origin: Origin, fetching: _Fetching, found: Found) -> None:
        """Forget *fetching* and release its waiters; of no effect a second time."""
        if self._fetching.get(origin) is not fetching:
            return
        del self._fetching[origin]
        try:
            if isinstance(found, FetchAborted):
                self._outside.released(origin, found.why)
        finally:
            for waiter in tuple(fetching.waiters):
                waiter.release(found)

    async def _policy_of(
        self, origin: Origin, answer: RobotsResponse | FetchError, last: Policy | None
    ) -> Policy:
        """The policy that *answer* makes, given the last good one."""
        now = self._outside.now()
        match meaning_of(answer), answer:
            case Outcome.PARSED, RobotsResponse():
                robots = await self._outside.read(answer)
                return settle(origin, answer, robots, self._outside.now(), self._terms)
            case Outcome.RENEWED, RobotsResponse() if last is not None:
                return renew(last, answer, now, self._terms)
            case Outcome.FORBIDDEN | Outcome.ABSENT, RobotsResponse():
                return settle(origin, answer, None, now, self._terms)
        if last is not None and now < last.keep_until:
            return prolong(last, answer, now, self._terms)
        return unknown(origin, answer, now, self._terms)
