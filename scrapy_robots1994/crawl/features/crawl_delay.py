"""Crawl delay: requests of an origin leave as far apart as its robots.txt states
(`ROBOTS1994_CRAWL_DELAY`).

Scrapy documents what the delay and the concurrency of a download slot are
(`DOWNLOAD_SLOTS`), and AutoThrottle changes the delay while a crawl runs. There is no
public interface to do the same, so `PacedSlot` sets the attributes of slots.
"""

import math
from collections.abc import Hashable
from contextlib import suppress
from functools import partial
from logging import DEBUG, WARNING
from typing import Any

from cachetools import LRUCache
from scrapy import Request, signals
from scrapy.core import downloader as scrapy_downloader
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.concurrency import (
    NO_SLOTS,
    SLOT_KEY,
    UncountedRequests,
    slots_of,
)
from scrapy_robots1994.crawl.judges import Found, Judge
from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.parser import ROBOTS_PARSED
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.origin import Origin

MAX_ORIGINS = 100_000
"""Origins whose delay is known; for another, the next request states it again."""

SPARE_SLOTS = 64
"""Slots beyond the downloader's own after which those that it dropped are forgotten."""

UNCOUNTED_SECONDS = 60.0
MIN_UNCOUNTED = 8
"""Requests in the queue of a paced slot that do not count towards
`CONCURRENT_REQUESTS`: as many as leave within a minute, and at least these. Further ones
count, so that the scheduler stops for them.
"""

# The clock of `Slot.lastseen`: the wall clock before Scrapy 2.16.
_CLOCK = (
    getattr(scrapy_downloader, "monotonic", None) or vars(scrapy_downloader)["time"]
)


def jitter_of(slot: Any) -> float:
    """Return the part of its delay by which *slot* varies it at random."""
    if hasattr(slot, "jitter"):
        return float(slot.jitter)
    # RANDOMIZE_DOWNLOAD_DELAY, before Scrapy 2.18, is half of the delay more or less.
    return 0.5 if slot.randomize_delay else 0.0  # pragma: no cover - as above


def _set_jitter(slot: Any, jitter: float) -> None:
    # To the older attribute, any number but 0 is true.
    setattr(slot, "jitter" if hasattr(slot, "jitter") else "randomize_delay", jitter)


class PacedSlot:
    """One slot whose requests leave one at a time, with a pause between them.

    Several origins that share the slot may each need a pause; the longest counts. The
    slot's own delay is never shortened, also if it was raised later, as by AutoThrottle.
    Without a pause the slot is as it was before.
    """

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self.pause = 0.0
        """The seconds between two of its requests at least; 0 for no pause."""
        self.pauses: dict[Hashable, float] = {}
        # Pauses come and go with the files; DOWNLOAD_SLOTS is the user's.
        self._original = slot.delay, slot.concurrency, jitter_of(slot)

    def set_pause(self, origin: Hashable, seconds: float) -> None:
        """Set the pause that *origin* needs; 0 for no pause."""
        # Set first: an origin without a pause may be there or not.
        self.pauses[origin] = seconds
        if not seconds:
            del self.pauses[origin]
        delay, self.slot.concurrency, jitter = self._original
        # A longer delay than our pause is not ours: AutoThrottle set it later.
        if self.slot.delay <= self.pause:
            self.slot.delay = delay
        _set_jitter(self.slot, jitter)
        self.pause = max(self.pauses.values(), default=0.0)
        self.enforce()

    def enforce(self) -> None:
        """Apply the pause, whatever else changed the slot."""
        if not self.pause:
            return
        slot = self.slot
        slot.delay = max(slot.delay, self.pause)
        # The pause counts from the last answer, so the next request must not leave before
        # that answer is there.
        slot.concurrency = 1
        # No random delay may be shorter than the pause.
        if slot.delay * (1 - jitter_of(slot)) < self.pause:
            _set_jitter(slot, 0.0)

    def restart(self) -> None:
        """Count the pause from now on: the server has just answered a request."""
        # It is 0 until the slot has sent a request: then there is nothing to pause after.
        if self.pause and self.slot.lastseen:
            self.slot.lastseen = _CLOCK()


