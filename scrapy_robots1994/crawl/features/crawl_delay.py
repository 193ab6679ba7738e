"""Crawl delay: keeps the requests of an origin as far apart as its robots.txt asks
(`ROBOTS1994_CRAWL_DELAY`).
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

from cachetools import LRUCache
from scrapy import signals
from scrapy.exceptions import NotConfigured

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.backend import ROBOTS_PARSED
from scrapy_robots1994.crawl.concurrency import EngineState, UncountedRequests
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.slots import HeldSlot, slot_key, slots_of
from scrapy_robots1994.crawl.stats import StatsRecorder
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.crawl.user_agent import RobotName
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from typing_extensions import Self

    from scrapy_robots1994.crawl.judges import Judge
    from scrapy_robots1994.policy import Policy

logger = logging.getLogger("scrapy_robots1994")

_KEPT_AS = "_robots1994_slot_delays"

ORIGINS_KNOWN = 100_000
"""Origins whose delay is known at once; one forgotten is told again with its next
request."""

SEATED_SECONDS = 60.0
LEAST_SEATS = 8
"""Requests that wait in a slot with a pause take no concurrency of others: as many as
leave within a minute, and at least these. More count as they do without us, so that the
scheduler holds them back, and a crawl that closes has no long queue to work off."""


class SlotDelays:
    """The crawl delays of one crawl: told by origin, kept by download slot.

    A request tells its slot when it reaches the downloader, so slots that come and go
    are no matter, and neither are origins that share one.
    """

    def __init__(
        self, crawler: Crawler, cap: float, uncounted: UncountedRequests
    ) -> None:
        assert crawler.stats is not None  # noqa: S101 - set before components are made
        self._crawler = crawler
        self._cap = cap
        self._uncounted = uncounted
        self._tally = StatsRecorder(crawler.stats)
        self._asked: LRUCache[Origin, float] = LRUCache(ORIGINS_KNOWN)
        self._held: dict[str, HeldSlot] = {}
        self._sweep_at = 64
        self._seated: dict[Request, HeldSlot] = {}
        connect = crawler.signals.connect
        connect(self._reached, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._left, signals.request_left_downloader)

    @classmethod
    def of(
        cls, crawler: Crawler, settings: RobotsSettings, uncounted: UncountedRequests
    ) -> Self:
        """The one of *crawler*, made when it is first asked for."""
        # Kept by the crawler: a table here would hold crawlers that are over.
        found: Self | None = vars(crawler).get(_KEPT_AS)
        if found is None:
            cap = math.inf if settings.crawl_delay is None else settings.crawl_delay
            found = vars(crawler)[_KEPT_AS] = cls(crawler, cap, uncounted)
        return found

    def tell(self, origin: Origin, seconds: float | None) -> None:
        """*origin* asks for so many seconds between two requests; None for none."""
        seconds = seconds or None
        if self._asked.get(origin) == seconds:
            return
        if seconds is None:
            del self._asked[origin]
        else:
            self._asked[origin] = seconds
            self._report(origin, seconds)
        pause = self._pause(origin)
        for held in self._held.values():
            if held.is_asked_by(origin):
                held.ask(origin, pause)

    def _pause(self, origin: Origin) -> float | None:
        """The seconds to keep for *origin*, never more than the cap."""
        seconds = self._asked.get(origin)
        return None if seconds is None else min(seconds, self._cap)

    def _report(self, origin: Origin, seconds: float) -> None:
        """Say what is kept, and what is not."""
        self._tally.count(stats.CRAWL_DELAYS)
        if seconds <= self._cap:
            level, text = logging.DEBUG, "%s asks for %g s between two requests"
        else:
            self._tally.count(stats.CRAWL_DELAYS_CAPPED)
            level = logging.WARNING
            text = (
                "%s asks for %g s between two requests; kept are "
                f"{self._cap:g} s (ROBOTS1994_CRAWL_DELAY)"
            )
        extra = {"spider": self._crawler.spider}
        url = escape_control_chars(origin.robots_url, 500)
        logger.log(level, text, url, seconds, extra=extra)

    def _reached(self, request: Request) -> None:
        """*request* is about to stand in line in its slot."""
        key, origin = slot_key(request), Origin.of(request.url)
        if key is None or origin is None:
            return
        pause, held = self._pause(origin), self._held.get(key)
        slot = slots_of(self._crawler).get(key)
        if slot is None or (pause is None and held is None):
            return
        if held is None or held.slot is not slot:
            held = self._hold(key, slot)
        if pause is not None and not held.is_asked_by(origin):
            held.ask(origin, pause)
            held.begin_pause()
        held.keep()
        self._seat(request, held)

    def _hold(self, key: str, slot: object) -> HeldSlot:
        """Begin to hold *slot*; forget those that the downloader has forgotten."""
        if len(self._held) >= self._sweep_at:
            slots = slots_of(self._crawler)
            kept = {
                it: held
                for it, held in self._held.items()
                if slots.get(it) is held.slot
            }
            self._held = kept
            self._sweep_at = max(64, 2 * len(kept))
        held = self._held[key] = HeldSlot(slot)
        return held

    def _seat(self, request: Request, held: HeldSlot) -> None:
        """Let *request* wait for its turn at nobody's cost, if there is room."""
        if not held.floor:
            return
        seats = max(LEAST_SEATS, SEATED_SECONDS / held.floor)

        def uncount() -> None:
            # The slot queues a request right after the signal, where it has to wait.
            if held.seated < seats and self._uncounted.add_queued(
                request, lambda: self._left(request)
            ):
                held.seated += 1
                self._seated[request] = held

        call_later(0, uncount)

    def _downloaded(self, response: Response, request: Request) -> None:  # noqa: ARG002 - Scrapy's names
        """An answer came; the next request may leave after the whole pause."""
        held = self._held.get(slot_key(request) or "")
        if held is not None:
            # AutoThrottle, which listens to the same signal, has had its turn.
            held.keep()
            held.begin_pause()

    def _left(self, request: Request) -> None:
        """*request* is done with its slot."""
        held = self._seated.pop(request, None)
        if held is not None:
            held.seated -= 1
            self._uncounted.discard(request)


