"""Requests that wait in the middleware, and their return to the scheduler.

Scrapy counts a request that waits in a middleware towards `CONCURRENT_REQUESTS`, the limit
of concurrent requests. While a request waits, the limit is raised by one, so that slow
origins do not block other origins. The limit is also raised for each robots.txt request.
When the wait of a request is over, the request goes on if a slot is free. If no slot is
free, the request is returned to the scheduler, which decides the order of requests. A
request that was already returned once goes on after its next wait, even if no slot is free.

When the crawl closes (R6, closing), most waiting requests are returned to the scheduler.
The first `CONCURRENT_REQUESTS` waiting requests still go on if their policies are known
within `CLOSE_SECONDS`. A request that a component awaits is never returned to the
scheduler.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.core.scheduler import Scheduler
from scrapy.utils.misc import load_object

from scrapy_robots1994.crawl.refusals import VERDICT
from scrapy_robots1994.crawl.requests import EVIDENCE, STATED_USAGE
from scrapy_robots1994.crawl.scrapy_private import EngineAccess, count_in_slot
from scrapy_robots1994.crawl.threads import DeferredWaiter, call_later
from scrapy_robots1994.policy.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.policy.policy import Policy

# `SCHEDULED` and `RETURNED` are meta keys, because the queues of the scheduler store the
# meta of a request. A queue may be on disk (JOBDIR), or several workers may share it.
SCHEDULED = "_robots1994_scheduled"
"""Meta key of a request that was passed to the scheduler."""

RETURNED = "_robots1994_returned"
"""Meta key of a request that was returned to the scheduler. The value is a pair. The
first item is the original `dont_filter` of the request. The second item is `True` if the
request was ever returned because no slot was free. Version 0.1 of this package wrote a
string as the second item, which counts as `False`.
"""

LOOK_SECONDS = 0.05
"""Interval, in seconds, at which the package checks whether the crawl is closing. The check
is necessary because Scrapy sends no signal when a crawl begins to close.
"""

LIMITS = (
    "CLOSESPIDER_PAGECOUNT",
    "CLOSESPIDER_PAGECOUNT_NO_ITEM",
    "CLOSESPIDER_ITEMCOUNT",
)
"""Settings that end a crawl after a number of pages or items. Scrapy counts each
robots.txt as a page, so a robots.txt that is fetched early reduces the number of pages
that can still be fetched.
"""

SHARE = 100
"""The number by which each limit in `LIMITS` is divided. The smallest quotient limits the
number of requests that wait for a robots.txt without counting towards
`CONCURRENT_REQUESTS`.
"""

CLOSE_SECONDS = 5.0
"""Maximum number of seconds that a closing crawl waits for the robots.txt files that its
remaining requests need.
"""


@dataclass(slots=True, eq=False)
class Visit:
    """One pass of *request* through the middleware, from the first step to the last.

    The defaults are the values for a request that does not pass through the middleware.
    *is_awaited* is `True` if a component sent the request with `engine.download_async()`
    and awaits the response. A request that a component awaits cannot be returned to the
    scheduler. *has_gone_back* is `True` if the request was ever returned because no slot
    was free. *is_kept* is `True` if a closing crawl still sends the request. *is_raised* is
    `True` while the limit of concurrent requests is raised for the request.
    """

    request: Request
    is_awaited: bool = True
    has_gone_back: bool = False
    is_kept: bool = True
    is_raised: bool = False
    turn: DeferredWaiter[None] | None = None
    """The future that the request awaits, if the request waits for a crawl delay."""
    cause: Exception | None = None
    """The exception of the failed fetch, if the policy for the request is unknown (R5,
    unreachable).
    """

    @classmethod
    def begin(cls, request: Request) -> Visit:
        """Remove our keys from the meta of *request*, and return the visit for *request*.

        If the request was returned to the scheduler, restore its original `dont_filter`.
        """
        meta = request.meta
        # Remove the keys of an earlier decision. An errback may send a refused request
        # again, and a spider may copy the meta of a response.
        meta.pop(VERDICT, None)
        meta.pop(EVIDENCE, None)
        meta.pop(STATED_USAGE, None)
        is_awaited = not meta.pop(SCHEDULED, False)
        has_gone_back: object = False
        if RETURNED in meta:
            request.dont_filter, has_gone_back = meta.pop(RETURNED)
        return cls(request, is_awaited, has_gone_back is True, is_kept=is_awaited)

    def returned(self) -> Request:
        """Return a copy of the request, marked with `RETURNED`, for the scheduler."""
        request = self.request
        marked = request.dont_filter, self.has_gone_back
        # Set `dont_filter`, because the duplicates filter has seen the request and would
        # drop it.
        return request.replace(
            dont_filter=True, meta={**request.meta, RETURNED: marked}
        )


class WaitingRequests:
    """The requests of one crawl that wait in the middleware.

    The limit of concurrent requests is raised for at most *most* waiting requests.
    Further waiting requests count towards the limit. If a setting such as
    CLOSESPIDER_PAGECOUNT limits the crawl, a lower maximum can apply to waits for a
    robots.txt (`SHARE`). *on_closing* is called when the package detects that the crawl
    is closing. If the closing crawl still sends waiting requests, *on_closing* is called
    again after `CLOSE_SECONDS`.
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
        # If no slot is free, return requests only to Scrapy's scheduler or to a subclass
        # of it. Another scheduler may be shared by several workers, or may drop a request
        # that it has already seen. Do not use `issubclass`, which returns `True` for any
        # class with the methods of a scheduler.
        scheduler = load_object(crawler.settings["SCHEDULER"])
        self._owns_order = Scheduler in getattr(scheduler, "__mro__", ())
        self._on_closing = on_closing
        # `_visits` contains the visits whose requests wait, in order of arrival.
        self._visits: dict[Request, Visit] = {}
        self._raised = self._files = 0
        self._is_looking = self._is_closed = False
        crawler.signals.connect(self._mark, signals.request_scheduled)
        crawler.signals.connect(self.close, signals.spider_closed)

    @contextmanager
    def waiting(self, visit: Visit, *, for_file: bool = True) -> Iterator[None]:
        """Let the request of *visit* wait while the block runs.

        If the limit can be raised, the request does not count towards the limit. *for_file*
        is `True` if the request waits for a robots.txt, and `False` if the request waits
        for a crawl delay.
        """
        self._visits[visit.request] = visit
        if not self._is_looking:
            self._look()
        most = self._most_for_file if for_file else self._most
        if self._raised < most and self._engine.change_limit(1):
            visit.is_raised = True
            self._raised += 1
            # Wake the engine, because it may now take one more request.
            self._engine.wake()
        try:
            with count_in_slot(self._crawler, visit.request):
                yield
        finally:
            self._visits.pop(visit.request, None)
            if visit.is_raised:
                visit.is_raised = False
                self._raised -= 1
                self._engine.change_limit(-1)

    async def turn(self, visit: Visit) -> bool:
        """Wait until the future `visit.turn` is released. Return whether the request may
        go on.

        Return `False` if the request must be returned to the scheduler because the crawl
        closes. When the crawl closes, waits for a crawl delay end, because a robots.txt
        may state a very long delay. The wait of a request that a component awaits does
        not end.
        """
        with self.waiting(visit, for_file=False):
            if not self.goes_back(visit):
                visit.turn = DeferredWaiter()
                await visit.turn
        return not self.goes_back(visit)

    @contextmanager
    def file(self) -> Iterator[None]:
        """Raise the limit of concurrent requests by one while the block runs. The block
        sends one robots.txt request.

        The limit is not raised if it is already raised for the maximum number of
        waiting requests.
        """
        self._files += 1
        if not self._is_looking:
            self._look()
        is_raised = self._raised < self._most_for_file and self._engine.change_limit(1)
        try:
            yield
        finally:
            self._files -= 1
            if is_raised:
                self._engine.change_limit(-1)

    def is_kept(self, request: Request) -> bool:
        """Return whether a closing crawl still sends the waiting *request* (R6, closing).

        Each request that a component awaits is still sent. Of the remaining waiting
        requests, the first `CONCURRENT_REQUESTS` are still sent. With the built-in
        middleware, a closing crawl also sends at most `CONCURRENT_REQUESTS` waiting
        requests.
        """
        visit = self._visits.get(request)
        return visit is not None and visit.is_kept

    def goes_back(self, visit: Visit, policy: Policy | None = None) -> bool:
        """Return whether the request of *visit*, which still waits, must be returned to the
        scheduler. *policy* is the policy that the request waited for, or `None` if the
        policy was not found.

        While the crawl runs, a request with a policy is returned to Scrapy's own
        scheduler if no slot is free, but at most once. When the crawl closes, a request
        is returned unless its policy is known and the closing crawl still sends it. With
        JOBDIR, the next crawl tries the request again. A request that a component awaits
        is never returned to the scheduler.
        """
        if not self._is_closed and self._engine.is_closing():
            self.close()
        if visit.is_awaited:
            return False
        if self._is_closed:
            is_known = policy is not None and policy.outcome is not Outcome.UNREACHABLE
            return not (is_known and visit.is_kept)
        # A request for which the limit is not raised counts towards the limit, and
        # therefore already has a slot.
        is_movable = visit.is_raised and not visit.has_gone_back and self._owns_order
        # The request of *visit* takes no slot, because the limit is still raised for it.
        if policy is None or not is_movable or self._engine.has_free_slot():
            return False
        visit.has_gone_back = True
        return True

    def close(self) -> None:
        """Choose the waiting requests that the closing crawl still sends, and end the
        waits of the remaining requests.

        Also end every wait for a crawl delay. Do not end the wait of a request that a
        component awaits. A second call to `close` has no effect.
        """
        if not self._is_closed:
            self._is_closed = True
            own = (it for it in self._visits.values() if not it.is_awaited)
            kept = list(islice(own, self._concurrent))
            for visit in kept:
                visit.is_kept = True
            self._on_closing()
            # Iterate over a copy, because without asyncio a released request goes on at
            # once, and its visit is removed from the dict.
            for visit in list(self._visits.values()):
                if visit.turn is not None and not visit.is_awaited:
                    visit.turn.release(None)
            if kept:
                call_later(CLOSE_SECONDS, self._return_kept)

    def _return_kept(self) -> None:
        """Return the remaining waiting requests to the scheduler, except requests that a
        component awaits.
        """
        for visit in self._visits.values():
            visit.is_kept = visit.is_awaited
        self._on_closing()

    def _mark(self, request: Request) -> None:
        """Mark *request*, which is about to be passed to the scheduler."""
        request.meta[SCHEDULED] = True

    def _look(self) -> None:
        """Check whether the crawl is closing. Repeat the check while requests wait or
        robots.txt requests are sent.
        """
        if not self._is_closed and self._engine.is_closing():
            self.close()
        self._is_looking = bool(self._visits or self._files) and not self._is_closed
        if self._is_looking:
            call_later(LOOK_SECONDS, self._look)
