"""Asks for policies as the crawl would: by the project's settings and downloader.

A crawl of its own is made of them, whose spider asks for policies and no page.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import DeferredList

from scrapy_robots1994.commands.terminal import note
from scrapy_robots1994.crawl.addon import Addon
from scrapy_robots1994.crawl.concurrency import EngineState, UncountedRequests
from scrapy_robots1994.crawl.fetcher import RobotsDownload
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.request_context import RequestContext
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.stats import StatsRecorder
from scrapy_robots1994.crawl.user_agent import RobotName
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy import Cancelled, FetchError, LocalFault, Policy
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.crawler import Crawler, CrawlerProcess
    from scrapy.settings import BaseSettings

# What a crawl does beside fetching, and asking for policies must not.
APART: dict[str, Any] = {
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

Found: TypeAlias = Policy | Exception
"""The policy of an origin, or why there is none."""

WHO_ASKS = "; --robot says who asks"


@dataclass(slots=True)
class Inquiry:
    """What is asked and what was found; *on_found* is called at each step.

    *urls* are of pages, whose origin's policy is asked for, or of robots.txt files that
    lie elsewhere. *robot* is the name that the project's crawl would go by.
    """

    urls: list[str]
    on_found: Callable[[], None] = lambda: None
    found: dict[str, Found] = field(default_factory=dict)
    robot: str | bytes = ""
    error: str = ""

    async def run(self, crawler: Crawler) -> None:
        """Ask for everything, as many at a time as the project downloads pages."""
        self.robot = RobotName(crawler).of(Request("http://robot.invalid/"))
        ours = crawler.get_downloader_middleware(Robots1994Middleware)
        ours = ours or Robots1994Middleware.from_crawler(crawler)
        waiting = iter(self.urls)
        count = min(crawler.settings.getint("CONCURRENT_REQUESTS") or 16, 100)
        work = [self._ask(waiting, ours, crawler) for _ in range(count)]
        asked: Any = DeferredList(
            [deferred_from_coro(it) for it in work], consumeErrors=True
        )
        ends: list[tuple[bool, Any]] = await maybe_deferred_to_future(asked)
        for is_done, failure in ends:
            if not is_done:
                failure.raiseException()

    async def _ask(
        self, waiting: Iterator[str], ours: Robots1994Middleware, crawler: Crawler
    ) -> None:
        """Take one URL after the other until none waits."""
        for url in waiting:
            origin = Origin.of(url)
            assert origin is not None  # noqa: S101 - who asks has looked
            request = Request(origin.robots_url)
            if lies_elsewhere(url):
                self.found[url] = await _read(url, origin, crawler)
            else:
                self.found[url] = await _resolve(request, origin, ours)
            self.on_found()


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


async def _read(url: str, origin: Origin, crawler: Crawler) -> Found:
    """The policy that the file at *url* would be if it were that of *origin*."""
    settings = RobotsSettings.from_settings(crawler.settings)
    assert crawler.stats is not None  # noqa: S101 - set before a spider starts
    tally = StatsRecorder(crawler.stats)
    uncounted = UncountedRequests(crawler, EngineState(crawler))
    download = RobotsDownload(crawler, settings, tally, time.time, uncounted)
    context = RequestContext.from_request(Request(url), settings.propagate_meta)
    answer = await download.fetch(origin, context, start=url)
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


def ask(process: CrawlerProcess, inquiry: Inquiry, spider: str | None) -> None:
    """Run *inquiry* in a crawl of the project, or of its *spider*.

    Raises nothing of the crawl: what stopped it is in the inquiry's *error*.
    """
    try:
        loaded = process.spider_loader.load(spider) if spider else Spider
    except KeyError:
        inquiry.error = no_spider(spider)
        return

    async def start(self: Spider) -> AsyncIterator[Any]:
        try:
            await inquiry.run(self.crawler)
        except Exception as error:  # noqa: BLE001 - told by the command, in one line
            inquiry.error = str(error)
        for request in NO_PAGES:
            yield request  # pragma: no cover - there are none

    asking = type(loaded.__name__, (loaded,), {"name": "robots1994", "start": start})
    apart(process.settings)
    started: Any = process.crawl(asking)
    process.start()
    inquiry.error = inquiry.error or _error_of(started)


def no_spider(name: str | None) -> str:
    """What is said of a spider that the project does not have."""
    shown = escape_control_chars(str(name), 60)
    return f"--spider: the project has no spider {shown!r}; `scrapy list` names them"


def leave_out(process: CrawlerProcess, spider: str | None, instead: str = "") -> None:
    """Say that *spider* has no part where nothing is fetched, and what helps *instead*.

    Raises `UsageError` for one that the project does not have.
    """
    must_be_there(process, spider)
    if spider:
        note(f"note: --spider counts only where something is fetched{instead}")


def must_be_there(process: CrawlerProcess, spider: str | None) -> None:
    """Raise `UsageError` for a *spider* that the project does not have."""
    if spider and spider not in process.spider_loader.list():
        raise UsageError(no_spider(spider))


def apart(settings: BaseSettings) -> None:
    """Let *settings* obey robots.txt our way, and do nothing but fetch."""
    for name, value in APART.items():
        settings.set(name, value, priority="cmdline")
    addons = {**settings.getdict("ADDONS"), Addon: 500}
    settings.set("ADDONS", addons, priority="cmdline")


def _error_of(started: Any) -> str:
    """What stopped the crawl from starting, as one line; nothing if it ran."""
    if hasattr(started, "exception"):
        return "cancelled" if started.cancelled() else str(started.exception() or "")
    outcome: list[Any] = []
    started.addErrback(outcome.append)
    return str(outcome[0].value) if outcome else ""
