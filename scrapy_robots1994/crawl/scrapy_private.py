"""Every use of Scrapy that Scrapy does not document.

The rest of the package uses only the documented interface. Each use here says why there
is no other way, and what is lost in a Scrapy that no longer has the attribute. The crawl
then goes on, obeys robots.txt and loses no page, and one warning says what is lost.
`tests/unit/test_scrapy_adapter.py` removes each attribute.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import reduce
from importlib import import_module
from logging import WARNING
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from twisted.internet.defer import Deferred

from scrapy_robots1994.crawl.log import log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler


def optional(module: str, name: str, default: Any = None) -> Any:
    """Return *name* of *module* of Scrapy; *default* if Scrapy does not have it."""
    with suppress(ImportError):
        return getattr(import_module(module), name, default)
    return default


# Scrapy's undocumented cookie jar follows RFC 6265, and there is no public one. Without
# it, a robots.txt behind a cookie check is a redirect loop (Ours 3.1, retries).
CookieJar: Any = optional("scrapy.http.cookies", "CookieJar")

_warned: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()


def warn_once(crawler: Crawler, name: str, lost: str) -> None:
    """Warn, once in a crawl, that this Scrapy has no *name*, and say what is *lost*."""
    names = _warned.setdefault(crawler, set())
    if name not in names:
        names.add(name)
        log_line(crawler, WARNING, "This Scrapy has no %s: %s", name, lost)


def is_crawling(crawler: Crawler) -> bool:
    """Return whether *crawler* crawls, and does not merely send single requests."""
    # `Crawler.crawling` is undocumented. No public attribute differs in a shell.
    with suppress(AttributeError):
        return bool(crawler.crawling)
    warn_once(crawler, "crawler.crawling", "a shell logs refusals at DEBUG")
    return True


class EngineAccess:
    """The undocumented parts of the engine that waiting requests need."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        # By how much the limit is raised, and its value after the last change.
        self._raised = 0
        self._limit: int | None = None

    def raise_limit(self) -> bool:
        """Let one more request be in the downloader; return `False` if that has no
        effect.

        If this returns `True`, the caller must call `lower_limit` later.
        """
        if self._change_limit(1):
            return True
        warn_once(
            self._crawler,
            "downloader.total_concurrency",
            "requests that wait for a robots.txt count towards CONCURRENT_REQUESTS",
        )
        return False

    def lower_limit(self) -> None:
        """Undo one `raise_limit` that had an effect."""
        self._change_limit(-1)

    def _change_limit(self, by: int) -> bool:
        """Add *by* to the limit of concurrent requests; return whether there is one."""
        # `Downloader.total_concurrency` is undocumented: CONCURRENT_REQUESTS as a number,
        # with which `needs_backout` compares. No setting changes it while a crawl runs.
        downloader: Any = getattr(self._crawler.engine, "downloader", None)
        limit = getattr(downloader, "total_concurrency", None)
        if not isinstance(limit, int):
            return False
        # Another component has set the limit since, without the requests that we add.
        if limit != self._limit:
            limit += self._raised if limit else 0
        # The attribute may be a property without a setter, or with a setter that refuses
        # the number.
        with suppress(Exception):
            self._limit = downloader.total_concurrency = limit + by if limit else 0
            self._raised += by
            return True
        return False

    def wake(self) -> None:
        """Make the engine take the next request now, instead of at its next heartbeat."""
        # `_Slot.nextcall` is private. Nothing public wakes the engine without a request.
        with suppress(Exception):
            self._slot.nextcall.schedule()
            return
        warn_once(
            self._crawler,
            "engine._slot.nextcall",
            "while requests wait for a robots.txt, others may wait up to 5 s",
        )

    def is_closing(self) -> bool:
        """Return whether the spider is closing."""
        # `_Slot.closing` is private: `None`, and a Deferred from the first call of
        # `close_spider` on. No signal is sent before the last request has ended.
        closing = getattr(self._slot, "closing", self)
        if closing and not isinstance(closing, Deferred):
            warn_once(
                self._crawler,
                "engine._slot.closing",
                "requests that wait for a robots.txt when the crawl closes are finished "
                "and do not go back to the scheduler",
            )
        return isinstance(closing, Deferred)

    @property
    def _slot(self) -> Any:
        """The engine's record of the open spider; `None` before it opens and after."""
        # `ExecutionEngine._slot` is private.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            return engine._slot  # noqa: SLF001 - private
        return None


# Private attributes with the limits of connection pools. A handler without any of them is
# not changed.
_LIMITS = (
    ("_session", "connector", "_limit"),  # aiohttp
    ("_default_client", "_transport", "_pool", "_max_connections"),  # httpx
    ("_limits", "max_connections"),  # httpx, of later pools, as for a proxy
)


def widen_pool(crawler: Crawler, more: int, scheme: str) -> None:
    """Make room for *more* connections in the pool for *scheme*.

    The handlers for asyncio libraries open at most `CONCURRENT_REQUESTS` connections.
    Without more connections, that many slow robots.txt files would leave none for pages.
    """
    # `DownloadHandlers._get_handler` and the limits are private, and there is no setting.
    # A crawl without these attributes is only slower, so there is no warning.
    engine: Any = crawler.engine
    for *path, limit in _LIMITS:
        with suppress(Exception):
            handler = engine.downloader.handlers._get_handler(scheme)  # noqa: SLF001
            pool = reduce(getattr, path, handler)
            if isinstance(size := getattr(pool, limit), int) and size:
                setattr(pool, limit, size + more)


def is_queued(crawler: Crawler, is_wanted: Callable[[Request], bool]) -> bool:
    """Return whether a request for which *is_wanted* is true is in the queue of a
    download slot.

    Return `True` if this Scrapy cannot tell: then no request is given up before it is
    sent.
    """
    # `Downloader.slots` and `Slot.queue` are undocumented, and no signal is sent when a
    # request leaves the queue. Without them a component that never returns is not given up.
    engine: Any = crawler.engine
    with suppress(Exception):
        slots = engine.downloader.slots.values()
        return any(is_wanted(it) for slot in slots for it, *_ in slot.queue)
    return True


@contextmanager
def count_in_slot(crawler: Crawler, request: Request) -> Iterator[None]:
    """Count *request*, which waits in a middleware, in its download slot while the block
    runs.

    `DownloaderAwarePriorityQueue` takes requests for the slot that has the fewest. If
    waiting requests did not count, it would take more and more requests for an origin
    whose robots.txt is slow, or that has a crawl delay.
    """
    # `Downloader._get_slot` and `Slot.active` are undocumented. Without them only the
    # order of requests changes, so there is no warning.
    engine: Any = crawler.engine
    active: Any = set()
    with suppress(Exception):
        # The slot is made here if it is not there yet, as for a request that is sent.
        get_slot = engine.downloader._get_slot  # noqa: SLF001 - see above
        try:
            active = get_slot(request)[1].active
        except TypeError:
            # Scrapy before 2.14 takes the spider, too.
            active = get_slot(request, crawler.spider)[1].active
        active.add(request)
    try:
        yield
    finally:
        with suppress(Exception):
            active.discard(request)
