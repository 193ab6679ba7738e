"""How answers become policies (Ours R1, R3 to R5)."""

from __future__ import annotations

import re

import pytest

from scrapy_robots1994.parser import Reason
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.outcomes import (
    FAILURE,
    GROUPS,
    Outcome,
    group_of_verdict,
    outcome_of,
)
from scrapy_robots1994.policy.policy import Policy, policy_from
from scrapy_robots1994.robotstxt import Reader
from tests.support.crawl import ROOT
from tests.unit.samples import FRESHNESS, NOW, SITE

URLS = (SITE.robots_url,)
BODY = b"User-agent: *\nDisallow: /closed\n"
FILE = Answer(urls=URLS, status=200, body=BODY, fetched_at=NOW)
READER = Reader("1994", 512_000)


def policy(answer: Answer, last: Policy | None = None) -> Policy:
    return policy_from(SITE, answer, READER, FRESHNESS, last)


def test_no_status_is_in_two_groups() -> None:
    statuses = [status for group in GROUPS for status in group.statuses]

    assert sorted(statuses) == sorted(set(statuses))


def test_page_names_each_4xx_in_the_row_of_its_outcome() -> None:
    page = (ROOT / "docs/standard/retrieval.rst").read_text("utf-8")
    named = dict.fromkeys(range(400, 500), Outcome.ABSENT)
    for row, outcome in (
        ("r3", Outcome.FORBIDDEN),
        ("r5", Outcome.UNREACHABLE),
        ("r7", Outcome.UNREACHABLE),
    ):
        answers = page.partition(f".. _{row}:")[2].split("\n     - ")[1]
        named |= {int(it): outcome for it in re.findall(r"\b4\d\d\b", answers)}

    assert named == {status: outcome_of(status) for status in named}


@pytest.mark.parametrize(
    "path", ["/robots.txt", "/robots%2Etxt", "/%72obots.tx%74", "/robots.txt#x"]
)
def test_robots_txt_itself_is_allowed_in_every_outcome(path: str) -> None:
    """Ours O22: percent-encoding makes no difference, unless the slash is encoded."""
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
        (Answer(urls=URLS, status=410, fetched_at=NOW, via_proxy=True), True),
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
    """Ours 3.1"""
    assert answer.is_of_origin is is_shared


def test_status_of_a_proxy_counts_for_a_pause_and_asks_for_none() -> None:
    """Ours 3.1: a 403 or 503 from a proxy counts for 300 s, and its Retry-After is ignored."""
    refused = policy(Answer(urls=URLS, status=403, fetched_at=NOW, via_proxy=True))
    failed = Answer(
        urls=URLS, status=503, fetched_at=NOW, via_proxy=True, retry_after=1_000.0
    )

    assert refused.fresh_until == refused.keep_until == NOW + 300
    assert policy(FILE._replace(via_proxy=True)) == policy(FILE)
    assert policy(failed).fresh_until == NOW + 300
    assert policy(failed).failure == "HTTP 503 through a proxy"
    assert FILE._replace(via_proxy=True, failure="reset").words == "reset"
    assert Answer(urls=URLS, fetched_at=NOW).words == "not in the HTTP cache"
    assert policy(failed, policy(FILE)).fresh_until == NOW + 300
    assert group_of_verdict(Reason.UNREACHABLE, 402) is FAILURE


def test_no_policy_is_fresh_for_longer_than_the_ttl() -> None:
    """A short ROBOTS1994_TTL also limits a max-age, and the 300 s for a status from a proxy."""
    short = FRESHNESS._replace(ttl=60.0)
    by_proxy = Answer(urls=URLS, status=403, fetched_at=NOW, via_proxy=True)

    for answer in (FILE, FILE._replace(lifetime=600.0), by_proxy):
        assert policy_from(SITE, answer, READER, short).fresh_until == NOW + 60


def test_policy_may_be_dated_up_to_a_minute_ahead() -> None:
    """Another worker, whose clock is ahead of ours, may have fetched the file."""
    assert policy(FILE).is_fresh(NOW - 60)
    assert not policy(FILE).is_fresh(NOW - 61)


def test_failed_refresh_extends_no_policy() -> None:
    """Ours R5"""
    last = policy(FILE)
    end = last.keep_until
    failed = Answer(urls=URLS, failure="reset", fetched_at=end - 1)

    assert policy(failed, last).fresh_until == end
    assert last.last_good(end) is None
