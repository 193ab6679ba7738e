"""Fetch policies as the crawl would: with the project's settings and downloader.

A crawl of its own fetches them, whose spider requests policies and no page.
"""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Timer
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import DeferredList

from scrapy_robots1994.commands.terminal import end_now
from scrapy_robots1994.commands.url_verdict import Found, PolicySource
from scrapy_robots1994.crawl.addon import Addon
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.requests import RequestContext, RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy import (
    Cancelled,
    FetchError,
    LocalFault,
    Policy,
)
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.crawler import Crawler, CrawlerProcess
    from scrapy.settings import BaseSettings


GRACE_SECONDS = 1.0
"""Seconds in which a crawl that was interrupted may close."""

# What a crawl does apart from fetching, and must not do here.
ISOLATED: dict[str, Any] = {
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "ROBOTS1994_COMPARE": (),
    "ROBOTS1994_DRY_RUN": False,
}

NO_PAGES: tuple[Request, ...] = ()


@dataclass(slots=True)
class PolicyLookup:
    """URLs whose policies are fetched, and the sources found.

    *urls* are of pages, whose origin's policy is fetched, or of robots.txt files that
    lie elsewhere. *on_found* is called with each of them at once. *robot* is the name
    that the project's crawl would go by. *on_end* is called where an interrupted crawl
    does not close in time, before the process ends.
    """

    urls: list[str]
    on_found: Callable[[PolicySource], object] = lambda _source: None
    on_end: Callable[[], object] = lambda: None
    found: dict[str, PolicySource] = field(default_factory=dict)
    robot: str | bytes = ""
    error: str = ""
    is_interrupted: bool = False
    _work: list[Any] = field(default_factory=list)
    _call_soon: Callable[[Callable[[], object]], object] = lambda _call: None

    @property
    def missing(self) -> list[str]:
        """The URLs that nothing was found for."""
        return [url for url in self.urls if url not in self.found]

    async def run(self, crawler: Crawler) -> None:
        """Look everything up, as many at a time as the project downloads pages."""
        self._call_soon = _thread_safe_call()
        self.robot = RobotName(crawler).usual
        ours = crawler.get_downloader_middleware(Robots1994Middleware)
        ours = ours or Robots1994Middleware.from_crawler(crawler)
        waiting = iter(self.urls)
        count = min(crawler.settings.getint("CONCURRENT_REQUESTS") or 16, 100)
        self._work = [
            deferred_from_coro(self._look_up(waiting, ours, crawler))
            for _ in range(count)
        ]
        ended: Any = DeferredList(self._work, consumeErrors=True)
        ends: list[tuple[bool, Any]] = await maybe_deferred_to_future(ended)
        for is_done, failure in ends:
            if not (is_done or self.is_interrupted):
                failure.raiseException()

    async def _look_up(
        self, waiting: Iterator[str], ours: Robots1994Middleware, crawler: Crawler
    ) -> None:
        """Take one URL after the other until none waits."""
        for url in waiting:
            if self.is_interrupted:
                return
            origin = Origin.of(url)
            assert origin is not None  # noqa: S101 - the caller has looked
            if lies_elsewhere(url):
                found = await _read(url, origin, ours, crawler)
            else:
                found = await _resolve(Request(origin.robots_url), origin, ours)
            self._add(PolicySource.from_found(url, found))

    def _add(self, source: PolicySource) -> None:
        """Add a source, unless Ctrl-C came first."""
        if not self.is_interrupted:
            self.found[source.name] = source
            self.on_found(source)

    def interrupted(self) -> None:
        """Note that Ctrl-C ended the work."""
        self.is_interrupted = True

    def interrupt(self, *_signal: object) -> None:
        """Let the crawl close with what has been found; a second time, end at once."""
        if self.is_interrupted:
            end_now()
        self.interrupted()
        timer = Timer(GRACE_SECONDS, self._give_up)
        timer.daemon = True
        timer.start()
        self._call_soon(self._cancel)

    def _cancel(self) -> None:
        """End every wait."""
        for work in self._work:
            work.cancel()

    def _give_up(self) -> None:
        """End the process: the crawl does not close."""
        try:
            self.on_end()
        finally:
            end_now()


def _thread_safe_call() -> Any:
    """Return what runs a call on the event loop from a signal handler."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        from twisted.internet import reactor  # noqa: PLC0415 - chosen by Scrapy

        return cast("Any", reactor).callFromThread


def lies_elsewhere(url: str) -> bool:
    """Whether *url* names a file that is not the one of its origin.

    A URL without a path names its origin.
    """
    return target_of(url) not in ("/", "/robots.txt")


async def _resolve(
    request: Request, origin: Origin, ours: Robots1994Middleware
) -> Found:
    """Return the policy of *origin*, or why there is none."""
    try:
        return await ours.resolve(request, origin)
    except Exception as error:  # noqa: BLE001 - R7: whatever a middleware raises
        return error


async def _read(
    url: str, origin: Origin, ours: Robots1994Middleware, crawler: Crawler
) -> Found:
    """Return the policy that the file at *url* would be if it were that of *origin*."""
    settings = RobotsSettings.from_settings(crawler.settings)
    context = RequestContext.from_request(Request(url), settings.propagate_meta)
    answer = await ours.download.fetch(origin, context, start=url)
    if isinstance(answer, Cancelled):
        return FetchAborted(answer.detail)
    if isinstance(answer, LocalFault):
        return answer.error
    if isinstance(answer, FetchError):
        return Policy.unreachable(origin, answer, time.time(), settings.freshness)
    robots = RobotsTxt.parse(
        answer.body,
        dialect=settings.dialect,
        reading=settings.reading,
        limit=settings.max_bytes,
        truncated=answer.is_truncated,
    )
    now = time.time()
    return Policy.from_response(origin, answer, robots, now, settings.freshness)


def fetch_policies(
    process: CrawlerProcess, lookup: PolicyLookup, spider: type[Spider]
) -> None:
    """Run *lookup* in a crawl with the settings of *spider*.

    Raises nothing of the crawl: what stopped it is in the *error* of the lookup.
    """

    async def start(self: Spider) -> AsyncIterator[Any]:
        try:
            await lookup.run(self.crawler)
        except Exception as error:  # noqa: BLE001 - reported by the command, in one line
            lookup.error = str(error)
        for request in NO_PAGES:
            yield request  # pragma: no cover - there are none

    kind = type(spider.__name__, (spider,), {"name": "robots1994", "start": start})
    isolate(process.settings)
    started: Any = process.crawl(kind)
    with _ctrl_c(lookup.interrupt):
        process.start(install_signal_handlers=False)
    if not lookup.is_interrupted:
        lookup.error = lookup.error or _error_of(started)


@contextmanager
def _ctrl_c(handler: Callable[..., object]) -> Iterator[None]:
    """Call *handler* at Ctrl-C while the block runs."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def isolate(settings: BaseSettings) -> None:
    """Let *settings* obey robots.txt our way, and do nothing but fetch."""
    for name, value in ISOLATED.items():
        settings.set(name, value, priority="cmdline")
    addons = {**settings.getdict("ADDONS"), Addon: 500}
    settings.set("ADDONS", addons, priority="cmdline")


def _error_of(started: Any) -> str:
    """Return what stopped the crawl from starting, as one line; "" if it ran."""
    if hasattr(started, "exception"):
        return "cancelled" if started.cancelled() else str(started.exception() or "")
    outcome: list[Any] = []
    started.addErrback(outcome.append)
    return str(outcome[0].value) if outcome else ""
