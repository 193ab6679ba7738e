"""Limits on the time and memory that hostile files, pages and entries can take."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from scrapy.http import Headers, HtmlResponse, Response

from scrapy_robots1994 import RobotsTxt, page_directives
from scrapy_robots1994.crawl.requests import redirect_of
from scrapy_robots1994.crawl.store import GuardedStore
from scrapy_robots1994.policy.answer import Answer, freshness_lifetime
from scrapy_robots1994.stores.url import StoreUrl
from tests.support.crawler import idle_crawler
from tests.unit import bounds
from tests.unit.samples import NOW, SITE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = "http://h.example/"


@pytest.fixture
def shrink(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], None]:
    return lambda path, value: bounds.shrink(path, value, monkeypatch.setattr)


def test_long_url_has_fewer_spellings_than_the_bound() -> None:
    """Ours O27"""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /x\n")
    for reason, length in (("no-rule", 1_000), ("spellings", 10_000)):
        url = "/a/../" + "a" * length + ";b?"
        assert robots.verdict(url, "rex").reason == reason
        assert robots.allowed(url[5:], "rex")


def test_page_is_read_up_to_the_bound(shrink: Any) -> None:
    tag = '<meta name="robots" content="noindex">'
    shrink("crawl.features.page.MAX_PAGE_BYTES", 100)
    near, far = (
        HtmlResponse(URL, body=(" " * spaces + tag).encode()) for spaces in (10, 200)
    )
    header = HtmlResponse(URL, headers={"X-Robots-Tag": "noarchive," * 20 + "nofollow"})

    assert not page_directives(near, "me").index
    assert page_directives(far, "me").index
    assert page_directives(header, "me").follow


def test_headers_are_read_up_to_the_bound(shrink: Any) -> None:
    shrink("policy.answer.MAX_HEADER_BYTES", 30)
    listed = Headers({"Cache-Control": ["max-age=60", "public, private, no-store"]})
    long, short = (
        Response(URL, 302, {"Location": b"/" + b"x" * length}) for length in (99, 1)
    )

    assert freshness_lifetime(listed, 0.0) == 60
    assert redirect_of(long, URL) == ""
    assert redirect_of(short, URL) == f"{URL}x"


def test_rules_and_records_are_compared_up_to_the_bound(shrink: Any) -> None:
    groups = "User-agent: a\nAllow: /x\n\nUser-agent: b\nAllow: /x\n"
    rules = "User-agent: *\nDisallow: /b\nDisallow: /a\nAllow: /a/x\n"

    def reported() -> list[int]:
        files = (groups, "rfc9309"), (rules, "extended")
        found = [RobotsTxt.parse(it, dialect=dialect).problems for it, dialect in files]
        return [line for problems in found for it in problems for line in it.lines]

    assert reported() == [1, 4, 4]
    shrink("lint.records.MAX_LINES", 4)
    shrink("lint.records.MAX_COMPARED", 1)
    assert reported() == [1]


def test_records_that_decide_together_are_looked_up_up_to_the_bound(
    shrink: Any,
) -> None:
    """Ours O28"""
    file = "User-agent: *\nAllow: /a\n\nUser-agent: *\nAllow: /b\n"
    rules = RobotsTxt.parse(file, dialect="extended").rules("rex")

    shrink("parser.rfc9309.MAX_WORK", 4_000)
    assert rules.verdict("/c").reason == "no-rule"
    # The bound is for both spellings together.
    assert rules.verdict("/c;").reason == "wildcards"
    shrink("parser.rfc9309.MAX_WORK", 3_999)
    assert rules.verdict("/c").reason == "wildcards"
    assert rules.allowed("/robots.txt")


@pytest.mark.skipif(
    scrapy.version_info < (2, 14), reason="Scrapy 2.13 awaits only with a reactor"
)
def test_large_entry_is_not_stored(shrink: Any, tmp_path: Path) -> None:
    crawler = idle_crawler({})
    url = StoreUrl.parse(f"sqlite:///{tmp_path / 'robots.db'}")
    store = GuardedStore(crawler, url, 1_000, 1_000)
    # Lower the limit only now: a store module imported while it is low would keep the small value.
    shrink("stores.base.MAX_ENTRY_BYTES", 10)
    answer = Answer(urls=(SITE.robots_url,), status=200, fetched_at=NOW)

    async def put_and_get() -> Answer | None:
        store.put(SITE, answer)
        found = await store.get(SITE)
        await store.close()
        return found

    assert asyncio.run(put_and_get()) is None
    assert not crawler.stats.get_value("robots1994/store_failures")
