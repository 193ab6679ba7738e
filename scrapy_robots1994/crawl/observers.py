"""`Observer`, the interface between the core and its features.

The core imports a feature only if its setting is on (`OBSERVERS`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.requests import Exemption
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.policy.answer import Answer
    from scrapy_robots1994.policy.policy import Policy

Found: TypeAlias = "Policy | Exception | Exemption"
"""The policy, the exception of a failed fetch, or the reason why the request is not checked."""


class Observer:
    """Sees each policy and each decision of a crawl. Features override what they need.

    Both methods run on the event loop and must be fast.
    """

    def fetched(self, policy: Policy, answer: Answer) -> None:
        """Called when the crawl begins to use *policy*, made from *answer*.

        *answer* may come from the store or the HTTP cache. Also called with a stale answer from
        there whose policy is used only if the refresh that follows fails. After a failed refresh,
        *policy* is the last good one, and *answer* describes the failure.
        """

    def decided(
        self,
        request: Request,
        origin: Origin,
        found: Found,
        verdict: Verdict | None,
    ) -> None:
        """Called with each decision, before the request passes or fails.

        *verdict* is None unless *found* is a policy. To refuse an allowed request, raise
        `IgnoreRequest`.
        """


_FEATURES = "scrapy_robots1994.crawl.features"

OBSERVERS = (
    # Evidence comes before usage, because usage may refuse the request.
    ("evidence", f"{_FEATURES}.evidence.Evidence"),
    ("compare", f"{_FEATURES}.comparison.CrawlComparison"),
    ("usage", f"{_FEATURES}.usage.StatedUsage"),
    ("crawl_delay", f"{_FEATURES}.crawl_delay.CrawlDelays"),
)
"""Fields of `RobotsSettings` and import paths of the observers, in the order of the calls."""


def observers_of(crawler: Crawler, settings: RobotsSettings) -> list[Observer]:
    return [
        load_object(path)(crawler, settings)
        for name, path in OBSERVERS
        if getattr(settings, name)
    ]
