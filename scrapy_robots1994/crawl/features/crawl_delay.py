"""Crawl delay: requests of an origin leave as far apart as its robots.txt states
(`ROBOTS1994_CRAWL_DELAY`).

How the pause between two requests is kept is `scrapy_private.Pacing`: in this Scrapy by
download slots, in a coming one by throttling scopes.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from logging import WARNING

from cachetools import LRUCache
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import QueuedPageAborted
from scrapy_robots1994.crawl.log import MessageKind, OriginLog
from scrapy_robots1994.crawl.parser import ROBOTS_PARSED
from scrapy_robots1994.crawl.robot_name import RobotName
from scrapy_robots1994.crawl.scrapy_private import pacing_of
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import Origin

MAX_ORIGINS = 100_000
"""Origins whose delay is known; for another, the next request states it again."""


_CAPPED = MessageKind(
    WARNING,
    "%d origins ask for a longer pause than ROBOTS1994_CRAWL_DELAY, which is applied",
    "`scrapy robots-check --explain URL` says what one asks for",
)


class CrawlDelays:
    """Applies the crawl delays of origins to their requests."""

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._log = OriginLog(crawler)
        self._longest = settings.crawl_delay or math.inf
        self._delays: LRUCache[Origin | None, float] = LRUCache(MAX_ORIGINS)
        self._pacing = pacing_of(crawler, self._pause_of, settings.max_waiting)

    def set_delay(
        self, request: Request, origin: Origin, seconds: float | None
    ) -> bool:
        """Apply a delay of *seconds* to *origin* from now on; `None` for no delay.

        *request* is one to this origin that has not reached the downloader. Return
        whether it is too late for this request.
        """
        # Some parsers return whatever `float` reads: -5, "nan", "inf".
        stated = seconds if seconds and 0 < seconds < math.inf else 0.0
        applied = min(stated, self._longest)
        # Mostly nothing changed, for this is called for every request that is allowed.
        if self._delays.get(origin, 0.0) != applied:
            if applied:
                self._delays[origin] = applied
                self._report(origin, stated, applied)
            else:
                # A newer file states no delay any more.
                del self._delays[origin]
        return self._pacing.pace(request, origin, applied)

    def abort_queued(self, reason: str, is_finished: Callable[[Request], bool]) -> None:
        """End the pages that wait for a delay, but for those that are finished (R6)."""
        self._pacing.abort_queued(QueuedPageAborted(reason), is_finished)

    def _pause_of(self, request: Request) -> tuple[Origin | None, float]:
        """Return the origin of *request* and its delay."""
        origin = Origin.of(request.url)
        return origin, self._delays.get(origin, 0.0)

    def _report(self, origin: Origin, stated: float, applied: float) -> None:
        """Log and count which delay is applied."""
        if not self._pacing.is_possible():
            return
        stats.count(self._crawler, stats.CRAWL_DELAYS)
        kind, effect = None, "it is applied"
        if stated > applied:
            stats.count(self._crawler, stats.CRAWL_DELAYS_CAPPED)
            kind = _CAPPED
            effect = f"{applied:g} s are applied (ROBOTS1994_CRAWL_DELAY)"
        text = "%s asks for a pause of %g s between two requests; %s"
        self._log.log(kind, text, origin, stated, effect)


class CrawlDelay:
    """The extension to use with Scrapy's built-in robots.txt middleware.

    The delays come from its parsers, by the signal `robots_parsed` of Scrapy 2.18.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.crawl_delay is None:
            raise NotConfigured("ROBOTS1994_CRAWL_DELAY is False")
        if settings.dry_run:
            raise NotConfigured("ROBOTS1994_DRY_RUN changes nothing")
        if ROBOTS_PARSED is None:  # pragma: no cover - Scrapy before 2.18
            raise NotConfigured(
                "this Scrapy has no signal robots_parsed, so crawl delays of the "
                "built-in's parsers are not known: use Scrapy 2.18 or newer, or "
                "Robots1994Middleware in a dialect with Crawl-delay"
            )
        self.delays = CrawlDelays(crawler, settings)
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
            self.delays.set_delay(request, origin, delay)


def delays_of(crawler: Crawler, settings: RobotsSettings) -> CrawlDelays:
    """Return the crawl delays of the extension, if there is one, else new ones."""
    # Two would take the delays of each other for those that the user set. A crawler that
    # does not run, as in a test of a project, has no extensions.
    with suppress(RuntimeError, AttributeError):
        if extension := crawler.get_extension(CrawlDelay):
            return extension.delays
    return CrawlDelays(crawler, settings)
