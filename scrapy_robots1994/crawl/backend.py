"""The connection between the policy resolver and a Scrapy crawl. The resolver uses this
module to fetch and parse robots.txt files, to wait, to read the clock, and to call
listeners.
"""

import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from functools import partial

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots1994.crawl import stats, threads
from scrapy_robots1994.crawl.fetch import FetchObserver, RobotsDownload
from scrapy_robots1994.crawl.fetch_log import FetchLog
from scrapy_robots1994.crawl.http_cache import HttpCache
from scrapy_robots1994.crawl.log import count
from scrapy_robots1994.crawl.parser import (
    ROBOTS_PARSED,
    Robots1994Parser,
    robots_sitemaps,
    sitemaps_of,
)
from scrapy_robots1994.crawl.requests import RequestContext, RobotName
from scrapy_robots1994.crawl.scrapy_private import has_handlers
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy.fetch_result import Answer
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.stores.codec import decode
from scrapy_robots1994.stores.guarded import GuardedStore
from scrapy_robots1994.stores.memory import MemoryStore


class ScrapyBackend:
    """Connects the policy resolver to a Scrapy crawl."""

    now = staticmethod(time.time)
    sleep = staticmethod(threads.sleep)
    new_waiter = threads.DeferredWaiter

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        file: Callable[[], AbstractContextManager[None]],
        observers: Sequence[FetchObserver] = (),
    ) -> None:
        self._crawler = crawler
        self.reader = settings.new_reader()
        self.http_cache: HttpCache | None = None
        self._observers = [*observers]
        if crawler.settings.getbool("HTTPCACHE_ENABLED"):
            self.http_cache = HttpCache(crawler, settings, self.reader)
            self._observers.append(self.http_cache)
        # The attribute `download` is public, because a command can fetch another URL as if
        # it were the robots.txt. A second `RobotsDownload` would not share the limit of
        # parallel fetches.
        self.download = RobotsDownload(crawler, settings, file, self._observers)
        self.fetch = self.download.fetch
        url, self.freshness = settings.store, settings.freshness
        self.memory = MemoryStore(url.max_origins, self.now, url.max_bytes)
        self.store = self._open_store(settings)
        self._log = FetchLog(crawler, settings)
        # The resolver calls `retrying` and `fetch_failed`, which are methods of the
        # `FetchLog`.
        self.retrying, self.fetch_failed = self._log.retrying, self._log.fetch_failed
        # Ours 3.1 (retries): RETRY_ENABLED = False also switches off the retries of
        # robots.txt fetches.
        is_on = crawler.settings.getbool("RETRY_ENABLED")
        self.max_retries = crawler.settings.getint("RETRY_TIMES") if is_on else 0
        self._robot = RobotName(crawler)
        self._reads_usage = settings.reads_usage
        self._timeout = settings.timeout

    def _open_store(self, settings: RobotsSettings) -> GuardedStore | None:
        """Return the store that *settings* name, or `None` if policies are stored only in
        memory.

        The store is closed when the crawl ends. Raise `SettingsError` if the store cannot
        be used.
        """
        store = settings.store.new_store()
        if store is None:
            return None
        store.check()
        guarded = GuardedStore(
            settings.store,
            partial(decode, reader=self.reader, freshness=settings.freshness),
            settings.timeout,
            threads.future_result,
            threads.sleep,
            threads.call_later,
        )
        self._crawler.signals.connect(self._close_store, signals.spider_closed)
        return guarded

    async def _close_store(self) -> None:
        """Store the policies of the last fetches, and close the store.

        Scrapy waits for this method before the process ends.
        """
        store = self.store
        assert store is not None  # noqa: S101 - the signal is connected for a store
        try:
            await store.close()
        finally:
            if failures := store.failures:
                count(self._crawler, stats.STORE_FAILURES, failures)

    def start(
        self, work: Coroutine[object, object, None], ended: Callable[[], None]
    ) -> Callable[[], object]:
        """Run *work* in the background. Return a function that cancels *work*. If *work*
        fails, or is cancelled before *work* begins, call *ended*.
        """
        running = deferred_from_coro(work)
        # Swallow the error, because Twisted logs an unhandled error of a Deferred.
        running.addErrback(lambda _: ended())
        return running.cancel

    def cancel_later(self, cancel: Callable[[], object]) -> None:
        """Call *cancel* after `ROBOTS1994_TIMEOUT` plus one second (R6, closing)."""
        # Wait one second longer than the time limit of a request. A request that reaches
        # its time limit then ends as R5 (unreachable), before *cancel* is called.
        threads.call_later(self._timeout + 1, cancel)

    def retries_of(self, context: RequestContext) -> int:
        """Return how many retries RetryMiddleware and `count_retries` have counted for the
        page request.
        """
        retries = context.page.meta.get("retry_times", 0)
        return retries if isinstance(retries, int) else 0

    def count_retries(self, context: RequestContext, retries: int) -> None:
        """Add *retries*, the number of retries of a failed fetch, to the retries of the
        page request. RetryMiddleware limits the total number of retries (Ours 3.1,
        retries).
        """
        if retries:
            context.page.meta["retry_times"] = self.retries_of(context) + retries

    async def read(
        self, policy: Policy, known: Policy | None, context: RequestContext
    ) -> None:
        """Read the file of *policy* for the robot of the page request, and log the
        problems of the file. Do nothing if *policy* has no file, or if *known*, the
        policy that this crawl had before, has an equal file.
        """
        robots = policy.robots
        if robots is None or (known is not None and known.robots == robots):
            return
        robot = self._robot.of(context.page)

        prepare = partial(robots.prepare, robot, reads_usage=self._reads_usage)
        await threads.compute(prepare, robots.size)
        if robots.is_truncated:
            self._log.truncated(policy.origin)
        if ignored := robots.rules(robot).ignored:
            self._log.ignores(policy.origin, ignored)

    async def announce(
        self,
        policy: Policy,
        known: Policy | None,
        context: RequestContext,
        result: Answer | None = None,
        last: Policy | None = None,
    ) -> None:
        """Log and count *policy*, and call all listeners before a waiting request resumes.
        *policy* is already in memory, so a listener may request pages of the origin.

        *known* is the policy that this crawl had before. *policy* was made from *result*,
        or was loaded from the store or the HTTP cache if *result* is `None`. *last* is
        the last good policy.

        Send `robots_sitemaps` if the file of *policy* is new and names sitemaps. Send
        `robots_parsed` for every file, if Scrapy has this signal.
        """
        robots, page, origin = policy.robots, context.page, policy.origin
        if result is None:
            self._log.loaded(policy, known, self.now())
        else:
            for observer in self._observers:
                observer.policy_fetched(policy, result, last)
            self._log.fetched(policy, result, last, known, self.now())
            # After a 304 or a failed refresh, the file is unchanged. A file that was only
            # in the store is still new to this crawl.
            is_old = known is not None and known.stated is policy.stated
            if is_old and result.outcome is not Outcome.PARSED:
                return
        if robots is None:
            return
        # Wait for the handlers of each signal. A handler may request pages of the origin.
        # The requests of a handler do not wait for the handler, because the policy is
        # already in memory.
        send = partial(threads.send_signal, self._crawler)
        has_new = robots.sitemaps and (known is None or known.robots != robots)
        if has_new and (sitemaps := sitemaps_of(origin, robots)):
            named = {"sitemaps": sitemaps, "origin": origin}
            await send(robots_sitemaps, robots=robots, request=page, **named)
        # Also send `robots_parsed` for an unchanged file, as the built-in middleware
        # does. Scrapy before 2.18 does not have the signal `robots_parsed`.
        if ROBOTS_PARSED is not None and has_handlers(self._crawler, ROBOTS_PARSED):
            parser = Robots1994Parser(robots)
            await send(ROBOTS_PARSED, robotparser=parser, request=page)
