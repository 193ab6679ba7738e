"""Every stat key of this package, with its meaning.

The string below each key is the documentation of the key on the reference page.
"""

from typing import Final

# The built-in middleware has the following keys, with the same meanings.
FORBIDDEN: Final = "robotstxt/forbidden"
"""Refused requests."""
REQUESTS: Final = "robotstxt/request_count"
"""Attempts to fetch a robots.txt. A retry is a new attempt, but a redirect is not."""
RESPONSES: Final = "robotstxt/response_count"
"""Attempts that were answered. An answer of a proxy with status 407 does not count."""
RESPONSE_STATUS: Final = "robotstxt/response_status_count/{status}"
"""Attempts that were answered, by the HTTP status of the last answer after redirects."""
EXCEPTIONS: Final = "robotstxt/exception_count/{kind}"
"""Attempts that raised an exception, by the class of the exception."""

# Only this package has the following keys.
OUTCOMES: Final = "robots1994/outcome/{outcome}"
"""Fetches that ended with a policy, by their outcome; see :doc:`/standard/retrieval`."""
REASONS: Final = "robots1994/forbidden/{reason}"
"""Refused requests, by the reason of the verdict."""
WAITED: Final = "robots1994/requests_waited"
"""Requests that waited for a policy, because no fresh one was in memory."""
FETCH_ABORTED: Final = "robots1994/fetch_aborted"
"""Fetches that were cancelled, or that ended because the crawl closed (R6, closing)."""
REFRESHED: Final = "robots1994/refreshed"
"""Stale policies that were successfully fetched again."""
STORE_HITS: Final = "robots1994/store_hits"
"""Policies that were found in the store, fresh or stale."""
STALE_IF_ERROR: Final = "robots1994/stale_if_error"
"""Failed refreshes after which the last good policy remained in use (R5, unreachable)."""
RETRIES: Final = "robots1994/retries"
"""Retries of fetches."""
LOCAL_FAULTS: Final = "robots1994/local_faults"
"""Fetches that failed on our side (R7, our own fault), with the requests that waited."""
STORE_FAILURES: Final = "robots1994/store_failures"
"""Failed calls to the store that ROBOTS1994_STORE names."""
TRUNCATED: Final = "robots1994/truncated"
"""Robots.txt files that are longer than ROBOTS1994_MAX_BYTES (O24, truncated files)."""
IGNORED: Final = "robots1994/ignored"
"""Robots.txt files with lines for this robot that the dialect ignores or takes literally."""
REFUSING: Final = "robots1994/refusing_origins"
"""Origins at which requests were refused, at most 10,000. Set when the crawl closes."""
REFUSED_BY: Final = "robots1994/refused_by/{origin}"
"""Refused requests of the 20 origins with the most. Set when the crawl closes."""
STARTS_REFUSED: Final = "robots1994/starts_refused"
"""Refused start requests, if all were. Set when the crawl closes."""
CRAWL_DELAYS: Final = "robots1994/crawl_delay/kept"
"""Crawl delays that were applied to the requests to an origin (ROBOTS1994_CRAWL_DELAY)."""
CRAWL_DELAYS_CAPPED: Final = "robots1994/crawl_delay/capped"
"""Crawl delays that were reduced, because they were longer than ROBOTS1994_CRAWL_DELAY."""
PAGES_NOINDEX: Final = "robots1994/pages/noindex"
"""Pages with a NOINDEX directive for this robot (ROBOTS1994_PAGES)."""
PAGES_NOFOLLOW: Final = "robots1994/pages/nofollow"
"""Pages with a NOFOLLOW directive for this robot (ROBOTS1994_PAGES)."""
ITEMS_DROPPED: Final = "robots1994/pages/items_dropped"
"""Items that were dropped because their page has a NOINDEX directive."""
PAGE_REQUESTS_DROPPED: Final = "robots1994/pages/requests_dropped/{reason}"
"""Requests that were dropped because of ``nofollow`` (page) or ``rel-nofollow`` (link)."""
USAGE_PAGES: Final = "robots1994/usage/{purpose}/{answer}"
"""Pages with a preference (``allow`` or ``disallow``) about a purpose of
ROBOTS1994_PURPOSES, or about any purpose if that setting is empty.
"""
USAGE_ITEMS_DROPPED: Final = "robots1994/usage/items_dropped/{purpose}"
"""Items that were dropped because of a usage preference of their page."""
USAGE_REQUESTS_DROPPED: Final = "robots1994/usage/requests_dropped/{purpose}"
"""Requests that were not sent because of a usage preference in robots.txt."""
USAGE_NOT_UNDERSTOOD: Final = "robots1994/usage/not_understood"
"""Values of usage preferences that are not understood, counted for each page."""
COMPARED: Final = "robots1994/compare/{parser}/{direction}"
"""Decisions about which another parser was asked (ROBOTS1994_COMPARE), set when the crawl
closes. ``agree``; ``stricter``: only that parser disallows; ``laxer``: only that parser
allows; ``raised``: it raised an exception. In a dry run, the parser ``RobotsTxtMiddleware``
is what Scrapy's middleware did.
"""
UNCOMPARED: Final = "robots1994/compare/skipped"
"""Decisions that were not compared: ours is not known in a dry run, or the compared files
have reached 64 MB.
"""
RACES: Final = "robots1994/compare/on_its_way"
"""Requests that Scrapy's middleware sent in a dry run while robots.txt was on its way, although
its parser disallows them.
"""
