"""The warning about a later middleware that changes the User-Agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawl import CrawlRequest, crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from scrapy import Request, Spider

OTHER: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {f"{__name__}.RenamingMiddleware": 990},
    "USER_AGENT": "known/1.0",
}
WARNING = (
    "robots.txt is matched by the User-Agent known/1.0, but a downloader middleware"
)


class RenamingMiddleware:
    """Middleware that sets another User-Agent, like those with random ones."""

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Set the header."""
        request.headers["User-Agent"] = "other/2.0"


def test_changed_user_agent_is_warned_about_once() -> None:
    """For two origins; the warning has both names and the setting to change."""
    with Site() as site:
        urls = [site.url("/", host=host) for host in ("a.test", "b.test")]
        result = crawl(urls, settings=OTHER)

    assert result.log.count(WARNING) == 1
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
    """With ROBOTSTXT_USER_AGENT, without another middleware, and with a request header."""
    with Site() as site:
        result = crawl(
            [CrawlRequest(site.url("/"), headers=headers)], settings=settings
        )

    assert "robots.txt is matched by" not in result.log
