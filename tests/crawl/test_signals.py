"""The signals of a crawl: `robots_parsed` of Scrapy, and our `request_refused`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy import signals

from tests.support.crawl import crawl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /private\n"
has_robots_parsed = pytest.mark.skipif(
    not hasattr(signals, "robots_parsed"), reason="Scrapy has the signal since 2.18"
)


@has_robots_parsed
def test_robots_parsed_is_sent_once_for_a_file(site: Site, tmp_path: Path) -> None:
    """It is sent in each crawl, also where the policy comes from a store."""
    site.robots(FILE)
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path / 'robots.db'}"}

    for _ in range(2):
        result = crawl(
            [site.url("/1"), site.url("/2")], signals=["robots_parsed"], settings=store
        )

        assert len(result.fetched) == 2
        assert [name for name, _ in result.sent] == ["robots_parsed"]
    assert len(site.log("/robots.txt")) == 1