class SlotDelays:
    """Applies the crawl delays of origins to the download slots of their requests.

    A delay is applied when a request reaches the downloader, so slots may come and go,
    and several origins may share one.
    """

    def __init__(self, crawler: Crawler, longest: float | None) -> None:
        self._crawler = crawler
        self._longest = longest or math.inf
        self._uncounted = UncountedRequests.of(crawler)
        self._delays: LRUCache[Origin | None, float] = LRUCache(MAX_ORIGINS)
        self._slots: dict[str | None, PacedSlot] = {}
        connect = crawler.signals.connect
        connect(self._reached, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._uncounted.discard, signals.request_left_downloader)

    def set_delay(self, origin: Origin, seconds: float | None) -> None:
        """Apply a delay of *seconds* to *origin* from now on; `None` for no delay."""
        # Some parsers return whatever `float` reads: -5, "nan", "inf".
        stated = seconds if seconds and 0 < seconds < math.inf else 0.0
        applied = min(stated, self._longest)
        # Mostly nothing changed, for this is called for every request that is allowed.
        if self._delays.get(origin, 0.0) == applied:
            return
        if applied:
            self._delays[origin] = applied
            self._report(origin, stated, applied)
        else:
            # A newer file states no delay any more.
            del self._delays[origin]

    def _report(self, origin: Origin, stated: float, applied: float) -> None:
        """Log and count which delay is applied."""
        if slots_of(self._crawler) is NO_SLOTS:
            warn = self._uncounted.engine.warn
            warn("downloader.slots", "no crawl delay is applied")
            return
        stats.count(self._crawler, stats.CRAWL_DELAYS)
        level, effect = DEBUG, "it is applied"
        if stated > applied:
            stats.count(self._crawler, stats.CRAWL_DELAYS_CAPPED)
            level = WARNING
            effect = f"{applied:g} s are applied (ROBOTS1994_CRAWL_DELAY)"
        text = "%s states a Crawl-delay of %g s; %s"
        log_line(self._crawler, level, text, origin.robots_url, stated, effect)

    def _reached(self, request: Request) -> None:
        """Pace the slot of *request*, which is about to be queued there."""
        key, origin = request.meta.get(SLOT_KEY), Origin.of(request.url)
        pause, paced = self._delays.get(origin, 0.0), self._slots.get(key)
        slot = slots_of(self._crawler).get(key)
        if slot is None or not (pause or paced):
            return
        # The downloader drops an idle slot, and makes another one under its key.
        if paced is None or paced.slot is not slot:
            paced = self._new_slot(key, slot)
        if paced.pauses.get(origin, 0.0) != pause:
            paced.set_pause(origin, pause)
            # robots.txt was the last answer of this server.
            paced.restart()
        paced.enforce()
        if paced.pause:
            most = max(MIN_UNCOUNTED, UNCOUNTED_SECONDS / paced.pause)
            # The slot queues a request right after the signal, if it has to wait.
            call_later(0, partial(self._uncounted.add_queued, request, most))

    def _new_slot(self, key: str | None, slot: Any) -> PacedSlot:
        """Return *slot* to be paced, and forget slots that the downloader dropped."""
        slots = slots_of(self._crawler)
        if len(self._slots) > 2 * len(slots) + SPARE_SLOTS:
            known = self._slots.items()
            self._slots = {name: it for name, it in known if slots.get(name) is it.slot}
        self._slots[key] = PacedSlot(slot)
        return self._slots[key]

    def _downloaded(self, response: Response, request: Request) -> None:  # noqa: ARG002 - Scrapy's names
        """Begin the pause of the slot anew: its delay counts from the last answer."""
        paced = self._slots.get(request.meta.get(SLOT_KEY))
        if paced is not None:
            # AutoThrottle, which listens to the same signal, may have changed the slot.
            paced.enforce()
            paced.restart()


class CrawlDelay:
    """The extension to use with Scrapy's built-in robots.txt middleware.

    The delays come from its parsers, by the signal `robots_parsed` of Scrapy 2.18.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.crawl_delay is None:
            raise NotConfigured("ROBOTS1994_CRAWL_DELAY is False")
        if ROBOTS_PARSED is None:  # pragma: no cover - Scrapy before 2.18
            raise NotConfigured(
                "this Scrapy has no signal robots_parsed, so crawl delays of the "
                "built-in's parsers are not known: use Scrapy 2.18 or newer, or "
                "Robots1994Middleware in a dialect with Crawl-delay"
            )
        self.delays = SlotDelays(crawler, settings.crawl_delay)
        self._robot = RobotName(crawler)
        crawler.signals.connect(self._parsed, ROBOTS_PARSED)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "CrawlDelay":
        """Return the extension; raise `NotConfigured` if the setting is off."""
        return cls(crawler)

    def _parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply the delay of a robots.txt that was read because *request* needed it."""
        origin = Origin.of(request.url)
        if origin is not None:
            delay = robotparser.crawl_delay(self._robot.of(request))
            self.delays.set_delay(origin, delay)


class PacingJudge:
    """Lets another judge decide, and applies the crawl delay of what it allows."""

    def __init__(
        self, judge: Judge, robot: RobotName, crawler: Crawler, settings: RobotsSettings
    ) -> None:
        self._judge = judge
        self._robot = robot
        extension = None
        # A crawler that does not run, as in a test of a project, has no extensions.
        with suppress(RuntimeError):
            # Two would take the delays of each other for those that the user set.
            extension = crawler.get_extension(CrawlDelay)
        self._delays = (
            extension.delays if extension else SlotDelays(crawler, settings.crawl_delay)
        )

    async def judge(self, request: Request, origin: Origin, found: Found) -> None:
        """Decide, then set the delay before the request reaches its slot."""
        # What is refused never reaches a slot, and needs no delay.
        await self._judge.judge(request, origin, found)
        # Without a policy, no file states a delay.
        if not isinstance(found, Exception):
            rules = found.rules(self._robot.of(request))
            self._delays.set_delay(origin, rules.crawl_delay)
