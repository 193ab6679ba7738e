"""Finds the policy of an origin: in memory, in the store, or by one fetch for all who wait.

* Each waiting request has its own future. A wait ends with a policy, or with an exception:
  nothing known never means "allowed".
* A policy is in memory before the observers and the handlers of signals learn of it, and
  these end before the waiting requests go on. A handler may request pages of the origin.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from logging import ERROR
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from scrapy import signals
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl import stats, threads
from scrapy_robots1994.crawl.log import count, log_line
from scrapy_robots1994.crawl.parser import (
    ROBOTS_PARSED,
    Robots1994Parser,
    robots_sitemaps,
    sitemaps_of,
)
from scrapy_robots1994.crawl.policy_log import PolicyLog
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy.policy import Policy, policy_from
from scrapy_robots1994.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
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

    Waiter: TypeAlias = "threads.DeferredWaiter[Resolved | Exception]"

ErrorT = TypeVar("ErrorT", bound=BaseException)

CLOSING = "the crawl is closing"


class Resolved(NamedTuple):
    """A policy, and the exception of the fetch if it left nothing known of the origin."""

    policy: Policy
    cause: Exception | None = None


@dataclass(slots=True, eq=False)
class _Lookup:
    """A search for the policy of *origin*, the way *page* goes, and who waits for it."""

    origin: Origin
    page: Request
    known: Policy | None
    """The policy that this crawl used before."""
    waiters: dict[Waiter, Request] = field(default_factory=dict)
    found: Resolved | None = None
    """The new policy, while the observers and handlers learn of it."""
    cancel: Callable[[], object] = lambda: None

    def release(self, result: Resolved | Exception) -> None:
        for waiter in tuple(self.waiters):
            waiter.release(result)


class PolicyResolver:
    """Finds or fetches the policies of one crawl."""

    now = staticmethod(time.time)

    def __init__(  # noqa: PLR0913, PLR0917 - everything that it calls
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        fetcher: RobotsFetcher,
        store: GuardedStore | None,
        observers: Collection[Observer],
        robot: RobotName,
    ) -> None:
        """*store* is the guarded store, or None if policies are only in memory."""
        self._crawler = crawler
        self._timeout = settings.timeout
        self._reads_usage = bool(settings.usage)
        self._fetcher = fetcher
        self._store = store
        self._observers = observers
        self._robot = robot
        self._log = PolicyLog(crawler, settings)
        self._reader = settings.new_reader()
        self._freshness = settings.freshness
        url = settings.store
        self.memory = MemoryStore(url.max_origins, url.max_bytes, self.now)
        self._lookups: dict[Origin, _Lookup] = {}
        self._keeps: Callable[[Request], bool] | None = None
        """Which waiting requests a closing crawl still sends. None while it runs."""
        if store is not None:
            crawler.signals.connect(self._close_store, signals.spider_closed)

    def fresh(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin* if it is in memory and fresh."""
        policy = self.memory.get(origin)
        return policy if policy and policy.is_fresh(self.now()) else None

    async def resolve(self, origin: Origin, page: Request) -> Resolved:
        """Return the policy of *origin*, fetched the way *page* goes if need be.

        A stale policy that may still decide is returned at once and refreshed meanwhile.
        Raise `FetchAborted` if the crawl closes, and a copy of the exception if the fetch
        failed on our side (Ours R7).
        """
        lookup = self._lookups.get(origin)
        policy, now = self.memory.get(origin), self.now()
        if policy is not None and policy.is_usable(now):
            is_refreshed = policy.is_fresh(now) or lookup is not None
            if not is_refreshed and self._keeps is None:
                self._start(_Lookup(origin, page, policy))
            return Resolved(policy)
        if lookup is not None and lookup.found is not None:
            # Stale at once. Those who wait will use it too.
            return lookup.found
        if self._keeps is not None and not self._keeps(page):
            raise FetchAborted(CLOSING)
        waiter: Waiter = threads.DeferredWaiter()
        if lookup is not None:
            lookup.waiters[waiter] = page
        else:
            lookup = _Lookup(origin, page, policy and policy.last_good(now))
            lookup.waiters[waiter] = page
            self._start(lookup)
        # The lookup goes on for the others if this wait is cancelled.
        try:
            result = await waiter
        finally:
            del lookup.waiters[waiter]
        if isinstance(result, Exception):
            raise copy_of(result)
        return result

    async def make_ready(self, policy: Policy, page: Request) -> None:
        """Compile the rules of *policy* for the robot of *page*, in a thread if the file is
        large.
        """
        robots, robot = policy.robots, self._robot.of(page)
        if robots and not robots.is_read_for(robot, with_usage=self._reads_usage):
            work = partial(robots.prepare, robot, reads_usage=self._reads_usage)
            await threads.compute(work, robots.size)
            self.memory.measure(policy)

    def close(self, keeps: Callable[[Request], bool]) -> None:
        """End the waits (Ours R6), but for those of requests for which *keeps* is true:
        their fetches are cancelled after `ROBOTS1994_TIMEOUT`.
        """
        self._keeps = keeps
        for lookup in tuple(self._lookups.values()):
            waiters = tuple(lookup.waiters.items())
            kept = {page for _, page in waiters if keeps(page)}
            for waiter, page in waiters:
                if page not in kept:
                    waiter.release(FetchAborted(CLOSING))
            if kept:
                self._cancel_later(lookup)
            else:
                self._cancel(lookup)

    def _cancel_later(self, lookup: _Lookup) -> None:
        # One second more: a request that reaches its time limit ends by itself.
        threads.call_later(self._timeout + 1, partial(self._cancel, lookup))

    def _cancel(self, lookup: _Lookup) -> None:
        # Handlers of signals are not cancelled: one may wait until the crawl is closed.
        if lookup.found is None:
            lookup.cancel()

    def _start(self, lookup: _Lookup) -> None:
        self._lookups[lookup.origin] = lookup
        running = deferred_from_coro(self._run(lookup))
        # Also if it is cancelled before it begins. Twisted logs unhandled errors.
        running.addBoth(lambda _: self._end(lookup, FetchAborted(threads.INTERRUPTED)))
        lookup.cancel = running.cancel
        if self._keeps is not None:
            self._cancel_later(lookup)

    async def _run(self, lookup: _Lookup) -> None:
        result: Resolved | Exception = FetchAborted(threads.INTERRUPTED)
        try:
            result = await self._find(lookup)
        except CancelledError:
            pass
        except Exception as error:  # noqa: BLE001 - those who wait raise it
            result = error
            if lookup.found is not None:
                text = "After the fetch of %s"
                log_line(self._crawler, ERROR, text, str(lookup.origin), exc_info=error)
        finally:
            # Also if the task is cancelled.
            self._end(lookup, lookup.found or result)
            if self._store is not None:
                self._store.release(lookup.origin)

    def _end(self, lookup: _Lookup, result: Resolved | Exception) -> None:
        """Forget *lookup* and let those who wait go on. A second call has no effect."""
        if self._lookups.get(lookup.origin) is lookup:
            del self._lookups[lookup.origin]
            if isinstance(result, Exception):
                self._log.failed(lookup.origin, result)
            lookup.release(result)

    async def _find(self, lookup: _Lookup) -> Resolved:
        origin, last, store = lookup.origin, lookup.known, self._store
        answer = None
        if store is not None:
            answer = await store.get(origin)
            if answer and (last is None or answer.fetched_at > last.fetched_at):
                stored = await self._use_stored(lookup, answer)
                if stored.is_fresh(self.now()):
                    return Resolved(stored)
                last = stored.last_good(self.now())
            # Another crawl may have fetched it meanwhile.
            answer = await store.lease(origin, last.fetched_at if last else 0.0)
        if answer is None:
            answer, last = await self._fetch(lookup, last)
            if store is not None:
                store.put(origin, answer)
        policy = self._policy(origin, answer, last)
        return await self._use(lookup, policy, answer)

    async def _use_stored(self, lookup: _Lookup, answer: Answer) -> Policy:
        """Return the policy of the stored *answer*. If it may decide, use it, although it
        may be stale.
        """
        policy = self._policy(lookup.origin, answer)
        if policy.is_usable(now := self.now()):
            found = await self._use(lookup, policy, answer)
            if not policy.is_fresh(now):
                # Refreshed meanwhile.
                lookup.known, lookup.found = policy, None
                lookup.release(found)
        return policy

    async def _fetch(
        self, lookup: _Lookup, last: Policy | None
    ) -> tuple[Answer, Policy | None]:
        """Return the answer of the origin, and the last good policy."""
        fetch = partial(
            self._fetcher.fetch, lookup.origin, lookup.page, self._log.retrying
        )
        answer = await fetch()
        if answer.source == "cache":
            # Ours 3.2: a stale cached answer is the last good policy.
            cached = self._policy(lookup.origin, answer)
            if not cached.is_fresh(now := self.now()):
                last = cached.last_good(now) or last
                answer = await fetch(is_past_cache=True)
        return answer, last

    def _policy(
        self, origin: Origin, answer: Answer, last: Policy | None = None
    ) -> Policy:
        return policy_from(
            origin, answer, self._reader, self.now(), self._freshness, last
        )

    async def _use(self, lookup: _Lookup, policy: Policy, answer: Answer) -> Resolved:
        """Put *policy* into memory, and let the observers and handlers learn of it."""
        known, page = lookup.known, lookup.page
        try:
            # Before it is in memory, so that its measured size includes the rules.
            await self.make_ready(policy, page)
        finally:
            # Whatever happens afterwards, the policy decides.
            self.memory.put(policy)
            cause = None if policy.is_known else answer.error
            lookup.found = Resolved(policy, cause)
        for observer in self._observers:
            observer.fetched(policy, answer)
        self._log.used(policy, answer, known, self.now())
        robots = policy.robots
        is_new = known is None or known.robots != robots
        if robots is None or (policy.is_stale_on_error and not is_new):
            return lookup.found
        if is_new:
            self._log.read(policy, policy.rules(self._robot.of(page)))
        send = partial(threads.send_signal, self._crawler)
        sitemaps: tuple[str, ...] = ()
        if is_new and robots.sitemaps:
            sitemaps = sitemaps_of(policy.origin, robots)
        if sitemaps:
            named = {"sitemaps": sitemaps, "origin": policy.origin}
            await send(robots_sitemaps, robots=robots, request=page, **named)
        # As the built-in does, also for an unchanged file.
        if ROBOTS_PARSED is not None:
            await send(
                ROBOTS_PARSED, robotparser=Robots1994Parser(robots), request=page
            )
        return lookup.found

    async def _close_store(self) -> None:
        # Scrapy waits for this before the process ends.
        assert self._store is not None  # noqa: S101 - connected only with a store
        try:
            await self._store.close()
        finally:
            if failures := self._store.failures:
                count(self._crawler, stats.STORE_FAILURES, failures)


def copy_of(error: ErrorT) -> ErrorT:
    """Return a copy of *error* with *error* as its cause, or *error* if it has no copy.

    One object, raised for thousands of requests, would collect a traceback of each.
    """
    # Not `copy.copy`, which calls `__init__` with `args`: it may need others.
    try:
        made = type(error).__new__(type(error), *error.args)
        made.args = error.args
        made.__dict__.update(error.__dict__)
        is_like = str(made) == str(error)
    except Exception:  # noqa: BLE001 - a class of anybody
        return error
    if not is_like:
        return error
    made.__cause__ = error
    return made
