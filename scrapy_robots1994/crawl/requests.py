"""Decide which requests are checked, name the robot, and make the request for robots.txt."""

import re
from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from logging import WARNING
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.origin import Origin, is_http, target_of
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.answer import MAX_HEADER_BYTES
from scrapy_robots1994.policy.outcomes import REDIRECTS

OPT_OUT = "dont_obey_robotstxt"
"""Scrapy's meta key for requests that are not checked."""

OWN_MARK = "is_robotstxt_request"
"""Meta key that marks requests for robots.txt. With Scrapy's pull request 7885, the built-in
middleware sets it too.
"""

SLOT_KEY = "download_slot"

STATED_USAGE = "_robots1994_usage"
"""Meta key for the `Usage` that robots.txt states for the page."""

# Request robots.txt by the same route as the page, or a proxy would be bypassed.
# HttpProxyMiddleware sets `_auth_proxy` and `_scheme_proxy`.
ROUTE_KEYS = ("proxy", "bindaddress", "cookiejar", "_auth_proxy", "_scheme_proxy")

MAX_BODY_BYTES = 8_388_608
"""The maximum size of a robots.txt, downloaded or unpacked (Ours R5)."""

META: dict[str, Any] = {
    OPT_OUT: True,
    OWN_MARK: True,
    # Ours R2: we follow redirects ourselves, and they may lead to another host.
    "allow_offsite": True,
    "dont_redirect": True,
    # Ours 3.1: we retry the request ourselves.
    "dont_retry": True,
    # Every status has an outcome, so Scrapy must not treat any as an error.
    "handle_httpstatus_all": True,
    "download_maxsize": MAX_BODY_BYTES,
    # Only the latency of pages should change the delay of AutoThrottle.
    "autothrottle_dont_adjust_delay": True,
}

# As in the built-in middleware
PRIORITY = 1000

_HOST = r"[a-z0-9._-]+|[0-9a-f:.]+"


class Exemption(Enum):
    """Why a request is not checked. The values appear in messages."""

    OPTED_OUT = "its meta has dont_obey_robotstxt"
    LISTED = "ROBOTS1994_EXEMPT names its host or origin"
    NOT_HTTP = "only http and https URLs have a robots.txt"
    # These requests fail instead of passing: libcurl and browsers would send "http:///host/path" to
    # "host".
    NO_HOST = (
        "the URL names no host, or HTTP clients disagree about its host, so no "
        "robots.txt can be fetched"
    )
    ROBOTS_TXT = "robots.txt itself may always be retrieved"


def exemption_of(
    url: str,
    origin: Origin | None,
    meta: Mapping[str, Any],
    exempt: Collection[str | Origin],
) -> Exemption | None:
    """Return why a request for *url* is not checked, or None if it is.

    *exempt* is the value of `ROBOTS1994_EXEMPT`.
    """
    if meta.get(OPT_OUT):
        return Exemption.OPTED_OUT
    if origin is None:
        # Remove characters such as tabs, because HTTP clients ignore them in a scheme.
        scheme = re.sub("[^a-z0-9+.-]", "", url.partition(":")[0].lower())
        has_host = scheme in {"http", "https", "ws", "wss"} and ":" in url
        return Exemption.NO_HOST if has_host else Exemption.NOT_HTTP
    if exempt and (origin.host in exempt or origin in exempt):
        return Exemption.LISTED
    # Ours O22: a request for robots.txt must not wait for robots.txt.
    is_file = "/robots.txt" in url and target_of(url) == "/robots.txt"
    return Exemption.ROBOTS_TXT if is_file else None


def spider_of(crawler: Crawler) -> Spider | type[Spider]:
    """Return the spider of *crawler*, or its class if there is no spider yet, as in a shell."""
    return crawler.spider or crawler.spidercls


