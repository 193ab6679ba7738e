"""Crawls with scrapy-deltafetch and scrapy-poet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.crawl import crawl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /private\n"


def test_scrapy_deltafetch_does_not_skip_refused_pages(
    site: Site, tmp_path: Path
) -> None:
    """The second crawl skips the page with an item, and fetches the page refused before."""
    settings: dict[str, Any] = {
        "SPIDER_MIDDLEWARES": {"tests.integrations.parts.AnyDeltaFetch": 100},
        "DELTAFETCH_ENABLED": True,
        "DELTAFETCH_DIR": str(tmp_path),
    }
    options: dict[str, Any] = {
        "spider": "tests.components.spiders:ItemSpider",
        "spider_args": {"item": {"found": True}, "follow": True},
        "settings": settings,
    }
    start, seen, refused = (site.url(path) for path in ("/", "/open", "/private"))
    site.answer("/", replies.html('<a href="/open">o</a><a href="/private">p</a>'))

    site.robots(CLOSED)
    first = crawl([start], **options)
    site.robots("User-agent: *\nDisallow:\n")
    second = crawl([start], **options)

    assert first.fetched_urls == [start, seen]
    assert second.fetched_urls == [start, refused]
    assert second.stats["deltafetch/skipped"] == 1


def test_scrapy_poet_http_client_is_refused(site: Site) -> None:
    """With both add-ons, a request by the HTTP client of a callback is checked, too."""
    site.robots(CLOSED)

    result = crawl(
        [site.url("/open"), site.url("/private")],
        spider="tests.integrations.paged:Paged",
        settings={
            "ADDONS": {"scrapy_poet.Addon": 300, "scrapy_robots1994.Addon": 500},
            "SCRAPY_POET_DISCOVER": [],
        },
    )

    (item,) = result.items
    assert item["title"].startswith("127.0.0.1")
    assert "Forbidden by robots.txt: disallowed by line 2" in item["more"]
    assert result.failed_urls == [site.url("/private")]
    assert sorted(site.targets()) == ["/open", "/robots.txt"]
