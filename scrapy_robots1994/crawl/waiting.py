"""Requests on their way through the middleware: waiting, going back, and closing.

Scrapy counts a request that waits in a middleware towards `CONCURRENT_REQUESTS`. While it
waits, the limit is one higher, so that slow origins stop no others; the same holds for the
request for the robots.txt. A request whose wait is over goes on if a slot is free.
Else it goes back to the scheduler, which owns the order of requests: once. When the crawl
closes, all requests that the scheduler can take go back (R6).
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
from scrapy_robots1994.crawl.scrapy_private import EngineAccess
from scrapy_robots1994.crawl.setting_types import load_object
from scrapy_robots1994.crawl.threads import DeferredWaiter, call_later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

# In the meta, because both must survive a queue on disk (JOBDIR) or of many workers.
SCHEDULED = "_robots1994_scheduled"
"""Meta key of a request that is with the scheduler."""

RETURNED = "_robots1994_returned"
"""Meta key of a request that went back to the scheduler: its own `dont_filter`, and whether
it went back because no slot was free. Version 0.1 wrote a text in its place."""

LOOK_SECONDS = 0.05
"""Between two looks whether the crawl closes, for which Scrapy has no signal."""

LIMITS = (
    "CLOSESPIDER_PAGECOUNT",
    "CLOSESPIDER_PAGECOUNT_NO_ITEM",
    "CLOSESPIDER_ITEMCOUNT",
)
"""Settings by which a crawl ends after a number of pages or items. Scrapy counts a
robots.txt as a page, so each that is fetched ahead would take the place of one."""

SHARE = 100
"""For each so many of them, the limit may be raised for one request that waits."""

CLOSE_SECONDS = 5.0
"""The longest time that a closing crawl waits for a robots.txt of its own requests."""


@dataclass(slots=True, eq=False)
class Visit:
    """One visit of *request* to the middleware, from its first step to its last.

    A request that *is_awaited* by a component (`engine.download_async`) cannot go back to
    the scheduler. *has_gone_back* says that it did before, because no slot was free.
    While it waits, *is_raised* says that the limit is one higher for it.
    """

    request: Request
    is_awaited: bool
    has_gone_back: bool
    is_raised: bool = False
    turn: DeferredWaiter[None] | None = None
    """What a crawl delay lets it wait for, if it does."""
    cause: Exception | None = None
    """The failure because of which its policy is unknown, if it waited for the fetch (R5)."""

    @classmethod
    def begin(cls, request: Request) -> Visit:
        """Return the visit of *request*, whose meta has no key of ours any more.

        The request has its own `dont_filter` again, if it was returned to the scheduler.
        """
        meta = request.meta
        # A request that an errback sends again, or that is made with the meta of a
        # response, carries what was decided about another request.
        meta.pop(VERDICT, None)
        meta.pop(EVIDENCE, None)
        meta.pop(STATED_USAGE, None)
        is_awaited = not meta.pop(SCHEDULED, False)
        if RETURNED not in meta:
            return cls(request, is_awaited, has_gone_back=False)
        request.dont_filter, for_room = meta.pop(RETURNED)
        return cls(request, is_awaited, has_gone_back=for_room is True)

    def returned(self, *, for_room: bool = False) -> Request:
        """Return the request that takes the place of this one in the scheduler.

        With *for_room* it goes back because no slot is free, which happens once.
        """
        request = self.request
        marked = request.dont_filter, for_room or self.has_gone_back
        # The duplicates filter has seen it, and would drop it without `dont_filter`.
        return request.replace(
            dont_filter=True, meta={**request.meta, RETURNED: marked}
        )


class WaitingRequests:
    """The requests of one crawl that wait in the middleware.

    The limit is raised for at most *most* of them, and for fewer that wait for a file in a
    crawl that ends after a number of pages or items; further ones count. *on_closing* is
    called when the crawl begins to close, and again `CLOSE_SECONDS` later.
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
        # Another scheduler than Scrapy's, or one made of it, may be shared, or may drop what
        # it has seen. Not `issubclass`: each class with the methods of one is a subclass.
        scheduler = load_object(crawler.settings["SCHEDULER"])
        self._owns_order = Scheduler in getattr(scheduler, "__mro__", ())
        self._on_closing = on_closing
        # In order of arrival, and those of them that a closing crawl finishes.
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
            # There is room for one more now.
            self._engine.wake()
        try:
            yield
        finally:
            self._visits.pop(visit.request, None)
            if visit.is_raised:
                visit.is_raised = False
                self._raised -= 1
                self._engine.lower_limit()

    async def turn(self, visit: Visit) -> bool:
        """Wait until `Visit.turn` is released.

        Return `False` if the request goes back to the scheduler, because the crawl closes:
        a file may state any delay, so that no close waits for it.
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
        """Return whether the request of *visit*, which still waits, need not go back.

        It may go on if it counted, if a slot is free, if it has gone back before, and if it
        has no way back.
        """
        return (
            not visit.is_raised
            or visit.has_gone_back
            or self._is_finished(visit)
            or not self._owns_order
            # The limit is still one higher for it, so it does not count itself.
            or not self._is_full()
        )

    def is_finished(self, request: Request) -> bool:
        """Return whether *request*, which waits, is finished although the crawl closes (R6).

        A component awaits it; or it is one of the first that came, as many as
        `CONCURRENT_REQUESTS`, which Scrapy's own middleware would finish, too.
        """
        visit = self._visits.get(request)
        return visit is not None and self._is_finished(visit)

    def goes_back(self, visit: Visit, *, is_known: bool) -> bool:
        """Return whether the request of *visit* goes back because the crawl closes.

        One whose robots.txt is not *is_known* does, to be tried again, unless a component
        awaits it.
        """
        if visit.is_awaited or not self.is_closing():
            return False
        return not (is_known and self._is_finished(visit))

    def is_closing(self) -> bool:
        """Return whether the crawl closes."""
        if self._engine.is_closing():
            self.close()
        return self._is_closed

    def close(self) -> None:
        """Begin to close with the crawl, if that has not happened yet."""
        if not self._is_closed:
            self._is_closed = True
            own = (it for it in self._visits.values() if not it.is_awaited)
            self._finished = frozenset(islice(own, self._concurrent))
            self._on_closing()
            # Without asyncio a request goes on at once, and waits no more.
            for visit in list(self._visits.values()):
                if visit.turn is not None and not visit.is_awaited:
                    visit.turn.release(None)
            if self._finished:
                call_later(CLOSE_SECONDS, self._close_finished)

    def _close_finished(self) -> None:
        """Return the remaining requests of the scheduler to it."""
        self._finished = frozenset()
        self._on_closing()

    def _is_finished(self, visit: Visit) -> bool:
        return visit.is_awaited or visit in self._finished

    def _is_full(self) -> bool:
        """Return whether the engine takes no further request from the scheduler."""
        return self._crawler.engine.needs_backout()

    def _mark(self, request: Request) -> None:
        """Mark a request that the scheduler is about to get."""
        request.meta[SCHEDULED] = True

    def _raise_limit(self, most: int) -> bool:
        """Let one more request be in the downloader, unless *most* are there already."""
        return self._raised < most and self._engine.raise_limit()

    def _look(self) -> None:
        """Close with the crawl, and look for that again while a request waits."""
        if not (self.is_closing() or self._is_looking):
            self._is_looking = True
            call_later(LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._is_looking = False
        if self._visits or self._files:
            self._look()
