"""Crawl delay: send the requests to an origin at the intervals that its robots.txt states
(`ROBOTS1994_CRAWL_DELAY`).

Each request waits in a middleware for its turn. The next turn begins when the delay after
the last answer has passed.
"""

import math
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from logging import WARNING
from time import monotonic, time
from typing import Any

from cachetools import LRUCache
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import MessageKind, OriginLog, count
from scrapy_robots1994.crawl.parser import ROBOTS_PARSED
from scrapy_robots1994.crawl.requests import RobotName, exemption_of
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from scrapy_robots1994.origin import Origin

MAX_DELAYED_ORIGINS = 100_000
"""Maximum number of origins whose delay is stored. If the delay of an origin is removed
because of this limit, the next request to the origin sets the delay again.
"""


@dataclass(slots=True, eq=False)
class _Turns:
    """The turns of the requests to one origin.

    *delay* is the pause between an answer and the next turn, in seconds. The next turn
    cannot begin before *free_at*, which is a time on the clock `monotonic`. *last* is the
    request that had the last turn. *is_sent* is `True` if *last* has reached the
    downloader.
    """

    delay: float = 0.0
    free_at: float = 0.0
    waiting: deque[Visit] = field(default_factory=deque)
    last: Request | None = None
    is_sent: bool = False
    timer: Any = None


_CAPPED = MessageKind(
    WARNING,
    "%d origins ask for a longer pause than the maximum in ROBOTS1994_CRAWL_DELAY; the "
    "maximum is applied",
    "`scrapy robots-lint URL` shows the pause that an origin asks for",
)


class CrawlDelays:
    """Applies the crawl delay of each origin to the requests for that origin.

    *waiting* manages the requests that wait for their turn.
    """

    def __init__(
        self, crawler: Crawler, settings: RobotsSettings, waiting: WaitingRequests
    ) -> None:
        self._crawler = crawler
        self._log = OriginLog(crawler)
        self._longest = settings.crawl_delay or math.inf
        self._waiting = waiting
        self._turns: LRUCache[Origin, _Turns] = LRUCache(MAX_DELAYED_ORIGINS)
        # `_last` maps the request that had the last turn at an origin to the turns of that
        # origin. An entry is removed when the request has been answered.
        self._last: dict[Request | None, _Turns] = {}
        connect = crawler.signals.connect
        connect(self._reached, signals.request_reached_downloader)
        connect(self._answered, signals.request_left_downloader)
        # Also connect to `response_received`, because Scrapy does not send
        # `request_left_downloader` for a page from the HTTP cache.
        connect(self._answered, signals.response_received)

    def set_delay(self, origin: Origin, seconds: float | None, answered: float) -> None:
        """Apply a delay of *seconds* to *origin* from now on. If *seconds* is `None`, there
        is no delay.

        *answered* is the Unix time at which the origin answered the robots.txt request.
        """
        # Replace unusable values with 0, because some parsers return any value that `float`
        # accepts, such as -5, "nan" or "inf".
        stated = seconds if seconds and 0 < seconds < math.inf else 0.0
        applied = min(stated, self._longest)
        turns = self._turns.get(origin) or _Turns()
        # Most calls do not change the delay, because `set_delay` is called for each request.
        if turns.delay != applied:
            self._turns[origin], turns.delay = turns, applied
            self._report(origin, stated, applied)
            self._next(turns)
        first = monotonic() - max(0.0, time() - answered) + applied
        turns.free_at = max(turns.free_at, first)

    async def turn(self, visit: Visit, origin: Origin) -> bool:
        """Wait for the turn of the request in *visit*. The request is for a URL of
        *origin*.

        Return `True` if the request may be sent. Return `False` if the request must be
        returned to the scheduler because the crawl closes.
        """
        turns = self._turns.get(origin)
        if turns is None or not turns.delay:
            return True
        turns.waiting.append(visit)
        self._next(turns)
        if turns.last is visit.request:
            return True
        try:
            return await self._waiting.turn(visit)
        finally:
            with suppress(ValueError):
                turns.waiting.remove(visit)

    def _next(self, turns: _Turns) -> None:
        """Give the next turn to the first waiting request. If the next turn must not begin
        yet, set a timer for the time `free_at`.
        """
        if turns.timer is not None:
            turns.timer.cancel()
            turns.timer = None
        while turns.waiting and not (turns.delay and turns.is_sent):
            seconds = turns.free_at - monotonic()
            if turns.delay and seconds > 0:
                turns.timer = call_later(seconds, partial(self._next, turns))
                return
            visit = turns.waiting.popleft()
            self._last.pop(turns.last, None)
            turns.last, turns.is_sent = visit.request, False
            self._last[visit.request] = turns
            # If the request reaches the downloader, `_answered` sets `free_at` again.
            turns.free_at = monotonic() + turns.delay
            if visit.turn is not None:
                visit.turn.release(None)

    def _reached(self, request: Request) -> None:
        """Record that *request* was sent. The next turn does not begin before *request* has
        been answered.
        """
        if turns := self._last.get(request):
            turns.is_sent = True

    def _answered(self, request: Request) -> None:
        """Begin the pause after *request*, which was answered or failed.

        If *request* was never sent, the next turn begins without a pause.
        """
        if turns := self._last.pop(request, None):
            turns.free_at = monotonic() + turns.delay * turns.is_sent
            turns.last, turns.is_sent = None, False
            self._next(turns)

    def _report(self, origin: Origin, stated: float, applied: float) -> None:
        """Log and count the applied delay, unless the delay is 0."""
        if not applied:
            return
        count(self._crawler, stats.CRAWL_DELAYS)
        kind = None
        if stated > applied:
            count(self._crawler, stats.CRAWL_DELAYS_CAPPED)
            kind = _CAPPED
        text = "%s asks for a pause of %g s between two requests; "
        text += "a pause of %g s is applied (ROBOTS1994_CRAWL_DELAY)"
        self._log.log(kind, text, origin, stated, applied)


