"""ROBOTS1994_DRY_RUN: Scrapy's middleware decides, and ours is compared with it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import CrawlResult, crawl
from tests.support.replies import Reply
from tests.support.site import Site

DRY: dict[str, Any] = {"ROBOTS1994_DRY_RUN": True, "ROBOTSTXT_OBEY": True}
MIXED = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n"
DID = "robots1994/compare/RobotsTxtMiddleware"
PROTEGO = "robots1994/compare/ProtegoRobotParser"
RACES = "robots1994/compare/on_its_way"
ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}


def ways(result: CrawlResult, key: str = DID) -> tuple[int, int, int]:
    agree, stricter, laxer = (
        result.stats.get(f"{key}/{way}", 0) for way in ("agree", "stricter", "laxer")
    )
    return agree, stricter, laxer


@pytest.mark.parametrize("host", ["", "moved.test"])
def test_race_is_counted_and_named_and_laid_on_no_parser(
    site: Site, tmp_path: Path, host: str
) -> None:
    """Scrapy's middleware lets page requests through while it downloads robots.txt."""
    path = tmp_path / "report.json"
    target = "/moved" if host else "/robots.txt"
    if host:
        site.answer("/robots.txt", replies.redirect(site.url("/moved", host=host)))
    site.answer(target, replies.text("User-agent: *\nDisallow: /\n", gate="all"))
    pages = [site.url(f"/{number}") for number in range(8)]
    settings = DRY | {"ROBOTS1994_COMPARE_REPORT": str(path)}
    site.open_when("all", target)
    # Page 7 is answered only after we have requested *target* too, so the crawl lasts until then.
    site.answer("/7", Reply(gate="ours"))
    site.open_when("ours", target, count=2)
    result = crawl(pages, settings=settings | {"CONCURRENT_REQUESTS_PER_DOMAIN": 16})

    sent = len(result.fetched)
    # `sent` is 0 if Scrapy has fixed the race.
    said = f"refuse {sent} that Scrapy allowed; sent while robots.txt was on its way: {sent}"
    assert f"would allow 0 that Scrapy refused, and {said}" in result.log
    assert ways(result) == (8 - sent, 0, sent)
    assert ways(result, PROTEGO) == (8, 0, 0)
    assert result.stats.get(RACES, 0) == sent
    report = json.loads(path.read_text("utf-8"))
    assert {(it["did"], it["says"], it["cause"]) for it in report["rows"]} <= {
        ("sent", "forbids", "on-its-way")
    }
    assert said in report["notes"][0]


ODD: dict[str, Any] = {
    "file": replies.text(MIXED),
    "403": replies.status(403),
    "404 with rules": replies.text("User-agent: *\nDisallow: /\n", status=404),
    "503": replies.status(503),
    "503 once": [replies.status(503), replies.text(MIXED)],
    "reset": replies.reset(),
    "redirect": replies.redirect("/elsewhere.txt"),
}


@pytest.mark.parametrize("name", ODD)
def test_pages_are_those_of_the_built_in_with_one_more_robots_txt(name: str) -> None:
    crawls = {}
    for is_dry in (True, False):
        with Site() as site:
            site.answer("/robots.txt", ODD[name])
            site.answer("/elsewhere.txt", replies.text(MIXED))
            pages = [site.url(it) for it in ("/page", "/a", "/a/b", "/x.gif")]
            middleware = "ours" if is_dry else "builtin"
            settings = ONE_BY_ONE | (DRY if is_dry else {})
            result = crawl(pages, settings=settings, middleware=middleware)
            targets = Counter(site.targets())
            stats = {k: v for k, v in result.stats.items() if k[:10] == "robotstxt/"}
            crawls[is_dry] = targets, stats, result

    (dry, dry_stats, result), (alone, stats, _) = crawls[True], crawls[False]
    assert (dry - alone).keys() <= {"/robots.txt", "/elsewhere.txt"}
    assert max((dry - alone).values()) == 1
    assert alone - dry == Counter()
    assert dry_stats == stats
    assert sum(ways(result)) == 4
    assert "robots1994/compare/skipped" not in result.stats


def test_no_request_waits_for_our_robots_txt(site: Site) -> None:
    """Our fetch gets no answer, so we would refuse both pages."""
    file, never = replies.text(MIXED), replies.text(MIXED, gate="never")
    site.answer("/robots.txt", [file, never])
    pages = [site.url("/page"), site.url("/end")]
    settings = DRY | ONE_BY_ONE | {"ROBOTS1994_TIMEOUT": 1}
    result = crawl(pages, settings=settings)

    assert result.fetched_urls == sorted(pages)
    assert ways(result) == (0, 0, 2)


def test_dry_run_obeys_nothing_where_nothing_was_obeyed(site: Site) -> None:
    site.robots("User-agent: *\nDisallow: /\n")
    result = crawl([site.url("/a")], settings=DRY | {"ROBOTSTXT_OBEY": False})

    assert site.targets() == ["/a"]
    assert "Dry run disabled: ROBOTSTXT_OBEY is False" in result.log
