"""Crawl delay: requests of an origin leave as far apart as its robots.txt states
(`ROBOTS1994_CRAWL_DELAY`).
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING

from cachetools import LRUCache
from scrapy import signals
from scrapy.exceptions import NotConfigured

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.concurrency import UncountedRequests
from scrapy_robots1994.crawl.judges import OuterJudge
from scrapy_robots1994.crawl.parser import ROBOTS_PARSED
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.slots import PacedSlot, slot_key, slots_of
from scrapy_robots1994.crawl.stats import StatsRecorder
from scrapy_robots1994.crawl.threads import call_later
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

_ATTRIBUTE = "_robots1994_slot_delays"

MAX_ORIGINS = 100_000
"""Origins whose delay is known; for another, the next request states it again."""

SWEEP_SLOTS = 64
"""Slots after which those that the downloader dropped are looked for."""

UNCOUNTED_SECONDS = 60.0
MIN_UNCOUNTED = 8
"""Requests in the queue of a paced slot that do not count towards
`CONCURRENT_REQUESTS`: as many as leave within a minute, and at least these. Further ones
count, so that the scheduler stops for them, and a crawl that closes has no long queue to
empty.
"""


class SlotDelays:
    """Applies the crawl delays of origins to the download slots of their requests.

    A delay is applied when a request reaches the downloader, so slots may come and go,
    and several origins may share one.
    """

    def __init__(self, crawler: Crawler, longest: float) -> None:
        assert crawler.stats is not None  # noqa: S101 - set before components are made
        self._crawler = crawler
        self._longest = longest
        self._uncounted = UncountedRequests.of(crawler)
        self._recorder = StatsRecorder(crawler.stats)
        self._delays: LRUCache[Origin, float] = LRUCache(MAX_ORIGINS)
        self._slots: dict[str, PacedSlot] = {}
        self._sweep_at = SWEEP_SLOTS
        self._queued: dict[Request, PacedSlot] = {}
        connect = crawler.signals.connect
        connect(self._reached, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._left, signals.request_left_downloader)

    @classmethod
    def of(cls, crawler: Crawler, settings: RobotsSettings) -> Self:
        """Return the one of *crawler*, which middleware and extension share."""
        # An attribute of the crawler: a table here would hold crawlers that ended.
        found: Self | None = vars(crawler).get(_ATTRIBUTE)
        if found is None:
            longest = math.inf if settings.crawl_delay is None else settings.crawl_delay
            found = vars(crawler)[_ATTRIBUTE] = cls(crawler, longest)
        return found

    def set_delay(self, origin: Origin, seconds: float | None) -> None:
        """Apply a delay of *seconds* to *origin* from now on; `None` for no delay."""
        applied = min(seconds or 0.0, self._longest)
        if self._delays.get(origin, 0.0) == applied:
            return
        if seconds and applied:
            self._delays[origin] = applied
            self._report(origin, seconds, applied)
        else:
            del self._delays[origin]
        for slot in self._slots.values():
            if slot.has_pause_for(origin):
                slot.set_pause(origin, applied or None)

    def _report(self, origin: Origin, seconds: float, applied: float) -> None:
        """Log and count which delay is applied."""
        self._recorder.count(stats.CRAWL_DELAYS)
        level, effect = logging.DEBUG, "it is applied"
        if seconds > applied:
            self._recorder.count(stats.CRAWL_DELAYS_CAPPED)
            level = logging.WARNING
            effect = f"{applied:g} s are applied (ROBOTS1994_CRAWL_DELAY)"
        logger.log(
            level,
            "%s states a Crawl-delay of %g s; %s",
            escape_control_chars(origin.robots_url, 500),
            seconds,
            effect,
            extra={"spider": self._crawler.spider},
        )

    def _reached(self, request: Request) -> None:
        """Pace the slot of *request*, which is about to be queued there."""
        key, origin = slot_key(request), Origin.of(request.url)
        if key is None or origin is None:
            return
        pause, paced = self._delays.get(origin), self._slots.get(key)
        slot = slots_of(self._crawler).get(key)
        if slot is None or (pause is None and paced is None):
            return
        if paced is None or paced.slot is not slot:
            self._sweep()
            paced = self._slots[key] = PacedSlot(slot)
        if pause is not None and not paced.has_pause_for(origin):
            paced.set_pause(origin, pause)
            paced.restart_pause()
        paced.enforce()
        if paced.pause:
            # The slot queues a request right after the signal, if it has to wait.
            call_later(0, partial(self._uncount, request, paced))

    def _sweep(self) -> None:
        """Forget the slots that the downloader dropped, once there are many."""
        if len(self._slots) >= self._sweep_at:
            slots = slots_of(self._crawler)
            self._slots = {
                key: paced
                for key, paced in self._slots.items()
                if slots.get(key) is paced.slot
            }
            self._sweep_at = max(SWEEP_SLOTS, 2 * len(self._slots))

    def _uncount(self, request: Request, paced: PacedSlot) -> None:
        """Let *request* wait in the queue of its slot without counting, if few do."""
        most = max(MIN_UNCOUNTED, UNCOUNTED_SECONDS / (paced.pause or math.inf))
        if paced.uncounted < most and self._uncounted.add_queued(
            request, partial(self._left, request)
        ):
            paced.uncounted += 1
            self._queued[request] = paced

    def _downloaded(self, response: Response, request: Request) -> None:  # noqa: ARG002 - Scrapy's names
        """Begin the pause of the slot anew: its delay counts from the last answer."""
        paced = self._slots.get(slot_key(request) or "")
        if paced is not None:
            # AutoThrottle, which listens to the same signal, may have changed the slot.
            paced.enforce()
            paced.restart_pause()

    def _left(self, request: Request) -> None:
        """Count *request* again: it left its slot."""
        paced = self._queued.pop(request, None)
        if paced is not None:
            paced.uncounted -= 1
            self._uncounted.discard(request)


class CrawlDelay:
    """The extension to use with Scrapy's built-in robots.txt middleware.

    The delays come from its parsers, by the signal `robots_parsed` of Scrapy 2.18.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.crawl_delay is None:
            message = "ROBOTS1994_CRAWL_DELAY is False"
            raise NotConfigured(message)
        if ROBOTS_PARSED is None:  # pragma: no cover - Scrapy before 2.18
            message = (
                "this Scrapy has no signal robots_parsed, so crawl delays of the "
                "built-in's parsers are not known: use Scrapy 2.18 or newer, or "
                "Robots1994Middleware in a dialect with Crawl-delay"
            )
            raise NotConfigured(message)
        self._delays = SlotDelays.of(crawler, settings)
        self._robot = RobotName(crawler)
        crawler.signals.connect(self._parsed, ROBOTS_PARSED)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extension; raise `NotConfigured` if the setting is off."""
        return cls(crawler)

    def _parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply the delay of a robots.txt that was read because *request* needed it."""
        origin = Origin.of(request.url)
        if origin is not None:
            delay = robotparser.crawl_delay(self._robot.of(request))
            self._delays.set_delay(origin, delay)


class PacingJudge(OuterJudge):
    """Lets another judge decide, and applies the crawl delay of what it allows."""

    def __init__(self, inner: Judge, robot: RobotName, delays: SlotDelays) -> None:
        super().__init__(inner, robot)
        self._delays = delays

    async def judge(self, request: Request, policy: Policy) -> None:
        """Decide, then set the delay before the request reaches its slot."""
        await super().judge(request, policy)
        rules = policy.rules(self._robot.of(request))
        self._delays.set_delay(policy.origin, rules.crawl_delay)