class RobotName:
    """The name of our robot (Ours O9): `ROBOTSTXT_USER_AGENT`, or else the User-Agent of the
    request.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._has_warned = False
        settings = crawler.settings
        self._exact: str | None = settings["ROBOTSTXT_USER_AGENT"] or None
        # As in DefaultHeadersMiddleware, a value may be a list. If the header is listed in several
        # spellings, only the first counts.
        sent = Headers()
        for name, value in settings.getdict("DEFAULT_REQUEST_HEADERS").items():
            if value is not None and name not in sent:
                sent[name] = value
        self.usual: str | bytes = (
            self._exact
            or sent.get(b"User-Agent")
            or getattr(spider_of(crawler), "user_agent", None)
            or settings["USER_AGENT"]
            or ""
        )
        """The name for requests that set no User-Agent."""

    def of(self, request: Request) -> str | bytes:
        """Return the name of our robot for *request*: a bare name or a whole User-Agent header."""
        own = request.headers and request.headers.get(b"User-Agent")
        return self._exact or own or self.usual

    def check_sent(self, sent: bytes | None, page: Request) -> None:
        """Warn once if *sent*, the User-Agent of the robots.txt request, differs from the page's.

        A difference means that a downloader middleware changes the User-Agent after we have used
        it to choose the rules.
        """
        expected = page.headers.get("User-Agent") or self.usual
        if isinstance(expected, str):
            expected = expected.encode("utf-8", "replace")
        if self._exact or self._has_warned or sent is None or sent == expected:
            return
        self._has_warned = True
        log_line(
            self._crawler,
            WARNING,
            "The rules for the User-Agent %s are obeyed, but a downloader middleware "
            "sends the User-Agent %s: set ROBOTSTXT_USER_AGENT to the name of your robot",
            robot_text(expected),
            robot_text(sent),
        )


def robots_request(
    url: str,
    page: Request,
    keys: Iterable[str],
    slot: str | None,
    *,
    is_past_cache: bool,
) -> Request:
    """Return a request for the robots.txt at *url* that takes the same route as *page* (Ours 3.1).

    *keys* are additional meta keys to copy from *page*. After a redirect, *slot* is the download
    slot of the robots.txt request that was redirected to *url*.
    """
    copied = {it: page.meta[it] for it in (*ROUTE_KEYS, *keys) if it in page.meta}
    # Ask for an uncompressed file, because Scrapy unpacks a truncated gzip without an error, and
    # the missing rules would go unnoticed.
    headers: dict[str, str | bytes] = {"Accept-Encoding": "identity"}
    for name in ("User-Agent", "Proxy-Authorization"):
        # Copy proxy credentials only together with the proxy that they belong to.
        is_copied = name == "User-Agent" or copied.get("proxy")
        if is_copied and (value := page.headers.get(name)) is not None:
            headers[name] = value
    of_scheme = copied.get("_scheme_proxy")
    if of_scheme and urlsplit(url).scheme != urlsplit(page.url).scheme:
        # Let HttpProxyMiddleware choose the proxy again, as after Scrapy's own redirects.
        for key in ("proxy", "_auth_proxy", "_scheme_proxy"):
            copied.pop(key, None)
        headers.pop("Proxy-Authorization", None)
    meta = copied | META
    if slot is not None:
        meta[SLOT_KEY] = slot
    if is_past_cache:
        meta["dont_cache"] = True
    return Request(
        url,
        headers=headers,
        meta=meta,
        priority=PRIORITY,
        dont_filter=True,
        callback=NO_CALLBACK,
    )


def redirect_of(response: Response, url: str) -> str | None:
    """Return the absolute URL that *response* redirects *url* to (Ours R2).

    Return None if there is no redirect, and "" if the target is unreadable.
    """
    location = response.headers.get("Location")
    if response.status not in REDIRECTS or not location:
        return None
    # Do not parse a header that may be megabytes long.
    if len(location) > MAX_HEADER_BYTES:
        return ""
    try:
        parts = urlsplit(urljoin(url, safe_url_string(location)))
        # Drop the credentials, but keep the port.
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=host, fragment="").geturl()
    except ValueError:
        return ""


def is_requestable(url: str) -> bool:
    """Whether *url* is an http or https URL with a valid host (Ours R2)."""
    origin = Origin.of(url) if is_http(url) else None
    if origin is None or not re.fullmatch(_HOST, origin.host):
        return False
    try:
        # This fails for a label that is empty or longer than 63 characters.
        origin.host.encode("idna")
    except UnicodeError:
        return False
    return True
