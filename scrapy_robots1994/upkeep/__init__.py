"""Floor 2: what we hold true of an origin, and how long. Pure: no IO, no clock.

An `Answer` (what came back for /robots.txt) becomes, by the outcome table R1-R6, a
`Policy`; `decide` says what to do with a policy at a moment.
"""

from scrapy_robots1994.upkeep.answer import (
    Answer,
    Answered,
    Cancelled,
    Unanswered,
    Validators,
)
from scrapy_robots1994.upkeep.decision import (
    Decision,
    Fetch,
    UseFresh,
    UseStale,
    decide,
)
from scrapy_robots1994.upkeep.outcome import OUTCOMES, Outcome, meaning_of, outcome_of
from scrapy_robots1994.upkeep.policy import Blanket, Policy, Rules
from scrapy_robots1994.upkeep.terms import Terms

__all__ = [
    "OUTCOMES",
    "Answer",
    "Answered",
    "Blanket",
    "Cancelled",
    "Decision",
    "Fetch",
    "Outcome",
    "Policy",
    "Rules",
    "Terms",
    "Unanswered",
    "UseFresh",
    "UseStale",
    "Validators",
    "decide",
    "meaning_of",
    "outcome_of",
]
