"""Code that uses undocumented parts of Scrapy.

If a part that `LOST` lists is missing, a crawl still obeys robots.txt, but logs a warning that says
what no longer works.
"""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from logging import WARNING
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from twisted.internet.defer import Deferred

from scrapy_robots1994.crawl.log import log_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from scrapy import Request
    from scrapy.crawler import Crawler

LOST = {
    "crawler.crawling": "a shell logs refusals only at DEBUG",
    "downloader.total_concurrency": "requests that wait for a robots.txt count towards "
    "CONCURRENT_REQUESTS",
    "downloader.active": "requests that have waited for a robots.txt may exceed "
    "CONCURRENT_REQUESTS",
    "downloader._get_slot": "ROBOTS1994_CRAWL_DELAY has no effect",
    "engine.scraper.slot": "requests that have waited for a robots.txt may exceed "
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE",
    "engine._slot.nextcall": "while requests wait for a robots.txt, other requests may wait "
    "up to 5 s",
    "engine._slot.closing": "requests that wait for a robots.txt when the crawl closes are "
    "still sent instead of going back to the scheduler",
}
"""Maps undocumented attributes of Scrapy to what happens without them."""

_warned: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()


def _warn(crawler: Crawler, name: str) -> None:
    names = _warned.setdefault(crawler, set())
    if name not in names:
        names.add(name)
        text = "This version of Scrapy has no %s: %s"
        log_line(crawler, WARNING, text, name, LOST[name])


def is_crawling(crawler: Crawler) -> bool:
    """Whether *crawler* runs a spider rather than a shell."""
    # No public attribute distinguishes a shell from a crawl.
    with suppress(Exception):
        return crawler.crawling
    _warn(crawler, "crawler.crawling")
    return True


class EngineAccess:
    """The undocumented parts of the engine that waiting requests need."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        # How much we have raised the limit, and the limit after our last change
        self._raised = 0
        self._limit: int | None = None

    def change_limit(self, by: int) -> bool:
        """Add *by* to the limit of concurrent requests. Return whether that worked.

        The caller must undo the change later.
        """
        # No setting changes the limit of a running crawl, so we set the attribute. It may be
        # missing or read-only.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            limit = index(engine.downloader.total_concurrency)
            # If another component has set the limit since our last change, our increase is gone,
            # so add it again. 0 means no limit.
            if limit:
                limit += by if limit == self._limit else by + self._raised
            self._limit = engine.downloader.total_concurrency = limit
            self._raised += by
            return True
        _warn(self._crawler, "downloader.total_concurrency")
        return False

    def wake(self) -> None:
        """Make the engine take the next request now, not at its next heartbeat."""
        # No public method wakes the engine without sending a request.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            engine._slot.nextcall.schedule()  # noqa: SLF001 - private
            return
        _warn(self._crawler, "engine._slot.nextcall")

    def active(self) -> AbstractSet[Request]:
        """Return the unfinished requests of the downloader, or an empty set if they are unknown."""
        # No public interface exposes these requests. `engine.needs_backout()` also depends on the
        # scraper. Counting them with signals would go wrong whenever a middleware replaces a
        # request or raises `IgnoreRequest` for its response.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            return set(engine.downloader.active)
        _warn(self._crawler, "downloader.active")
        return frozenset()

    def limit(self) -> float:
        """Return how many requests the downloader may have in progress, or infinity if there is no
        known limit.

        The limit is 0 while the engine is paused or waits for the spider to process responses
        (SCRAPER_SLOT_MAX_ACTIVE_SIZE).
        """
        engine: Any = self._crawler.engine
        try:
            # Not `engine.needs_backout()`, which also depends on the downloader
            if engine.paused or engine.scraper.slot.needs_backout():
                return 0
        except Exception:  # noqa: BLE001 - Scrapy's internals may change
            _warn(self._crawler, "engine.scraper.slot")
        with suppress(Exception):
            return index(engine.downloader.total_concurrency) or math.inf
        return math.inf

    def is_closing(self) -> bool:
        # When a crawl begins to close, Scrapy sends no signal until the last request has ended.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            closing = engine._slot.closing  # noqa: SLF001 - private
            if not closing or isinstance(closing, Deferred):
                return bool(closing)
        _warn(self._crawler, "engine._slot.closing")
        return False


def is_queued(crawler: Crawler, request: Request) -> bool:
    """Whether *request* is in the queue of a download slot.

    Also return True if the queues cannot be read. A request for robots.txt is then limited only by
    its `download_timeout`.
    """
    engine: Any = crawler.engine
    with suppress(Exception):
        slots = engine.downloader.slots.values()
        return any(it is request for slot in slots for it, *_ in slot.queue)
    return True


class DownloadSlot(NamedTuple):
    """A download slot, with its delay in seconds. The defaults are for a slot that we could not
    find.
    """

    name: str = ""
    concurrency: float = math.inf
    delay: float = 0.0
    slot: Any = None


def slot_of(crawler: Crawler, request: Request) -> DownloadSlot:
    # `_get_slot` creates the slot if necessary. Nothing is logged if it fails, because that affects
    # only the order of requests.
    engine: Any = crawler.engine
    with suppress(Exception):
        get_slot = engine.downloader._get_slot  # noqa: SLF001 - private
        try:
            name, slot = get_slot(request)
        except TypeError:
            # Before Scrapy 2.14, the spider is the second argument.
            name, slot = get_slot(request, crawler.spider)
        return DownloadSlot(name, max(1, slot.concurrency), slot.delay, slot)
    return DownloadSlot()


@contextmanager
def count_in_slot(crawler: Crawler, request: Request) -> Iterator[None]:
    """Count the waiting *request* as active in its download slot during the block.

    `DownloaderAwarePriorityQueue` prefers the slot with the fewest active requests. If waiting
    requests did not count, that queue would return too many requests for an origin whose
    robots.txt is slow.
    """
    active: Any = getattr(slot_of(crawler, request).slot, "active", set())
    with suppress(Exception):
        active.add(request)
    try:
        yield
    finally:
        with suppress(Exception):
            active.discard(request)


def slow_down(crawler: Crawler, request: Request, seconds: float) -> str:
    """Make the download slot of *request* send one request at a time, at least *seconds*
    apart. Return the name of the slot.
    """
    # No public method changes a slot.
    name, _, _, slot = slot_of(crawler, request)
    try:
        slot.delay = max(slot.delay, seconds)
        slot.concurrency = 1
        # Before 2.19, Scrapy has only `randomize_delay`.
        if hasattr(type(slot), "jitter"):
            slot.jitter = 0.0
        else:
            slot.randomize_delay = False
    except Exception:  # noqa: BLE001 - Scrapy's internals may change
        _warn(crawler, "downloader._get_slot")
    return name
