"""Every use of an undocumented part of Scrapy.

The rest of the package uses only the documented interface of Scrapy. A comment at each
use says why no documented way exists. The comment also describes the effect if a version
of Scrapy no longer has the attribute. If an attribute is missing, the crawl goes on and
still obeys robots.txt. For each missing attribute, `EngineAccess` and `is_crawling` log
one warning that describes the effect (`warn_once`). No other part of this module logs a
warning. `tests/unit/test_scrapy_adapter.py` runs crawls in which an attribute is missing.
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
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from scrapy import Request
    from scrapy.crawler import Crawler


_warned: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()


def warn_once(crawler: Crawler, name: str, lost: str) -> None:
    """Warn that the installed Scrapy has no attribute *name*. Each attribute is reported
    only once in a crawl.

    *lost* is the part of the warning that describes the effect.
    """
    names = _warned.setdefault(crawler, set())
    if name not in names:
        names.add(name)
        log_line(crawler, WARNING, "This Scrapy has no %s: %s", name, lost)


def is_crawling(crawler: Crawler) -> bool:
    """Return whether *crawler* runs a crawl. A shell only sends single requests."""
    # `Crawler.crawling` is undocumented. No public attribute distinguishes a shell from a
    # crawl. Without `Crawler.crawling`, a shell logs refusals at DEBUG instead of as
    # warnings.
    with suppress(AttributeError):
        return bool(crawler.crawling)
    warn_once(crawler, "crawler.crawling", "a shell logs refusals only at DEBUG")
    return True


class EngineAccess:
    """The undocumented parts of the engine that waiting requests need."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        # `_raised` is the number by which the limit is raised. `_limit` is the value of the
        # limit after our last change.
        self._raised = 0
        self._limit: int | None = None

    def change_limit(self, by: int) -> bool:
        """Add *by* to the limit of concurrent requests. Return whether the limit was
        changed.

        If *by* is 1 and the result is `True`, the caller must call this method with -1
        later.
        """
        # `Downloader.total_concurrency` is undocumented. `total_concurrency` starts with
        # the value of CONCURRENT_REQUESTS, and `needs_backout` uses it as the limit. No
        # setting changes the limit while a crawl runs. Without `total_concurrency`,
        # waiting requests count towards the limit. `total_concurrency` may also be a
        # property without a setter, or its setter may refuse the number.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            limit = index(engine.downloader.total_concurrency)
            # Another component may have set the limit since our last change. The limit
            # that another component sets does not include the number in `_raised`, so add
            # `_raised` to that limit. The limit 0 means that there is no limit.
            if limit:
                limit += by if limit == self._limit else by + self._raised
            self._limit = engine.downloader.total_concurrency = limit
            self._raised += by
            return True
        warn_once(
            self._crawler,
            "downloader.total_concurrency",
            "requests that wait for a robots.txt count towards CONCURRENT_REQUESTS",
        )
        return False

    def wake(self) -> None:
        """Make the engine take the next request now, instead of at its next heartbeat."""
        # `ExecutionEngine._slot` and `_Slot.nextcall` are private. No public method wakes
        # the engine without sending a request. Without `_slot` and `nextcall`, the
        # requests in the scheduler may wait up to 5 s.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            engine._slot.nextcall.schedule()  # noqa: SLF001 - private
            return
        warn_once(
            self._crawler,
            "engine._slot.nextcall",
            "while requests wait for a robots.txt, other requests may wait up to 5 s",
        )

    def active(self) -> AbstractSet[Request] | None:
        """Return the requests that the engine has begun and not finished, or `None` if
        they are not known.
        """
        # `Downloader.active` is undocumented, and `engine.needs_backout()` also counts what
        # waits for a callback. No signal says that a request is finished that a middleware
        # replaced, or whose response a middleware refused.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            active: AbstractSet[Request] = engine.downloader.active
            active & frozenset()
            return active
        warn_once(
            self._crawler,
            "downloader.active",
            "after a wait for a robots.txt, CONCURRENT_REQUESTS may be exceeded",
        )
        return None

    def is_full(self, number: int) -> bool:
        """Return whether *number* unfinished requests reach the present limit."""
        engine: Any = self._crawler.engine
        with suppress(Exception):
            return bool(0 < engine.downloader.total_concurrency <= number)
        return False

    def is_closing(self) -> bool:
        """Return whether the spider is closing."""
        # `ExecutionEngine._slot` and `_Slot.closing` are private. `closing` is `None`
        # until `close_spider` is first called, and a Deferred after the call. There is no
        # public way to learn that a crawl is closing. Scrapy sends no signal before the
        # last request has ended. Without `_slot` and `closing`, waiting requests are sent
        # before the crawl ends.
        engine: Any = self._crawler.engine
        closing: object = self
        with suppress(Exception):
            closing = engine._slot.closing  # noqa: SLF001 - private
        if closing and not isinstance(closing, Deferred):
            warn_once(
                self._crawler,
                "engine._slot.closing",
                "requests that wait for a robots.txt when the crawl closes are still "
                "sent, and not returned to the scheduler",
            )
        return isinstance(closing, Deferred)


