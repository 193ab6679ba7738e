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
"""Signal for each new or changed robots.txt that names sitemaps, in dialects with that field.

Arguments: *sitemaps*, a tuple of absolute URLs; *origin*, the origin of the file; *robots*, the
parsed file; *request*, the page request that needed the file.
"""


class Robots1994Parser(RobotParser):
    """One robots.txt, read by `RobotsTxt`, with the interface of Scrapy's parsers.

    It changes only how the built-in middleware reads a file. That middleware still ignores the
    status of the answer, for example. Any body and any URL are accepted.
    """

    def __init__(self, body: bytes | str | RobotsTxt) -> None:
        """Parse *body* with the default settings, unless it is already parsed."""
        self.robots = body if isinstance(body, RobotsTxt) else RobotsTxt.parse(body)
        """The file, for verdicts, lines and problems."""

    @classmethod
    def from_crawler(
        cls, crawler: Crawler | None, robotstxt_body: bytes
    ) -> "Robots1994Parser":
        """Parse *robotstxt_body* with the settings of *crawler*, or the defaults if that is None.

        Raise `SettingsError` for a wrong setting.
        """
        if crawler is None:
            return cls(robotstxt_body)
        # The parsers of a crawl share no object, so each reads the settings.
        settings = RobotsSettings.from_settings(crawler.settings)
        # Ours O24: the built-in middleware passes the whole body.
        return cls(settings.new_reader().read(robotstxt_body))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether *user_agent*, a bare name or a whole header, may retrieve *url*."""
        return self.robots.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the Crawl-delay for *user_agent* in seconds.

        Return None if the file states no delay, or the dialect has none.
        """
        return self.robots.rules(user_agent).crawl_delay

    def sitemaps(self) -> tuple[str, ...]:
        """Return the distinct sitemaps that the file names, as written and in order.

        They are read in every dialect, because SitemapSpider asks for them (Scrapy's pull request
        8069).
        """
        return self.robots.read_as("extended").sitemaps


def sitemaps_of(origin: Origin, robots: RobotsTxt) -> tuple[str, ...]:
    """Return the distinct http and https URLs of sitemaps in *robots*, the file of *origin*."""
    found: dict[str, None] = {}
    for named in robots.sitemaps:
        # `urljoin` raises it for brackets without an IPv6 address.
        with suppress(ValueError):
            found[urljoin(origin.robots_url, named)] = None
    # `urljoin` returns this URL for one without a host.
    found.pop(origin.robots_url, None)
    return tuple(filter(is_http, found))
