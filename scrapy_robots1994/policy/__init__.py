"""Policies of origins: what a response means, how long it applies, how it is fetched.

Pure: no IO, no clock, no Scrapy. The outcome table R1 to R7 turns a `FetchResult` (the
result of GET /robots.txt) into a `Policy`, which says whether it is fresh at a given time;
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
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy, UniformRules

__all__ = [
    "Cancelled",
    "FetchError",
    "FetchResult",
    "FreshnessSettings",
    "LocalFault",
    "Outcome",
    "Policy",
    "RobotsResponse",
    "UniformRules",
    "Validators",
]
