"""Fetch policies with the project's settings and downloader, in a crawl that requests no pages."""

import signal
from collections.abc import AsyncIterator, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import DeferredList

from scrapy_robots1994.commands.inputs import Lookup, OnSource, PolicySource
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.crawl.addon import Addon
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import call_later, thread_safe_call
from scrapy_robots1994.escaping import redact_credentials
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy.policy import Policy, policy_from

# With these settings, the crawl obeys robots.txt, and writes only to the log and the store.
ISOLATED: dict[str, Any] = {
    # The project's limits must not end this crawl, which has neither pages nor items.
    "CLOSESPIDER_ERRORCOUNT": 0,
    "CLOSESPIDER_PAGECOUNT": 0,
    "CLOSESPIDER_PAGECOUNT_NO_ITEM": 0,
    "CLOSESPIDER_TIMEOUT": 0,
    "CLOSESPIDER_TIMEOUT_NO_ITEM": 0,
    "FEEDS": {},
    "HTTPCACHE_ENABLED": False,
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "ROBOTS1994_COMPARE": (),
    "ROBOTS1994_DRY_RUN": False,
    "ROBOTS1994_EVIDENCE": None,
}

NOTE_SECONDS = 5.0
"""After this many seconds, the command prints how many answers are missing."""

NO_PAGES: tuple[Request, ...] = ()


class PolicyLookup(Lookup):
    """Fetches the policies of URLs by running a crawl in *process*, with a subclass of the spider
    class *kind*.

    The robot's name (`robot`) is first read from the settings and *kind*. Once the crawl has
    started, the name is read again from the crawler.
    """

    def __init__(self, process: CrawlerProcess, kind: type[Spider]) -> None:
        self._process = process
        self._kind = kind
        self.settings = RobotsSettings.from_settings(process.settings)
        super().__init__(self.settings.new_reader())
        crawler: Any = SimpleNamespace(settings=process.settings, spider=kind)
        self.robot = RobotName(crawler).usual
        self.refreshes = False
        """Whether to fetch policies even if the store has them. Answers are stored as usual."""
        self._error: Exception | None = None

    def _fetch(self, urls: list[str], report: OnSource) -> None:
        async def start(spider: Spider) -> AsyncIterator[Any]:
            try:
                await self._fetch_all(iter(urls), report, spider.crawler)
            except Exception as error:  # noqa: BLE001 - the command reports any error
                self._error = error
            for request in NO_PAGES:
                yield request  # pragma: no cover - the crawl requests no pages

        # Use Scrapy's constructor, because the user's may need arguments or a database.
        usual = {it: vars(Spider)[it] for it in ("__init__", "from_crawler", "close")}
        body = {**usual, "name": "robots1994", "start": start, "closed": None}
        settings = self._process.settings
        addons = {**settings.getdict("ADDONS"), Addon: 500}
        settings.setdict({**ISOLATED, "ADDONS": addons}, priority="cmdline")
        kind = type(self._kind.__name__, (self._kind,), body)
        crawler = self._process.create_crawler(kind)
        # Twisted would swallow a KeyboardInterrupt until `_fetch_all` handles Ctrl-C.
        signal.signal(signal.SIGINT, lambda *_: self._give_up())
        started: Any = self._process.crawl(crawler)
        self._process.start(install_signal_handlers=False)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if isinstance(self._error, OSError):
            # The output could not be written.
            raise self._error
        if error := str(self._error or "") or _error_of(started):
            raise WrongUse(error)
        # Some URLs may have no answer, for example because an extension closed the crawl early, or
        # because a spider middleware replaced `start`.
        for name in filter(self._missing.__contains__, urls):
            why = "the crawl of the project ended without an answer; see the log"
            report(PolicySource(name, None, "unknown", why=why))

    async def _fetch_all(
        self, urls: Iterator[str], report: OnSource, crawler: Crawler
    ) -> None:
        # Call `_give_up` from the event loop, because a signal handler may interrupt a `print`.
        give_up = partial(thread_safe_call(), self._give_up)
        signal.signal(signal.SIGINT, lambda *_: give_up())
        self.robot = RobotName(crawler).usual
        ours = crawler.get_downloader_middleware(Robots1994Middleware)
        ours = ours or Robots1994Middleware(crawler)

        async def fetch_some() -> None:
            for url in urls:
                try:
                    policy = await self._policy(url, ours)
                    source = PolicySource.from_policy(url, policy)
                except Exception as error:  # noqa: BLE001 - Ours R7
                    source = PolicySource.from_error(url, error)
                report(source)

        count = min(crawler.settings.getint("CONCURRENT_REQUESTS") or 16, 100)
        works = [deferred_from_coro(fetch_some()) for _ in range(count)]
        all_done: Any = DeferredList(works, consumeErrors=True)
        how = "; a failed fetch is retried, as in a crawl; Ctrl-C ends the wait"
        note = call_later(NOTE_SECONDS, lambda: self._note_missing("", how))
        try:
            ends: list[tuple[bool, Any]] = await maybe_deferred_to_future(all_done)
        finally:
            note.cancel()
        for is_done, failure in ends:
            if not is_done:
                failure.raiseException()

    async def _policy(self, url: str, ours: Robots1994Middleware) -> Policy:
        """Return the policy of the origin of *url*. If the path is neither `/` nor `/robots.txt`,
        read the file at *url* instead.
        """
        origin = Origin.of(url)
        assert origin is not None  # noqa: S101 - the caller has checked the URL
        is_own = target_of(url) in ("/", "/robots.txt")
        if is_own and not self.refreshes:
            return await ours.resolve(Request(origin.robots_url), origin)
        # Scrapy cannot fetch a URL that contains credentials.
        start = None if is_own else redact_credentials(url)
        # The command itself says which answers are missing, so retries are not logged.
        page, unlogged = Request(url), lambda *_: None
        answer = await ours.fetcher.fetch(origin, page, unlogged, start)
        if is_own and ours.store is not None:
            ours.store.put(origin, answer)
        freshness = self.settings.freshness
        return policy_from(origin, answer, self.reader, freshness)


def _error_of(started: Any) -> str:
    """Return the error of a crawl, or "".

    *started* is what `CrawlerProcess.crawl` returned, a Deferred or a task.
    """
    if hasattr(started, "exception"):
        return "cancelled" if started.cancelled() else str(started.exception() or "")
    outcome: list[Any] = []
    started.addErrback(outcome.append)
    return str(outcome[0].value) if outcome else ""
