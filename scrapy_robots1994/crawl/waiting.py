"""Requests that wait for a robots.txt: how many, and in which order they leave.

A request leaves when it goes on to the downloader: from then on it counts towards
`CONCURRENT_REQUESTS`. While it waits in a place, it does not.
"""

from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http.request import NO_CALLBACK

from scrapy_robots1994.crawl.concurrency import UncountedRequests
from scrapy_robots1994.crawl.requests import OWN_REQUEST
from scrapy_robots1994.crawl.threads import DeferredWaiter, call_later
from scrapy_robots1994.errors import FetchAborted

# In the meta, because it must survive a queue on disk (JOBDIR).
RETURNED = "_robots1994_returned"
"""Meta key of a request that went back to the scheduler: its own `dont_filter`, and the
id of the crawl that gave it back."""

# Scrapy has no signal for a free place, nor for a crawl that begins to close.
POLL_SECONDS = 0.1  # between two polls of the engine while requests wait
STUCK_POLLS = 10  # until some leave although no place is free
BUSY_POLL_SECONDS = 0.005  # right after a request left

FREE_PLACES_IN_A_ROW = 8
"""Free downloads that waiting requests take before the scheduler gets one."""

CLOSING = "the crawl is closing"


@dataclass(slots=True, eq=False)
class Waiting:
    """One request that waits.

    Those of a lower *order* leave first: by priority, then by arrival. *left* is released
    with `None` when it may go on, or with why it may not.
    """

    request: Request
    order: tuple[int, int]
    left: DeferredWaiter[str | None] = field(default_factory=DeferredWaiter)


