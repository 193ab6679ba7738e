"""How a page request leaves, and by which name: its robots.txt request does so too."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request

# What decides how a request leaves this machine; without it robots.txt would be
# requested from another address than the pages (Scrapy's built-in does so). The last
# two are marks of HttpProxyMiddleware: the credentials that it took out of the proxy's
# URL, on the page's first pass, still belong to that proxy.
ROUTE_KEYS = ("proxy", "bindaddress", "_auth_proxy", "_scheme_proxy")


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
    def from_request(cls, page: Request, keys: Iterable[str]) -> RequestContext:
        """Return the context of *page*; *keys* are the further meta keys to share."""
        meta = {key: page.meta[key] for key in (*ROUTE_KEYS, *keys) if key in page.meta}
        marked = "_auth_proxy" in meta
        authorization = page.headers.get(b"Proxy-Authorization") if marked else None
        return cls(page, page.headers.get(b"User-Agent"), meta, authorization)

    def for_url(self, url: str) -> RequestContext:
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
