"""HttpCache: cached responses do not extend the lifetime of a policy."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

HTTPCACHE = "scrapy.extensions.httpcache."
CLOSED = replies.text("User-agent: *\nDisallow: /\n")


def _gzipped(**headers: str) -> replies.Reply:
    """Return CLOSED compressed with gzip."""
    body = gzip.compress(CLOSED.body)
    return replies.status(200, body, Content_Encoding="gzip", **headers)


@pytest.mark.parametrize("policy", ["DummyPolicy", "RFC2616Policy"])
@pytest.mark.parametrize("storage", ["FilesystemCacheStorage", "DbmCacheStorage"])
def test_robots_txt_added_between_crawls_applies_to_cached_pages(
    policy: str, storage: str, tmp_path: Path
) -> None:
    """The second crawl fetches robots.txt again and refuses the cached page."""
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": HTTPCACHE + policy,
        "HTTPCACHE_STORAGE": HTTPCACHE + storage,
    }
    with Site() as site:
        site.answer("/robots.txt", [replies.status(404), CLOSED])
        first = crawl([site.url("/page")], settings=settings)
        second = crawl([site.url("/page")], settings=settings)

        assert site.targets() == ["/robots.txt", "/page", "/robots.txt"]

    assert first.fetched_urls == [site.url("/page")]
    assert second.fetched == []
    assert second.failed[0].verdict is not None
    assert second.failed[0].verdict["reason"] == "rule"


@pytest.mark.parametrize(
    "revalidation",
    [
        _gzipped(Cache_Control="max-age=1000"),
        replies.status(304, Content_Encoding="gzip", ETag='"1"'),
    ],
    ids=["200", "304"],
)
def test_gzipped_robots_txt_revalidated_by_the_cache_is_obeyed(
    revalidation: replies.Reply, tmp_path: Path
) -> None:
    """RFC2616Policy revalidates a stale robots.txt even with HTTPCACHE_IGNORE_MISSING."""
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": f"{HTTPCACHE}RFC2616Policy",
    }
    replay = settings | {"HTTPCACHE_IGNORE_MISSING": True}
    with Site() as site:
        site.answer("/robots.txt", [_gzipped(ETag='"1"'), revalidation])
        crawl([site.url("/page")], settings=settings, middleware="builtin")
        for _ in range(2):
            result = crawl([site.url("/page")], settings=replay)

            assert result.fetched == []
            assert result.failed[0].verdict is not None
            assert result.failed[0].verdict["reason"] == "rule"
        assert site.targets().count("/page") == 0