class WaitingRequests:
    """The requests of one crawl that wait for a robots.txt.

    At most *places* of them do not count towards `CONCURRENT_REQUESTS`. Origins have no
    share of the places: whichever requests have them, the same number counts, and the
    scheduler hands out as many more.

    Once their policy is known, requests leave in the order of their priority, as other
    pages come back: never more than `CONCURRENT_REQUESTS` are on their way, but for what
    components await. One free download in nine is for the scheduler: what it hands out
    meanwhile takes its turn here, and leaves first if it is more urgent.

    *on_closing* is called when the crawl begins to close, and again at its end.
    """

    def __init__(
        self, crawler: Crawler, places: int, on_closing: Callable[[], None]
    ) -> None:
        self._uncounted = uncounted = UncountedRequests.of(crawler)
        self._engine = uncounted.engine
        # Paced requests have no place here, and end with the crawl, too.
        uncounted.on_first.append(self.watch)
        self._places = places
        self._placed: set[Waiting] = set()
        # Those that count, most of them for want of a place. A dict, for it is in order
        # of arrival, and a cancelled wait is found at once.
        self._counting: dict[Waiting, None] = {}
        self._on_closing = on_closing
        self._numbers = count()
        self.leaving: list[Waiting] = []
        """Those whose policy is known, in order; while there are none, no request has
        to let others go first."""
        self._is_polling = False
        self._pause = POLL_SECONDS
        self._stuck_polls = 0
        # How many leave when none is on its way: as many as may be.
        self._most = max(1, crawler.settings.getint("CONCURRENT_REQUESTS"))
        # Whether a free place was left to the scheduler, and how many go to us first.
        self._is_reserved = False
        self._for_us = 0
        self._signals = crawler.signals
        crawler.signals.connect(self._close, signals.spider_closed)

    @contextmanager
    def waiting(self, request: Request, *, enters: bool = True) -> Iterator[Waiting]:
        """Wait with *request* while the block runs, in a place of its own if it *enters*.

        One that only takes its turn among those that leave does not enter.
        """
        # As the queues of the scheduler: the highest priority first.
        waiting = Waiting(request, (-request.priority, next(self._numbers)))
        if not (enters and self._take_place(waiting)):
            self._counting[waiting] = None
        self.watch()
        try:
            yield waiting
        finally:
            if waiting in self.leaving:
                # It was cancelled.
                self.leaving.remove(waiting)
            self._leave(waiting)

    async def turn(self, waiting: Waiting) -> None:
        """Return when *waiting* may leave; raise `FetchAborted` once the crawl closes."""
        # Ours R6: a page that is sent now would delay the close.
        if self._engine.is_closing():
            raise FetchAborted(CLOSING)
        if waiting.request.callback is NO_CALLBACK:
            # A component awaits it by `engine.download_async`, which has no such limit.
            return
        insort(self.leaving, waiting, key=lambda it: it.order)
        # Not before all that wait for the file are due: the first is not the most
        # urgent.
        call_later(0, self._fill)
        if reason := await waiting.left:
            raise FetchAborted(reason)

    def watch(self) -> None:
        """Listen and poll, a few times a second, while a request waits or is uncounted."""
        if not self._is_polling:
            self._is_polling = True
            call_later(self._pause, self._poll)
            # Not before: a listener that counts pages must count the one that left
            # before another one takes its place.
            self._signals.connect(self._left, signals.request_left_downloader)
            self._signals.connect(self._page_received, signals.response_received)

    def _take_place(self, waiting: Waiting) -> bool:
        """Let *waiting* have a place; return whether it has one."""
        is_free = len(self._placed) < self._places
        # A downloader without a set of requests does not count it.
        has_place = is_free and self._uncounted.add(waiting.request)
        if has_place:
            self._placed.add(waiting)
        return has_place

    def _leave(self, waiting: Waiting) -> None:
        """Forget *waiting*, which counts from now on; others may take its place."""
        self._counting.pop(waiting, None)
        self._placed.discard(waiting)
        self._uncounted.discard(waiting.request)
        # One that counts takes a download away from pages that could be fetched.
        while (other := next(iter(self._counting), None)) and self._take_place(other):
            del self._counting[other]

    def _let_go(self, waiting: Waiting) -> None:
        """Let *waiting* leave: it counts from now on."""
        self.leaving.remove(waiting)
        if waiting in self._counting:
            # More urgent than the others: the scheduler may have more of its kind.
            self._for_us = 0
        self._leave(waiting)
        waiting.left.release(None)

    def _fill(self, least: int = 0) -> None:
        """Let requests leave while the engine has room, but *least* of them in any case."""
        # By now the engine has taken the place that was left to it, or had no use for it.
        self._is_reserved = False
        # Not all at once: the downloader would open a connection for each of them.
        while self.leaving and (
            least > 0 or self._engine.has_room() or self._can_exchange()
        ):
            self._let_go(self.leaving[0])
            least -= 1

    def _can_exchange(self) -> bool:
        """Return whether one could leave for one that waits and counts."""
        # That one gets its place, or leaves itself: the number of downloads stays.
        counting = next(iter(self._counting), None)
        return counting is not None and self._engine.has_room_without(counting.request)

    def _left(self, request: Request) -> None:
        """Count a request that is about to leave the downloader, and use a page's room."""
        self._uncounted.discard(request)
        # A robots.txt request does not count, so its end makes no room.
        is_page = OWN_REQUEST not in request.meta
        # The signal comes before the downloader drops the page from its set.
        if self.leaving and is_page and self._engine.has_room_without(request):
            self._use_room()

    def _page_received(self) -> None:
        """Use the place of a page that another middleware answered."""
        if self.leaving and self._engine.has_room():
            self._use_room()

    def _use_room(self) -> None:
        """Let the first leave, or reserve the room for a request of the scheduler."""
        # Requests of the scheduler may be more urgent, but it does not say: it gets one
        # place in nine, and else its requests would wait for all that are here.
        if self._is_reserved:
            return
        if self._for_us > 0 or not self._engine.has_others():
            # Below 0 while the scheduler has none: its next request gets the next place.
            self._for_us -= 1
            self._let_go(self.leaving[0])
        else:
            self._is_reserved = True
            self._for_us = FREE_PLACES_IN_A_ROW

    def _poll(self) -> None:
        """End the waits of a closing crawl, and use free places that no signal announced."""
        # A request that another middleware drops leaves without a signal.
        if self._engine.is_closing():
            # Still "polling": the requests that end now must not start it again.
            self._close()
            return
        before = len(self.leaving)
        self._fill()
        # A callback that awaits a page may hold up the engine, which holds up the page.
        is_stuck = bool(self.leaving) and self._engine.is_stuck()
        self._stuck_polls = self._stuck_polls + 1 if is_stuck else 0
        if self._stuck_polls > STUCK_POLLS:
            self._stuck_polls = 0
            self._fill(self._most)
        is_moving = len(self.leaving) < before
        # Often while there is movement; ten polls a second cost next to nothing.
        slower = min(self._pause * 2, POLL_SECONDS)
        self._pause = BUSY_POLL_SECONDS if is_moving else slower
        # A waiting request counts for want of a place, or is uncounted.
        self._is_polling = bool(self._counting or self._uncounted)
        if self._is_polling:
            call_later(self._pause, self._poll)
        else:
            # Each listener costs each page some microseconds.
            self._signals.disconnect(self._left, signals.request_left_downloader)
            self._signals.disconnect(self._page_received, signals.response_received)

    def _close(self) -> None:
        """End every wait, because the crawl closes."""
        while self.leaving:
            self.leaving.pop(0).left.release(CLOSING)
        self._on_closing()
