"""Places for requests that wait for a robots.txt without counting as downloads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_robots1994.crawl.concurrency import DeferredWaiter

if TYPE_CHECKING:
    from scrapy import Request

    from scrapy_robots1994.crawl.concurrency import UncountedRequests
    from scrapy_robots1994.origin import Origin


@dataclass(slots=True, eq=False)
class Waiting:
    """One request that waits.

    *counts* says whether it counts towards `CONCURRENT_REQUESTS`, *is_due* whether its
    policy is known, *has_left* whether it may go on. *left* is released with `True`
    where the crawl closes first.
    """

    request: Request
    origin: Origin
    number: int
    counts: bool = True
    is_due: bool = False
    has_left: bool = False
    left: DeferredWaiter[bool] = field(default_factory=DeferredWaiter)

    def __lt__(self, other: Waiting) -> bool:
        """Return whether this one leaves first: by priority, then by arrival."""
        return self._rank < other._rank

    @property
    def _rank(self) -> tuple[int, int]:
        return -self.request.priority, self.number


class Places:
    """At most *most* waiting requests that do not count towards `CONCURRENT_REQUESTS`.

    No origin has more than half of the places while a request of another one wants one.
    """

    def __init__(self, uncounted: UncountedRequests, most: int) -> None:
        self._uncounted = uncounted
        self._most = most
        self._share = most // 2
        self._used = 0
        self._by_origin: Counter[Origin] = Counter()
        self._waiting: dict[Waiting, None] = {}
        # Those that count for want of a place, in the order of their arrival.
        self.counting: dict[Waiting, None] = {}

    def __bool__(self) -> bool:
        """Return whether any request waits."""
        return bool(self._waiting)

    def enter(self, waiting: Waiting) -> None:
        """Give *waiting* a place, perhaps that of an origin with more than its share."""
        self._waiting[waiting] = None
        if self._used >= self._most and self._by_origin[waiting.origin] < self._share:
            ((origin, most),) = self._by_origin.most_common(1)
            if most > self._share:
                self._withdraw(origin)
        if self._used >= self._most or not self.hold(waiting):
            self.counting[waiting] = None

    def leave(self, waiting: Waiting) -> None:
        """Forget *waiting*, which counts from now on; others may take its place."""
        self._waiting.pop(waiting, None)
        self.counting.pop(waiting, None)
        self._count(waiting)
        while self.counting and self._used < self._most:
            below = (
                it for it in self.counting if self._by_origin[it.origin] < self._share
            )
            other = next(below, None) or next(iter(self.counting))
            del self.counting[other]
            self.hold(other)

    def hold(self, waiting: Waiting) -> bool:
        """Let *waiting* have a place; `False` if the downloader does not count it."""
        if not self._uncounted.add(waiting.request):
            return False
        waiting.counts = False
        self._by_origin[waiting.origin] += 1
        self._used += 1
        return True

    def _withdraw(self, origin: Origin) -> None:
        """Let the last request of *origin* count whose policy is not known yet."""
        for other in reversed(self._waiting):
            if other.origin == origin and not other.counts and not other.is_due:
                self._count(other)
                self.counting[other] = None
                return

    def _count(self, waiting: Waiting) -> None:
        """Take the place of *waiting*, if it has one: it counts again."""
        if waiting.counts:
            return
        waiting.counts = True
        self._uncounted.discard(waiting.request)
        self._used -= 1
        self._by_origin[waiting.origin] -= 1
        if not self._by_origin[waiting.origin]:
            del self._by_origin[waiting.origin]
