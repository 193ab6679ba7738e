"""Properties of a page request, and the robots.txt request that the page request needs.

`exemption_of` decides whether a request is checked. `RobotName` finds the name of our
robot for a request. `robots_request` makes the robots.txt request from the
`RequestContext` of the page request.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from logging import WARNING
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import Settings

from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.scrapy_private import CookieJar
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.unpacking import ACCEPT_ENCODING

OWN_REQUEST = "_robots1994_download"
"""Meta key that only the robots.txt requests of this package have. The value is the
`DownloadState` of the request.
"""

OPT_OUT = "dont_obey_robotstxt"
"""Scrapy's meta key that exempts a request from the check if the value is true."""

_NOT_IN_SCHEME = re.compile(r"[^a-z0-9+.-]")


class Exemption(Enum):
    """The reason why a request is not checked. The value of each member is a
    phrase for use in messages.
    """

    OPTED_OUT = "its meta has dont_obey_robotstxt"
    LISTED = "ROBOTS1994_EXEMPT names its host or origin"
    # `NOT_HTTP` does not apply to ws and wss URLs, because a WebSocket begins with an HTTP
    # request.
    NOT_HTTP = "only http and https URLs have a robots.txt"
    # A request whose URL names no host fails. If it were sent, libcurl and browsers would
    # send a request for "http:///host/path" to "host", whose robots.txt was not read.
    NO_HOST = (
        "the URL names no host, or names different hosts to different clients, "
        "so no robots.txt can be fetched"
    )
    ROBOTS_TXT = "robots.txt itself may always be retrieved"


def exemption_of(
    url: str,
    origin: Origin | None,
    meta: Mapping[str, Any],
    exempt: Collection[str | Origin] = (),
) -> Exemption | None:
    """Return the reason why a request for *url* of *origin* is not checked. Return `None`
    if the request is checked.

    *exempt* contains the hosts and origins of `ROBOTS1994_EXEMPT`.
    """
    if meta.get(OPT_OUT):
        return Exemption.OPTED_OUT
    if origin is None:
        # Like HTTP clients, remove characters that are not allowed in a scheme, such as
        # tabs.
        scheme = _NOT_IN_SCHEME.sub("", url.partition(":")[0].lower())
        is_http = scheme in {"http", "https", "ws", "wss"} and ":" in url
        return Exemption.NO_HOST if is_http else Exemption.NOT_HTTP
    if exempt and (origin.host in exempt or origin in exempt):
        return Exemption.LISTED
    # Ours O22 (robots.txt itself): a request for the file must not wait for the file.
    # Begin with a fast test, because this code runs for each request.
    is_file = "/robots.txt" in url and target_of(url) == "/robots.txt"
    return Exemption.ROBOTS_TXT if is_file else None


class RobotName:
    """Finds the name of our robot for a request.

    The name is `ROBOTSTXT_USER_AGENT` if that setting is set (Ours O9, robot name). If
    `ROBOTSTXT_USER_AGENT` is not set, the name is the User-Agent with which the request
    will be sent. Scrapy's middlewares, which run after our middleware, choose this
    User-Agent. The header of the request takes precedence, followed by the header in
    `DEFAULT_REQUEST_HEADERS`, the spider's `user_agent`, and the setting `USER_AGENT`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._exact: str | None = crawler.settings["ROBOTSTXT_USER_AGENT"] or None
        self._has_warned = False

    def of(self, request: Request) -> str | bytes:
        """Return the name for *request*: a bare name or a whole User-Agent header."""
        # For speed, test first whether the request has headers. Most requests have no
        # headers at this point.
        own = request.headers and request.headers.get(b"User-Agent")
        return self._exact or own or self.usual

    def check_sent(self, sent: bytes | None, own: bytes | None) -> None:
        """Warn once if the User-Agent of a robots.txt request differs from the name by
        which the rules are chosen.

        *sent* is the User-Agent with which the robots.txt request was sent. *own* is the
        User-Agent of the page request. The page request passes through the same
        middlewares, so *sent* will also be the User-Agent of the page request.
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
            "sends the User-Agent %s: set ROBOTSTXT_USER_AGENT to the name of your robot",
            robot_text(expected),
            robot_text(sent),
        )

    @cached_property
    def usual(self) -> str | bytes:
        """The name for requests that have no User-Agent of their own."""
        settings = self._crawler.settings
        # Read the headers as DefaultHeadersMiddleware does. Names and values may be strings
        # or bytes, and a value may be a list. If two names differ only in case, the first
        # name counts.
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


