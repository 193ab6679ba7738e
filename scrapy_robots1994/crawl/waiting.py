"""Requests that wait for a robots.txt: when they count, and when the crawl closes.

A request that waits is in the downloader, and counts towards `CONCURRENT_REQUESTS` as
any other. If its robots.txt takes longer than is usual in this crawl, the limit is one
higher until the wait ends: so slow origins stop no other, and where all are quick, no
robots.txt is fetched earlier than pages can use it. At first nothing is usual, and the
first requests count for a second, for a crawl may be over soon.

When the policy is known, a request that did not count goes on if there is room, and else
back to the scheduler, which owns the order of requests. The middleware sees to that.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals

from scrapy_robots1994.crawl.threads import call_later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.scrapy_private import EngineAccess
    from scrapy_robots1994.origin import Origin

POLL_SECONDS = 0.1
"""Between two looks whether the crawl closes: Scrapy has no signal for it."""

QUICK_SECONDS = 0.05
MAX_QUICK_SECONDS = 1.0
"""A wait of this length always counts, and a longer one than the other never does."""

TIMES_USUAL = 4
"""A wait counts for this many times the usual one."""

SMOOTHING = 0.2
"""The part of the newest wait in the usual one."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One request that waits; with *is_raised* the limit is one higher for it."""

    request: Request
    is_raised: bool = False


@dataclass(slots=True)
class _OriginWait:
    """How many requests wait for one robots.txt, and since when."""

    since: float
    number: int = 0


class WaitingRequests:
    """The requests of one crawl that wait for a robots.txt.

    The limit is raised for at most *most* of them; further ones count. *on_closing* is
    called when the crawl begins to close, and again when no wait is quick any more.
    """

    def __init__(
        self,
        crawler: Crawler,
        engine: EngineAccess,
        most: int,
        on_closing: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._most = most
        self._on_closing = on_closing
        self._origins: dict[Origin, _OriginWait] = {}
        # Until one has ended or is slow, waits are taken to be quick.
        self._usual = MAX_QUICK_SECONDS / TIMES_USUAL
        self._is_usual_known = False
        self._raised = 0
        # Those whose wait is not longer than usual yet.
        self._quick: set[Request] = set()
        # Slow ones beyond *most*, in order of arrival.
        self._counting: dict[Waiting, None] = {}
        self._is_watching = self._is_closed = False
        crawler.signals.connect(self.close, signals.spider_closed)

    @contextmanager
    def waiting(self, request: Request, origin: Origin) -> Iterator[Waiting]:
        """Wait with *request* for the policy of *origin* while the block runs."""
        self._look()
        waiting, began = Waiting(request), monotonic()
        # Those that come later to a slow origin are as slow.
        others = self._origins.setdefault(origin, _OriginWait(began))
        others.number += 1
        self._quick.add(request)
        quick = self._quick_seconds()
        timer = call_later(
            max(0.0, others.since + quick - began), lambda: self._is_slow(waiting)
        )
        try:
            yield waiting
        finally:
            timer.cancel()
            self._quick.discard(request)
            self._lower(waiting)
            self._counting.pop(waiting, None)
            others.number -= 1
            if not others.number and self._origins.get(origin) is others:
                del self._origins[origin]
                took = monotonic() - others.since
                self._usual += SMOOTHING * (took - self._usual)
                self._is_usual_known = True

    def may_go_on(self, waiting: Waiting) -> bool:
        """Return whether a request may go on whose policy has just become known.

        One that counted may. For the others there is room or not.
        """
        if not waiting.is_raised:
            return True
        # The limit is still one higher for it, so it does not count itself.
        has_room = self._engine.has_room()
        if has_room:
            self._lower(waiting)
        return has_room

    def is_quick(self, request: Request) -> bool:
        """Return whether *request* waits, and not longer than is usual.

        Like a page that is being downloaded, a closing crawl finishes it.
        """
        return request in self._quick

    def close(self) -> None:
        """Begin to close with the crawl, if that has not happened yet."""
        if not self._is_closed:
            self._is_closed = True
            self._on_closing()
            call_later(self._quick_seconds(), self._close_quick)

    def _close_quick(self) -> None:
        """Let no request wait any more that is not finished in a closing crawl."""
        self._quick.clear()
        self._on_closing()

    def _quick_seconds(self) -> float:
        """Return how long a request may wait and count."""
        return min(max(TIMES_USUAL * self._usual, QUICK_SECONDS), MAX_QUICK_SECONDS)

    def _is_slow(self, waiting: Waiting) -> None:
        """Note that the wait of a request is long."""
        self._quick.discard(waiting.request)
        if not self._is_usual_known:
            self._usual, self._is_usual_known = QUICK_SECONDS, True
        self._raise(waiting)

    def _raise(self, waiting: Waiting) -> None:
        """Stop counting a request whose wait is long."""
        if self._raised >= self._most or not self._engine.raise_limit():
            self._counting[waiting] = None
            return
        waiting.is_raised = True
        self._raised += 1
        # There is room for one more now.
        self._engine.wake()

    def _lower(self, waiting: Waiting) -> None:
        """Count a request again, and raise the limit for another one that counts."""
        if not waiting.is_raised:
            return
        waiting.is_raised = False
        self._raised -= 1
        self._engine.lower_limit()
        if other := next(iter(self._counting), None):
            del self._counting[other]
            self._raise(other)

    def _look(self) -> None:
        """Close with the crawl, and look for that again and again from now on."""
        if self._engine.is_closing():
            self.close()
        elif not self._is_watching:
            self._is_watching = True
            call_later(POLL_SECONDS, self._poll)

    def _poll(self) -> None:
        self._is_watching = False
        if not self._is_closed:
            self._look()
