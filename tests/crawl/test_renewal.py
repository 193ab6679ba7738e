"""Stale policies are revalidated with the validators of their response."""

from __future__ import annotations

import pytest

from tests.support import replies
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.replies import Reply
from tests.support.site import Site

BODY = b"User-agent: *\nDisallow: /closed\n"
MONDAY = "Mon, 01 Jan 2024 00:00:00 GMT"
VALIDATORS = (("ETag", '"one"'), ("Last-Modified", MONDAY))
STALE_AT_ONCE = {"ROBOTS1994_TTL": 0, "ROBOTS1994_MIN_TTL": 0}
FOLLOW = {"follow": True}


def link_the_pages(site: Site) -> None:
    """Script a start page that links to the next pages."""
    site.answer("/1", replies.html('<a href="/2">2</a> <a href="/closed">3</a>'))


@pytest.mark.parametrize("reactor", reactors())
def test_a_304_renews_the_policy_without_its_file(reactor: Reactor) -> None:
    """The second request has ETag and date, and the rules still apply after its 304."""
    with Site() as site:
        link_the_pages(site)
        # A crawl that ends cancels a refresh: pages in a chain last longer than one.
        for page in range(2, 8):
            site.answer(f"/{page}", replies.html(f'<a href="/{page + 1}">next</a>'))
        site.answer("/robots.txt", [Reply(200, BODY, VALIDATORS), replies.status(304)])
        result = crawl(
            [site.url("/1")],
            reactor=reactor,
            settings=STALE_AT_ONCE,
            spider_args=FOLLOW,
        )
        first, second, *_ = site.log("/robots.txt")

    assert "if-none-match" not in first.headers
    assert second.headers["if-none-match"] == '"one"'
    assert second.headers["if-modified-since"] == MONDAY
    assert result.fetched_urls == [site.url(f"/{page}") for page in range(1, 9)]
    assert result.failed_urls == [site.url("/closed")]
    assert result.stats["robots1994/outcome/parsed"] == 1
    assert result.stats["robots1994/outcome/renewed"] >= 1
    assert result.stats["robots1994/refreshed"] >= 1


def test_validators_are_sent_only_to_the_url_they_came_from() -> None:
    """After a redirect they are sent to its target, and not to the redirecting URL."""
    with Site() as site:
        link_the_pages(site)
        site.answer("/robots.txt", replies.redirect("/moved.txt"))
        site.answer("/moved.txt", [Reply(200, BODY, VALIDATORS), replies.status(304)])
        # The crawl must not end, and cancel the refresh, before its redirect is followed.
        site.answer("/2", Reply(gate="refreshed"))
        site.open_when("refreshed", "/moved.txt", count=2)
        result = crawl([site.url("/1")], settings=STALE_AT_ONCE, spider_args=FOLLOW)
        fetches = [seen for seen in site.log() if seen.target.endswith(".txt")]

    conditional = [(seen.target, "if-none-match" in seen.headers) for seen in fetches]
    assert conditional[:4] == [
        ("/robots.txt", False),
        ("/moved.txt", False),
        ("/robots.txt", False),
        ("/moved.txt", True),
    ]
    assert result.failed_urls == [site.url("/closed")]


def test_unconditional_304_is_not_a_policy() -> None:
    """Ours R5: without validators a 304 says nothing, and nothing is allowed."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(304))
        result = crawl([site.url("/page")])

    assert result.fetched == []
    assert result.stats["robots1994/outcome/unreachable"] == 1


def test_use_of_the_last_good_policy_is_logged_once() -> None:
    """Ours R5: there is one warning, however often the refresh fails."""
    with Site() as site:
        links = "".join(f'<a href="/p{number}">n</a>' for number in range(3))
        site.answer("/1", replies.html('<a href="/2">2</a>'))
        site.answer("/2", replies.html('<a href="/3">3</a>'))
        site.answer("/3", replies.html(links))
        site.answer("/robots.txt", [Reply(200, BODY), replies.status(503)])
        result = crawl(
            [site.url("/1")],
            settings=STALE_AT_ONCE | {"ROBOTS1994_RETRY_AFTER": 0},
            spider_args=FOLLOW,
        )

    lines = [line for line in result.log.split("\n") if "last good policy" in line]
    assert result.stats["robots1994/stale_if_error"] >= 2
    assert ["WARNING" in line for line in lines].count(True) == 1
    assert len(result.fetched) == 6
