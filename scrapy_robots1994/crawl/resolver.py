"""Find the policy of an origin in memory or the store, or fetch it once for all waiting requests.

* A waiting request always gets a policy or an exception, so none passes unchecked.
* A new policy is put into memory before signal handlers are called, so that the handlers may
  request pages of the origin. Waiting requests continue only after the handlers have run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from logging import ERROR
from typing import TYPE_CHECKING, NamedTuple

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from scrapy_robots1994.crawl import threads
from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.parser import (
    ROBOTS_PARSED,
    Robots1994Parser,
    robots_sitemaps,
    sitemaps_of,
)
from scrapy_robots1994.crawl.policy_log import PolicyLog
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy.policy import Policy, policy_from
from scrapy_robots1994.stores.memory import policy_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import TracebackType
    from typing import TypeAlias

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.fetch import RobotsFetcher
    from scrapy_robots1994.crawl.observers import Observer
    from scrapy_robots1994.crawl.requests import RobotName
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.store import GuardedStore
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.answer import Answer

    Waiter: TypeAlias = "Deferred[Resolved | Exception]"

CLOSING = "the crawl is closing"


class Resolved(NamedTuple):
    """A policy, and the exception that made the origin unreachable, if any."""

    policy: Policy
    cause: Exception | None = None


@dataclass(slots=True, eq=False)
class _Lookup:
    """A search for the policy of *origin*, started by the request *page*."""

    origin: Origin
    page: Request
    known: Policy | None
    """The previous policy of the origin, if any."""
    waiters: dict[Waiter, Request] = field(default_factory=dict)
    found: Resolved | None = None
    """The new policy, set before observers and handlers are called."""
    cancel: Callable[[], object] = lambda: None
    traceback: TracebackType | None = None
    """The original traceback of the exception that is raised for each waiting request."""


class PolicyResolver:
    now = staticmethod(time.time)

    def __init__(  # noqa: PLR0913, PLR0917 - one argument for each collaborator
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        fetcher: RobotsFetcher,
        store: GuardedStore | None,
        observers: Collection[Observer],
        robot: RobotName,
    ) -> None:
        """*store* is None if policies are kept only in memory."""
        self._crawler = crawler
        self._timeout = settings.timeout
        self._reads_usage = bool(settings.usage)
        self._store = store
        self._observers = observers
        self._robot = robot
        self._turns = threads.Turns()
        self._log = PolicyLog(crawler, settings)
        self._fetch = partial(fetcher.fetch, retrying=self._log.retrying)
        self._policy = partial(
            policy_from, reader=settings.new_reader(), freshness=settings.freshness
        )
        self.memory = policy_memory(
            settings.store.max_origins, settings.store.max_bytes
        )
        self._lookups: dict[Origin, _Lookup] = {}
        self._keeps: Callable[[Request], bool] | None = None
        """Whether a closing crawl still sends a waiting request. None until the crawl closes."""

    def fresh(self, origin: Origin) -> Policy | None:
        policy = self.memory.get(origin)
        return policy if policy and policy.is_fresh(self.now()) else None

    async def resolve(self, origin: Origin, page: Request) -> Resolved:
        """Return the policy of *origin*, fetched for *page* if necessary.

        Raise `FetchAborted` if the crawl closes. If the fetch fails for a local reason, such as a
        proxy or a bug in a middleware (Ours R7), raise the exception that stopped it.
        """
        if policy := self.fresh(origin):
            return Resolved(policy)
        lookup = self._lookups.get(origin)
        if lookup is not None and lookup.found is not None:
            # The policy that the lookup found is already stale, but requests that arrive before the
            # lookup ends still use it.
            return lookup.found
        if self._keeps is not None and not self._keeps(page):
            raise FetchAborted(CLOSING)
        is_new = lookup is None
        lookup = lookup or _Lookup(origin, page, self.memory.get(origin))
        # Each request has its own Deferred. In the built-in middleware, all requests share one: the
        # first takes the result, and the others get None and pass unchecked.
        waiter: Waiter = Deferred()
        lookup.waiters[waiter] = page
        if is_new:
            self._start(lookup)
        # If this request is cancelled, the lookup continues for the others.
        try:
            result = await maybe_deferred_to_future(waiter)
        finally:
            del lookup.waiters[waiter]
        if isinstance(result, Exception):
            # Reset the traceback: thousands of requests may wait, and each `raise` would make it
            # longer.
            raise result.with_traceback(lookup.traceback)
        return result

    async def make_ready(self, policy: Policy, page: Request) -> None:
        """Parse the file of *policy* for the robot of *page*, if necessary, and wait for a turn of
        the event loop.
        """
        robots, robot = policy.robots, self._robot.of(page)
        if robots and not robots.is_read_for(robot, with_usage=self._reads_usage):
            await threads.prepare(robots, robot, reads_usage=self._reads_usage)
            if self.memory.get(policy.origin) is policy:
                # The policy has grown: make `memory` count its size again.
                self.memory[policy.origin] = policy
        # Ours O28: matching many wildcards may take milliseconds, and a thousand requests may wait
        # for the file. If each is decided in its own turn of the event loop, other work can run in
        # between.
        await self._turns.take()

    def close(self, keeps: Callable[[Request], bool]) -> None:
        """Raise `FetchAborted` for the waiting requests, and cancel their fetches (Ours R6).

        Requests for which *keeps* returns True continue to wait, for up to `ROBOTS1994_TIMEOUT`
        plus one second.
        """
        self._keeps = keeps
        for lookup in tuple(self._lookups.values()):
            waiters = tuple(lookup.waiters.items())
            for waiter, page in waiters:
                if not keeps(page):
                    threads.release(waiter, FetchAborted(CLOSING))
            is_kept = any(keeps(page) for _, page in waiters)
            (self._cancel_later if is_kept else self._cancel)(lookup)

    def _cancel_later(self, lookup: _Lookup) -> None:
        # Wait one second more, so that a robots.txt request can still end by its own timeout.
        threads.call_later(self._timeout + 1, partial(self._cancel, lookup))

    def _cancel(self, lookup: _Lookup) -> None:
        # Once a policy is found, only signal handlers are still running, and those must not be
        # cancelled.
        if lookup.found is None:
            lookup.cancel()

    def _start(self, lookup: _Lookup) -> None:
        self._lookups[lookup.origin] = lookup
        running = deferred_from_coro(self._find(lookup))
        running.addBoth(self._ended, lookup)
        lookup.cancel = running.cancel
        if self._keeps is not None:
            self._cancel_later(lookup)

    def _ended(self, result: Failure | None, lookup: _Lookup) -> None:
        del self._lookups[lookup.origin]
        if self._store is not None:
            self._store.release(lookup.origin)
        error = result.value if isinstance(result, Failure) else None
        if not isinstance(error, Exception) or isinstance(error, CancelledError):
            error = FetchAborted(threads.INTERRUPTED)
        elif lookup.found is not None:
            text = "Error after fetching the robots.txt of %s"
            log_line(self._crawler, ERROR, text, str(lookup.origin), error=error)
        if lookup.found is None:
            lookup.traceback = error.__traceback__
            self._log.failed(lookup.origin, error)
        for waiter in tuple(lookup.waiters):
            threads.release(waiter, lookup.found or error)

    async def _find(self, lookup: _Lookup) -> None:
        origin, page, store = lookup.origin, lookup.page, self._store
        last = lookup.known and lookup.known.last_good(self.now())
        answer = None
        if store is not None:
            answer, last = await self._from_store(store, origin, last)
        if answer is None:
            answer = await self._fetch(origin, page)
            if answer.source == "cache":
                # Ours 3.2
                is_fresh, last = self._judge(origin, answer, last)
                if not is_fresh:
                    answer = await self._fetch(origin, page, is_past_cache=True)
            if store is not None:
                store.put(origin, answer)
        policy = self._policy(origin, answer, last=last)
        await self._use(lookup, policy, answer)

    async def _from_store(
        self, store: GuardedStore, origin: Origin, last: Policy | None
    ) -> tuple[Answer | None, Policy | None]:
        """Return an answer from *store* (None if it has no usable one) and the last good policy."""
        since = last.fetched_at if last else 0.0
        answer = await store.get(origin)
        if answer and answer.fetched_at > since:
            is_fresh, last = self._judge(origin, answer, last)
            if is_fresh:
                return answer, last
            since = answer.fetched_at
        # Another crawl that shares the store may be fetching the file, so wait for its answer.
        return await store.lease(origin, since), last

    def _judge(
        self, origin: Origin, answer: Answer, last: Policy | None
    ) -> tuple[bool, Policy | None]:
        policy, now = self._policy(origin, answer), self.now()
        is_fresh, good = policy.is_fresh(now), policy.last_good(now)
        # Even a stale policy may be the last good one, and decide if the refresh fails.
        if good and not is_fresh:
            for observer in self._observers:
                observer.fetched(policy, answer)
        return is_fresh, good or last

    async def _use(self, lookup: _Lookup, policy: Policy, answer: Answer) -> None:
        """Put *policy* into memory, inform the observers, and send the signals."""
        known, page, robots = lookup.known, lookup.page, policy.robots
        robot = self._robot.of(page)
        try:
            # Prepare the rules first, so that `memory` includes them in the size of the policy.
            if robots is not None:
                await threads.prepare(robots, robot, reads_usage=self._reads_usage)
        finally:
            # From here on, the policy decides, even if the preparation was cancelled.
            self.memory[policy.origin] = policy
            cause = None if policy.is_stale_on_error else answer.error
            lookup.found = Resolved(policy, cause)
        for observer in self._observers:
            observer.fetched(policy, answer)
        self._log.used(policy, answer, known, self.now())
        is_new = known is None or known.robots != robots
        if robots is None or (policy.is_stale_on_error and not is_new):
            return
        send = partial(threads.send_signal, self._crawler, request=page)
        if is_new:
            self._log.read(policy.origin, answer, robots.rules(robot))
            if robots.sitemaps and (urls := sitemaps_of(policy.origin, robots)):
                named = {"sitemaps": urls, "origin": policy.origin}
                await send(robots_sitemaps, robots=robots, **named)
        # Scrapy sends its signal for each parsed file, so send it for unchanged files too.
        if ROBOTS_PARSED is not None:
            await send(ROBOTS_PARSED, robotparser=Robots1994Parser(robots))
