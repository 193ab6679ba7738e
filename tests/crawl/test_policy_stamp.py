"""The recipe of docs/usage/evidence: each item has the policy of its page."""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.support import replies
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.site import Site

RECIPE = {
    "DOWNLOADER_MIDDLEWARES": {"docs.usage.policy_stamp.PolicyStamp": 101},
    "SPIDER_MIDDLEWARES": {"docs.usage.policy_stamp.StampItems": 50},
}
BODY = b"User-agent: *\nDisallow: /private\n"


@pytest.mark.parametrize("reactor", reactors())
def test_each_item_has_the_policy_of_its_own_page(reactor: Reactor) -> None:
    """It may be that of a file, of a missing file, or of the target of a redirect."""
    with Site() as site:
        with_file, without = "file.test", "none.test"
        site.robots(BODY, at=with_file)
        moved = site.url("/new", host=without)
        site.answer("/old", replies.redirect(moved), at=with_file)
        result = crawl(
            [
                site.url("/a", host=with_file),
                site.url("/b", host=without),
                site.url("/old", host=with_file),
            ],
            spider="tests.crawl.feature_spiders:PlainSpider",
            settings=RECIPE,
            reactor=reactor,
        )
        files = {
            host: site.url("/robots.txt", host=host) for host in (with_file, without)
        }

    stamps = {item["url"]: item["robots_policy"] for item in result.items}
    assert len(stamps) == 3
    assert {url: (stamp["url"], stamp["status"]) for url, stamp in stamps.items()} == {
        site.url("/a", host=with_file): (files[with_file], 200),
        site.url("/b", host=without): (files[without], 404),
        moved: (files[without], 404),
    }
    parsed = stamps[site.url("/a", host=with_file)]
    assert parsed["outcome"] == "parsed"
    assert parsed["sha256"] == sha256(BODY).hexdigest()
    assert stamps[moved]["sha256"] is None
    assert parsed["fetched_at"] > 1_700_000_000


def test_page_under_a_stale_policy_has_its_stamp() -> None:
    """The stale policy decides during its refresh."""
    with Site() as site:
        site.robots(BODY)
        result = crawl(
            [site.url(f"/{number}") for number in range(3)],
            spider="tests.crawl.feature_spiders:PlainSpider",
            settings=RECIPE | {"ROBOTS1994_TTL": 0, "ROBOTS1994_MIN_TTL": 0},
        )

    stamped = [item["robots_policy"] for item in result.items]
    assert [it and it["sha256"] for it in stamped] == [sha256(BODY).hexdigest()] * 3
