"""Every use of an undocumented part of Scrapy.

The rest of the package uses only the documented interface. A comment at each use says why
there is no other way, and what is lost if a version of Scrapy no longer has the attribute.
Without the attribute a crawl goes on and obeys robots.txt. `EngineAccess` and
`is_crawling` then log one warning that says what is lost (`warn_once`). The other functions
do not warn. `tests/unit/test_scrapy_adapter.py` removes each attribute.
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
    """Return the object *name* of *module*, a module of Scrapy; *default* if this Scrapy
    does not have the object.
    """
    with suppress(ImportError):
        return getattr(import_module(module), name, default)
    return default


# Scrapy's cookie jar is undocumented. It follows RFC 6265, and Scrapy has no public cookie
# jar. Without the class, a robots.txt behind a cookie check is a redirect loop (Ours 3.1,
# retries), and there is no warning.
CookieJar: Any = optional("scrapy.http.cookies", "CookieJar")

_warned: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()


def warn_once(crawler: Crawler, name: str, lost: str) -> None:
    """Warn, once in a crawl, that this Scrapy has no attribute *name*.

    *lost* is the part of the warning that says what is lost.
    """
    names = _warned.setdefault(crawler, set())
    if name not in names:
        names.add(name)
        log_line(crawler, WARNING, "This Scrapy has no %s: %s", name, lost)


def is_crawling(crawler: Crawler) -> bool:
    """Return whether *crawler* runs a crawl. A shell only sends single requests."""
    # `Crawler.crawling` is undocumented. No public attribute distinguishes a shell. Without
    # the attribute, a shell logs refusals at DEBUG instead of as warnings.
    with suppress(AttributeError):
        return bool(crawler.crawling)
    warn_once(crawler, "crawler.crawling", "a shell logs refusals only at DEBUG")
    return True


class EngineAccess:
    """The undocumented parts of the engine that waiting requests need."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        # `_raised` is by how much the limit is raised. `_limit` is the value of the limit
        # after our last change.
        self._raised = 0
        self._limit: int | None = None

    def raise_limit(self) -> bool:
        """Raise the limit of concurrent requests by one. Return `False` if the limit cannot
        be raised.

        If the result is `True`, the caller must call `lower_limit` later.
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
        """Undo one call of `raise_limit` that returned `True`."""
        self._change_limit(-1)

    def _change_limit(self, by: int) -> bool:
        """Add *by* to the limit of concurrent requests; return whether it was changed."""
        # `Downloader.total_concurrency` is undocumented. It is the number of
        # CONCURRENT_REQUESTS, and `needs_backout` compares with it. No setting changes the
        # limit while a crawl runs. Without the attribute waiting requests count.
        downloader: Any = getattr(self._crawler.engine, "downloader", None)
        limit = getattr(downloader, "total_concurrency", None)
        if not isinstance(limit, int):
            return False
        # If another component has set the limit since our last change, its value does not
        # include the number by which we have raised the limit.
        if limit != self._limit:
            limit += self._raised if limit else 0
        # Ignore an error: the attribute may be a property without a setter, or with a
        # setter that refuses the number.
        with suppress(Exception):
            self._limit = downloader.total_concurrency = limit + by if limit else 0
            self._raised += by
            return True
        return False

    def wake(self) -> None:
        """Make the engine take the next request now, instead of at its next heartbeat."""
        # `_Slot.nextcall` is private. No public method wakes the engine without sending a
        # request. Without the attribute, other requests may wait up to 5 s.
        with suppress(Exception):
            self._slot.nextcall.schedule()
            return
        warn_once(
            self._crawler,
            "engine._slot.nextcall",
            "while requests wait for a robots.txt, other requests may wait up to 5 s",
        )

    def is_closing(self) -> bool:
        """Return whether the spider is closing."""
        # `_Slot.closing` is private. It is `None` until `close_spider` is first called, and
        # then a Deferred. There is no public way: no signal is sent before the last request
        # has ended. Without the attribute, waiting requests are sent before the crawl ends.
        closing = getattr(self._slot, "closing", self)
        if closing and not isinstance(closing, Deferred):
            warn_once(
                self._crawler,
                "engine._slot.closing",
                "requests that wait for a robots.txt when the crawl closes are finished, "
                "not returned to the scheduler",
            )
        return isinstance(closing, Deferred)

    @property
    def _slot(self) -> Any:
        """The engine's record of the open spider; `None` before it opens and after."""
        # `ExecutionEngine._slot` is private, and `nextcall` and `closing` are only there.
        # Without it `wake` has no effect, `is_closing` returns `False`, and both warn.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            return engine._slot  # noqa: SLF001 - private
        return None


# The private attributes that limit the connection pools of handlers, as paths from the
# handler. A handler that has no such attribute is not changed.
_LIMITS = (
    ("_session", "connector", "_limit"),  # aiohttp
    ("_default_client", "_transport", "_pool", "_max_connections"),  # httpx
    ("_limits", "max_connections"),  # httpx: pools made later, as for a proxy
)


def widen_pool(crawler: Crawler, more: int, scheme: str) -> None:
    """Allow *more* connections in the connection pool for *scheme*.

    The handlers for asyncio libraries open at most `CONCURRENT_REQUESTS` connections.
    Without more connections, that many slow robots.txt files would leave no connection
    for pages.
    """
    # `DownloadHandlers._get_handler` and the limits are private, and no setting changes the
    # limits. Without these attributes a crawl is only slower, so there is no warning.
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

    Return `True` if this Scrapy does not have the queues. Then no request is given up
    before it is sent.
    """
    # `Downloader.slots` and `Slot.queue` are undocumented, and no signal is sent when a
    # request leaves the queue. Without these attributes, a robots.txt request is not given
    # up if a component never returns.
    engine: Any = crawler.engine
    with suppress(Exception):
        slots = engine.downloader.slots.values()
        return any(is_wanted(it) for slot in slots for it, *_ in slot.queue)
    return True


@contextmanager
def count_in_slot(crawler: Crawler, request: Request) -> Iterator[None]:
    """Count *request*, which waits in a middleware, in its download slot while the block
    runs.

    `DownloaderAwarePriorityQueue` takes the next request for the slot with the fewest
    active requests. If waiting requests did not count, the queue would take more and more
    requests for an origin that has a slow robots.txt or a crawl delay.
    """
    # `Downloader._get_slot` and `Slot.active` are undocumented, and there is no public way
    # to count a request in a slot. Without these attributes only the order of requests
    # changes, so there is no warning.
    engine: Any = crawler.engine
    active: Any = set()
    with suppress(Exception):
        # This call creates the slot if it does not exist, as for a request that is sent.
        get_slot = engine.downloader._get_slot  # noqa: SLF001 - see above
        try:
            active = get_slot(request)[1].active
        except TypeError:
            # Before Scrapy 2.14 the method has the spider as a second argument.
            active = get_slot(request, crawler.spider)[1].active
        active.add(request)
    try:
        yield
    finally:
        with suppress(Exception):
            active.discard(request)
