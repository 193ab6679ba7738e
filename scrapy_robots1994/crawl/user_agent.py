"""The name of our robot: robots.txt is matched with the name that is sent."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from scrapy.http.headers import Headers

from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger("scrapy_robots1994")


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

    def is_usual(self, request: Request) -> bool:
        """Return whether *request* has no User-Agent of its own, or none that counts."""
        # Scrapy stores header names in title case. A look-up of the plain dict needs no
        # conversion.
        return self._exact is not None or not dict.__contains__(
            request.headers, b"User-Agent"
        )

    @property
    def usual(self) -> str | bytes:
        """The name for requests that bring none of their own."""
        return self._default if self._exact is None else self._exact

    def of(self, request: Request) -> str | bytes:
        """The name for *request*: a bare name or a whole User-Agent header."""
        if self._exact is not None:
            return self._exact
        return request.headers.get(b"User-Agent") or self._default

    def check_sent(self, sent: bytes | None, own: bytes | None) -> None:
        """Warn once if a robots.txt was requested by another name than it is matched with.

        *sent* is the User-Agent that it was sent with, *own* that of the page request.
        The page passes the same middlewares, so it will be sent with that name, too.
        """
        name = own or self._default
        expected = name if isinstance(name, bytes) else name.encode("utf-8", "replace")
        if self._exact or self._has_warned or sent is None or sent == expected:
            return
        self._has_warned = True
        logger.warning(
            "robots.txt is matched by the User-Agent %s, but a downloader middleware "
            "sends %s: set ROBOTSTXT_USER_AGENT to the name of your robot",
            escape_control_chars(expected.decode("utf-8", "replace"), 200),
            escape_control_chars(sent.decode("utf-8", "replace"), 200),
            extra={"spider": self._crawler.spider},
        )

    @cached_property
    def _default(self) -> str | bytes:
        """The User-Agent of a request that brings none."""
        settings = self._crawler.settings
        # As Scrapy's own middleware fills them in: names and values may be text, bytes
        # or lists, and the first of a name stays.
        sent = Headers()
        for name, value in settings.getdict("DEFAULT_REQUEST_HEADERS").items():
            if value is not None:
                sent.setdefault(name, value)
        return (
            sent.get(b"User-Agent")
            or getattr(self._crawler.spider, "user_agent", None)
            or settings["USER_AGENT"]
            or ""
        )
