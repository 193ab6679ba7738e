"""What the middleware reads in a page request (whether it is checked, the proxy and
address it leaves by), and the robots.txt request that it needs.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from scrapy_robots1994.crawl.unpacking import ACCEPT_ENCODING
from scrapy_robots1994.origin import Origin, target_of

OWN_REQUEST = "_robots1994_download"
"""Meta key of every robots.txt request and of no other; its value is `DownloadState`."""

OPT_OUT = "dont_obey_robotstxt"
"""Scrapy's meta key of a request that is not checked, whatever its URL is."""

VERDICT = "robots1994"
"""Meta key of a refused request; its value is the verdict."""

EVIDENCE = "robots1994_evidence"
"""Meta key of a request of which evidence is recorded: the id of the record that decided."""


_NOT_IN_SCHEME = re.compile(r"[^a-z0-9+.-]")


class Exemption(Enum):
    """Why a request is not checked; the value is a phrase for a message."""

    OPTED_OUT = "its meta has dont_obey_robotstxt"
    OWN_REQUEST = "it is our own request for a robots.txt"
    NOT_HTTP = "only http and https URLs have a robots.txt"
    # Such a request fails: libcurl and browsers send "http:///host/path" to a host all the same.
    NO_HOST = (
        "the URL names no host, or not the same one to every client, "
        "so there is no robots.txt that could be fetched"
    )
    ROBOTS_TXT = "robots.txt itself may always be retrieved"


def exemption_of(
    url: str, origin: Origin | None, meta: Mapping[str, Any]
) -> Exemption | None:
    """Return why a request for *url* of *origin* is not checked; `None` for one that is."""
    # First: our own request must never wait for itself, wherever it is redirected, and
    # also where another middleware takes its opt-out away.
    if OWN_REQUEST in meta:
        return Exemption.OWN_REQUEST
    if meta.get(OPT_OUT):
        return Exemption.OPTED_OUT
    if origin is None:
        # Clients remove characters that no scheme has, such as a tab.
        scheme = _NOT_IN_SCHEME.sub("", url.partition(":")[0].lower())
        is_http = scheme in {"http", "https"} and ":" in url
        return Exemption.NO_HOST if is_http else Exemption.NOT_HTTP
    # Ours O22: nothing waits for a file in order to fetch that file. The first test is for
    # speed: each request comes here.
    is_file = "/robots.txt" in url and target_of(url) == "/robots.txt"
    return Exemption.ROBOTS_TXT if is_file else None


# What decides how a request leaves this machine; without it robots.txt would be
# requested from another address than the pages (Scrapy's built-in does so). The last
# two are marks of HttpProxyMiddleware: the credentials that it took out of the proxy's
# URL, on the page's first pass, still belong to that proxy.
ROUTE_KEYS = ("proxy", "bindaddress", "_auth_proxy", "_scheme_proxy")

PRIORITY = 1000  # the built-in's

# What every robots.txt request carries, and why.
META: dict[str, Any] = {
    OPT_OUT: True,  # O22, and the end of the regress
    "allow_offsite": True,  # R2: also to another host, never filtered
    "dont_redirect": True,  # R2: we follow, count and check each hop ourselves
    "handle_httpstatus_all": True,  # every status is an answer
    "dont_cache": True,  # Ours 3.2: we write to it and read it, see `http_cache`
    "dont_retry": True,  # Ours 3.1: the resolver retries
    "dont_merge_cookies": True,  # a policy is not a matter of the session
    "download_maxsize": 0,  # O24: ours stops and uses, this would throw away
    "download_warnsize": 0,
    "download_fail_on_dataloss": True,  # R5: half a policy is no policy
    "autothrottle_dont_adjust_delay": True,  # its latency says nothing of pages
}


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The page request that needs a policy, and what its robots.txt request shares.

    Two are equal if their robots.txt requests would leave in the same way.
    """

    page: Request = field(compare=False)
    user_agent: bytes | None
    meta: dict[str, Any] = field(default_factory=dict)
    proxy_authorization: bytes | None = None

    @classmethod
    def from_request(cls, page: Request, keys: Iterable[str]) -> "RequestContext":
        """Return the context of *page*; *keys* are the further meta keys to share."""
        meta = {key: page.meta[key] for key in (*ROUTE_KEYS, *keys) if key in page.meta}
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


def robots_request(url: str, context: RequestContext, timeout: float) -> Request:
    """Return the request for *url*: no cookies, Referer or credentials."""
    context = context.for_url(url)
    meta = context.meta | META
    meta["download_timeout"] = timeout
    # The file is requested by the name it is matched with, and packed as we unpack it.
    own = {
        "Accept-Encoding": ACCEPT_ENCODING,
        "User-Agent": context.user_agent,
        "Proxy-Authorization": context.proxy_authorization,
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
