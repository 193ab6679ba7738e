"""Requests from spiders and components are checked, and so are redirects."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.pipelines import media

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlRequest, Reactor, crawl
from tests.support.project import CLOSED, REFUSAL, WHY
from tests.support.site import Site

# Scrapy 2.13 does not report why a pipeline downloaded no file.
REPORTS_REASON = hasattr(media, "_MediaRequestFiltered")


@pytest.mark.parametrize("refused", ["/moved.png", "/private.png"])
def test_disallowed_file_of_an_item_is_not_requested(
    refused: str, site: Site, tmp_path: Path
) -> None:
    site.robots(CLOSED)
    site.answer("/moved.png", replies.redirect("/private.png"))
    wanted = [site.url("/open.png"), site.url(refused)]
    result = crawl(
        [site.url("/page")],
        spider="ItemSpider",
        spider_args={"item": {"file_urls": wanted}},
        settings={
            "ITEM_PIPELINES": {f"{COMPONENTS}.Files": 1},
            "FILES_STORE": str(tmp_path),
            "MEDIA_ALLOW_REDIRECTS": True,
        },
    )

    assert "/private.png" not in site.targets()
    (item,) = result.items
    assert item["files"][0].startswith("full/")
    assert item["files"][1] == REFUSAL * REPORTS_REASON
    assert f"<GET {site.url('/private.png')}>: {WHY}" in result.log


def test_redirect_target_is_checked(reactor: Reactor) -> None:
    with Site(tls="valid") as site:
        site.robots(CLOSED)
        site.robots(CLOSED + "Disallow: /secure\n", at=site.secure_url(""))
        far = f"http://far.test:{site.port}"
        refresh = '<html><head><meta http-equiv="refresh" content="0; url=/private/3">'
        site.answer("/1", replies.redirect("/private/1"))
        site.answer("/2", replies.redirect(f"{far}/private/2", 301))
        site.answer("/3", replies.html(refresh))
        site.answer("/4", replies.redirect(f"{far}/5", 308))
        site.answer("/5", replies.redirect(site.url("/open")))
        site.answer("/6", replies.redirect(site.secure_url("/secure")))
        site.answer("/7", replies.redirect("/private/7"))
        urls = [site.url(f"/{number}") for number in (1, 2, 3, 4, 6)]
        # The redirect is exempt too, because Scrapy copies the meta of the request.
        exempt = CrawlRequest(site.url("/7"), {"dont_obey_robotstxt": True})
        result = crawl([*urls, exempt], reactor=reactor)
        robots = sorted((it.scheme, it.host[:3]) for it in site.log("/robots.txt"))
        targets = site.targets()
        refused = [site.url("/private/1"), f"{far}/private/2", site.url("/private/3")]

        assert result.fetched_urls == [site.url("/open"), site.url("/private/7")]
        assert result.failed_urls == sorted([*refused, site.secure_url("/secure")])
    sent = [it for it in targets if "private" in it or "secure" in it]
    assert sent == ["/private/7"]
    assert robots == [("http", "127"), ("http", "far"), ("https", "127")]


@pytest.mark.parametrize("dont_obey", [False, True])
def test_verdict_in_the_meta_of_a_refused_request_decides_nothing_and_is_removed(
    site: Site, tmp_path: Path, *, dont_obey: bool
) -> None:
    site.robots(CLOSED)
    to = [site.url("/open"), site.url("/open", host="far.test"), "data:,open"]
    refused, again = site.url("/private/1"), site.url("/private/2")

    result = crawl(
        [refused],
        spider="RepeatingSpider",
        spider_args={"new_urls": [*to, again], "dont_obey": dont_obey},
        settings={"JOBDIR": str(tmp_path)},
    )

    assert result.failed_urls == [refused] + [again] * (not dont_obey)
    assert result.fetched_urls == sorted(to + [again] * dont_obey)
    assert result.items == [{"verdict": "None"}] * len(result.fetched)
    # If a verdict could not be serialized, Scrapy would silently keep its request in memory.
    assert "scheduler/unserializable" not in result.stats
    assert result.stats["scheduler/enqueued/disk"] == 5


def test_cancelled_request_affects_no_other_request(site: Site) -> None:
    """Each request is cancelled one turn of the event loop later than the one before."""
    site.robots(CLOSED)
    url = site.url("/open", host="c{n}.test")
    result = crawl(
        [CrawlRequest(url, meta={"steps": 60})],
        spider="CancellingSpider",
        settings={"CONCURRENT_REQUESTS": 10},
    )
    hosts = [seen.host for seen in site.log("/robots.txt")]

    *tries, last_item = result.items
    first, *others = zip(*(it["ends"] for it in tries), strict=True)
    assert set(first) <= {"200", "cancelled", "CancelledError"}
    assert set(first[:2]) != {"200"}
    assert others == [("200",) * 60] * 2
    assert len(hosts) == len(set(hosts)) == 60
    assert last_item == {"concurrency": 10}
    assert "Traceback" not in result.log
    assert "was destroyed" not in result.log
