"""Interfaces for components that need a parsed robots.txt. This module defines a parser
with Scrapy's interface, and the signals about the file and its sitemaps.
"""

from contextlib import suppress
from urllib.parse import urljoin

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.robotstxt import RobotsTxt

ROBOTS_PARSED = getattr(signals, "robots_parsed", None)
"""Scrapy's signal that is sent for each parsed robots.txt. The value is `None` before
Scrapy 2.18.
"""

robots_sitemaps = object()
"""Signal about the sitemaps in a robots.txt. The signal is sent once for each new or
changed file that names sitemaps, if the dialect has the field Sitemap.

Arguments: *sitemaps*, a tuple of absolute URLs; *origin*, the origin of the file;
*robots*, the parsed file; *request*, the page request that needed the file.
"""


class Robots1994Parser(RobotParser):
    """A robots.txt that was parsed according to the standard of 1994, with Scrapy's parser
    interface.

    With this parser, the built-in middleware reads files as the standard requires.
    Nothing else changes: for example, the built-in middleware still ignores the status of
    a response. The parser accepts any body and any URL without raising an exception.
    """

    def __init__(self, body: bytes | str | RobotsTxt) -> None:
        """Parse *body* with the defaults of the settings, unless *body* is already a
        `RobotsTxt`.
        """
        self.robots = body if isinstance(body, RobotsTxt) else RobotsTxt.parse(body)
        """The parsed file. Use this attribute to get verdicts (with their lines and
        records) and problems.
        """

    @classmethod
    def from_crawler(
        cls, crawler: Crawler | None, robotstxt_body: bytes
    ) -> "Robots1994Parser":
        """Parse *robotstxt_body* with the `ROBOTS1994_` settings of *crawler*.

        If *crawler* is `None`, as Scrapy's interface allows, the defaults of the settings
        are used. Raise `SettingsError` for a wrong setting.
        """
        if crawler is None:
            return cls(robotstxt_body)
        # Read the settings again for each file. Scrapy's interface has no object that the
        # parsers of a crawl could share.
        settings = RobotsSettings.from_settings(crawler.settings)
        # Apply the size limit here (O24, truncated files), because the built-in middleware
        # downloads the whole body.
        return cls(settings.new_reader().read(robotstxt_body))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether the robot *user_agent* may fetch *url*. The argument *user_agent*
        is a bare name or a whole User-Agent header.
        """
        return self.robots.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the Crawl-delay for *user_agent*, in seconds.

        Return `None` if the file states no delay, or if the dialect has no field for
        delays.
        """
        return self.robots.rules(user_agent).crawl_delay

    def sitemaps(self) -> tuple[str, ...]:
        """Return the sitemaps that the file names, as written, in order and without
        duplicates.

        The dialect of the file has no effect, because a SitemapSpider follows sitemaps in
        every dialect. Since Scrapy's pull request 8069, SitemapSpider calls this method.
        """
        return self.robots.read_as("extended").sitemaps


def sitemaps_of(origin: Origin, robots: RobotsTxt) -> tuple[str, ...]:
    """Return the http and https URLs of the sitemaps in *robots*, the file of *origin*,
    without duplicates.
    """
    found: dict[str, None] = {}
    for named in robots.sitemaps:
        # `urljoin` raises an error for brackets that do not contain an IPv6 address.
        with suppress(ValueError):
            found[urljoin(origin.robots_url, named)] = None
    # Remove the URL of the robots.txt itself, which `urljoin` may return for a URL without
    # a host.
    found.pop(origin.robots_url, None)
    return tuple(filter(is_http, found))
