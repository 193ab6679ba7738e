"""Requests that wait for a policy, or are held until a slot is free.

Scrapy counts a request towards `CONCURRENT_REQUESTS` while it is in a middleware, so requests that
wait for a slow origin would block all others. To avoid this, the limit is raised by one for each
robots.txt request and, up to a maximum, for each waiting request.

Once its policy is known, such a request must count again before it continues. It is *held* until

* fewer than `CONCURRENT_REQUESTS` other requests count,
* its download slot has room, and
* the engine is neither paused nor waiting for the spider to process responses.

The held requests of a download slot are released in order. For the first condition, requests that
are stuck in an earlier middleware do not count, because they may themselves be waiting for a held
request.

When the crawl closes (Ours R6), the first `CONCURRENT_REQUESTS` waiting or held requests are still
sent, provided that their policies are known and their download slots are free within
`CLOSE_SECONDS`. The others go back to the scheduler, so that JOBDIR stores them. Requests that a
component awaits, with `engine.download_async()`, are never held and never go back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots1994.crawl.log import total
from scrapy_robots1994.crawl.refusals import VERDICT
from scrapy_robots1994.crawl.requests import STATED_USAGE
from scrapy_robots1994.crawl.scrapy_private import (
    EngineAccess,
    count_in_slot,
    slot_of,
)
from scrapy_robots1994.crawl.threads import call_later, release
from scrapy_robots1994.policy.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.policy import Policy

# Kept in meta, because meta survives a queue on disk.
SCHEDULED = "_robots1994_scheduled"
"""Meta key that marks a request from the scheduler."""

RETURNED = "_robots1994_returned"
"""Meta key for the original `dont_filter` of a request that went back to the scheduler."""

MAX_OF_ORIGIN = 64
"""Up to this many waiting and held requests of one origin do not count towards
`CONCURRENT_REQUESTS`. With a higher limit, more of them would leave the scheduler, and an urgent
request that is scheduled later could no longer overtake them.
"""

LOOK_SECONDS = 0.05
"""Seconds between checks for a closing crawl and for held requests that can be released."""

CLOSE_SECONDS = 5.0
"""Seconds that a closing crawl waits for the policies of its last requests."""

# Settings that end a crawl after a number of pages or items. Scrapy counts each robots.txt as a
# page.
LIMITS = (
    "CLOSESPIDER_PAGECOUNT",
    "CLOSESPIDER_PAGECOUNT_NO_ITEM",
    "CLOSESPIDER_ITEMCOUNT",
)

# If one of `LIMITS` is set to n, at most n / SHARE requests wait without counting towards
# CONCURRENT_REQUESTS.
SHARE = 100

UNSTORABLE = "scheduler/unserializable"
"""Scrapy's stat for requests that cannot be stored in JOBDIR."""


class Visit:
    """One pass of *request* through the middleware."""

    def __init__(self, request: Request) -> None:
        """Remove our meta keys from *request*, and restore its `dont_filter`."""
        meta = request.meta
        # Left over if an errback repeats a refused request, or a spider copies the meta of a
        # response.
        meta.pop(VERDICT, None)
        meta.pop(STATED_USAGE, None)
        is_scheduled = meta.pop(SCHEDULED, False)
        request.dont_filter = meta.pop(RETURNED, request.dont_filter)
        self.request = request
        # Whether a component sent the request with `engine.download_async()`
        self.is_awaited = not is_scheduled
        # Whether a closing crawl still sends the request
        self.is_kept = self.is_awaited
        self.origin: Origin | None = None
        # Whether the limit is raised for the request
        self.is_raised = False

    def returned(self) -> Request:
        request = self.request
        request.meta[RETURNED] = request.dont_filter
        # The duplicates filter has already seen the request, and would drop it.
        request.dont_filter = True
        return request


