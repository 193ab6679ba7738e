"""scrapy-deltafetch, scrapy-poet and scrapy-redis: each does its work, so do we."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.crawl import crawl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /private\n"


def test_scrapy_deltafetch_takes_no_refused_page_for_seen(
    site: Site, tmp_path: Path
) -> None:
    """The second crawl skips the page that gave an item, and checks the refused one again."""
    settings: dict[str, Any] = {
        "SPIDER_MIDDLEWARES": {"tests.integrations.parts.AnyDeltaFetch": 100},
        "DELTAFETCH_ENABLED": True,
        "DELTAFETCH_DIR": str(tmp_path),
    }
    options: dict[str, Any] = {
        "spider": "tests.components.spiders:Offering",
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


def test_scrapy_poet_is_refused_in_a_page_object(site: Site) -> None:
    """Its add-on together with ours; a page object's own HTTP client is checked as well."""
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
