"""HttpCache: the age of a policy does not depend on the cache."""

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


def _packed(**headers: str) -> replies.Reply:
    """The same file, packed with gzip."""
    body = gzip.compress(CLOSED.body)
    return replies.status(200, body, Content_Encoding="gzip", **headers)


@pytest.mark.parametrize("policy", ["DummyPolicy", "RFC2616Policy"])
@pytest.mark.parametrize("storage", ["FilesystemCacheStorage", "DbmCacheStorage"])
def test_a_404_that_turns_into_a_file_closes_the_cached_site(
    policy: str, storage: str, tmp_path: Path
) -> None:
    """Between two crawls the owner closes the site: a cached page is refused too."""
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
    "renewed",
    [
        _packed(Cache_Control="max-age=1000"),
        replies.status(304, Content_Encoding="gzip", ETag='"1"'),
    ],
    ids=["200", "304"],
)
def test_a_packed_file_that_the_cache_renews_closes_the_replayed_site(
    renewed: replies.Reply, tmp_path: Path
) -> None:
    """With both settings the cache asks for a stale robots.txt again, and stores it."""
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": f"{HTTPCACHE}RFC2616Policy",
    }
    replay = settings | {"HTTPCACHE_IGNORE_MISSING": True}
    with Site() as site:
        site.answer("/robots.txt", [_packed(ETag='"1"'), renewed])
        crawl([site.url("/page")], settings=settings, middleware="builtin")
        for _ in range(2):
            result = crawl([site.url("/page")], settings=replay)

            assert result.fetched == []
            assert result.failed[0].verdict is not None
            assert result.failed[0].verdict["reason"] == "rule"
        assert site.targets().count("/page") == 0
