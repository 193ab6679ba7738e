"""Every stat key of ours, each with what it counts; README lists the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.statscollectors import StatsCollector

    from scrapy_robots1994.policy import Outcome

# The built-in's keys keep their names and meanings.
FORBIDDEN: Final = "robotstxt/forbidden"
REQUESTS: Final = "robotstxt/request_count"
RESPONSES: Final = "robotstxt/response_count"
RESPONSE_STATUS: Final = "robotstxt/response_status_count/{status}"
EXCEPTIONS: Final = "robotstxt/exception_count/{kind}"

# Ours.
OUTCOMES: Final = "robots1994/outcome/{outcome}"
REASONS: Final = "robots1994/forbidden/{reason}"
WAITED: Final = "robots1994/requests_waited"
FETCH_ABORTED: Final = "robots1994/fetch_aborted"
REFRESHED: Final = "robots1994/refreshed"
STORE_HITS: Final = "robots1994/store_hits"
STALE_IF_ERROR: Final = "robots1994/stale_if_error"
RETRIES: Final = "robots1994/retries"
LOCAL_FAULTS: Final = "robots1994/local_faults"
STORE_FAILURES: Final = "robots1994/store_failures"
TRUNCATED: Final = "robots1994/truncated"
OPENS_SITE: Final = "robots1994/weakens_policy"
COMPARED: Final = "robots1994/compare/{parser}/{direction}"
REFUSING: Final = "robots1994/refusing_origins"
REFUSED_BY: Final = "robots1994/refused_by/{origin}"
STARTS_REFUSED: Final = "robots1994/starts_refused"
WOULD_REFUSE: Final = "robots1994/would_refuse"
WOULD_OPEN: Final = "robots1994/would_open"
UNCOMPARED: Final = "robots1994/compare/skipped"

CRAWL_DELAYS: Final = "robots1994/crawl_delay/kept"
CRAWL_DELAYS_CAPPED: Final = "robots1994/crawl_delay/capped"
PAGES_NOINDEX: Final = "robots1994/pages/noindex"
PAGES_NOFOLLOW: Final = "robots1994/pages/nofollow"
ITEMS_DROPPED: Final = "robots1994/pages/items_dropped"
PAGE_REQUESTS_DROPPED: Final = "robots1994/pages/requests_dropped/{reason}"

MEANINGS: Final[dict[str, str]] = {
    FORBIDDEN: "requests refused",
    REQUESTS: "fetches of a robots.txt (redirects of one fetch are not counted apart)",
    RESPONSES: "fetches that were answered",
    RESPONSE_STATUS: "answers by their final HTTP status",
    EXCEPTIONS: "fetches that failed, by the class of the exception",
    OUTCOMES: "policies made, by outcome: parsed or renewed (R1), forbidden (R3), "
    "absent (R4), unreachable (R5)",
    REASONS: "requests refused, by the reason of their verdict",
    WAITED: "requests that waited for a robots.txt",
    FETCH_ABORTED: "fetches that ended without a policy (R6)",
    REFRESHED: "policies renewed after they ran out",
    STORE_HITS: "policies taken from the store, without a fetch",
    STALE_IF_ERROR: "refreshes that failed, so that the last good policy stands (R5)",
    RETRIES: "fetches that were repeated",
    LOCAL_FAULTS: "fetches that failed on our side, whose requests failed with it (R7)",
    STORE_FAILURES: "questions that the store of ROBOTS1994_STORE did not answer",
    TRUNCATED: "robots.txt files longer than ROBOTS1994_MAX_BYTES (O24)",
    OPENS_SITE: "origins whose file opens to us what its owner likely meant to close",
    REFUSING: "origins at which requests were refused, at the close; at most 10,000 "
    "are counted",
    REFUSED_BY: "requests refused, by origin, at the close, for the 20 with most",
    STARTS_REFUSED: "start requests, where robots.txt refused every one of them",
    COMPARED: "decisions by what another parser would have said (ROBOTS1994_COMPARE): "
    "agree, stricter (it forbids what we allow), laxer, raised",
    WOULD_REFUSE: "requests that a dry run let pass and ours would refuse "
    "(ROBOTS1994_DRY_RUN)",
    WOULD_OPEN: "requests that a dry run refused and ours would allow",
    UNCOMPARED: "decisions the others were not asked about, as the body of the answer "
    "was no longer held",
    CRAWL_DELAYS: "crawl delays that an origin asked for and that are kept "
    "(ROBOTS1994_CRAWL_DELAY)",
    CRAWL_DELAYS_CAPPED: "of these, longer than ROBOTS1994_CRAWL_DELAY and cut to it",
    PAGES_NOINDEX: "pages that say NOINDEX to us (ROBOTS1994_PAGES)",
    PAGES_NOFOLLOW: "pages that say NOFOLLOW to us (ROBOTS1994_PAGES)",
    ITEMS_DROPPED: "items dropped because their page says NOINDEX",
    PAGE_REQUESTS_DROPPED: "requests dropped, by the reason: nofollow (of the page) or "
    "rel-nofollow (of its links)",
}


class StatsRecorder:
    """Counts our events in Scrapy's stats; the only place that writes a stat."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats

    def count(self, key: str) -> None:
        """One more of *key*, a constant of this module without a gap to fill."""
        self._stats.inc_value(key)

    def status(self, status: int) -> None:
        """A fetch was answered with HTTP *status*."""
        self._stats.inc_value(RESPONSES)
        self._stats.inc_value(RESPONSE_STATUS.format(status=status))

    def exception(self, kind: type[BaseException]) -> None:
        """A fetch failed with an exception of class *kind*."""
        self._stats.inc_value(EXCEPTIONS.format(kind=kind))

    def outcome(self, outcome: Outcome) -> None:
        """A policy was made."""
        self._stats.inc_value(OUTCOMES.format(outcome=outcome.value))

    def store_failures(self, number: int) -> None:
        """The store failed so many times."""
        self._stats.inc_value(STORE_FAILURES, number)

    def refused_by_origin(self, most: Mapping[str, int], origins: int) -> None:
        """The crawl closes: refusals at those with *most*, of *origins* in all."""
        for origin, refused in most.items():
            self._stats.set_value(REFUSED_BY.format(origin=origin), refused)
        if origins:
            self._stats.set_value(REFUSING, origins)

    def starts_refused(self, number: int) -> None:
        """The crawl closes, and all its *number* start requests were refused."""
        self._stats.set_value(STARTS_REFUSED, number)

    def refused(self, reason: str) -> None:
        """A request was refused because of *reason*."""
        self._stats.inc_value(FORBIDDEN)
        self._stats.inc_value(REASONS.format(reason=reason))

    def page_request_dropped(self, reason: str) -> None:
        """A request made from a page was dropped because of *reason*."""
        self._stats.inc_value(PAGE_REQUESTS_DROPPED.format(reason=reason))
