"""The name of our robot for a request: the one that its robots.txt is matched with."""

from functools import cached_property
from logging import WARNING

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Headers

from scrapy_robots1994.crawl.log import log_line


class RobotName:
    """Finds the name of our robot for a request.

    `ROBOTSTXT_USER_AGENT` says it exactly (Ours O9). Otherwise it is the User-Agent
    that the request will be sent with: its own header, else the one of
    `DEFAULT_REQUEST_HEADERS`, else the spider's `user_agent`, else `USER_AGENT`, which
    is the order in which Scrapy's middlewares fill it in after ours has run.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._exact: str | None = crawler.settings["ROBOTSTXT_USER_AGENT"] or None
        self._has_warned = False

    def of(self, request: Request) -> str | bytes:
        """The name for *request*: a bare name or a whole User-Agent header."""
        # Most requests have no header yet.
        own = request.headers and request.headers.get(b"User-Agent")
        return self._exact or own or self.usual

    def check_sent(self, sent: bytes | None, own: bytes | None) -> None:
        """Warn once if a robots.txt was requested by another name than it is matched with.

        *sent* is the User-Agent that it was sent with, *own* that of the page request.
        The page passes the same middlewares, so it will be sent with that name, too.
        """
        expected = own or self.usual
        if isinstance(expected, str):
            expected = expected.encode("utf-8", "replace")
        if self._exact or self._has_warned or sent is None or sent == expected:
            return
        self._has_warned = True
        log_line(
            self._crawler,
            WARNING,
            "robots.txt is matched by the User-Agent %s, but a downloader middleware "
            "sends %s: set ROBOTSTXT_USER_AGENT to the name of your robot",
            robot_text(expected),
            robot_text(sent),
        )

    @cached_property
    def usual(self) -> str | bytes:
        """The name for requests that bring none of their own."""
        settings = self._crawler.settings
        # As Scrapy's own middleware fills them in: names and values may be text, bytes
        # or lists, and the first of a name stays.
        sent = Headers()
        for name, value in settings.getdict("DEFAULT_REQUEST_HEADERS").items():
            if value is not None and name not in sent:
                sent[name] = value
        return (
            self._exact
            or sent.get(b"User-Agent")
            or getattr(self._crawler.spider, "user_agent", None)
            or settings["USER_AGENT"]
            or ""
        )


def robot_text(name: str | bytes) -> str:
    """Return the name of a robot as text, to be shown."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name
