"""The robots.txt request that a page request needs, and what the two share."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from scrapy_robots1994.crawl.exemptions import OPT_OUT
from scrapy_robots1994.crawl.scrapy_private import CookieJar
from scrapy_robots1994.policy.http_answer import HeaderLines
from scrapy_robots1994.policy.unpacking import ACCEPT_ENCODING

EVIDENCE = "robots1994_evidence"
"""Meta key of a request of which evidence is recorded: the id of the record that decided."""

STATED_USAGE = "_robots1994_usage"
"""Meta key of a request with what robots.txt states about the use of its page."""

# What decides how a request leaves this machine; without it robots.txt would be
# requested from another address than the pages (Scrapy's built-in does so). The last
# two are marks of HttpProxyMiddleware: the credentials that it took out of the proxy's
# URL, on the page's first pass, still belong to that proxy.
ROUTE_KEYS = ("proxy", "bindaddress", "_auth_proxy", "_scheme_proxy")

BROWSER_REQUEST = "_robots1994_browser"
"""Meta key of a request that a browser sends, and the downloader never gets."""

SLOT_KEY = "download_slot"
"""Meta key of Scrapy with the download slot of a request: by default, the one of its host."""

COOKIE_JAR = "cookiejar"
"""Meta key of Scrapy that names the cookie jar of a request."""

MAX_COOKIES, MAX_COOKIE_BYTES = 50, 4_096
"""Cookies of one answer that are stored, and the longest one: those of browsers."""

PRIORITY = 1000  # the built-in's

# What every robots.txt request carries, and why.
META: dict[str, Any] = {
    OPT_OUT: True,  # O22, and the end of the regress
    "is_robotstxt_request": True,  # how others know it, from Scrapy's pull request 7885 on
    "allow_offsite": True,  # R2: also to another host, never filtered
    "dont_redirect": True,  # R2: we follow, count and check each hop ourselves
    "handle_httpstatus_all": True,  # every status is an answer
    "dont_cache": True,  # Ours 3.2: we write to it and read it, see `http_cache`
    "dont_retry": True,  # Ours 3.1: the resolver retries
    "dont_merge_cookies": True,  # a fetch has cookies of its own, see `FetchCookies`
    "download_maxsize": 0,  # O24: ours stops and uses, this would throw away
    "download_warnsize": 0,
    "download_fail_on_dataloss": True,  # R5: half a policy is no policy
    "autothrottle_dont_adjust_delay": True,  # its latency says nothing of pages
}


# Keys that Scrapy reads only where one of the above says otherwise, or that it never reads
# of a request without a spider.
_WITHOUT_EFFECT = (
    "download_timeout",  # the shortest of all timeouts applies
    "handle_httpstatus_list",
    "max_retry_times",
    "redirect_ttl",
    "redirect_times",
    "referrer_policy",
    "retry_times",
)


def meta_keys_without_effect(keys: Sequence[str]) -> list[str]:
    """Return those of *keys* that change nothing of a robots.txt request if copied to it."""
    return [key for key in keys if key in META or key in _WITHOUT_EFFECT]


class FetchCookies:
    """The cookies that the answers of one fetch set, for its further requests.

    They are forgotten with the fetch, and no other request has them.
    """

    def __init__(self) -> None:
        self._jar: Any = None

    def header(self, url: str) -> bytes | None:
        """Return the value of `Cookie` in a request for *url*; `None` for no cookie."""
        if self._jar is None:
            return None
        request = Request(url)
        self._jar.add_cookie_header(request)
        return request.headers.get("Cookie")

    def store(self, headers: HeaderLines, url: str) -> None:
        """Store the cookies that an answer with *headers* to a request for *url* sets."""
        lines = headers.getlist("Set-Cookie")
        lines = [it for it in lines if len(it) <= MAX_COOKIE_BYTES][:MAX_COOKIES]
        if lines and CookieJar is not None:
            self._jar = self._jar or CookieJar()
            setting = Response(url, headers={"Set-Cookie": lines})
            self._jar.extract_cookies(setting, Request(url))


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The page request that needs a policy, and what its robots.txt request shares.

    Two are equal if their robots.txt requests would leave in the same way.
    """

    page: Request = field(compare=False)
    user_agent: bytes | None
    meta: dict[str, Any] = field(default_factory=dict)
    proxy_authorization: bytes | None = None

    @property
    def timeout(self) -> float:
        """The `download_timeout` of the page, in seconds; infinite without one."""
        seconds: Any = self.page.meta.get("download_timeout")
        is_limit = isinstance(seconds, (int, float)) and seconds > 0
        return float(seconds) if is_limit else math.inf

    @classmethod
    def from_request(cls, page: Request, keys: Iterable[str]) -> "RequestContext":
        """Return the context of *page*; *keys* are the further meta keys to share."""
        meta = {key: page.meta[key] for key in (*ROUTE_KEYS, *keys) if key in page.meta}
        if COOKIE_JAR in keys:
            # A page without the key has a jar, too: the one that is named None.
            meta[COOKIE_JAR] = page.meta.get(COOKIE_JAR)
        marked = "_auth_proxy" in meta
        authorization = page.headers.get(b"Proxy-Authorization") if marked else None
        return cls(page, page.headers.get(b"User-Agent"), meta, authorization)

    def for_url(self, url: str) -> "RequestContext":
        """Return the context for *url*, perhaps of another scheme than the page's.

        A proxy that the environment names for one scheme is not that of another; as
        with Scrapy's own redirects it is then looked up anew.
        """
        scheme = self.meta.get("_scheme_proxy")
        if not scheme or urlsplit(url).scheme == urlsplit(self.page.url).scheme:
            return self
        of_proxy = ("proxy", "_auth_proxy", "_scheme_proxy")
        meta = {key: value for key, value in self.meta.items() if key not in of_proxy}
        return replace(self, meta=meta, proxy_authorization=None)


def robots_request(
    url: str, context: RequestContext, timeout: float, cookies: bytes | None
) -> Request:
    """Return the request for *url*, without the Referer and the credentials of its page.

    *cookies* are those of the fetch, as a header. They are not sent where the user lets
    the fetch share the cookie jar of the page.
    """
    context = context.for_url(url)
    meta = context.meta | META
    meta["download_timeout"] = timeout
    if COOKIE_JAR in meta:
        cookies = None
        meta["dont_merge_cookies"] = False
    # The file is requested by the name it is matched with, and packed as we unpack it.
    own = {
        "Accept-Encoding": ACCEPT_ENCODING,
        "User-Agent": context.user_agent,
        "Proxy-Authorization": context.proxy_authorization,
        "Cookie": cookies,
    }
    sent = {name: value for name, value in own.items() if value is not None}
    return Request(
        url,
        headers=sent,
        meta=meta,
        priority=PRIORITY,
        dont_filter=True,
        callback=NO_CALLBACK,
    )
