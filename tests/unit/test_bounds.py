"""Limits on the time and memory that hostile files, pages and entries can take, and the pages
that state limits and defaults.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from scrapy.http import Headers, HtmlResponse, Response

from scrapy_robots1994 import RobotsTxt, page_directives
from scrapy_robots1994.crawl import fetch, log, refusals, waiting
from scrapy_robots1994.crawl.features import comparison
from scrapy_robots1994.crawl.features.page import MAX_PAGE_BYTES
from scrapy_robots1994.crawl.requests import MAX_BODY_BYTES, redirect_of
from scrapy_robots1994.crawl.store import LEASE_SECONDS, REST_SECONDS, GuardedStore
from scrapy_robots1994.parser import rfc9309, usage
from scrapy_robots1994.policy.answer import Answer, freshness_lifetime
from scrapy_robots1994.policy.policy import PAUSE
from scrapy_robots1994.stores.sqlite import FILE_BYTES, MIN_FILE_BYTES
from scrapy_robots1994.stores.url import MEMORY_URL, StoreUrl
from tests.support.crawl import DAY, ROOT
from tests.support.crawler import idle_crawler
from tests.unit import bounds
from tests.unit.samples import FRESHNESS, NOW, SITE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = "http://h.example/"

*SHORTER, LAST = (f"{it:.0f} s" for it in fetch.PAUSES)
STATED = [
    ("standard/retrieval", f"({FRESHNESS.ttl:,.0f} s); the headers"),
    ("standard/retrieval", f"not below {PAUSE:.0f} s"),
    ("standard/retrieval", f"over {MAX_BODY_BYTES >> 20} MiB"),
    ("standard/retrieval", f"({FRESHNESS.stale_ttl / DAY:.0f} days)"),
    ("standard/retrieval", f"up to {fetch.MAX_REDIRECTS} redirects"),
    ("standard/retrieval", f"known within {waiting.CLOSE_SECONDS:.0f} s"),
    ("standard/retrieval", f"not ended {fetch.GRACE_SECONDS:.0f} s after"),
    ("standard/retrieval", f"are {', '.join(SHORTER)} and {LAST}"),
    ("standard/retrieval", f"of up to {fetch.MAX_RETRY_AFTER:.0f} s replaces"),
    ("standard/1994", f"above {rfc9309.MAX_WORK // 10**6} million"),
    ("standard/1994", f"the first {MAX_PAGE_BYTES:,} bytes of the page"),
    ("security", f"more than {MAX_BODY_BYTES >> 20} MiB"),
    ("security", f"at most {fetch.GRACE_SECONDS:.0f} s after"),
    ("security", f"the first {MAX_PAGE_BYTES >> 10} KB of a page"),
    ("preferences", f"more than {usage.MAX_LENGTH:,} characters"),
    ("moving", f"up to {waiting.MAX_OF_ORIGIN} per origin"),
    ("moving", f"closed for {PAUSE:.0f} s"),
    ("moving", f"may use {fetch.MAX_FETCHES}."),
    ("moving", f"Up to {comparison.MAX_BYTES // 10**6} MB"),
    ("start", f"After {log.MAX_LINES_OF_A_KIND} warnings"),
    ("stores", f"``{MEMORY_URL}``"),
    ("stores", f"{FILE_BYTES // 10**9} GB by default"),
    ("stores", f"at least {MIN_FILE_BYTES // 10**6} MB"),
    ("stores", f"({StoreUrl().timeout:.0f} by default)"),
    ("stores", f"again after {REST_SECONDS:.0f} seconds"),
    ("stores", f"a lease for {LEASE_SECONDS} seconds"),
    ("stores", f"after {LEASE_SECONDS} seconds, or"),
    ("generated/settings", f"over {MAX_BODY_BYTES >> 20} MiB"),
    ("generated/settings", f"not below {PAUSE:.0f} s"),
    ("generated/settings", f"default is {FRESHNESS.stale_ttl / DAY:.0f} days"),
    ("generated/settings", f"At most {waiting.MAX_OF_ORIGIN} of them"),
    ("generated/settings", f"``n / {waiting.SHARE}`` requests"),
    ("generated/stats", f"up to {refusals.MAX_ROWS:,}."),
    ("generated/stats", f"for the {refusals.TOP_ORIGINS} origins"),
    ("generated/stats", f"exceeded {comparison.MAX_BYTES // 10**6} MB"),
]


@pytest.mark.parametrize(("page", "words"), STATED, ids=str)
def test_page_states_the_limit_of_the_code(page: str, words: str) -> None:
    (file,) = (ROOT / "docs").glob(f"{page}.[ri][sn][tc]")
    text = " ".join(file.read_text("utf-8").split())

    assert words in text


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
        Response(URL, 302, {"Location": b"/" + b"x" * length}) for length in (30, 29)
    )

    assert freshness_lifetime(listed, 0.0) == 60
    assert redirect_of(long, URL) == ""
    assert redirect_of(short, URL) == f"{URL}{'x' * 29}"


def test_rules_and_records_are_compared_up_to_the_bound(shrink: Any) -> None:
    groups = "User-agent: a\nAllow: /x\n\nUser-agent: b\nAllow: /x\n"
    rules = "User-agent: *\nDisallow: /b\nDisallow: /a\nAllow: /a/x\n"

    def reported() -> list[int]:
        files = (groups, "rfc9309"), (rules, "extended")
        found = [RobotsTxt.parse(it, dialect=dialect).problems for it, dialect in files]
        return [line for problems in found for it in problems for line in it.lines]

    shrink("lint.records.MAX_LINES", 5)
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


def test_patterns_are_compared_up_to_the_bound(shrink: Any) -> None:
    """Ours O28"""
    file = "User-agent: *\nDisallow: /*bb\nDisallow: /*cc\n"
    rules = RobotsTxt.parse(file, dialect="rfc9309").rules("rex")

    # For each pattern, a call, and four characters with two each.
    shrink("parser.rfc9309.MAX_WORK", 2 * (800 + 4 * 2))
    assert rules.verdict("/aaa").reason == "no-rule"
    shrink("parser.rfc9309.MAX_WORK", 2 * (800 + 4 * 2) - 1)
    assert rules.verdict("/aaa").reason == "wildcards"


def test_usage_is_looked_up_up_to_the_bound(shrink: Any) -> None:
    """Ours O28"""
    file = "User-agent: *\nContent-Usage: /aa train-ai=n\nContent-Usage: /bb search=y\n"
    robots = RobotsTxt.parse(file)

    # The paths have six characters. For each, the work is that of a call, and the path of the URL.
    shrink("parser.usage.MAX_WORK", 6 * (64 + 2))
    assert robots.usage("/c", "rex").statements == ()
    shrink("parser.usage.MAX_WORK", 6 * (64 + 2) - 1)
    (statement,) = robots.usage("/c", "rex").statements
    assert statement.purpose == "train-ai"


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
