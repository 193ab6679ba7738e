"""The keys of the stats. The docstring of a key appears on the reference page."""

from typing import Final

# As in the built-in middleware
FORBIDDEN: Final = "robotstxt/forbidden"
"""Refused requests."""
REQUESTS: Final = "robotstxt/request_count"
"""Attempts to fetch a robots.txt, including retries but not redirects."""
RESPONSES: Final = "robotstxt/response_count"
"""Attempts that got an answer. A 407 is not counted, because it comes from a proxy."""
RESPONSE_STATUS: Final = "robotstxt/response_status_count/{status}"
"""The attempts in ``robotstxt/response_count``, by HTTP status. After redirects, the last status
counts.
"""
EXCEPTIONS: Final = "robotstxt/exception_count/{kind}"
"""Attempts that raised an exception other than ``IgnoreRequest``, by class."""

OUTCOMES: Final = "robots1994/outcome/{outcome}"
"""Fetches that led to a policy, by outcome; see :doc:`/standard/retrieval`."""
REASONS: Final = "robots1994/forbidden/{reason}"
"""Refused requests, by reason; see :ref:`reasons`."""
WAITED: Final = "robots1994/requests_waited"
"""Requests that waited for a policy."""
FETCH_ABORTED: Final = "robots1994/fetch_aborted"
"""Fetches that were cancelled, or ended because the spider closed."""
REFRESHED: Final = "robots1994/refreshed"
"""Stale policies that were refreshed."""
STORE_HITS: Final = "robots1994/store_hits"
"""Policies taken from the store."""
STALE_IF_ERROR: Final = "robots1994/stale_if_error"
"""Failed refreshes after which the last good policy remained in use."""
RETRIES: Final = "robots1994/retries"
"""Retries of failed attempts."""
LOCAL_FAULTS: Final = "robots1994/local_faults"
"""Fetches that failed for a local reason, such as a proxy or a bug in a middleware (R7). The
requests that waited for them failed too.
"""
STORE_FAILURES: Final = "robots1994/store_failures"
"""Failed calls to the store."""
TRUNCATED: Final = "robots1994/truncated"
"""Files longer than ROBOTS1994_MAX_BYTES."""
IGNORED: Final = "robots1994/ignored"
"""Files with lines for this robot that the dialect ignores or takes literally."""
REFUSING: Final = "robots1994/refusing_origins"
"""Origins with refused requests, up to 10,000. Set when the spider closes."""
REFUSED_BY: Final = "robots1994/refused_by/{origin}"
"""Refused requests by origin, for the 20 origins with the most. Set when the spider closes."""
STARTS_REFUSED: Final = "robots1994/starts_refused"
"""The number of start requests, if all were refused. Set when the spider closes."""
CRAWL_DELAYS: Final = "robots1994/crawl_delay/kept"
"""Crawl delays applied to a download slot."""
CRAWL_DELAYS_CAPPED: Final = "robots1994/crawl_delay/capped"
"""Crawl delays limited by ROBOTS1994_CRAWL_DELAY."""
PAGES_NOINDEX: Final = "robots1994/pages/noindex"
"""Pages with a NOINDEX directive for this robot. Needs ROBOTS1994_PAGES."""
PAGES_NOFOLLOW: Final = "robots1994/pages/nofollow"
"""Pages with a NOFOLLOW directive for this robot. Needs ROBOTS1994_PAGES."""
ITEMS_DROPPED: Final = "robots1994/pages/items_dropped"
"""Items dropped because of NOINDEX."""
PAGE_REQUESTS_DROPPED: Final = "robots1994/pages/requests_dropped/{reason}"
"""Requests dropped because of NOFOLLOW on the page (``nofollow``) or ``rel=nofollow`` on the link
(``rel-nofollow``).
"""
USAGE_PAGES: Final = "robots1994/usage/{purpose}/{answer}"
"""Pages that allow or disallow a purpose in ROBOTS1994_PURPOSES. If that setting is empty, all
purposes are counted.
"""
USAGE_ITEMS_DROPPED: Final = "robots1994/usage/items_dropped/{purpose}"
"""Items dropped because of a usage preference."""
USAGE_REQUESTS_DROPPED: Final = "robots1994/usage/requests_dropped/{purpose}"
"""Requests refused because of a usage preference in robots.txt."""
USAGE_NOT_UNDERSTOOD: Final = "robots1994/usage/not_understood"
"""Preferences that are not understood. A preference in robots.txt counts again for each page."""
COMPARED: Final = "robots1994/compare/{parser}/{direction}"
"""Decisions compared with those of another parser. The direction is ``agree``, ``stricter`` (only
that parser disallows), ``laxer`` (only that parser allows) or ``raised`` (it raised an exception).
In a dry run, ``RobotsTxtMiddleware`` is one of the parsers, and stands for what Scrapy's middleware
did. Set when the spider closes.
"""
UNCOMPARED: Final = "robots1994/compare/skipped"
"""Decisions that were not compared, because a dry run could not find a policy or the compared
files exceeded 64 MB.
"""
RACES: Final = "robots1994/compare/on_its_way"
"""Disallowed requests that Scrapy's middleware let through in a dry run while robots.txt was on its
way.
"""
