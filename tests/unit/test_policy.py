"""What follows from an answer, and for how long (Ours R1 to R5)."""

from __future__ import annotations

import pytest

from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy, policy_from
from tests.unit.samples import BODY, DAY, FRESHNESS, NOW, READER, SITE

URLS = (SITE.robots_url,)
HOUR = 3_600.0


def policy(
    answer: Answer,
    *,
    now: float = NOW,
    last: Policy | None = None,
    freshness: FreshnessSettings = FRESHNESS,
) -> Policy:
    """Return the policy that follows from *answer* at *now*."""
    return policy_from(SITE, answer, READER, now, freshness, last)


FILE = Answer(urls=URLS, status=200, body=BODY, fetched_at=NOW)


@pytest.mark.parametrize(
    ("answer", "outcome", "seconds"),
    [
        (FILE, Outcome.PARSED, DAY),
        (
            Answer(urls=URLS, status=200, fetched_at=NOW, lifetime=1),
            Outcome.PARSED,
            300,
        ),
        (
            Answer(urls=URLS, status=200, fetched_at=NOW, lifetime=9e9),
            Outcome.PARSED,
            DAY,
        ),
        (Answer(urls=URLS, status=404, fetched_at=NOW), Outcome.ABSENT, DAY),
        (Answer(urls=URLS, status=403, fetched_at=NOW), Outcome.FORBIDDEN, HOUR),
        (
            Answer(urls=URLS, status=403, fetched_at=NOW, via_proxy=True),
            Outcome.FORBIDDEN,
            300,
        ),
        (Answer(urls=URLS, status=503, fetched_at=NOW), Outcome.UNREACHABLE, 300),
        (
            Answer(urls=URLS, status=503, fetched_at=NOW, retry_after=900),
            Outcome.UNREACHABLE,
            900,
        ),
        (
            Answer(urls=URLS, status=503, fetched_at=NOW, retry_after=9e9),
            Outcome.UNREACHABLE,
            DAY,
        ),
        (
            Answer(
                urls=URLS, status=503, fetched_at=NOW, retry_after=900, via_proxy=True
            ),
            Outcome.UNREACHABLE,
            300,
        ),
        (Answer(urls=URLS, failure="reset", fetched_at=NOW), Outcome.UNREACHABLE, 300),
        (
            Answer(urls=URLS, status=200, failure="cut", fetched_at=NOW),
            Outcome.UNREACHABLE,
            300,
        ),
        (Answer(urls=URLS, source="cache", fetched_at=NOW), Outcome.ABSENT, DAY),
    ],
)
def test_answer_has_its_outcome_and_lifetime(
    answer: Answer, outcome: Outcome, seconds: float
) -> None:
    """The bounds are those of the row, 300 s and TTL."""
    found = policy(answer)

    assert found.outcome is outcome
    assert found.fresh_until == NOW + seconds


def test_last_good_policy_stays_until_stale_ttl_however_often_its_refresh_fails() -> (
    None
):
    """Ours R5: a failed refresh does not extend the use of a policy."""
    failed = Answer(urls=URLS, failure="reset", fetched_at=NOW)
    last = policy(FILE)
    end = NOW + DAY + FRESHNESS.stale_ttl
    for now in (NOW + DAY, NOW + 2 * DAY, end - 400, end - 1):
        last = policy(failed, now=now, last=last)
        assert last.outcome is Outcome.PARSED
        assert last.is_stale_on_error
        assert last.fresh_until == min(now + 300, end)

    assert policy(failed, now=end, last=last).outcome is Outcome.UNREACHABLE


@pytest.mark.parametrize(
    "path", ["/robots.txt", "/robots%2Etxt", "/%72obots.tx%74", "/robots.txt#x"]
)
def test_robots_txt_itself_is_allowed_in_every_outcome(path: str) -> None:
    """Ours O22: in every percent-encoding but that of the slash."""
    rules = policy(Answer(urls=URLS, status=403, fetched_at=NOW)).rules("rex")

    assert rules.allowed(f"http://site.example{path}")
    assert rules.verdict(f"http://site.example{path}").allowed
    assert not rules.allowed("http://site.example/%2Frobots.txt")
    assert not rules.allowed("http://site.example/robots.txt?x")


@pytest.mark.parametrize(
    ("answer", "is_shared"),
    [
        (FILE, True),
        (Answer(urls=URLS, status=404, fetched_at=NOW, via_proxy=True), True),
        (Answer(urls=URLS, status=403, fetched_at=NOW), True),
        (Answer(urls=URLS, status=403, fetched_at=NOW, via_proxy=True), False),
        (Answer(urls=URLS, status=402, fetched_at=NOW, via_proxy=True), False),
        (Answer(urls=URLS, status=503, fetched_at=NOW), False),
        (Answer(urls=URLS, source="cache", fetched_at=NOW), False),
    ],
)
def test_only_the_word_of_the_origin_is_shared(
    answer: Answer, *, is_shared: bool
) -> None:
    """Ours 3.1: "unreachable" is nobody's word."""
    assert answer.is_of_origin is is_shared
