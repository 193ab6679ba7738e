"""Requests in the middleware: how they wait, return to the scheduler, and end with the
crawl.

Scrapy counts a request that waits in a middleware towards `CONCURRENT_REQUESTS`. While it
waits, the limit is raised by one, so that slow origins do not block others. The limit is
also raised for each robots.txt request. A request whose wait is over goes on if a slot is
free. Otherwise it is returned to the scheduler, which owns the order of requests, but
only once. When the crawl closes, all requests that the scheduler can take are returned
(R6, closing).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.core.scheduler import Scheduler

from scrapy_robots1994.crawl.refusals import VERDICT
from scrapy_robots1994.crawl.requests import EVIDENCE, STATED_USAGE
from scrapy_robots1994.crawl.scrapy_private import EngineAccess, count_in_slot
from scrapy_robots1994.crawl.setting_types import load_object
from scrapy_robots1994.crawl.threads import DeferredWaiter, call_later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

# These marks are in the meta, because they must survive a queue on disk (JOBDIR) or a
# queue of several workers.
SCHEDULED = "_robots1994_scheduled"
"""Meta key of a request that the scheduler has."""

RETURNED = "_robots1994_returned"
"""Meta key of a request that was returned to the scheduler. The value is the
`dont_filter` of the request, and whether it was returned because no slot was free; in
version 0.1, a text.
"""

LOOK_SECONDS = 0.05
"""Seconds between two checks whether the crawl closes, for which Scrapy has no signal."""

LIMITS = (
    "CLOSESPIDER_PAGECOUNT",
    "CLOSESPIDER_PAGECOUNT_NO_ITEM",
    "CLOSESPIDER_ITEMCOUNT",
)
"""Settings by which a crawl ends after a number of pages or items. Scrapy counts a
robots.txt as a page, so each robots.txt that is fetched early would replace a page.
"""

SHARE = 100
"""For each so many pages or items of a limit (`LIMITS`), one request may wait without
counting.
"""

CLOSE_SECONDS = 5.0
"""Seconds that a closing crawl waits at most for the robots.txt of its own requests."""


@dataclass(slots=True, eq=False)
class Visit:
    """One visit of *request* to the middleware, from its first step to its last.

    A request that *is_awaited* by a component was sent with `engine.download_async()`,
    and cannot be returned to the scheduler. *has_gone_back* says that the request was
    returned before, because no slot was free. *is_raised* says that the limit is raised
    for it while it waits.
    """

    request: Request
    is_awaited: bool
    has_gone_back: bool
    is_raised: bool = False
    turn: DeferredWaiter[None] | None = None
    """The future of the request's turn, if it waits for a crawl delay."""
    cause: Exception | None = None
    """The failure of the fetch that the request waited for, if its policy is unknown (R5,
    unreachable).
    """

    @classmethod
    def begin(cls, request: Request) -> Visit:
        """Return the visit of *request*, after removing our keys from its meta.

        If the request was returned to the scheduler, restore its own `dont_filter`.
        """
        meta = request.meta
        # A request that an errback sends again, or that is made with the meta of a
        # response, has keys with the decision about another request.
        meta.pop(VERDICT, None)
        meta.pop(EVIDENCE, None)
        meta.pop(STATED_USAGE, None)
        is_awaited = not meta.pop(SCHEDULED, False)
        if RETURNED not in meta:
            return cls(request, is_awaited, has_gone_back=False)
        request.dont_filter, for_room = meta.pop(RETURNED)
        return cls(request, is_awaited, has_gone_back=for_room is True)

    @classmethod
    def outside(cls, request: Request) -> Visit:
        """Return the visit of a *request* that needs a policy without passing through the
        middleware.
        """
        return cls(request, is_awaited=True, has_gone_back=False)

    def returned(self, *, for_room: bool = False) -> Request:
        """Return the request to give to the scheduler in place of the request of this
        visit.

        *for_room* says that it is returned because no slot is free, which happens once at
        most.
        """
        request = self.request
        marked = request.dont_filter, for_room or self.has_gone_back
        # The duplicates filter has seen the request, and would drop it without
        # `dont_filter`.
        return request.replace(
            dont_filter=True, meta={**request.meta, RETURNED: marked}
        )


