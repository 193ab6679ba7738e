"""Every stat key of this package, with its meaning.

The string below each key is its documentation, and becomes the reference page.
"""

from typing import Final

from scrapy.crawler import Crawler

# The keys of the built-in keep their names and meanings.
FORBIDDEN: Final = "robotstxt/forbidden"
"""Requests refused."""
REQUESTS: Final = "robotstxt/request_count"
"""Fetches of a robots.txt; the redirects of a fetch belong to it."""
RESPONSES: Final = "robotstxt/response_count"
"""Fetches that were answered."""
RESPONSE_STATUS: Final = "robotstxt/response_status_count/{status}"
"""Answers by their final HTTP status."""
EXCEPTIONS: Final = "robotstxt/exception_count/{kind}"
"""Fetches that failed, by the class of the exception."""

# The keys of this package.
OUTCOMES: Final = "robots1994/outcome/{outcome}"
"""Policies made, by their outcome, see :doc:`/standard/retrieval`."""
REASONS: Final = "robots1994/forbidden/{reason}"
"""Requests refused, by the reason of their verdict."""
WAITED: Final = "robots1994/requests_waited"
"""Requests that found no fresh policy in memory: they waited for one, or used a stale
one during its refresh.
"""
FETCH_ABORTED: Final = "robots1994/fetch_aborted"
"""Fetches that ended because the crawl closed or because they were cancelled (R6)."""
REFRESHED: Final = "robots1994/refreshed"
"""Policies that were fetched again when they were no longer fresh."""
STORE_HITS: Final = "robots1994/store_hits"
"""Policies taken from the store: fresh ones, without a fetch, and stale ones, used during
their refresh.
"""
STALE_IF_ERROR: Final = "robots1994/stale_if_error"
"""Refreshes that failed, after which the last good policy is still used (R5)."""
RETRIES: Final = "robots1994/retries"
"""Fetches that were repeated."""
LOCAL_FAULTS: Final = "robots1994/local_faults"
"""Fetches that failed on our side; the requests that waited for the fetch failed with the
same error (R7).
"""
STORE_FAILURES: Final = "robots1994/store_failures"
"""Calls of the store of ROBOTS1994_STORE that failed."""
TRUNCATED: Final = "robots1994/truncated"
"""Robots.txt files longer than ROBOTS1994_MAX_BYTES (O24)."""
OPENS_SITE: Final = "robots1994/weakens_policy"
"""Origins whose file allows us URLs that its owner probably meant to disallow."""
CLOSES_SITE: Final = "robots1994/tightens_policy"
"""Origins whose file disallows us URLs that its owner probably meant to allow, with an
``Allow`` that the dialect does not have.
"""
WILDCARDS_IGNORED: Final = "robots1994/wildcards_ignored"
"""Requests that were sent and that RFC 9309 would have refused, to origins whose record
for us has ``*`` or ``$`` without effect.
"""
COMPARED: Final = "robots1994/compare/{parser}/{direction}"
"""Decisions compared with the decisions of another parser (ROBOTS1994_COMPARE): agree,
stricter (it disallows what we allow), laxer (it allows what we disallow), raised; at the
close.
"""
REFUSING: Final = "robots1994/refusing_origins"
"""Origins at which requests were refused, at most 10,000; at the close."""
REFUSED_BY: Final = "robots1994/refused_by/{origin}"
"""Requests refused, by origin, for the 20 origins with most refusals; at the close."""
STARTS_REFUSED: Final = "robots1994/starts_refused"
"""Start requests, if robots.txt refused every one of them."""
WOULD_REFUSE: Final = "robots1994/would_refuse"
"""Requests that the built-in let pass in a dry run and ours would refuse
(ROBOTS1994_DRY_RUN).
"""
WOULD_OPEN: Final = "robots1994/would_open"
"""Requests that the built-in refused in a dry run and ours would allow."""
NOT_KNOWN: Final = "robots1994/not_known"
"""Requests of a dry run for which it is not known what ours would decide."""
UNCOMPARED: Final = "robots1994/compare/skipped"
"""Decisions that were not compared: the body of the answer was no longer in memory, or
the other parsers did not keep up or took too long; at the close.
"""

BROWSER_DISALLOWED: Final = "robots1994/browser/disallowed"
"""Requests of a browser that were aborted because robots.txt disallows them
(ROBOTS1994_BROWSER).
"""
BROWSER_UNKNOWN: Final = "robots1994/browser/not_known"
"""Requests of a browser that were aborted because no policy was found."""
CRAWL_DELAYS: Final = "robots1994/crawl_delay/kept"
"""Crawl delays of origins that were applied (ROBOTS1994_CRAWL_DELAY)."""
CRAWL_DELAYS_CAPPED: Final = "robots1994/crawl_delay/capped"
"""Crawl delays that are longer than ROBOTS1994_CRAWL_DELAY, and reduced to it."""
PAGES_NOINDEX: Final = "robots1994/pages/noindex"
"""Pages that say NOINDEX to us (ROBOTS1994_PAGES)."""
PAGES_NOFOLLOW: Final = "robots1994/pages/nofollow"
"""Pages that say NOFOLLOW to us (ROBOTS1994_PAGES)."""
ITEMS_DROPPED: Final = "robots1994/pages/items_dropped"
"""Items dropped because their page says NOINDEX."""
PAGE_REQUESTS_DROPPED: Final = "robots1994/pages/requests_dropped/{reason}"
"""Requests dropped, by the reason: nofollow (of the page) or rel-nofollow (of its
links).
"""
USAGE_PAGES: Final = "robots1994/usage/{purpose}/{answer}"
"""Pages that state whether they may be used for a purpose: allow or disallow. Only the
purposes of ROBOTS1994_PURPOSES are counted, or all without it (ROBOTS1994_USAGE).
"""
USAGE_ITEMS_DROPPED: Final = "robots1994/usage/items_dropped/{purpose}"
"""Items dropped because their page must not be used for a purpose of the crawl."""
USAGE_REQUESTS_DROPPED: Final = "robots1994/usage/requests_dropped/{purpose}"
"""Requests not sent because robots.txt says that the page must not be used for a purpose
of the crawl.
"""
USAGE_NOT_UNDERSTOOD: Final = "robots1994/usage/not_understood"
"""Values of usage preferences that are not understood, once for each page."""


def count(crawler: Crawler, key: str, number: int = 1, **parts: object) -> None:
    """Add *number* to *key*, a constant of this module with *parts* filled in."""
    assert crawler.stats is not None  # noqa: S101 - set before components are made
    crawler.stats.inc_value(key.format(**parts) if parts else key, number)
