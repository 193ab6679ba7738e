"""A crawl reads robots.txt files in the dialect of ROBOTS1994_DIALECT."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import Robots1994Parser, RobotsTxt
from tests.standard.asking import DIALECTS
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler
from tests.support.left_out import long_after
from tests.support.site import Site

BODY = (
    "User-agent: a rover\nDisallow: /x /y\n\nUser-agent: *\nAllow: /z/1\nDisallow: /z"
)
PATHS = ("/x", "/y", "/z", "/z/1", "/")


@pytest.mark.parametrize("dialect", long_after(1, reversed(DIALECTS)))
def test_dialect_of_the_setting_decides_in_a_crawl(site: Site, dialect: str) -> None:
    """The same file allows the pages that its parser allows in that dialect."""
    site.robots(BODY)
    result = crawl(
        [site.url(path) for path in PATHS],
        settings={"ROBOTS1994_DIALECT": dialect, "USER_AGENT": "rover/1.0"},
    )

    robots = RobotsTxt.parse(BODY, dialect=dialect)
    expected = [site.url(it) for it in PATHS if robots.allowed(it, "rover")]

    assert result.fetched_urls == sorted(expected)


def test_parser_returns_the_crawl_delay_of_its_dialect() -> None:
    """`RobotParser.crawl_delay` exists since Scrapy 2.18; it is None in dialect 1994."""
    body = b"User-agent: rover\nCrawl-delay: 2.5\n"
    extended = idle_crawler({"ROBOTS1994_DIALECT": "extended"})

    parser = Robots1994Parser.from_crawler(extended, body)

    assert parser.crawl_delay("rover/1.0") == 2.5
    assert parser.crawl_delay(b"other") is None
    assert Robots1994Parser.from_crawler(None, body).crawl_delay("rover") is None
