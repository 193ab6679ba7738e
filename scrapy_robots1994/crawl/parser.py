"""A parser with Scrapy's interface, and the signals for parsed files and their sitemaps."""

from contextlib import suppress
from urllib.parse import urljoin

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.robotstxt import RobotsTxt

ROBOTS_PARSED = getattr(signals, "robots_parsed", None)
"""Scrapy's signal for each parsed robots.txt, or None before Scrapy 2.18."""

robots_sitemaps = object()
"""Sent for each new or changed robots.txt with sitemaps, if the dialect knows the field Sitemap.

Arguments: *sitemaps* (a tuple of absolute URLs), *origin*, *robots* (the parsed file) and *request*
(the page request that needed the file).
"""


class Robots1994Parser(RobotParser):
    """`RobotsTxt` with the interface of Scrapy's parsers, for `ROBOTSTXT_PARSER`.

    It changes only how a file is parsed: the built-in middleware still ignores the HTTP status, for
    example. It accepts any body and any URL without raising an exception.
    """

    def __init__(self, body: bytes | str | RobotsTxt) -> None:
        """Parse *body* with the default settings, unless it is already parsed."""
        self.robots = body if isinstance(body, RobotsTxt) else RobotsTxt.parse(body)
        """The file as `RobotsTxt`."""

    @classmethod
    def from_crawler(
        cls, crawler: Crawler | None, robotstxt_body: bytes
    ) -> "Robots1994Parser":
        """Parse *robotstxt_body* with the settings of *crawler*, or with the defaults if it is
        None.

        Raise `SettingsError` if a setting is invalid.
        """
        if crawler is None:
            return cls(robotstxt_body)
        with log_settings_errors():
            settings = RobotsSettings.from_settings(crawler.settings)
        # Ours O24: the built-in middleware passes the whole body, so cut it here.
        return cls(settings.new_reader().read(robotstxt_body))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether *user_agent*, a bare name or a whole User-Agent header, may retrieve *url*."""
        return self.robots.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the Crawl-delay for *user_agent* in seconds.

        Return None if the file states none, or if the dialect does not know the field.
        """
        return self.robots.rules(user_agent).crawl_delay

    def sitemaps(self) -> tuple[str, ...]:
        """Return the distinct sitemaps, as written and in order.

        They are returned in every dialect, because with Scrapy's pull request 8069, SitemapSpider
        gets its sitemaps from this method.
        """
        return self.robots.read_as("extended").sitemaps


def sitemaps_of(origin: Origin, robots: RobotsTxt) -> tuple[str, ...]:
    """Return the distinct http and https sitemap URLs in *robots*, made absolute."""
    found: dict[str, None] = {}
    for named in robots.sitemaps:
        # `urljoin` raises `ValueError` for an invalid IPv6 address.
        with suppress(ValueError):
            found[urljoin(origin.robots_url, named)] = None
    # A value without a host, path or query, such as `//`, resolves to the URL of robots.txt itself.
    found.pop(origin.robots_url, None)
    return tuple(filter(is_http, found))
