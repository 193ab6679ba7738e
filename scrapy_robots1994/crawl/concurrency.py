"""Access to Scrapy's engine and downloader for which there is no public interface.

The only module that uses private attributes of Scrapy and of what it brings. If one is
missing, a warning says once what is lost, and the crawl continues without it.
"""

from collections.abc import Callable
from functools import reduce
from logging import WARNING
from typing import Any

from pydispatch import dispatcher  # type: ignore[import-untyped]
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from scrapy_robots1994.crawl.exceptions import QueuedPageAborted
from scrapy_robots1994.crawl.log import log_line

SLOT_KEY = "download_slot"
"""The meta key in which Scrapy stores the slot of a request."""

NO_SLOTS: dict[str | None, Any] = {}  # those of a downloader that has none
_ABSENT: Any = object()
_ATTRIBUTE = "_robots1994_uncounted"


class EngineState:
    """The state of the engine of one crawl, as far as waiting depends on it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._warned: set[str] = set()

    @property
    def _slot(self) -> Any:
        """The engine's record of the open spider; `None` before it opens and after."""
        # `ExecutionEngine._slot` is private. Nothing public says that a crawl closes or
        # offers the scheduler's state (before Scrapy 2.19). Without it, waiting requests
        # end with their robots.txt, not with the crawl.
        slot = getattr(self._crawler.engine, "_slot", _ABSENT)
        if slot is _ABSENT:
            self.warn(
                "engine._slot",
                "requests that wait for a robots.txt do not return to the scheduler when "
                "the crawl closes",
            )
        return slot

    def is_closing(self) -> bool:
        """Return whether the spider is closing or closed."""
        # `_Slot.closing` is a Deferred from the first call of `close_spider` on.
        slot = self._slot
        return slot is None or getattr(slot, "closing", None) is not None

    def has_room(self) -> bool:
        """Return whether one more page may be on its way."""
        engine: Any = self._crawler.engine
        # Components that open may await pages, and until it runs it has no room.
        is_opening = not engine.running and not self.is_closing()
        return is_opening or not (engine.paused or engine.needs_backout())

    def has_room_without(self, request: Request) -> bool:
        """Return `has_room` as it will be once *request* has left the downloader."""
        active = self.active()
        if request not in active:
            # A downloader without this set: it does not count in it.
            return True
        # Put back at once: `needs_backout` counts the set, and nothing else runs.
        active.discard(request)
        try:
            return self.has_room()
        finally:
            active.add(request)

    def is_stuck(self) -> bool:
        """Return whether no page is on its way, so that none will make room."""
        # Those that count may be in callbacks or middlewares that wait for one of ours.
        active, is_paused = self.active(), self._crawler.engine.paused
        sent = (slot.active for slot in slots_of(self._crawler).values())
        return not is_paused and all(map(active.isdisjoint, sent))

    def has_others(self) -> bool:
        """Return whether the engine has requests of its own for a free place."""
        # `ExecutionEngine._start` is private: the iterator over `Spider.start()` while
        # it lasts. Without it, start requests wait for the scheduler to have others.
        if getattr(self._crawler.engine, "_start", None) is not None:
            return True
        scheduler = getattr(self._slot, "scheduler", None)
        return scheduler is not None and scheduler.has_pending_requests()

    def schedule(self) -> None:
        """Make the engine look for a further request now, not at its next heartbeat."""
        # `_Slot.nextcall` is private. Without it, the heartbeat notices within 5 seconds.
        nextcall = getattr(self._slot, "nextcall", None)
        if nextcall is not None:
            nextcall.schedule()

    def active(self) -> set[Request]:
        """Return the requests that count; none with a downloader that has no set."""
        engine = self._crawler.engine
        active = getattr(getattr(engine, "downloader", None), "active", None)
        if isinstance(active, set):
            return active
        self.warn(
            "downloader.active",
            "requests that wait for a robots.txt count towards CONCURRENT_REQUESTS",
        )
        return set()

    def set_close_if_idle(self, value: object) -> Any:
        """Say whether an idle spider closes, and return what was set before."""
        # `_Slot.close_if_idle` is private. With `DontCloseSpider` alone, `spider_idle` is
        # sent again and again, and spiders make their next batch of requests too early.
        slot = self._slot
        was = getattr(slot, "close_if_idle", _ABSENT)
        if was is not _ABSENT and value is not _ABSENT:
            slot.close_if_idle = value
        return was

    def warn(self, name: str, lost: str) -> None:
        """Warn once that this Scrapy has no attribute *name*, and what is *lost*."""
        if name not in self._warned:
            self._warned.add(name)
            log_line(self._crawler, WARNING, "This Scrapy has no %s: %s", name, lost)


