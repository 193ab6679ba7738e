"""Targets of redirects, and requests with the meta of earlier ones, are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = "User-agent: *\nDisallow: /private\n"


@pytest.mark.parametrize("reactor", reactors())
def test_redirect_target_is_checked(reactor: Reactor, site: Site) -> None:
    """For status 3xx and meta refresh, on the same origin and on a new one."""
    site.robots(CLOSED)
    far = f"http://far.test:{site.port}"
    refresh = '<html><head><meta http-equiv="refresh" content="0; url=/private/3">'
    site.answer("/1", replies.redirect("/private/1"))
    site.answer("/2", replies.redirect(f"{far}/private/2", 301))
    site.answer("/3", replies.html(refresh))
    site.answer("/4", replies.redirect(f"{far}/5", 308))
    site.answer("/5", replies.redirect(site.url("/open")))

    urls = [site.url(f"/{number}") for number in range(1, 5)]
    result = crawl(urls, reactor=reactor)

    assert result.fetched_urls == [site.url("/open")]
    refused = [site.url("/private/1"), f"{far}/private/2", site.url("/private/3")]
    assert result.failed_urls == sorted(refused)
    assert {failed.name for failed in result.failed} == {
        "scrapy_robots1994.crawl.exceptions.ForbiddenByRobots"
    }
    assert not [target for target in site.targets() if "private" in target]


@pytest.mark.parametrize("reactor", reactors())
def test_redirect_to_https_is_checked_as_another_origin(reactor: Reactor) -> None:
    """The robots.txt fetched over TLS applies, although the host is the same."""
    with Site(tls="valid") as site:
        site.robots("User-agent: *\nDisallow: /plain\n")
        site.robots(CLOSED, at=site.secure_url(""))
        targets = [site.secure_url(path) for path in ("/private", "/plain")]
        urls = [site.url("/1"), site.url("/2"), site.url("/plain")]
        for page, target in zip(urls, targets, strict=False):
            site.answer(urlsplit(page).path, replies.redirect(target))
        result = crawl(urls, reactor=reactor)
        robots = sorted(seen.scheme for seen in site.log("/robots.txt"))

    assert result.fetched_urls == [targets[1]]
    assert result.failed_urls == [urls[2], targets[0]]
    assert robots == ["http", "https"]


def test_dont_obey_robotstxt_applies_to_redirect_targets(site: Site) -> None:
    """Scrapy copies the meta of a redirected request, so the target is not checked."""
    site.robots(CLOSED)
    site.answer("/1", replies.redirect("/private/1"))

    result = crawl([CrawlRequest(site.url("/1"), meta={"dont_obey_robotstxt": True})])

    assert result.fetched_urls == [site.url("/private/1")]


def test_meta_of_an_earlier_request_changes_no_verdict(site: Site) -> None:
    """A spider passes on `response.meta`, and repeats a refused request unchanged."""
    site.robots(CLOSED)
    further = [site.url("/private/1"), site.url("/open")]

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:MetaPassingSpider",
        spider_args={"further_urls": further},
    )

    assert result.fetched_urls == [site.url("/open"), site.url("/page")]
    assert result.failed_urls == [site.url("/private/1")] * 2


@pytest.mark.parametrize("dont_obey", [False, True])
def test_allowed_page_has_no_verdict_of_an_earlier_refusal(
    site: Site, *, dont_obey: bool
) -> None:
    """A refused request is repeated with another URL and its whole meta.

    Also with `dont_obey_robotstxt`, and for a URL of a new origin.
    """
    site.robots(CLOSED)
    far = f"http://far.test:{site.port}"
    to = [site.url("/open"), f"{far}/open", "data:,open"]

    result = crawl(
        [site.url("/private/1")],
        spider="tests.components.spiders:RepeatingSpider",
        spider_args={"new_urls": to, "dont_obey": dont_obey},
    )

    assert result.failed_urls == [site.url("/private/1")]
    assert result.fetched_urls == sorted(to)
    assert result.items == [{"verdict": "None"}] * 3


def test_request_with_a_verdict_in_its_meta_is_serializable(
    site: Site, tmp_path: Path
) -> None:
    """With JOBDIR, a repeated refused request goes through the disk queue."""
    site.robots(CLOSED)

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:MetaPassingSpider",
        spider_args={"further_urls": [site.url("/private/1")]},
        settings={"JOBDIR": str(tmp_path)},
    )

    assert result.failed_urls == [site.url("/private/1")] * 2
    # The page, the disallowed one, and its repetition. A request that cannot be serialized
    # would silently stay in memory.
    assert "scheduler/unserializable" not in result.stats
    assert result.stats["scheduler/enqueued/disk"] == 3
