"""Tests that the bounds of crawls and reports have an effect.

`test_bounds` contains the tests of further bounds. Most tests in this module run a crawl
or a command.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994 import Robots1994Middleware, SettingsError
from scrapy_robots1994.compare.impact import MAX_EXAMPLES
from scrapy_robots1994.robotstxt import MAX_BYTES
from tests.support import replies
from tests.support.crawler import idle_crawler
from tests.support.site import Site
from tests.unit.bounds import bound, bounded_crawl, bounded_scrapy

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import CrawlResult

HOSTS = [f"h{number}.test" for number in range(5)]


@bound(
    "crawl.log.MAX_LINES_OF_A_KIND",
    "crawl.refusals.MAX_ROWS",
)
def test_lines_about_origins_are_bounded(site: Site) -> None:
    """Only the first origins have their own lines in the log. When the crawl closes, the
    log gives the number of origins or requests without their own lines.
    """
    site.robots("User-agent: *\nDisallow: /a\nDisallow: /*b\n")
    urls = [site.url(path, host=host) for host in HOSTS for path in ("/a", "/open")]
    small = {
        "crawl.log.MAX_LINES_OF_A_KIND": 2,
        "crawl.refusals.MAX_ROWS": 2,
    }
    result = bounded_crawl(urls, small)

    assert len(result.lines("WARNING: http", "ignores or takes literally")) == 2
    assert len(result.lines("WARNING: 5 robots.txt files have lines")) == 1
    assert "robots.txt refused 5 requests at more than 2 origins" in result.log
    assert re.search(r"^ +3  at the other origins$", result.log, re.MULTILINE)
    assert len(result.fetched) == len(result.failed) == len(HOSTS)


@bound("crawl.features.crawl_delay.MAX_DELAYED_SLOTS")
def test_delay_of_a_forgotten_origin_is_set_again(site: Site) -> None:
    """If a crawl no longer stores the Crawl-delay of an origin, the next request to the
    origin sets the delay again.
    """
    site.robots("User-agent: *\nCrawl-delay: 0.01\n")
    urls = [site.url(f"/{it}", host=HOSTS[it % 2]) for it in range(4)]
    settings = {"ROBOTS1994_DIALECT": "extended", "ROBOTS1994_CRAWL_DELAY": True}
    small = {"crawl.features.crawl_delay.MAX_DELAYED_SLOTS": 1}
    result = one_after_another(urls, small, settings)

    assert result.fetched_urls == sorted(urls)
    assert result.stats["robots1994/crawl_delay/kept"] == 4


def one_after_another(
    urls: list[str], small: dict[str, int], settings: dict[str, Any]
) -> CrawlResult:
    """Crawl *urls* one after another, with the constants set to the values in *small*."""
    args = {"steps": [[{"url": url}] for url in urls]}
    spider = "tests.support.stepping:SteppingSpider"
    return bounded_crawl([], small, settings=settings, spider=spider, spider_args=args)


@bound(
    "crawl.features.pages._MAX_LOGGED",
    "crawl.features.usage._MAX_LOGGED_ORIGINS",
)
def test_lines_about_one_page_are_bounded(site: Site) -> None:
    """Only the first invalid values of a page are logged, but all invalid values of
    `TDM-Reservation` are counted.
    """
    site.robots("User-agent: *\nContent-Usage: train-ai=n\n")
    headers = (
        ("TDM-Reservation", "a, b, c, d"),
        ("X-Robots-Tag", "no-index, no-follow"),
    )
    site.answer("*", replies.Reply(headers=headers))
    urls = [site.url(f"/{it}", host=HOSTS[it % 2]) for it in range(4)]
    small = {
        "crawl.features.pages._MAX_LOGGED": 1,
        "crawl.features.usage._MAX_LOGGED_ORIGINS": 1,
    }
    settings = {"ROBOTS1994_USAGE": "report", "ROBOTS1994_PAGES": True}
    result = one_after_another(urls, small, settings)

    assert len(result.lines("Not understood", "tdm-reservation")) == len(urls)
    assert result.stats["robots1994/usage/not_understood"] == 4 * len(urls)
    assert len(result.lines("Not understood", "X-Robots-Tag")) == len(urls)
    assert len(result.lines("Usage preferences of ")) == len(urls)


@bound("crawl.setting_types.MAX_COUNT")
def test_larger_count_is_refused() -> None:
    """A setting that exceeds the maximum count is rejected. The error message contains
    the maximum count.
    """
    largest = 10**9
    Robots1994Middleware(settings_of(largest))
    with pytest.raises(SettingsError, match=f"a whole number, 0 to {largest}"):
        Robots1994Middleware(settings_of(largest + 1))


def settings_of(most: int) -> Any:
    """Return a crawler whose setting `ROBOTS1994_MAX_WAITING` is *most*."""
    return idle_crawler({"ROBOTSTXT_OBEY": True, "ROBOTS1994_MAX_WAITING": most})


# The following bounds limit the comparison in a crawl.


# The following bounds limit files and reports.


@bound("robotstxt.MAX_BYTES")
def test_longer_file_is_linted_up_to_the_bound(tmp_path: Path) -> None:
    """If a file is longer than the bound, the report says that only a part of the file
    was read. The bound is at least 500 KiB, as RFC 9309 requires.
    """
    file, line = tmp_path / "robots.txt", "#" * 999 + "\n"
    file.write_text("User-agent: *\nDisallow: /a\n" + line * (MAX_BYTES // len(line)))
    _, out = bounded_scrapy({}, "robots-lint", file, "--only-problems")

    assert MAX_BYTES >= 500 * 1_024
    assert "R003" in out
    assert "the file is longer than the size limit" in out


@bound(
    "compare.impact.MAX_SITES",
    "compare.impact.MAX_EXAMPLES",
    "compare.report.MAX_WHOLE",
    "compare.report.MAX_LINES",
    "compare.formats._MAX_SHOWN",
)
def test_report_lists_up_to_the_bounds(tmp_path: Path) -> None:
    """The report gives the number of sites that are not listed, and shows only a part of
    a long robots.txt file.
    """
    files = tmp_path / "files"
    files.mkdir()
    rules = "".join(f"Disallow: /{it}\n" for it in range(MAX_EXAMPLES + 1))
    body = "User-agent: *\n" + "#\n" * 9 + rules
    for number in range(3):
        (files / f"{number}{'x' * 50}.test").write_text(body)
    small = {
        "compare.impact.MAX_SITES": 1,
        "compare.report.MAX_WHOLE": 5,
        "compare.report.MAX_LINES": 4,
        "compare.formats._MAX_SHOWN": 20,
    }
    # For the compared files, Protego gives the same answers as our parser. A site
    # counts only once, however many parsers are compared.
    parsers = "tests.support.parsers.OpenParser,Protego"
    command = "robots-compare", files, "--parsers", parsers
    for suffix in ("json", "html"):
        path = tmp_path / f"report.{suffix}"
        bounded_scrapy(small, *command, "--report", path)
    report = json.loads((tmp_path / "report.json").read_text())
    page = (tmp_path / "report.html").read_text()

    assert report["files"] == 3
    (site,) = report["sites"]
    assert report["sites_not_listed"] == 2
    # The processes of a pool have the original values of the constants.
    assert len(report["disagreements"]) == MAX_EXAMPLES
    assert len(site["excerpt"]) == 4
    # Each run lists the site that was compared first, so the two reports can list
    # different sites.
    assert site["site"][8:] not in page
    assert re.search(r"http://\dx{7}", page)
