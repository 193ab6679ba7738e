"""The 1994 standard for the built-in middleware: `ROBOTSTXT_PARSER`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class Robots1994Parser(RobotParser):
    """A robots.txt read by the standard of 1994, behind Scrapy's parser interface.

    For who wants only the reading and keeps the built-in middleware, with all it does
    with answers (README, "Compare with the built-in"). Never raises on any body or URL.
    """

    def __init__(self, robots: RobotsTxt) -> None:
        self.robots = robots
        """The parsed file: verdicts with lines, records, problems."""

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parse *robotstxt_body* by the crawl's `ROBOTS1994_` settings.

        Without a crawler, as Scrapy's interface allows, by their defaults. Raises
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
        """Whether *user_agent* (bare name or whole header) may fetch *url*."""
        return self.robots.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The seconds that the file asks *user_agent* to wait between two requests;
        `None` where it asks for none, or its dialect has no such field.
        """
        return self.robots.rules(user_agent).crawl_delay
