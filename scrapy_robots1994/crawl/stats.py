"""The keys of the stats. The string below a key is its text on the reference page."""

from typing import Final

# Those of the built-in middleware, with the same meanings
FORBIDDEN: Final = "robotstxt/forbidden"
"""Refused requests."""
REQUESTS: Final = "robotstxt/request_count"
"""Attempts to fetch a robots.txt. A retry counts as another attempt, a redirect does not."""
RESPONSES: Final = "robotstxt/response_count"
"""Attempts that were answered. Status 407, which proxies send, does not count."""
RESPONSE_STATUS: Final = "robotstxt/response_status_count/{status}"
"""Attempts that were answered, by the HTTP status after redirects."""
EXCEPTIONS: Final = "robotstxt/exception_count/{kind}"
"""Attempts that failed, by the class of the exception."""

# Ours
OUTCOMES: Final = "robots1994/outcome/{outcome}"
"""Fetches that ended with a policy, by outcome; see :doc:`/standard/retrieval`."""
REASONS: Final = "robots1994/forbidden/{reason}"
"""Refused requests, by the reason of the verdict."""
WAITED: Final = "robots1994/requests_waited"
"""Requests that waited for a policy."""
FETCH_ABORTED: Final = "robots1994/fetch_aborted"
"""Fetches that were cancelled, or ended by the close of the crawl (R6)."""
REFRESHED: Final = "robots1994/refreshed"
"""Stale policies that were refreshed."""
STORE_HITS: Final = "robots1994/store_hits"
"""Policies found in the store, fresh or stale."""
STALE_IF_ERROR: Final = "robots1994/stale_if_error"
"""Failed refreshes after which the last good policy remained in use (R5)."""
RETRIES: Final = "robots1994/retries"
"""Retries of fetches."""
LOCAL_FAULTS: Final = "robots1994/local_faults"
"""Fetches that failed locally, together with the requests that waited (R7)."""
STORE_FAILURES: Final = "robots1994/store_failures"
"""Failed calls to the store."""
TRUNCATED: Final = "robots1994/truncated"
"""Files longer than ROBOTS1994_MAX_BYTES (O24)."""
IGNORED: Final = "robots1994/ignored"
"""Files with lines for this robot that the dialect ignores or takes literally."""
REFUSING: Final = "robots1994/refusing_origins"
"""Origins with refused requests, at most 10,000. Set at the close."""
REFUSED_BY: Final = "robots1994/refused_by/{origin}"
"""Refused requests of each of the 20 origins with the most. Set at the close."""
STARTS_REFUSED: Final = "robots1994/starts_refused"
"""Refused start requests. Set at the close, only if all were refused."""
CRAWL_DELAYS: Final = "robots1994/crawl_delay/kept"
"""Crawl delays that were applied (ROBOTS1994_CRAWL_DELAY)."""
CRAWL_DELAYS_CAPPED: Final = "robots1994/crawl_delay/capped"
"""Crawl delays that were reduced to ROBOTS1994_CRAWL_DELAY."""
PAGES_NOINDEX: Final = "robots1994/pages/noindex"
"""Pages with a NOINDEX directive for this robot (ROBOTS1994_PAGES)."""
PAGES_NOFOLLOW: Final = "robots1994/pages/nofollow"
"""Pages with a NOFOLLOW directive for this robot (ROBOTS1994_PAGES)."""
ITEMS_DROPPED: Final = "robots1994/pages/items_dropped"
"""Items of NOINDEX pages that were dropped."""
PAGE_REQUESTS_DROPPED: Final = "robots1994/pages/requests_dropped/{reason}"
"""Dropped requests, by ``nofollow`` (page) or ``rel-nofollow`` (link)."""
USAGE_PAGES: Final = "robots1994/usage/{purpose}/{answer}"
"""Pages with a preference (``allow`` or ``disallow``) about a purpose of ROBOTS1994_PURPOSES, or
about any purpose if that setting is empty.
"""
USAGE_ITEMS_DROPPED: Final = "robots1994/usage/items_dropped/{purpose}"
"""Items that were dropped because of a usage preference."""
USAGE_REQUESTS_DROPPED: Final = "robots1994/usage/requests_dropped/{purpose}"
"""Requests that were not sent because of a usage preference in robots.txt."""
USAGE_NOT_UNDERSTOOD: Final = "robots1994/usage/not_understood"
"""Preferences that were not understood, counted for each page."""
COMPARED: Final = "robots1994/compare/{parser}/{direction}"
"""Decisions that another parser was asked about. Set at the close. ``agree``: both decide alike;
``stricter``: only that parser disallows; ``laxer``: only that parser allows; ``raised``: it raised
an exception. In a dry run, the parser ``RobotsTxtMiddleware`` stands for what Scrapy's middleware
did.
"""
UNCOMPARED: Final = "robots1994/compare/skipped"
"""Decisions that were not compared, because in a dry run the decision of scrapy_robots1994 is not
known, or because the compared files have reached 64 MB.
"""
RACES: Final = "robots1994/compare/on_its_way"
"""Requests that Scrapy's middleware sent in a dry run before robots.txt had arrived, although its
parser disallows them.
"""
