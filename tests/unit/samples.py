"""An origin, a clock, a file and policies for tests."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy, policy_from
from scrapy_robots1994.robotstxt import Reader

SITE = Origin("http", "site.example", 80)
NOW = 1_000_000.0
DAY = 86_400.0
FRESHNESS = FreshnessSettings()
READER = Reader("1994", 512_000)

BODY = b"User-agent: *\nDisallow: /closed\n"


@dataclass(slots=True)
class FakeClock:
    now: float = NOW

    def __call__(self) -> float:
        return self.now


def parsed(
    *,
    origin: Origin = SITE,
    body: bytes = BODY,
    at: float = NOW,
    lifetime: float | None = None,
    freshness: FreshnessSettings = FRESHNESS,
) -> Policy:
    answer = Answer(
        urls=(origin.robots_url,),
        status=200,
        body=body,
        fetched_at=at,
        lifetime=lifetime,
    )
    # Use a new reader, because a shared one would parse identical files only once.
    reader = Reader("1994", len(body))
    return policy_from(origin, answer, reader, freshness)
