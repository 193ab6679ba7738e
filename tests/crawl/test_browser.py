"""The scrapy-playwright recipe checks the browser's own requests."""

from __future__ import annotations

import pytest

from tests.support import replies
from tests.support.browsing import SETTINGS
from tests.support.crawl import CrawlRequest, crawl
from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.plugin("scrapy_playwright")]

PAGE = (
    "<link rel=stylesheet href=/static/a.css><script src=/static/a.js></script>"
    "<script>fetch('/no/data')</script><iframe src=/no/frame></iframe>"
    "<img src=/ok.png><img src={other}/pic.png><img src={other}/hidden.png>"
)


@pytest.mark.parametrize("is_checked", [True, False])
def test_recipe_aborts_what_the_policy_of_its_origin_disallows(
    *, is_checked: bool
) -> None:
    with Site(ports=2) as site:
        other = site.url("", port=1)
        site.robots("User-agent: *\nDisallow: /static/\nDisallow: /no\n")
        site.robots(
            "User-agent: *\nDisallow: /hidden\n", at=other.removeprefix("http://")
        )
        site.answer("/page", replies.html(PAGE.format(other=other)))
        spider = "CheckedBrowsingSpider" if is_checked else "BrowsingSpider"
        result = crawl(
            [
                CrawlRequest(site.url(path), meta={"playwright": True})
                for path in ("/page", "/no/page")
            ],
            spider=f"tests.support.browsing:{spider}",
            settings=SETTINGS,
            may_warn=True,
        )
        seen = sorted(it.target for it in site.log())

    refused = ["/static/a.css", "/static/a.js", "/no/data", "/no/frame", "/hidden.png"]
    expected = ["/page", "/ok.png", "/pic.png", "/robots.txt"]
    expected += ["/robots.txt"] if is_checked else refused
    assert seen == sorted(expected)
    assert len(result.fetched_urls) == 1
    assert result.reasons == ["rule"]
    assert result.stats["playwright/page_count"] == 1
