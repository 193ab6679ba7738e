"""Who learns of the fetches of robots.txt files: evidence, a comparison, the HTTP cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.fetch_result import FetchResult
    from scrapy_robots1994.policy.http_answer import HttpAnswer
    from scrapy_robots1994.policy.policy import Policy


class FetchObserver:
    """Learns of each fetch of a robots.txt; every method may be overridden.

    A fetch has one attempt or more; an attempt has one answer for each hop of a redirect,
    or more if a downloader middleware sends its request again.
    """

    def sent(self, origin: Origin, last: Policy | None) -> None:
        """Called when an attempt begins; *last* is the last good policy of *origin*."""

    def answered(
        self, origin: Origin, request: Request, response: Response, answer: HttpAnswer
    ) -> None:
        """Called with each answer as it came, before any downloader middleware sees it."""

    def ended(
        self, origin: Origin, result: FetchResult, answer: HttpAnswer | None
    ) -> None:
        """Called with the *result* of an attempt, and the *answer* that it was read from.

        `None` is no answer. Downloader middlewares may have changed it.
        """

    def policy_fetched(self, policy: Policy, last: Policy | None) -> None:
        """Called with each policy that a fetch made, before any request is decided by it."""

    def policy_loaded(self, policy: Policy) -> None:
        """Called with each policy of a store, before any request is decided by it."""
