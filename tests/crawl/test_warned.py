"""A test fails if the process of its crawl emits a warning."""

from __future__ import annotations

import pytest

from tests.support.crawl import start_crawl
from tests.support.site import Site


def test_crawl_that_warns_fails(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.warned.IS_NEWEST", True)
    crawling = start_crawl([site.url("/")], hook="leak_a_socket")

    with pytest.raises(AssertionError, match=r"ResourceWarning.*unclosed"):
        crawling.result()
