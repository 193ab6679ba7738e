"""An origin, a moment, a file and policies, for tests that need any of them."""

from __future__ import annotations

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import (
    FetchError,
    FreshnessSettings,
    Policy,
    RobotsResponse,
)
from scrapy_robots1994.robotstxt import Reader

SITE = Origin("http", "site.example", 80)
NOW = 1_000_000.0
DAY = 86_400.0
TERMS = FreshnessSettings()
READER = Reader("1994", "literal", 512_000)

BODY = b"User-agent: *\nDisallow: /closed\n"
CLOSED = "http://site.example/closed/page"
OPEN = "http://site.example/open"
ROBOTS_URL = "http://site.example/robots.txt"

TIMEOUT = FetchError("timeout", "took longer than 30 seconds")


def parsed(
    *,
    origin: Origin = SITE,
    body: bytes = BODY,
    at: float = NOW,
    lifetime: float | None = None,
    terms: FreshnessSettings = TERMS,
) -> Policy:
    """Make the policy of a file that was read *at* a moment (R1)."""
    answer = RobotsResponse(200, body, freshness_lifetime=lifetime)
    # One of its own: policies do not share their files, as they do in a crawl.
    reader = Reader("1994", "literal", len(body))
    return Policy.from_response(origin, answer, reader, at, terms)


def unreachable(
    *, origin: Origin = SITE, at: float = NOW, terms: FreshnessSettings = TERMS
) -> Policy:
    """Make the policy of an origin that never answered (R5)."""
    return Policy.unreachable(origin, TIMEOUT, at, terms)


def use_of(policy: Policy, now: float) -> str:
    """Return what *policy* is good for at *now*."""
    if policy.is_fresh(now):
        return "fresh"
    if policy.is_usable(now):
        return "stale"
    return "nothing" if policy.last_good(now) is None else "last good"