class UncountedRequests:
    """Requests that are in the downloader and do not count.

    A request that waits for a robots.txt, and the request for that file, would count
    towards `CONCURRENT_REQUESTS`, and 16 slow origins would stop all others. So they
    are out of `downloader.active`. They must be back before they leave or are cancelled,
    for the downloader removes them itself. The spider is not idle while there are any.
    """

    @classmethod
    def of(cls, crawler: Crawler) -> "UncountedRequests":
        """Return the one of *crawler*, which all components share.

        With two, each would restore what the other set meanwhile, and the crawl might
        never close.
        """
        # An attribute of the crawler: a table here would keep ended crawlers alive.
        found: UncountedRequests | None = vars(crawler).get(_ATTRIBUTE)
        if found is None:
            found = vars(crawler)[_ATTRIBUTE] = cls(crawler)
        return found

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.engine = EngineState(crawler)
        self._requests: set[Request] = set()
        # Those in the queue of a slot, or sent since.
        self._queued: set[Request] = set()
        self._close_if_idle: Any = _ABSENT
        self.on_first: list[Callable[[], None]] = []
        """Called when the first request is added. As long as any is uncounted, the
        caller of `add` calls `discard` for each request that leaves the downloader."""
        crawler.signals.connect(self._stay_open, signals.spider_idle)

    def __bool__(self) -> bool:
        """Return whether there are requests that do not count, or that are queued."""
        return bool(self._requests or self._queued)

    def add(self, request: Request) -> bool:
        """Stop counting *request*; return `False` if the downloader does not count it."""
        active = self.engine.active()
        if request not in active:
            return False
        active.remove(request)
        if not self._requests:
            self._close_if_idle = self.engine.set_close_if_idle(value=False)
            for call in self.on_first:
                call()
        self._requests.add(request)
        # There is room for one more now, which the engine would see at its next heartbeat.
        self.engine.schedule()
        return True

    def add_queued(self, request: Request, most: float) -> None:
        """Count *request* no more, if its download slot has queued it.

        It goes on counting if *most* in that queue do not count already. `fail_queued` is
        for all of them.
        """
        response = _queued_response(self._crawler, request)
        # One that was just cancelled may still be on its way out of the downloader.
        if response is None or response.called:
            return
        queue = _queue_of(self._crawler, request)
        if sum(it in self._requests for it, _ in queue) < most:
            self.add(request)

        def cancel(queued: Any) -> None:
            queued._suppressAlreadyCalled = True  # noqa: SLF001 - see below
            self.remove(request)

        # `Deferred._canceller` is private. No signal says that a queued request was
        # cancelled, and the downloader removes it from `active` at once: a KeyError. With
        # it, Twisted ignores a late response only if `_suppressAlreadyCalled` says so.
        response._canceller = cancel  # noqa: SLF001 - as above
        self._queued.add(request)

    def fail_queued(self, reason: str) -> None:
        """Remove all from the queues of their slots; each fails for *reason*."""
        for request in list(self._queued):
            response = _queued_response(self._crawler, request)
            # Without one it is on its way to the server.
            if response is not None:
                self.remove(request)
                response.errback(QueuedPageAborted(reason))

    def remove(self, request: Request) -> None:
        """Take *request*, which is cancelled, out of the queue of its slot.

        It counts until it has left the downloader.
        """
        # The downloader sends what it has queued, though nothing waits for it any more.
        queue = _queue_of(self._crawler, request)
        for entry in [it for it in queue if it[0] is request]:
            queue.remove(entry)
        # The downloader removes it from `active` next: a KeyError if it is not there.
        self.discard(request)

    def discard(self, request: Request) -> None:
        """Count *request* again; no effect if it counts already."""
        self._queued.discard(request)
        # The downloader removes what has its response itself: an error if it is missing.
        if request not in self._requests:
            return
        self._requests.remove(request)
        self.engine.active().add(request)
        if not self._requests:
            self.engine.set_close_if_idle(self._close_if_idle)

    def _stay_open(self) -> None:
        """Keep the spider open where `close_if_idle` is missing."""
        if self._requests:
            raise DontCloseSpider


def slots_of(crawler: Crawler) -> dict[str | None, Any]:
    """Return the slots of the crawl by key; `NO_SLOTS` if its downloader has none."""
    # `Downloader.slots` is undocumented. Without it no crawl delay is applied.
    return getattr(getattr(crawler.engine, "downloader", None), "slots", NO_SLOTS)


def _queued_response(crawler: Crawler, request: Request) -> Any:
    """Return the Deferred of a *request* that its slot has queued, else `None`."""
    queue = _queue_of(crawler, request)
    return next((response for it, response in queue if it is request), None)


def _queue_of(crawler: Crawler, request: Request) -> Any:
    """Return the queue of the download slot of *request*, empty where it has none."""
    # `Slot.queue` is undocumented: pairs of a request and the Deferred of its response.
    # Without it no queued request is dropped or uncounted.
    return getattr(slots_of(crawler).get(request.meta.get(SLOT_KEY)), "queue", [])


def handler_check(crawler: Crawler) -> Callable[[object], bool]:
    """Return what says quickly whether a signal of *crawler* has any handler."""
    # `dispatcher.connections` is internal: handlers by the id of the sender, then by
    # signal. `getReceivers` costs as much as sending. Without the table, all are sent.
    table = getattr(dispatcher, "connections", None)
    if table is None:
        return lambda _: True
    # Prepared once: a crawl may have thousands of refusals a second.
    find, every = table.get, dispatcher.Any
    ours, any_sender = id(crawler), id(every)

    def has_handler(signal: object) -> bool:
        mine, others = find(ours, ()), find(any_sender, ())
        # A handler may be connected to every signal, too.
        return signal in mine or signal in others or every in mine or every in others

    return has_handler


# Private limits of pools. A handler that has none of these is left as it is.
_LIMITS = (
    ("_session", "connector", "_limit"),  # aiohttp
    ("_default_client", "_transport", "_pool", "_max_connections"),  # httpx
    ("_limits", "max_connections"),  # httpx, of each pool to come: one for a proxy
)


def widen_pool(crawler: Crawler, more: int, scheme: str) -> None:
    """Make room for *more* connections in the pool for *scheme*.

    The handlers on asyncio libraries open at most `CONCURRENT_REQUESTS` connections:
    so many slow robots.txt files would leave none for pages.
    """
    handlers = getattr(crawler.engine.downloader, "handlers", None)
    handler: Any = getattr(handlers, "_get_handler", lambda _: None)(scheme)
    for *path, limit in _LIMITS:
        pool = reduce(lambda it, name: getattr(it, name, None), path, handler)
        if size := getattr(pool, limit, None):
            setattr(pool, limit, size + more)