class CrawlDelay:
    """The extension for who keeps Scrapy's built-in robots.txt middleware: the delays
    come from its parsers, by the signal `robots_parsed` of Scrapy 2.18.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.crawl_delay is None:
            message = "ROBOTS1994_CRAWL_DELAY is False"
            raise NotConfigured(message)
        if ROBOTS_PARSED is None:  # pragma: no cover - Scrapy before 2.18
            message = (
                "this Scrapy has no signal robots_parsed, so crawl delays of the "
                "built-in's parsers are not told: use Scrapy 2.18 or newer, or "
                'Robots1994Middleware with ROBOTS1994_DIALECT = "extended"'
            )
            raise NotConfigured(message)
        uncounted = UncountedRequests(crawler, EngineState(crawler))
        self._delays = SlotDelays.of(crawler, settings, uncounted)
        self._robot = RobotName(crawler)
        crawler.signals.connect(self._parsed, ROBOTS_PARSED)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy; `NotConfigured` where the setting is off."""
        return cls(crawler)

    def _parsed(self, robotparser: RobotParser, request: Request) -> None:
        """A robots.txt was read because *request* needed it."""
        origin = Origin.of(request.url)
        if origin is not None:
            delay = robotparser.crawl_delay(self._robot.of(request))
            self._delays.tell(origin, delay)


class PacingJudge:
    """Lets another judge decide, and notes the crawl delay of each origin it allows."""

    def __init__(self, judge: Judge, robot: RobotName, delays: SlotDelays) -> None:
        self._judge = judge
        self._robot = robot
        self._delays = delays

    async def judge(self, request: Request, policy: Policy) -> None:
        """Decide, then note the delay before the request reaches its slot."""
        await self._judge.judge(request, policy)
        rules = policy.rules(self._robot.of(request))
        self._delays.tell(policy.origin, rules.crawl_delay)

    async def unresolved(
        self, request: Request, origin: Origin, error: Exception
    ) -> None:
        """Decide; no file asks for a delay."""
        await self._judge.unresolved(request, origin, error)