class WaitingRequests:
    """The requests of one crawl that wait in the middleware.

    The limit is raised for at most *most* requests; further ones count. In a crawl that
    ends after a number of pages or items, the limit is raised for fewer requests that
    wait for a robots.txt. *on_closing* is called when the crawl begins to close, and
    again `CLOSE_SECONDS` later.
    """

    def __init__(
        self,
        crawler: Crawler,
        most: int,
        on_closing: Callable[[], object] = lambda: None,
    ) -> None:
        self._crawler = crawler
        self._engine = EngineAccess(crawler)
        limits = filter(None, map(crawler.settings.getint, LIMITS))
        self._most = most
        self._most_for_file = min([most, *(it // SHARE for it in limits)])
        self._concurrent = crawler.settings.getint("CONCURRENT_REQUESTS") or None
        # If no slot is free, requests are returned only to Scrapy's scheduler or a
        # subclass of it. Another scheduler may be shared, or may drop a request that it
        # has seen. Do not use `issubclass`: it is true for each class with the methods of
        # a scheduler.
        scheduler = load_object(crawler.settings["SCHEDULER"])
        self._owns_order = Scheduler in getattr(scheduler, "__mro__", ())
        self._on_closing = on_closing
        # The visits that wait, in order of arrival, and the visits that a closing crawl
        # finishes.
        self._visits: dict[Request, Visit] = {}
        self._finished: frozenset[Visit] = frozenset()
        self._raised = self._files = 0
        self._is_looking = self._is_closed = False
        crawler.signals.connect(self._mark, signals.request_scheduled)
        crawler.signals.connect(self.close, signals.spider_closed)

    @contextmanager
    def waiting(self, visit: Visit, *, for_file: bool = True) -> Iterator[None]:
        """Wait with the request of *visit* while the block runs, without counting it.

        With *for_file* it waits for a robots.txt.
        """
        self._look()
        self._visits[visit.request] = visit
        if self._raise_limit(self._most_for_file if for_file else self._most):
            visit.is_raised = True
            self._raised += 1
            # The engine may take one more request now.
            self._engine.wake()
        try:
            with count_in_slot(self._crawler, visit.request):
                yield
        finally:
            self._visits.pop(visit.request, None)
            if visit.is_raised:
                visit.is_raised = False
                self._raised -= 1
                self._engine.lower_limit()

    async def turn(self, visit: Visit) -> bool:
        """Wait until `Visit.turn` is released.

        Return `False` if the request must be returned to the scheduler because the crawl
        closes. A closing crawl does not wait for turns, because a file may state any
        delay.
        """
        with self.waiting(visit, for_file=False):
            if not self.goes_back(visit, is_known=False):
                visit.turn = DeferredWaiter()
                await visit.turn
        return not self.goes_back(visit, is_known=False)

    @contextmanager
    def file(self) -> Iterator[None]:
        """Download a robots.txt while the block runs, without counting its request."""
        self._files += 1
        self._look()
        is_raised = self._raise_limit(self._most_for_file)
        try:
            yield
        finally:
            self._files -= 1
            if is_raised:
                self._engine.lower_limit()

    def may_go_on(self, visit: Visit) -> bool:
        """Return whether the request of *visit*, which still waits, may go on.

        It may go on if it counted towards the limit, if a slot is free, if it was
        returned to the scheduler before, or if it cannot be returned.
        """
        return (
            not visit.is_raised
            or visit.has_gone_back
            or self._is_finished(visit)
            or not self._owns_order
            # The limit is still raised for this request, so the request itself does not
            # count.
            or not self._crawler.engine.needs_backout()
        )

    def is_finished(self, request: Request) -> bool:
        """Return whether the waiting *request* is still sent after the crawl begins to
        close (R6, closing).

        Two kinds of requests are: each one that a component awaits, and the first
        `CONCURRENT_REQUESTS` ones, which Scrapy's own middleware would send, too.
        """
        visit = self._visits.get(request)
        return visit is not None and self._is_finished(visit)

    def goes_back(self, visit: Visit, *, is_known: bool) -> bool:
        """Return whether the request of *visit* must be returned to the scheduler because
        the crawl closes.

        *is_known* says whether the policy of its origin is known: without it, the next
        crawl tries the request again. A request that a component awaits is never
        returned.
        """
        if visit.is_awaited or not self.is_closing():
            return False
        return not (is_known and self._is_finished(visit))

    def is_closing(self) -> bool:
        """Return whether the crawl closes."""
        if not self._is_closed and self._engine.is_closing():
            self.close()
        return self._is_closed

    def close(self) -> None:
        """Prepare for the close of the crawl; a second call has no effect."""
        if not self._is_closed:
            self._is_closed = True
            own = (it for it in self._visits.values() if not it.is_awaited)
            self._finished = frozenset(islice(own, self._concurrent))
            self._on_closing()
            # Iterate over a copy: without asyncio a released request goes on at once, and
            # is removed.
            for visit in list(self._visits.values()):
                if visit.turn is not None and not visit.is_awaited:
                    visit.turn.release(None)
            if self._finished:
                call_later(CLOSE_SECONDS, self._close_finished)

    def _close_finished(self) -> None:
        """Return the remaining scheduled requests to the scheduler."""
        self._finished = frozenset()
        self._on_closing()

    def _is_finished(self, visit: Visit) -> bool:
        return visit.is_awaited or visit in self._finished

    def _mark(self, request: Request) -> None:
        """Mark a request that the scheduler is about to get."""
        request.meta[SCHEDULED] = True

    def _raise_limit(self, most: int) -> bool:
        """Let one more request be in the downloader, unless *most* are there already."""
        return self._raised < most and self._engine.raise_limit()

    def _look(self) -> None:
        """Check whether the crawl closes, and repeat the check while a request waits."""
        if not (self.is_closing() or self._is_looking):
            self._is_looking = True
            call_later(LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._is_looking = False
        if self._visits or self._files:
            self._look()
