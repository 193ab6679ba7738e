"""A parser with Scrapy's interface, and the signals about a file and its sitemaps."""

from contextlib import suppress
from urllib.parse import urljoin

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.robotstxt import RobotsTxt

ROBOTS_PARSED = getattr(signals, "robots_parsed", None)
"""Scrapy's signal for each parsed robots.txt. None before Scrapy 2.18."""

robots_sitemaps = object()
"""Signal for each new or changed robots.txt that names sitemaps, in a dialect with that field.

Arguments: *sitemaps*, a tuple of absolute URLs; *origin*, the origin of the file;
*robots*, the parsed file; *request*, the page request that needed the file.
"""


class Robots1994Parser(RobotParser):
    """One robots.txt, read by `RobotsTxt`, with the interface of Scrapy's parsers.

    In the built-in middleware only the reading changes: the status of the answer, for example,
    is still ignored. Accepts any body and any URL.
    """

    def __init__(self, body: bytes | str | RobotsTxt) -> None:
        """Parse *body* with the default settings, unless it is parsed already."""
        self.robots = body if isinstance(body, RobotsTxt) else RobotsTxt.parse(body)
        """The file: verdicts, lines and problems."""

    @classmethod
    def from_crawler(
        cls, crawler: Crawler | None, robotstxt_body: bytes
    ) -> "Robots1994Parser":
        """Parse *robotstxt_body* with the settings of *crawler*, or the defaults if it is None.

        Raise `SettingsError` for a wrong setting.
        """
        if crawler is None:
            return cls(robotstxt_body)
        # For each file: the parsers of a crawl share no object.
        settings = RobotsSettings.from_settings(crawler.settings)
        # Ours O24: the built-in middleware passes the whole body.
        return cls(settings.new_reader().read(robotstxt_body))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether *user_agent*, a bare name or a whole header, may fetch *url*."""
        return self.robots.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the seconds of the Crawl-delay for *user_agent*.

        None if the file states no delay, or the dialect has none.
        """
        return self.robots.rules(user_agent).crawl_delay

    def sitemaps(self) -> tuple[str, ...]:
        """Return the distinct sitemaps that the file names, as written and in order.

        In every dialect: SitemapSpider asks for them (Scrapy's pull request 8069).
        """
        return self.robots.read_as("extended").sitemaps


def sitemaps_of(origin: Origin, robots: RobotsTxt) -> tuple[str, ...]:
    """Return the distinct http and https URLs of the sitemaps in *robots*, of *origin*."""
    found: dict[str, None] = {}
    for named in robots.sitemaps:
        # Raised for brackets without an IPv6 address.
        with suppress(ValueError):
            found[urljoin(origin.robots_url, named)] = None
    # What `urljoin` may make of a URL without a host.
    found.pop(origin.robots_url, None)
    return tuple(filter(is_http, found))
