"""An origin whose answers change during a crawl: the last good policy is used."""

from __future__ import annotations

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

DAY = 86_400
FIRST = replies.text("User-agent: *\nDisallow: /first\n")
LAST = replies.text("User-agent: *\nDisallow: /last\n")


def test_rules_stay_during_failure_and_change_with_the_next_file() -> None:
    """200, 503, 200, a day between them: the old rules, the old rules, the new ones."""
    with Site() as site:
        site.answer("/robots.txt", [FIRST, replies.status(503), LAST])
        days = [
            [site.url(f"/{name}/{day}") for name in ("first", "last")]
            for day in range(3)
        ]
        result = crawl(
            [url for day in days for url in day],
            spider="tests.faults.spiders:DailySpider",
            settings={"ROBOTS1994_TTL": DAY},
            hook="tests.faults.spiders:set_clock",
        )

        assert len(site.log("/robots.txt")) == 3

    assert result.fetched_urls == sorted([days[0][1], days[1][1], days[2][0]])
    assert result.stats["robots1994/stale_if_error"] == 1
    assert result.stats["robots1994/refreshed"] == 1
