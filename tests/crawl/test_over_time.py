"""Policies over time: fresh, stale, refreshed, last good, and after the clock is set back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import replies
from tests.support.crawl import (
    DAY,
    HOUR,
    CrawlRequest,
    CrawlResult,
    crawl_over_time,
)
from tests.support.replies import Reply
from tests.support.site import Site

FIRST = b"User-agent: *\nDisallow: /first\n"
LAST = b"User-agent: *\nDisallow: /last\n"
FIRST_REPLY = replies.text(FIRST)
DOWN = replies.status(503)
LONG = DAY + HOUR
"""After this many seconds, a policy is stale."""


def both(site: Site, step: int) -> list[str]:
    return [site.url(f"/first/{step}"), site.url(f"/last/{step}")]


def last_good_lines(result: CrawlResult) -> list[str]:
    lines = result.lines("last good policy")
    return [line.split("] ")[1].partition(":")[0] for line in lines]


def test_ours_r3_repeated_403_is_one_warning(site: Site) -> None:
    site.answer("/robots.txt", replies.status(403))

    result = crawl_over_time([site.url("/1")], HOUR + 1, [site.url("/2")])

    lines = result.lines("HTTP 403, forbidden")
    assert [it.split("] ")[1].partition(":")[0] for it in lines] == ["WARNING", "DEBUG"]
    assert result.stats["robotstxt/response_status_count/403"] == 2


def test_policy_without_a_lifetime_is_refreshed_at_each_use(site: Site) -> None:
    """Ours R5: after a failed fetch, there is still a pause of 300 s."""
    site.answer("/robots.txt", [replies.text(FIRST), replies.text(LAST), DOWN])
    settings = {f"ROBOTS1994_{name}": 0 for name in ("TTL", "STALE_TTL")}

    result = crawl_over_time(*(both(site, n) for n in range(1, 5)), settings=settings)

    assert len(site.log("/robots.txt")) == 3
    assert result.fetched_urls == sorted([both(site, 1)[1], both(site, 2)[0]])


def test_ours_r5_last_good_policy_ends_with_stale_ttl(site: Site) -> None:
    site.answer("/robots.txt", [replies.text(FIRST), DOWN])
    days = [step for day in range(2, 6) for step in (DAY, [site.url(f"/{day}")])]

    result = crawl_over_time(
        both(site, 1),
        *days,
        settings={"ROBOTS1994_STALE_TTL": 3 * DAY, "ROBOTS1994_TTL": HOUR},
    )

    fetched = [both(site, 1)[1], *(site.url(f"/{day}") for day in range(2, 5))]
    assert result.fetched_urls == sorted(fetched)
    assert result.failed_urls == sorted([both(site, 1)[0], site.url("/5")])
    assert last_good_lines(result) == ["WARNING", "DEBUG", "DEBUG"]


def test_answer_ends_the_use_on_error(site: Site) -> None:
    """Ours R5: the first failure after an answer is a warning again."""
    site.answer("/robots.txt", [FIRST_REPLY, DOWN, DOWN, FIRST_REPLY, DOWN])

    steps = [step for number in range(1, 6) for step in (LONG, both(site, number))]
    result = crawl_over_time(*steps)

    assert result.fetched_urls == [both(site, step)[1] for step in range(1, 6)]
    assert last_good_lines(result) == ["WARNING", "DEBUG", "WARNING"]
    assert result.stats["robots1994/stale_if_error"] == 3
    assert result.stats["robots1994/refreshed"] == 1


@pytest.mark.parametrize(
    ("first", "seconds", "fetches"),
    [
        (FIRST_REPLY, LONG, 2),
        # After the clock is set back, a policy from the future is not used.
        (replies.text(FIRST), -HOUR, 2),
        (DOWN, -HOUR, 2),
        # A correction of less than a minute does not matter.
        (replies.text(LAST), -50, 1),
    ],
    ids=["stale", "future", "503 of the future", "corrected"],
)
def test_policy_out_of_its_time_is_fetched_again(
    site: Site, first: Reply, seconds: float, fetches: int
) -> None:
    """Pages wait for the new answer, even if the old policy is only stale."""
    site.answer("/robots.txt", [first, replies.text(LAST)])

    result = crawl_over_time(both(site, 1), seconds, both(site, 2))

    assert both(site, 2)[0] in result.fetched_urls
    assert both(site, 2)[1] in result.failed_urls
    assert len(site.log("/robots.txt")) == fetches


def test_last_good_policy_is_dated_back_with_the_clock(site: Site) -> None:
    """A last good policy from the future would be refreshed for every page."""
    site.answer("/robots.txt", [FIRST_REPLY, DOWN])

    result = crawl_over_time(both(site, 1), -5 * DAY, both(site, 2), 60, both(site, 3))

    assert result.fetched_urls == [both(site, step)[1] for step in range(1, 4)]
    assert len(site.log("/robots.txt")) == 2


def test_older_policy_of_the_store_does_not_replace_a_newer_one(
    site: Site, tmp_path: Path
) -> None:
    """Ours R5: the newer policy in memory stays the last good one."""
    site.answer("/robots.txt", [replies.text(FIRST), replies.text(LAST), DOWN])
    settings = {"ROBOTS1994_STORE": f"tests.support.stores.KeepsFirst://{tmp_path}"}

    crawl_over_time(both(site, 1), settings=settings)
    result = crawl_over_time(
        LONG, both(site, 2), LONG, both(site, 3), settings=settings
    )

    assert len(site.log("/robots.txt")) == 3
    assert result.fetched_urls == [both(site, 2)[0], both(site, 3)[0]]


def test_ours_31_answer_through_a_tunnel_may_be_that_of_a_proxy() -> None:
    """Ours 3.1: some proxies terminate TLS, so Retry-After is ignored even through a tunnel."""
    pages = [f"https://far.example/{number}" for number in (1, 2)]
    with Site(tls="valid") as site:
        unavailable = replies.status(503, Retry_After="9999")
        site.answer("/robots.txt", [unavailable, Reply(404)])
        meta = {"proxy": site.url("").rstrip("/")}
        first, second = ([CrawlRequest(page, meta=meta)] for page in pages)
        result = crawl_over_time(first, 400, second)

    assert result.failed_urls == pages[:1]
    assert result.fetched_urls == pages[1:]
