"""The request for a robots.txt, as every middleware and handler sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

if TYPE_CHECKING:
    from scrapy_robots1994.crawl.request_context import RequestContext

PRIORITY = 1000  # the built-in's

# What every robots.txt request carries, and why.
META: dict[str, Any] = {
    "dont_obey_robotstxt": True,  # O22, and the end of the regress
    "allow_offsite": True,  # R2: also to another host, never filtered
    "dont_redirect": True,  # R2: we follow, count and check each hop ourselves
    "handle_httpstatus_all": True,  # every status is an answer
    "dont_retry": True,  # §3.1: the resolver retries
    "dont_merge_cookies": True,  # a policy is not a matter of the session
    "download_maxsize": 0,  # O24: ours stops and uses, this would throw away
    "download_warnsize": 0,
    "download_fail_on_dataloss": True,  # R5: half a policy is no policy
    "autothrottle_dont_adjust_delay": True,  # its latency says nothing of pages
}


def robots_request(
    url: str, context: RequestContext, timeout: float, *, dont_cache: bool
) -> Request:
    """Return the request for *url*: no cookies, Referer or credentials."""
    context = context.for_url(url)
    meta = {
        **context.meta,
        **META,
        "dont_cache": dont_cache,
        "download_timeout": timeout,
    }
    # The file is requested by the name it is matched with.
    sent = {
        "User-Agent": context.user_agent,
        "Proxy-Authorization": context.proxy_authorization,
    }
    return Request(
        url,
        headers={name: value for name, value in sent.items() if value is not None},
        meta=meta,
        priority=PRIORITY,
        dont_filter=True,
        callback=NO_CALLBACK,
    )