def is_queued(crawler: Crawler, is_wanted: Callable[[Request], bool]) -> bool:
    """Return whether the queue of a download slot contains a request for which *is_wanted*
    returns `True`.

    Return `True` if the installed Scrapy does not have the queues. If the result were
    `False`, a request could be given up while it waits in a queue.
    """
    # `Downloader.slots` and `Slot.queue` are undocumented, and no signal is sent when a
    # request leaves the queue. Without `slots` and `queue`, a robots.txt request is not
    # given up if the download handler never returns.
    engine: Any = crawler.engine
    with suppress(Exception):
        slots = engine.downloader.slots.values()
        return any(is_wanted(it) for slot in slots for it, *_ in slot.queue)
    return True


def _slot(crawler: Crawler, request: Request) -> tuple[str, Any]:
    # `Downloader._get_slot` is private, and creates a missing slot, as it does for a request
    # that is sent. Without it, only the order of requests changes, so there is no warning
    # (but see `slow_down`).
    engine: Any = crawler.engine
    with suppress(Exception):
        get_slot = engine.downloader._get_slot  # noqa: SLF001 - private
        try:
            name, slot = get_slot(request)
        except TypeError:
            # Before Scrapy 2.14, `_get_slot` has the spider as its second argument.
            name, slot = get_slot(request, crawler.spider)
        return name, slot
    return "", None


class SlotState(NamedTuple):
    """The name of a download slot, how many requests it sends at once, and the seconds
    between them.
    """

    name: str
    concurrency: float
    delay: float


def slot_of(crawler: Crawler, request: Request) -> SlotState:
    """Return the state of the download slot of *request*."""
    name, slot = _slot(crawler, request)
    concurrency = getattr(slot, "concurrency", math.inf)
    return SlotState(name, max(1, concurrency), getattr(slot, "delay", 0.0))


@contextmanager
def count_in_slot(crawler: Crawler, request: Request) -> Iterator[None]:
    """Count *request*, which waits in a middleware, in its download slot while the block
    runs.

    `DownloaderAwarePriorityQueue` takes the next request for the slot with the fewest
    active requests, and would take too many for an origin with a slow robots.txt.
    """
    # `Slot.active` is undocumented. Without it, only the order of requests changes.
    active: Any = getattr(_slot(crawler, request)[1], "active", set())
    with suppress(Exception):
        active.add(request)
    try:
        yield
    finally:
        with suppress(Exception):
            active.discard(request)


def slow_down(crawler: Crawler, request: Request, seconds: float) -> str:
    """Let the download slot of *request* send one request at a time, at least *seconds*
    apart. Return the name of the slot.
    """
    # No public name changes a slot. AutoThrottle sets the same attribute.
    name, slot = _slot(crawler, request)
    with suppress(Exception):
        slot.delay = max(slot.delay, seconds)
        slot.concurrency = 1
        # Scrapy before 2.19 has only `randomize_delay`.
        if hasattr(type(slot), "jitter"):
            slot.jitter = 0.0
        else:
            slot.randomize_delay = False
        return name
    warn_once(
        crawler,
        "downloader._get_slot",
        "ROBOTS1994_CRAWL_DELAY has no effect",
    )
    return name
