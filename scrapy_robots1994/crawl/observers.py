"""`Observer`, through which the core informs its features.

The core imports no feature. `OBSERVERS` lists, for each observer, the setting that switches it on.
Only then is the observer imported, and called with (crawler, settings).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

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
"""A policy, the exception with which a waiting request fails, or the reason why a request is not
checked.
"""


class Observer(Protocol):
    """Sees each policy and each decision of a crawl.

    Both methods run on the event loop and must not take long.
    """

    def fetched(self, policy: Policy, answer: Answer) -> None:
        """Called with each *policy* that the crawl begins to use, before any request uses it.

        *policy* was made from *answer*, which comes from the origin, the store or the HTTP cache.
        If a policy stays in use because its refresh failed, *answer* is that of the refresh.
        """

    def decided(
        self,
        request: Request,
        origin: Origin,
        found: Found,
        verdict: Verdict | None,
    ) -> None:
        """Called with each decision, before the request goes on or fails.

        *verdict* is None unless *found* is a policy. The method may raise `IgnoreRequest` so that
        an allowed request is not sent. A refused request stays refused.
        """


_FEATURES = "scrapy_robots1994.crawl.features"

OBSERVERS = (
    # This comes before usage, which may decline a request.
    ("evidence", f"{_FEATURES}.evidence.Evidence"),
    ("compare", f"{_FEATURES}.comparison.CrawlComparison"),
    ("usage", f"{_FEATURES}.usage.StatedUsage"),
    ("crawl_delay", f"{_FEATURES}.crawl_delay.CrawlDelays"),
)
"""The field of `RobotsSettings` that switches each observer on, and the observer's import path."""


def observers_of(crawler: Crawler, settings: RobotsSettings) -> list[Observer]:
    """Return the observers that *settings* switch on, in the order of `OBSERVERS`."""
    return [
        load_object(path)(crawler, settings)
        for name, path in OBSERVERS
        if getattr(settings, name)
    ]
