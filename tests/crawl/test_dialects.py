"""A crawl reads robots.txt files in the dialect of ROBOTS1994_DIALECT."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import Robots1994Parser
from scrapy_robots1994.parser.dialects import DIALECTS
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler
from tests.support.site import Site

BODY = (
    "User-agent: a rover\nDisallow: /x /y\n\nUser-agent: *\nAllow: /z/1\nDisallow: /z"
)
FETCHED = {
    "1994": ["/x", "/y", "/"],
    "revisited": ["/z", "/z/1", "/"],
    "extended": ["/x", "/y", "/z/1", "/"],
    "rfc9309": ["/x", "/y", "/z/1", "/"],
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_dialect_of_the_setting_decides_in_a_crawl(dialect: str) -> None:
    """The same file and the same pages."""
    with Site() as site:
        site.robots(BODY)
        result = crawl(
            [site.url(path) for path in ("/x", "/y", "/z", "/z/1", "/")],
            settings={"ROBOTS1994_DIALECT": dialect, "USER_AGENT": "rover/1.0"},
        )

        expected = sorted(site.url(path) for path in FETCHED[dialect])

    assert result.fetched_urls == expected


def test_the_parser_tells_the_crawl_delay_where_the_dialect_has_one() -> None:
    """`RobotParser.crawl_delay` of Scrapy 2.18; None in the dialect of 1994."""
    body = b"User-agent: rover\nCrawl-delay: 2.5\n"
    extended = idle_crawler({"ROBOTS1994_DIALECT": "extended"})

    parser = Robots1994Parser.from_crawler(extended, body)

    assert parser.crawl_delay("rover/1.0") == 2.5
    assert parser.crawl_delay(b"other") is None
    assert Robots1994Parser.from_crawler(None, body).crawl_delay("rover") is None
