"""HttpCache: the age of a policy does not depend on the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

HTTPCACHE = "scrapy.extensions.httpcache."
CLOSED = replies.text("User-agent: *\nDisallow: /\n")


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
