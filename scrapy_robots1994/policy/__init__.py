"""Floor 2: what we hold true of an origin, and how long. Pure: no IO, no clock.

An `Answer` (what came back for /robots.txt) becomes, by the outcome table R1-R6, a
`Policy`; `decide` says what to do with a policy at a moment.
"""

from scrapy_robots1994.policy.decision import (
    Fetch,
    FreshnessDecision,
    UseFresh,
    UseStale,
    decide,
)
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    FetchError,
    RobotsResponse,
    Validators,
)
from scrapy_robots1994.policy.freshness import FreshnessSettings
from scrapy_robots1994.policy.outcome import OUTCOMES, Outcome, meaning_of, outcome_of
from scrapy_robots1994.policy.policy import Policy, Rules, UniformRules

__all__ = [
    "OUTCOMES",
    "Answer",
    "Cancelled",
    "Fetch",
    "FetchError",
    "FreshnessDecision",
    "FreshnessSettings",
    "Outcome",
    "Policy",
    "RobotsResponse",
    "Rules",
    "UniformRules",
    "UseFresh",
    "UseStale",
    "Validators",
    "decide",
    "meaning_of",
    "outcome_of",
]
