"""Find or fetch the policy of an origin, with one fetch for all waiting requests.

For each origin, no fetch is in flight, a fetch is in flight, or the policy is decided and
the listeners run. The resolver follows these rules:

* At most one fetch of an origin is in flight, however many requests wait.
* Every request waits on its own future, so no request can take the result of another
  request.
* A policy is in memory before the listeners run, and the listeners end before the waiters
  resume.
* When a fetch ends, the resolver forgets the fetch before the waiters resume.
* The sources of policies are the store and the HTTP cache. The store and the HTTP cache
  are read before the robots.txt is requested. Only a fresh policy makes the robots.txt
  request unnecessary. If neither source has a policy, or if the sources fail, the
  robots.txt is requested.
* Each attempt uses the context of a waiting request, if possible a context that no earlier
  attempt used. With rotating proxies, a different context usually means a different proxy.
* A wait ends with a policy, with `FetchAborted`, or with a copy of an exception. The copy
  of an exception is raised after R7 (our own fault). A missing policy never means
  "allowed".
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from scrapy_robots1994.crawl.backend import ScrapyBackend
from scrapy_robots1994.crawl.requests import Cookies, RequestContext
from scrapy_robots1994.crawl.threads import DeferredWaiter
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.faults import is_cancellation
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
    copy_of,
    retry_pause,
)
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy

INTERRUPTED = "the fetch of robots.txt was interrupted"


class Resolved(NamedTuple):
    """A policy that was found or fetched. *cause* is the exception that the robots.txt
    request raised, or `None`. *cause* is always `None` if the origin or a last good policy
    decides.
    """

    policy: Policy
    cause: Exception | None = None


Resolution: TypeAlias = Resolved | LocalFault | Cancelled
"""The result of a wait. The result is a policy, or the reason why no policy is available."""

Waiter: TypeAlias = DeferredWaiter[Resolution]
"""The future that one waiting request awaits."""


@dataclass(slots=True, eq=False)
class InFlightFetch:
    """A fetch in flight, and the requests that wait for the fetch.

    *context* is the context of the request that needs the policy, and later the context of
    the last attempt. *known* is the policy that this crawl used before, or `None`. The
    listeners were already called with *known*. *decided* is `None` until the policy is
    decided. The policy is decided before the listeners run, and the listeners run before
    the waiters resume.
    """

    origin: Origin
    context: RequestContext
    known: Policy | None
    # `waiters` maps each waiter to the context of its request, in order of arrival. Use a
    # dict, because a cancelled waiter can be removed from a dict quickly.
    waiters: dict[Waiter, RequestContext] = field(default_factory=dict)
    decided: Policy | None = None
    cancel: Callable[[], object] | None = None

    def cancel_undecided(self) -> None:
        """Cancel the fetch if no policy is decided. If a policy is decided, let the
        listeners finish.

        This method is called while the crawl closes. Listeners are not cancelled, because a
        listener may wait until the crawl is closed.
        """
        if self.cancel is not None and self.decided is None:
            self.cancel()

    def release(self, resolution: Resolution, but: Collection[Waiter] = ()) -> None:
        """Resume every waiter, except the waiters in *but*, with *resolution*."""
        for waiter in tuple(self.waiters):
            if waiter not in but:
                waiter.release(resolution)


class PolicyResolver:
    """Finds or fetches the policies of all origins in one crawl. For each origin, at most
    one fetch is in flight.
    """

    def __init__(self, backend: ScrapyBackend) -> None:
        self.backend = backend
        self.memory, self._store = backend.memory, backend.store
        self._max_retries = backend.max_retries
        self._in_flight: dict[Origin, InFlightFetch] = {}
        # `_aborted` and `_keeps` are the arguments with which `abort` was called. Before
        # `abort` is called, `_aborted` is `None`.
        self._aborted: str | None = None
        self._keeps: Callable[[RequestContext], bool] = lambda _: False

    def fresh(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin* if it is in memory and fresh. Otherwise, return
        `None`. The method never waits.

        A result of `None` means "call `resolve`", not "allowed".
        """
        policy = self.memory.get(origin)
        return policy if policy and policy.is_fresh(self.backend.now()) else None

    async def resolve(self, origin: Origin, context: RequestContext) -> Resolved:
        """Return the policy of *origin*, and fetch the policy if necessary. *context*
        describes how the waiting page request is sent.

        A stale policy that may still be used (`Policy.is_usable`) is returned at once, and
        is refreshed in the background. If one wait is cancelled, the fetch and the other
        waits continue.

        Raise `FetchAborted` if the fetch was cancelled or the crawl closes. Raise a copy
        of the original exception if the fetch failed on our side (R7, our own fault).
        """
        in_flight = self._in_flight.get(origin)
        policy, now = self.memory.get(origin), self.backend.now()
        if policy is not None and policy.is_usable(now):
            if in_flight is None and not self._aborted and not policy.is_fresh(now):
                self._start(InFlightFetch(origin, context, policy))
            return Resolved(policy)
        if in_flight is not None and in_flight.decided is not None:
            # The new policy became stale at once. Use the new policy anyway, because the
            # waiting requests also use it.
            return Resolved(in_flight.decided)
        if self._aborted is not None and not self._keeps(context):
            raise FetchAborted(self._aborted)
        waiter: Waiter = self.backend.new_waiter()
        if in_flight is not None:
            in_flight.waiters[waiter] = context
        else:
            # Add the waiter before the fetch starts, because a fetch with an instant answer
            # ends before `_start` returns.
            known = policy and policy.last_good(now)
            in_flight = InFlightFetch(origin, context, known, {waiter: context})
            self._start(in_flight)
        # Remove the waiter, even if this wait is cancelled. The fetch continues for the
        # remaining waiters.
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

    def abort(
        self, reason: str, keeps: Callable[[RequestContext], bool] = lambda _: False
    ) -> None:
        """Cancel the fetches in flight, end the waits, and permit no new waits (R6,
        closing). Requests for which *keeps* returns `True` are exempt.

        *reason* is the message of `FetchAborted`. *keeps* is called with the context of
        each request. An exempt request continues to wait, and may start a fetch. The wait
        of an exempt request is bounded. A fetch in a closing crawl is retried at most
        once, and is cancelled if it takes too long.
        """
        # Set the attributes before any wait ends, because a request whose wait ends must
        # not start another fetch.
        self._aborted, self._keeps = reason, keeps
        self._max_retries = min(self._max_retries, 1)
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

    def _start(self, in_flight: InFlightFetch) -> None:
        """Start a fetch. `_end` is called at the end of the fetch, even if the work of
        the fetch never begins.
        """
        self._in_flight[in_flight.origin] = in_flight
        work = self._run(in_flight)
        ended = partial(self._end, in_flight, Cancelled(INTERRUPTED))
        try:
            in_flight.cancel = self.backend.start(work, ended)
        except BaseException:
            work.close()
            ended()
            raise
        if self._aborted is not None:
            self.backend.cancel_later(in_flight.cancel_undecided)

    async def _run(self, in_flight: InFlightFetch) -> None:
        """Call `_find`, and resume every waiter with the result. If `_find` fails, resume
        every waiter with the failure.
        """
        resolution: Resolution = Cancelled(INTERRUPTED)
        try:
            resolution = await self._find(in_flight)
        except Exception as error:  # noqa: BLE001 - the waiting requests raise the error
            # Ours R7 (our own fault): a fetch raises no exception if the origin fails, so
            # an exception other than a cancellation is our own fault.
            if not is_cancellation(error):
                resolution = LocalFault(error, is_bug=True)
        finally:
            # This block also runs if the task is cancelled or the crawl closes, so that
            # every wait ends (R6, closing). If the policy is decided, use it even if a
            # listener failed.
            decided = in_flight.decided
            if decided and not isinstance(resolution, Resolved):
                resolution = Resolved(decided)
            self._end(in_flight, resolution)
            if self._store is not None and decided is None:
                self._store.release_lease(in_flight.origin, None)

    async def _find(self, in_flight: InFlightFetch) -> Resolution:
        """Find the policy of one origin in the store or the HTTP cache, or fetch the
        policy.
        """
        origin, known = in_flight.origin, in_flight.known
        last, store, cache = known, self._store, self.backend.http_cache
        found = await store.get(origin) if store is not None else None
        if found is None and cache is not None:
            found = await cache.get(origin)
        # If the store did not work for a while, `known` may be newer than the policy in the
        # store.
        if found is None or (known and found.fetched_at < known.fetched_at):
            found = known
        if found is not None and not found.is_fresh(now := self.backend.now()):
            last = found.last_good(now)
            if found is not known and found.is_usable(now):
                # Use a usable stale policy at once, and refresh the policy in the
                # background, as `resolve` does.
                await self._load(in_flight, found)
                in_flight.known = found
                in_flight.release(Resolved(found))
            found = None
        if found is None and store is not None:
            found = await store.acquire_lease(origin)
        if found is not None:
            await self._load(in_flight, found)
            return Resolved(found)
        result = await self._request(in_flight, last)
        if isinstance(result, (Cancelled, LocalFault)):
            # Ours R6 (closing) and R7 (our own fault): the result says nothing about the
            # origin, and the next request starts a new fetch.
            return result
        return await self._decide(in_flight, result, last)

    async def _load(self, in_flight: InFlightFetch, policy: Policy) -> None:
        """Use *policy*, which the store or the HTTP cache returned."""
        try:
            await self._use(in_flight, policy)
        finally:
            # Reset `decided`, because a refresh may decide a new policy, and because `_run`
            # must still release a lease.
            in_flight.decided = None

    async def _request(
        self, in_flight: InFlightFetch, last: Policy | None
    ) -> FetchResult:
        """Request the robots.txt until the result needs no retry, or until no retry is
        left (Ours 3.1, retries).

        *last* is the last good policy.
        """
        origin, tried, was_refused = in_flight.origin, list[RequestContext](), False
        # All attempts of one fetch share the cookies that the answers set.
        cookies = Cookies()
        while True:
            waiting = in_flight.waiters.values()
            # Use the context with the fewest attempts. With rotating proxies, a different
            # context usually means a different proxy.
            context = min(waiting, key=tried.count, default=in_flight.context)
            in_flight.context = context
            used, has_other_way = len(tried), False
            tried.append(context)
            result = await self.backend.fetch(origin, context, last, cookies=cookies)
            if last and self.backend.http_cache and isinstance(result, FetchError):
                # Ours 3.2 (HTTP cache): do not retry if there is a last good policy,
                # which may be from the HTTP cache. An offline crawl would wait for the
                # retries of each origin.
                return result
            if isinstance(result, LocalFault) and not result.was_queued:
                result = replace(result, retries=used)
                # Ours 3.1 (retries): the retries of Scrapy's RetryMiddleware count
                # towards `max_retries`.
                used += self.backend.retries_of(context)
                has_other_way = any(it not in tried for it in waiting)
            pause = retry_pause(
                result,
                used,
                self._max_retries,
                was_refused=was_refused,
                has_other_way=has_other_way,
            )
            if pause is None:
                return result
            self.backend.retrying(origin, result, pause)
            await self.backend.sleep(pause)
            # After a 401 or 403, the robots.txt is requested again only if the status
            # could come from a proxy.
            was_refused = was_refused or (
                isinstance(result, RobotsResponse)
                and result.outcome is Outcome.FORBIDDEN
            )

    async def _decide(
        self, in_flight: InFlightFetch, result: Answer, last: Policy | None
    ) -> Resolved:
        """Make and use the policy that follows from *result*."""
        origin, freshness = in_flight.origin, self.backend.freshness
        reader, now = self.backend.reader, self.backend.now()
        policy = Policy.from_response(origin, result, reader, now, freshness)
        if last is not None:
            if isinstance(result, RobotsResponse) and result.not_modified:
                policy = last.revalidated(result, now, freshness)
            elif not policy.is_known and now < last.keep_until:
                # Ours R5 (unreachable): the last good policy remains in use.
                policy = last.stale_on_error(result, now, freshness)
        await self._use(in_flight, policy, result, last)
        # Return the exception only if no last good policy decides.
        if isinstance(result, FetchError) and not policy.is_known:
            return Resolved(policy, result.error)
        return Resolved(policy)

    async def _use(
        self,
        in_flight: InFlightFetch,
        policy: Policy,
        result: Answer | None = None,
        last: Policy | None = None,
    ) -> None:
        """Put *policy* into memory, and call the listeners.

        *policy* was made from *result*, or was loaded from the store or the HTTP cache if
        *result* is `None`. *last* is the last good policy.
        """
        known, context = in_flight.known, in_flight.context
        try:
            # Read the file before the policy is put into memory. The measured size of the
            # policy then includes the rules, and only one request reads the file.
            await self.backend.read(policy, known, context)
        finally:
            # Even if a bug in the search for problems raises an error, the policy decides.
            # Put the policy into memory before the listeners run, because a listener may
            # request pages of this origin. Set `decided`, because memory may drop the
            # policy while the listeners run.
            self.memory.put(policy)
            in_flight.decided = policy
            if result is not None and self._store is not None:
                # Release the lease before the listeners run. Workers that wait for the
                # policy need not wait for the listeners of this crawl.
                self._store.release_lease(in_flight.origin, policy)
        await self.backend.announce(policy, known, context, result, last)

    def _end(self, in_flight: InFlightFetch, resolution: Resolution) -> None:
        """Forget the fetch *in_flight*, and resume its waiters with *resolution*. A second
        call for the same fetch has no effect.
        """
        if self._in_flight.get(in_flight.origin) is not in_flight:
            return
        del self._in_flight[in_flight.origin]
        try:
            if not isinstance(resolution, Resolved):
                self.backend.fetch_failed(in_flight.origin, resolution)
        finally:
            in_flight.release(resolution)
