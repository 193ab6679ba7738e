"""The robots.txt request that a page request needs, and what the two share."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from scrapy_robots1994.crawl.exemptions import OPT_OUT
from scrapy_robots1994.crawl.unpacking import ACCEPT_ENCODING

EVIDENCE = "robots1994_evidence"
"""Meta key of a request of which evidence is recorded: the id of the record that decided."""

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
