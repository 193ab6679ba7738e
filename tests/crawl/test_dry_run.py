"""ROBOTS1994_DRY_RUN: the other parser decides, and ours says what it would do."""

from __future__ import annotations

import pytest

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

DRY_RUN = {"ROBOTS1994_DRY_RUN": True}


def test_the_other_parser_decides() -> None:
    """What Protego allows is fetched, what it forbids is not, whatever ours says."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n")
        pages = {path: site.url(path) for path in ("/a/b", "/a/c", "/x.gif", "/y")}
        result = crawl(list(pages.values()), settings=DRY_RUN)

    assert result.fetched_urls == [pages["/a/b"], pages["/y"]]
    refused = {failed.url: failed.name for failed in result.failed}
    assert refused == {
        pages["/a/c"]: "scrapy.exceptions.IgnoreRequest",
        pages["/x.gif"]: "scrapy.exceptions.IgnoreRequest",
    }
    assert result.stats["robotstxt/forbidden"] == 2
    assert result.stats["robots1994/would_refuse"] == 2
    why = 'disallowed by line 2, "Disallow: /a", of the record for "*" (line 1)'
    assert f"We would refuse <GET {pages['/a/b']}>: {why}" in result.log


@pytest.mark.parametrize("status", [401, 503])
def test_a_status_decides_nothing_while_ours_watches(status: int) -> None:
    """The built-in's habit: the page is fetched; ours says that it would not be."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(status))
        result = crawl([site.url("/page")], settings=DRY_RUN)

    assert result.fetched_urls == [site.url("/page")]
    assert result.stats["robots1994/would_refuse"] == 1
    assert "robotstxt/forbidden" not in result.stats


def test_a_parser_that_raises_leaves_the_decision_to_ours() -> None:
    """Absent is never allowed."""
    raising = "tests.crawl.test_compare.RaisingParser"
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        result = crawl(
            [site.url("/private"), site.url("/open")],
            settings=DRY_RUN | {"ROBOTS1994_COMPARE": [raising]},
        )

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed[0].verdict is not None
