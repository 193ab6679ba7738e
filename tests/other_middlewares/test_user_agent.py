"""A middleware after ours that changes the User-Agent is named once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawl import CrawlRequest, crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from scrapy import Request, Spider

OTHER: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {f"{__name__}.AnotherName": 990},
    "USER_AGENT": "known/1.0",
}
SAID = "robots.txt is matched by the User-Agent known/1.0, but a downloader middleware"


class AnotherName:
    """Sends everything by a name of its own, as middlewares with random names do."""

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Replace the header."""
        request.headers["User-Agent"] = "other/2.0"


def test_another_name_than_robots_txt_is_matched_by_is_warned_of_once() -> None:
    """Two origins, one line that says both names and what to set."""
    with Site() as site:
        urls = [site.url("/", host=host) for host in ("a.test", "b.test")]
        result = crawl(urls, settings=OTHER)

    assert result.log.count(SAID) == 1
    assert "sends other/2.0: set ROBOTSTXT_USER_AGENT" in result.log


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        (OTHER | {"ROBOTSTXT_USER_AGENT": "known"}, {}),
        ({"USER_AGENT": "known/1.0"}, {}),
        ({"USER_AGENT": "known/1.0"}, {"User-Agent": "own/3.0"}),
    ],
    ids=["exact", "unchanged", "own"],
)
def test_robot_name_that_is_set_or_sent_causes_no_warning(
    settings: dict[str, Any], headers: dict[str, str]
) -> None:
    """`ROBOTSTXT_USER_AGENT`, the default name, and a name of the request itself."""
    with Site() as site:
        result = crawl(
            [CrawlRequest(site.url("/"), headers=headers)], settings=settings
        )

    assert "robots.txt is matched by" not in result.log
