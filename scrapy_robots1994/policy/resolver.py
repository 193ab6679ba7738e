"""Finds or fetches the policy of an origin, once for all requests that wait for it.

An origin is in one of three states: no fetch; a fetch in flight; a fetch in flight whose
policy is already decided, while listeners run. The rules of this file:

* at most one fetch of an origin is in flight, however many requests wait;
* every request waits on a future of its own, so none can take another's result;
* a policy is in memory before listeners run, and listeners end before waiters resume;
* a fetch is forgotten before its first waiter resumes;
* the store is read before the origin is requested, and only a policy that is fresh by
  its dates saves the fetch; an empty or failed store only costs a fetch;
* each retry is sent in the context of a waiting request, if possible in another one
  than those before (with rotating proxies: through another proxy);
* a wait ends with a policy, with `FetchAborted`, or with a copy of the exception of our
  own fault (R7). An absent value never means "allowed".
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.backend import (
    ContextT,
    InFlightFetch,
    Memory,
    Resolution,
    Resolved,
    ResolverBackend,
    Store,
)
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
    copy_of,
    is_refusal_by_proxy,
    retry_pause,
)
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy

NEVER_BEGAN = "the fetch of robots.txt never began"
BROKE_OFF = "the fetch of robots.txt broke off"


@dataclass(eq=False)
class PolicyResolver(Generic[ContextT]):
    """The policies of all origins of one crawl, each fetched at most once at a time."""

    backend: ResolverBackend[ContextT]
    memory: Memory
    freshness: FreshnessSettings
    store: Store | None
    max_retries: int
    # Private: what it does at the moment, why it has ended, if it has, and for which
    # requests it goes on nevertheless.
    _in_flight: dict[Origin, InFlightFetch[ContextT]] = field(default_factory=dict)
    _aborted: str | None = None
    _keeps: Callable[[ContextT], bool] = lambda _: False

    def fresh(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin* if it is in memory and fresh; never wait.

        `None` means "call `resolve`", not "allowed".
        """
        policy = self.memory.get(origin)
        return policy if policy and policy.is_fresh(self.backend.now()) else None

    async def resolve(self, origin: Origin, context: ContextT) -> Resolved:
        """Return the policy of *origin*, fetched if need be, and the cause of a failed fetch.

        A policy that has just become stale is returned at once while one refresh runs.
        Cancelling one wait affects neither the fetch nor other waits. Raises
        `FetchAborted` when the fetch was cancelled or the crawl closes, and a copy of
        the original exception when it failed by our own fault (R7).
        """
        in_flight = self._in_flight.get(origin)
        policy, now = self.memory.get(origin), self.backend.now()
        if policy is None or not policy.is_usable(now):
            if in_flight is not None and in_flight.policy is not None:
                # It is stale at once; those that waited for it get it, too.
                return Resolved(in_flight.policy)
            return await self._wait(origin, context, policy and policy.last_good(now))
        if in_flight is None and not self._aborted and not policy.is_fresh(now):
            self._start(InFlightFetch(origin, context, policy))
        return Resolved(policy)

    def abort(
        self, reason: str, keeps: Callable[[ContextT], bool] = lambda _: False
    ) -> None:
        """Start no fetch from now on, cancel those in flight, end every wait (R6).

        Requests whose context *keeps* go on in bounded time: a fetch is retried at most
        once.
        """
        # Before any wait ends: a request that goes on must not start the next fetch.
        self._aborted, self._keeps = reason, keeps
        self.max_retries = min(self.max_retries, 1)
        ended = []
        for in_flight in self._in_flight.values():
            kept = [it for it, context in in_flight.waiters.items() if keeps(context)]
            if kept and in_flight.cancel is not None:
                self.backend.cancel_later(in_flight.cancel_undecided)
                in_flight.release(Cancelled(reason), kept)
            else:
                ended.append(in_flight)
        for in_flight in ended:
            self._end(in_flight, Cancelled(reason))
            in_flight.cancel_undecided()

    async def _wait(
        self, origin: Origin, context: ContextT, last: Policy | None
    ) -> Resolved:
        """Join the fetch of *origin*, started by the first request that needs it."""
        if self._aborted is not None and not self._keeps(context):
            raise FetchAborted(self._aborted)
        waiter = self.backend.new_waiter()
        in_flight = self._in_flight.get(origin)
        if in_flight is not None:
            in_flight.waiters[waiter] = context
        else:
            # The waiter joins before the fetch starts: on an instant answer the fetch
            # is over before `_start` returns.
            in_flight = InFlightFetch(origin, context, last, {waiter: context})
            self._start(in_flight)
        # Also where this wait alone is cancelled: the fetch goes on for the others.
        try:
            resolution = await waiter
        finally:
            del in_flight.waiters[waiter]
        match resolution:
            case Cancelled(detail):
                raise FetchAborted(detail)
            case LocalFault(error):
                self.backend.count_retries(context, resolution.retries)
                raise copy_of(error)
        return resolution

    def _start(self, in_flight: InFlightFetch[ContextT]) -> None:
        """Start a fetch; however it ends, `_end` is called."""
        self._in_flight[in_flight.origin] = in_flight
        work = self._run(in_flight)
        ended = partial(self._end, in_flight, Cancelled(NEVER_BEGAN))
        try:
            in_flight.cancel = self.backend.start(work, ended)
        except BaseException:
            work.close()
            ended()
            raise
        if self._aborted is not None:
            self.backend.cancel_later(in_flight.cancel_undecided)

    async def _run(self, in_flight: InFlightFetch[ContextT]) -> None:
        """Find or fetch the policy, then resume every waiter, even after an error."""
        resolution: Resolution = Cancelled(BROKE_OFF)
        try:
            stored = await self._look_up(in_flight)
            resolution = Resolved(stored) if stored else await self._fetch(in_flight)
        except self.backend.cancelled:
            raise
        except Exception as error:  # noqa: BLE001 - the waiting requests fail with it
            # Ours R7: `fetch` does not raise, so the error is ours, not the origin's.
            resolution = LocalFault(error, is_bug=True)
        finally:
            # Also for a cancelled task and a closing crawl: no wait is endless (R6). A
            # decided policy is used in spite of later errors.
            decided = in_flight.policy
            if decided and not isinstance(resolution, Resolved):
                resolution = Resolved(decided)
            self._end(in_flight, resolution)
            if self.store is not None and in_flight.policy is None:
                self.store.release_lease(in_flight.origin, None)

    async def _look_up(self, in_flight: InFlightFetch[ContextT]) -> Policy | None:
        """Return the fresh policy of the store; `None` means that this process fetches."""
        origin, last = in_flight.origin, in_flight.announced
        in_flight.last = last
        if self.store is None:
            return None
        policy = stored = await self.store.get(origin)
        # Memory may have a newer policy if the store was down for a while.
        if last and (not stored or stored.fetched_at < last.fetched_at):
            policy = last
        now = self.backend.now()
        if policy is None or not policy.is_fresh(now):
            in_flight.last = policy and policy.last_good(now)
            if policy is not None and policy is stored and policy.is_usable(now):
                # As in `resolve`: it is used at once, and its refresh runs meanwhile.
                await self._load(in_flight, policy)
                in_flight.release(Resolved(policy))
            policy = await self.store.acquire_lease(origin)
        if policy is not None:
            await self._load(in_flight, policy)
        return policy

    async def _load(self, in_flight: InFlightFetch[ContextT], policy: Policy) -> None:
        """Put a policy of the store into memory."""
        self.memory.put(policy)
        # Memory may drop it while listeners run, which may request pages of this origin.
        in_flight.policy = policy
        try:
            await self.backend.policy_loaded(policy, in_flight)
            self.memory.measure(policy)
        finally:
            # The refresh decides a new one, and the store already has this one.
            in_flight.announced, in_flight.policy = policy, None

    async def _fetch(self, in_flight: InFlightFetch[ContextT]) -> Resolution:
        """Request the file from the origin, and put the resulting policy into memory."""
        result = await self._request(in_flight)
        if isinstance(result, Policy):
            await self._load(in_flight, result)
            return Resolved(result)
        if isinstance(result, (Cancelled, LocalFault)):
            # Ours R6, R7: nothing is known of the origin; the next request starts a new fetch.
            return result
        policy = self._policy_of(in_flight, result)
        # Before the listeners, which may request pages of this origin.
        self.memory.put(policy)
        in_flight.policy = policy
        if self.store is not None:
            # Other workers wait for it, and they do not wait for our listeners.
            self.store.release_lease(in_flight.origin, policy)
        await self.backend.policy_fetched(policy, result, in_flight)
        self.memory.measure(policy)
        # A last good policy decides in spite of the failure.
        if isinstance(result, FetchError) and not policy.is_known:
            return Resolved(policy, result.error)
        return Resolved(policy)

    async def _request(
        self, in_flight: InFlightFetch[ContextT]
    ) -> FetchResult | Policy:
        """Request the file until there is an answer or no retry is left (Ours 3.1).

        Return the policy of another process if that was quicker.
        """
        origin, retries, was_refused = in_flight.origin, 0, False
        fetch = self.backend.new_fetch(origin, in_flight.last)
        while True:
            context = in_flight.next_context()
            result = await fetch(context)
            used = retries
            if isinstance(result, LocalFault) and not result.was_queued:
                result = replace(result, retries=retries)
                # Ours 3.1: one budget, with what RetryMiddleware has made of it.
                used += self.backend.retries_of(context)
            pause = retry_pause(
                result,
                used,
                self.max_retries,
                was_refused=was_refused,
                has_other_way=in_flight.has_other_way,
            )
            if pause is None:
                return result
            self.backend.retrying(origin, result, pause)
            await self.backend.sleep(pause)
            retries += 1
            was_refused = was_refused or is_refusal_by_proxy(result)
            # A lease is for one request.
            if self.store and (stored := await self.store.acquire_lease(origin)):
                return stored

    def _policy_of(self, in_flight: InFlightFetch[ContextT], result: Answer) -> Policy:
        """Return the policy for *result*, given the last good one."""
        origin, last = in_flight.origin, in_flight.last
        now, freshness = self.backend.now(), self.freshness
        match result:
            case RobotsResponse(outcome=Outcome.RENEWED) if last is not None:
                return last.revalidated(result, now, freshness)
            case RobotsResponse() if result.outcome.row.is_answer:
                reader = self.backend.reader
                return Policy.from_response(origin, result, reader, now, freshness)
        if last is not None and now < last.keep_until:
            return last.stale_on_error(result, now, freshness)
        return Policy.unreachable(origin, result, now, freshness)

    def _end(self, in_flight: InFlightFetch[ContextT], resolution: Resolution) -> None:
        """Forget *in_flight* and end its waits; no effect a second time."""
        if self._in_flight.get(in_flight.origin) is not in_flight:
            return
        del self._in_flight[in_flight.origin]
        try:
            if not isinstance(resolution, Resolved):
                self.backend.fetch_failed(in_flight.origin, resolution)
        finally:
            in_flight.release(resolution)