class CrawlDelay:
    """The extension that applies crawl delays for Scrapy's built-in robots.txt middleware.

    The extension receives each parsed file from the signal `robots_parsed` of Scrapy 2.18,
    and reads the delay from the file. To apply the delays, the extension adds itself as a
    downloader middleware after the built-in middleware. `Robots1994Middleware` applies
    delays itself, without this extension.
    """

    def __init__(self, crawler: Crawler) -> None:
        from scrapy_robots1994.crawl.features import dry_run  # noqa: PLC0415 - only if wanted

        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.crawl_delay is None:
            raise NotConfigured("ROBOTS1994_CRAWL_DELAY is False")
        if settings.dry_run:
            raise NotConfigured("ROBOTS1994_DRY_RUN changes nothing")
        if ROBOTS_PARSED is None:  # pragma: no cover - Scrapy before 2.18
            raise NotConfigured(
                "this version of Scrapy has no signal for a parsed robots.txt; use Scrapy "
                "2.18 or newer, or Robots1994Middleware in a dialect with Crawl-delay"
            )
        self._robot = RobotName(crawler)
        listed = dry_run.listed_middlewares(crawler.settings)
        orders = [it for kind, it in listed.items() if dry_run.is_built_in(kind)]
        if orders:
            waiting = WaitingRequests(crawler, settings.max_waiting)
            self._delays = CrawlDelays(crawler, settings, waiting)
            crawler.signals.connect(self._parsed, ROBOTS_PARSED)
            # Change the setting here, because Scrapy freezes the settings after it has
            # created the extensions.
            crawler.settings.setdefault_in_component_priority_dict(
                "DOWNLOADER_MIDDLEWARES", CrawlDelay, int(max(orders))
            )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "CrawlDelay":
        """Return the extension. Raise `NotConfigured` if it cannot apply delays in this
        crawl.
        """
        # Return the existing extension if Scrapy calls this method to create the
        # downloader middleware that the extension has added.
        with suppress(RuntimeError):
            if made := crawler.get_extension(cls):
                return made
        return cls(crawler)

    def _parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply the delay that *robotparser* states for the robot of *request*.

        *robotparser* contains the robots.txt that *request* needed.
        """
        if origin := Origin.of(request.url):
            delay = robotparser.crawl_delay(self._robot.of(request))
            self._delays.set_delay(origin, delay, time())

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> Request | None:
        """Let *request* wait for the crawl delay of its origin. If the crawl closes, return
        *request* to the scheduler.
        """
        visit, origin = Visit.begin(request), Origin.of(request.url)
        if origin is None or exemption_of(request.url, origin, request.meta):
            return None
        return None if await self._delays.turn(visit, origin) else visit.returned()
