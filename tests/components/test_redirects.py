"""Where a page sends us is checked like any page, wherever it is."""

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
def test_the_target_of_a_redirect_is_checked(reactor: Reactor, site: Site) -> None:
    """By 3xx and by meta refresh, on this origin and on one not yet known."""
    site.robots(CLOSED)
    far = f"http://far.test:{site.port}"
    refresh = '<html><head><meta http-equiv="refresh" content="0; url=/private/3">'
    site.answer("/1", replies.redirect("/private/1"))
    site.answer("/2", replies.redirect(f"{far}/private/2", 301))
    site.answer("/3", replies.html(refresh))
    site.answer("/4", replies.redirect(f"{far}/5", 308))
    site.answer("/5", replies.redirect(site.url("/open")))

    asked = [site.url(f"/{number}") for number in range(1, 5)]
    result = crawl(asked, reactor=reactor)

    assert result.fetched_urls == [site.url("/open")]
    wanted = [site.url("/private/1"), f"{far}/private/2", site.url("/private/3")]
    assert result.failed_urls == sorted(wanted)
    assert {failed.name for failed in result.failed} == {
        "scrapy_robots1994.crawl.exceptions.ForbiddenByRobots"
    }
    assert not [target for target in site.targets() if "private" in target]


@pytest.mark.parametrize("reactor", reactors())
def test_https_behind_http_is_an_origin_of_its_own(reactor: Reactor) -> None:
    """A page that sends us on to the same host by TLS: what that one closes counts."""
    with Site(tls="valid") as site:
        site.robots("User-agent: *\nDisallow: /plain\n")
        site.robots(CLOSED, at=site.secure_url(""))
        behind = [site.secure_url(path) for path in ("/private", "/plain")]
        asked = [site.url("/1"), site.url("/2"), site.url("/plain")]
        for page, target in zip(asked, behind, strict=False):
            site.answer(urlsplit(page).path, replies.redirect(target))
        result = crawl(asked, reactor=reactor)
        robots = sorted(seen.scheme for seen in site.log("/robots.txt"))

    assert result.fetched_urls == [behind[1]]
    assert result.failed_urls == [asked[2], behind[0]]
    assert robots == ["http", "https"]


def test_dont_obey_robotstxt_goes_along_with_a_redirect(site: Site) -> None:
    """Scrapy copies the meta of a redirected request; so the target is not checked."""
    site.robots(CLOSED)
    site.answer("/1", replies.redirect("/private/1"))

    result = crawl([CrawlRequest(site.url("/1"), meta={"dont_obey_robotstxt": True})])

    assert result.fetched_urls == [site.url("/private/1")]


def test_a_handed_on_meta_neither_opens_nor_closes(site: Site) -> None:
    """`meta=response.meta`, and a refused request asked again as it stands.

    What we write into the meta of a request decides nothing about the next.
    """
    site.robots(CLOSED)
    further = [site.url("/private/1"), site.url("/open")]

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:Handing",
        spider_args={"on": further},
    )

    assert result.fetched_urls == [site.url("/open"), site.url("/page")]
    assert result.failed_urls == [site.url("/private/1")] * 2


@pytest.mark.parametrize("free", [False, True])
def test_permitted_page_has_no_verdict(site: Site, *, free: bool) -> None:
    """The refused request, sent on to an open page with all its meta.

    Also with `dont_obey_robotstxt`, and to a place whose robots.txt is not yet known.
    """
    site.robots(CLOSED)
    far = f"http://far.test:{site.port}"
    to = [site.url("/open"), f"{far}/open", "data:,open"]

    result = crawl(
        [site.url("/private/1")],
        spider="tests.components.spiders:Elsewhere",
        spider_args={"to": to, "free": free},
    )

    assert result.failed_urls == [site.url("/private/1")]
    assert result.fetched_urls == sorted(to)
    assert result.items == [{"verdict": "None"}] * 3


def test_a_request_with_a_verdict_in_its_meta_goes_to_disk(
    site: Site, tmp_path: Path
) -> None:
    """JOBDIR: a refused request that is asked again survives the disk queue."""
    site.robots(CLOSED)

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:Handing",
        spider_args={"on": [site.url("/private/1")]},
        settings={"JOBDIR": str(tmp_path)},
    )

    assert result.failed_urls == [site.url("/private/1")] * 2
    # The page, the closed one, and the closed one again; what no disk takes would go
    # on in memory, unseen.
    assert "scheduler/unserializable" not in result.stats
    assert result.stats["scheduler/enqueued/disk"] == 3
