"""Policies of origins: what an answer means, how long it holds, who fetches it.

Pure: no IO, no clock, no Scrapy. A `FetchResult` (what came of GET /robots.txt) becomes,
by the outcome table R1 to R7, a `Policy`; `decide` says what to do with one at a moment;
`resolver.PolicyResolver` finds or fetches the policy of an origin.
"""

from scrapy_robots1994.policy.fetch_result import (
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
    Validators,
)
from scrapy_robots1994.policy.freshness import (
    Fetch,
    FreshnessDecision,
    FreshnessSettings,
    UseFresh,
    UseStale,
    decide,
)
from scrapy_robots1994.policy.outcome import (
    OUTCOMES,
    Outcome,
    outcome_of,
    outcome_of_result,
)
from scrapy_robots1994.policy.policy import Policy, Rules, UniformRules

__all__ = [
    "OUTCOMES",
    "Cancelled",
    "Fetch",
    "FetchError",
    "FetchResult",
    "FreshnessDecision",
    "FreshnessSettings",
    "LocalFault",
    "Outcome",
    "Policy",
    "RobotsResponse",
    "Rules",
    "UniformRules",
    "UseFresh",
    "UseStale",
    "Validators",
    "decide",
    "outcome_of",
    "outcome_of_result",
]
