"""The parser for Scrapy's built-in middleware: `ROBOTSTXT_PARSER`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

ROBOTS_PARSED = getattr(signals, "robots_parsed", None)
"""Scrapy's signal for each parsed robots.txt; `None` before Scrapy 2.18."""


class Robots1994Parser(RobotParser):
    """A robots.txt parsed by the standard of 1994, with Scrapy's parser interface.

    With it the built-in middleware reads files as the standard says; everything else it
    does, such as ignoring the status of the response, stays. Never raises on any body
    or URL.
    """

    def __init__(self, robots: RobotsTxt) -> None:
        self.robots = robots
        """The parsed file: verdicts with lines, records, problems."""

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parse *robotstxt_body* by the `ROBOTS1994_` settings of *crawler*.

        Without a crawler, as Scrapy's interface allows, their defaults apply. Raise
        `SettingsError` for a wrong setting.
        """
        if crawler is None:
            return cls(RobotsTxt.parse(robotstxt_body))
        settings = RobotsSettings.from_settings(crawler.settings)
        robots = RobotsTxt.parse(
            robotstxt_body,
            dialect=settings.dialect,
            reading=settings.reading,
            limit=settings.max_bytes,
        )
        return cls(robots)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether *user_agent*, a bare name or a whole header, may fetch *url*."""
        return self.robots.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the Crawl-delay for *user_agent*, in seconds.

        Return `None` where the file has none, or the dialect has no such field.
        """
        return self.robots.rules(user_agent).crawl_delay