def has_default_name(crawler: Crawler) -> bool:
    """Return whether the name of our robot is Scrapy's default User-Agent."""
    return bool(RobotName(crawler).usual == Settings()["USER_AGENT"])


EVIDENCE = "robots1994_evidence"
"""Meta key of a request in a crawl with evidence. The value is the id of the WARC record
with the robots.txt that applied to the request.
"""

STATED_USAGE = "_robots1994_usage"
"""Meta key of a request. The value is the `Usage` that robots.txt states for the page of
the request.
"""

# The meta keys in `ROUTE_KEYS` decide how a request leaves this machine. Without the keys
# in `ROUTE_KEYS`, the robots.txt request could be sent from a different address than the
# page requests. Scrapy's built-in middleware does not copy the keys in `ROUTE_KEYS`. If
# the page request has passed through HttpProxyMiddleware, the meta also contains
# `_auth_proxy` and `_scheme_proxy`. `_auth_proxy` is the URL of the proxy to which the
# Proxy-Authorization header of the request belongs. `_scheme_proxy` is set if the proxy
# was chosen according to the scheme of the URL.
ROUTE_KEYS = ("proxy", "bindaddress", "_auth_proxy", "_scheme_proxy")

BROWSER_REQUEST = "_robots1994_browser"
"""Meta key of a request that a browser sends. Scrapy's downloader never gets a request with
this key.
"""

SLOT_KEY = "download_slot"
"""Scrapy's meta key that names the download slot of a request. By default, each host has a
download slot of its own.
"""

COOKIE_JAR = "cookiejar"
"""Scrapy's meta key that names the cookie jar of a request."""

MAX_COOKIES, MAX_COOKIE_BYTES = 50, 4_096
"""Maximum number of cookies to store from one answer, and maximum length of a `Set-Cookie`
header in bytes. Browsers have similar limits.
"""

# Scrapy's built-in middleware sends its robots.txt requests with this priority.
PRIORITY = 1000

# The meta of every robots.txt request. The comment above each key says why the key is set.
META: dict[str, Any] = {
    # O22 (robots.txt itself): a robots.txt request must not wait for itself.
    OPT_OUT: True,
    # Since Scrapy's pull request 7885, this key marks a robots.txt request for components.
    "is_robotstxt_request": True,
    # R2 (redirects): a redirect may lead to another host.
    "allow_offsite": True,
    # R2 (redirects): this package follows, counts and checks each redirect.
    "dont_redirect": True,
    # Each status has an outcome (`policy.outcomes`).
    "handle_httpstatus_all": True,
    # Ours 3.2 (HTTP cache): the module `http_cache` reads and writes the HTTP cache.
    "dont_cache": True,
    # Ours 3.1 (retries): the resolver retries the fetch.
    "dont_retry": True,
    # Each fetch has its own cookies (`cookie_header`).
    "dont_merge_cookies": True,
    # O24 (truncated files): Scrapy's size limit would discard the whole body.
    "download_maxsize": 0,
    # Our own log line reports a robots.txt that is too long.
    "download_warnsize": 0,
    # R5 (unreachable): an incomplete robots.txt does not state a policy.
    "download_fail_on_dataloss": True,
    # Only pages may change the delay of AutoThrottle.
    "autothrottle_dont_adjust_delay": True,
}