class WaitingRequests:
    """The requests of one crawl that wait or are held.

    Up to *max_waiting* of them, and up to `MAX_OF_ORIGIN` for each origin, do not count towards
    `CONCURRENT_REQUESTS`. *on_closing* is called when the crawl begins to close and, if it still
    sends some of these requests, again `CLOSE_SECONDS` later.
    """

    def __init__(
        self,
        crawler: Crawler,
        max_waiting: int,
        on_closing: Callable[[], object],
    ) -> None:
        self._crawler = crawler
        self._engine = EngineAccess(crawler)
        limits = filter(None, map(crawler.settings.getint, LIMITS))
        self._max_waiting = min([max_waiting, *(it // SHARE for it in limits)])
        self._concurrent = crawler.settings.getint("CONCURRENT_REQUESTS") or None
        self._on_closing = on_closing
        # Waiting and held requests in order of arrival, and the Deferreds of the held ones
        self._visits: dict[Request, Visit] = {}
        self._held: dict[Visit, Deferred[None]] = {}
        # The download slots of released requests
        self._passed: dict[Request, str] = {}
        # Requests that were in an earlier middleware at the last check
        self._before: set[Request] = set()
        # Requests that were in an earlier middleware at the last two checks
        self._stuck: set[Request] = set()
        self._raised = self._fetches = 0
        self._raised_of: Counter[Origin | None] = Counter()
        self._is_closed = False
        self._timer: Any = None
        connect = crawler.signals.connect
        # Held requests are released on `request_scheduled`, `response_received` and
        # `scheduler_empty`. One of these signals usually follows when a request has finished.
        connect(self._scheduled, signals.request_scheduled)
        connect(self._received, signals.response_received)
        connect(self.close, signals.spider_closed)

    def unmark(self, request: Request) -> None:
        request.meta.pop(SCHEDULED, None)
        request.meta.pop(STATED_USAGE, None)
        request.dont_filter = request.meta.pop(RETURNED, request.dont_filter)

    @contextmanager
    def waiting(self, visit: Visit, origin: Origin) -> Iterator[None]:
        """Within the block, the request of *visit* counts as waiting for the policy of *origin*. If
        possible, it does not count towards `CONCURRENT_REQUESTS`.
        """
        request = visit.request
        self._visits[request] = visit
        if self._timer is None:
            self._look()
        visit.origin = origin
        visit.is_raised = (
            self._raised < self._max_waiting
            and self._raised_of[origin] < MAX_OF_ORIGIN
            and self._engine.change_limit(1)
        )
        if visit.is_raised:
            self._raised += 1
            self._raised_of[origin] += 1
            self._engine.wake()
        try:
            with count_in_slot(self._crawler, request):
                yield
        finally:
            self._visits.pop(request, None)
            self._lower(visit)
            if self._timer and not self._visits and not self._fetches:
                self._timer.cancel()
                self._timer = None

    async def slot(self, visit: Visit) -> None:
        """Hold the request of *visit*, whose policy is known, until a slot is free."""
        # A request that counts towards the limit already has a slot.
        if self._is_closed or visit.is_awaited or not visit.is_raised:
            return
        turn = self._held[visit] = Deferred()
        self._release_held()
        if visit in self._held:
            # Connected only when needed, because the signal is sent for nearly every page.
            self._crawler.signals.connect(self._release_held, signals.scheduler_empty)
        try:
            await maybe_deferred_to_future(turn)
        finally:
            self._held.pop(visit, None)

    @contextmanager
    def fetching(self) -> Iterator[None]:
        """Raise the limit by one during a request for robots.txt, unless *max_waiting* is
        reached.
        """
        self._fetches += 1
        if self._timer is None:
            self._look()
        is_raised = self._raised < self._max_waiting and self._engine.change_limit(1)
        try:
            yield
        finally:
            self._fetches -= 1
            if is_raised:
                self._engine.change_limit(-1)

    def is_kept(self, request: Request) -> bool:
        """Whether a closing crawl still sends the waiting *request*."""
        visit = self._visits.get(request)
        return visit is not None and visit.is_kept

    def goes_back(self, visit: Visit, policy: Policy | None) -> bool:
        """Whether the request of *visit* must go back to the scheduler because the crawl closes.

        *policy* is None if none was found.
        """
        if not self._is_closed and self._engine.is_closing():
            self.close()
        if visit.is_awaited or not self._is_closed:
            return False
        is_known = policy is not None and policy.outcome is not Outcome.UNREACHABLE
        return not (is_known and visit.is_kept)

    def close(self) -> None:
        """Choose which waiting and held requests the closing crawl still sends, and let the others
        go back to the scheduler. A second call has no effect.
        """
        if self._is_closed:
            return
        self._is_closed = True
        own = [it for it in self._visits.values() if not it.is_awaited]
        seconds: defaultdict[str, float] = defaultdict(float)
        for visit in own[: self._concurrent]:
            slot = slot_of(self._crawler, visit.request)
            seconds[slot.name] += slot.delay
            visit.is_kept = seconds[slot.name] <= CLOSE_SECONDS
        if self._crawler.settings["JOBDIR"] and total(self._crawler, UNSTORABLE):
            # Send all of them, because those that cannot be stored in JOBDIR would be lost.
            for visit in own:
                visit.is_kept = True
        self._on_closing()
        for turn in tuple(self._held.values()):
            release(turn, None)
        if any(it.is_kept for it in own):
            call_later(CLOSE_SECONDS, self._return_kept)

    def _return_kept(self) -> None:
        for visit in self._visits.values():
            visit.is_kept = visit.is_awaited
        self._on_closing()

    def _scheduled(self, request: Request) -> None:
        request.meta[SCHEDULED] = True
        if self._held:
            self._release_held()

    def _received(self, request: Request) -> None:
        # Our keys are still in the meta if an earlier middleware returned the response.
        request.meta.pop(SCHEDULED, None)
        request.dont_filter = request.meta.pop(RETURNED, request.dont_filter)
        if self._held:
            self._release_held()

    def _lower(self, visit: Visit) -> None:
        if visit.is_raised:
            visit.is_raised = False
            self._raised -= 1
            self._raised_of[visit.origin] -= 1
            if not self._raised_of[visit.origin]:
                del self._raised_of[visit.origin]
            self._engine.change_limit(-1)

    def _release_held(self) -> None:
        """Release held requests in order, while the crawl and their download slots have room."""
        active = self._engine.active()
        room = self._engine.limit() - len(active)
        for request in self._stuck & active:
            room += SCHEDULED in request.meta
        self._passed = {it: slot for it, slot in self._passed.items() if it in active}
        of_slot = Counter(self._passed.values())
        turns = []
        for visit in tuple(self._held):
            if room <= 0:
                break
            slot = slot_of(self._crawler, visit.request)
            if of_slot[slot.name] < slot.concurrency:
                room -= 1
                of_slot[slot.name] += 1
                self._passed[visit.request] = slot.name
                # Lower the limit before the request continues, or the engine would give the slot to
                # another request.
                self._lower(visit)
                turns.append(self._held.pop(visit))
        # Release them only after the loop, because without asyncio a released request continues at
        # once and may call this method again.
        for turn in turns:
            release(turn, None)

    def _look(self) -> None:
        """While requests wait, check every `LOOK_SECONDS` whether the crawl is closing and whether
        held requests can be released.
        """
        if not self._is_closed and self._engine.is_closing():
            self.close()
        if self._held:
            before = {it for it in self._engine.active() if SCHEDULED in it.meta}
            self._stuck, self._before = before & self._before, before
            # If stuck requests occupy all slots and another request fails, Scrapy sends none of the
            # signals that would release a held request.
            self._release_held()
        self._timer = None
        if (self._visits or self._fetches) and not self._is_closed:
            self._timer = call_later(LOOK_SECONDS, self._look)