Cookies: TypeAlias = list[tuple[str, list[bytes]]]
"""The answers of one fetch that set cookies, in order. Each item is the URL of an answer,
and its `Set-Cookie` headers. The cookies are sent only with later requests of that fetch.
"""


def cookie_header(url: str, answers: Cookies) -> bytes | None:
    """Return the `Cookie` header for a request to *url*. Return `None` if no cookie in
    *answers* applies to *url*.
    """
    if CookieJar is None:  # pragma: no cover - a later Scrapy
        return None
    jar, request = CookieJar(), Request(url)
    for source, lines in answers:
        short = [it for it in lines if len(it) <= MAX_COOKIE_BYTES][:MAX_COOKIES]
        answer = Response(source, headers={"Set-Cookie": short})
        jar.extract_cookies(answer, Request(source))
    jar.add_cookie_header(request)
    return request.headers.get("Cookie")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A page request that needs a policy, and the properties that its robots.txt request
    shares with the page request.

    Two contexts are equal if their robots.txt requests would be sent in the same way.
    """

    page: Request = field(compare=False)
    headers: dict[str, bytes]
    meta: dict[str, Any]

    @classmethod
    def from_request(cls, page: Request, keys: Iterable[str]) -> "RequestContext":
        """Return the context of *page*. *keys* are the meta keys that the robots.txt
        request copies in addition to `ROUTE_KEYS`.
        """
        keys = (*ROUTE_KEYS, *keys)
        if BROWSER_REQUEST in page.meta:
            # Share the download slot of the browser's request. In the slot of the host,
            # the robots.txt request could wait for the page, which itself waits for the
            # robots.txt.
            keys = (*keys, SLOT_KEY)
        meta = {key: page.meta[key] for key in keys if key in page.meta}
        if COOKIE_JAR in keys:
            # A page request without the key `cookiejar` uses the cookie jar whose name is
            # `None`.
            meta[COOKIE_JAR] = page.meta.get(COOKIE_JAR)
        headers: dict[str, bytes] = {}
        # Send the User-Agent by which the rules of the file are chosen.
        if (own := page.headers.get("User-Agent")) is not None:
            headers["User-Agent"] = own
        if "_auth_proxy" in meta and (login := page.headers.get("Proxy-Authorization")):
            headers["Proxy-Authorization"] = login
        return cls(page, headers, meta)


def robots_request(
    url: str, context: RequestContext, timeout: float, cookies: bytes | None
) -> Request:
    """Return the robots.txt request for *url*. Only two headers of the page request are
    copied: User-Agent and Proxy-Authorization.

    *timeout* is in seconds. *cookies* is the `Cookie` header of the fetch. If the fetch
    shares the cookie jar of the page request, the `Cookie` header of the fetch is not sent.
    """
    meta = context.meta | META
    meta["download_timeout"] = timeout
    # Accept only the codings that this package can unpack.
    headers = context.headers | {"Accept-Encoding": ACCEPT_ENCODING}
    # If HttpProxyMiddleware chose the proxy according to the scheme of the page, a request
    # with another scheme has no proxy yet. HttpProxyMiddleware then chooses a proxy for the
    # new scheme, as it does after Scrapy's own redirects.
    of_scheme = meta.get("_scheme_proxy")
    if of_scheme and urlsplit(url).scheme != urlsplit(context.page.url).scheme:
        for key in ("proxy", "_auth_proxy", "_scheme_proxy"):
            meta.pop(key, None)
        headers.pop("Proxy-Authorization", None)
    if COOKIE_JAR in meta:
        meta["dont_merge_cookies"] = False
    elif cookies:
        headers["Cookie"] = cookies
    return Request(
        url,
        headers=headers,
        meta=meta,
        priority=PRIORITY,
        dont_filter=True,
        callback=NO_CALLBACK,
    )
