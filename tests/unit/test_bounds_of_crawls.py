"""Tests that the bounds of crawls, evidence and reports have an effect.

`test_bounds` contains the tests of further bounds. Most tests in this module run a crawl
or a command.
"""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994 import Origin, Robots1994Middleware, SettingsError
from scrapy_robots1994.compare.impact import MAX_EXAMPLES
from scrapy_robots1994.crawl.fetch_log import FetchLog
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy.fetch_result import LocalFault
from scrapy_robots1994.robotstxt import MAX_BYTES
from tests.crawl.test_evidence import RULES, recording
from tests.support import evidence, replies
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler
from tests.support.site import Site
from tests.unit import bounds
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


@bound("crawl.requests.MAX_COOKIES", "crawl.requests.MAX_COOKIE_BYTES")
def test_cookies_of_a_fetch_are_bounded(site: Site) -> None:
    """The request after a redirect does not send a cookie that is too long. If there are
    too many cookies, only the first cookies are sent.
    """
    cookies = [f"long={'x' * 99}", "a=1", "b=2", "c=3"]
    headers = [("Set-Cookie", it) for it in cookies]
    site.answer(
        "/robots.txt", replies.Reply(302, headers=(("Location", "/r"), *headers))
    )
    small = {"crawl.requests.MAX_COOKIES": 2, "crawl.requests.MAX_COOKIE_BYTES": 50}
    bounded_crawl([site.url("/page")], small)

    (asked,) = site.log("/r")
    assert asked.headers["cookie"] == "a=1; b=2"


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
    "crawl.features.page._MAX_LOGGED",
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
        "crawl.features.page._MAX_LOGGED": 1,
        "crawl.features.usage._MAX_LOGGED_ORIGINS": 1,
    }
    settings = {"ROBOTS1994_USAGE": "report", "ROBOTS1994_PAGES": True}
    result = one_after_another(urls, small, settings)

    assert len(result.lines("Not understood", "tdm-reservation")) == len(urls)
    assert result.stats["robots1994/usage/not_understood"] == 4 * len(urls)
    assert len(result.lines("Not understood", "X-Robots-Tag")) == len(urls)
    assert len(result.lines("Usage preferences of ")) == len(urls)


@bound("crawl.fetch_log.MAX_TRACEBACKS")
def test_tracebacks_are_bounded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The first local error is logged with a traceback. Each further local error is
    logged without a traceback.
    """
    bounds.shrink("crawl.fetch_log.MAX_TRACEBACKS", 1, monkeypatch.setattr)
    crawler = idle_crawler({})
    log = FetchLog(crawler, RobotsSettings.from_settings(crawler.settings))
    origin = Origin("http", "h.test", 80)
    with caplog.at_level(logging.DEBUG, "scrapy_robots1994"):
        for error in (LookupError(), ArithmeticError(), AssertionError()):
            log.fetch_failed(origin, LocalFault(error, is_bug=True))

    said = [it.getMessage() for it in caplog.records]
    assert sum("An exception was raised while" in it for it in said) == 1
    assert sum("local error" in it for it in said) == 3


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


@bound("crawl.features.comparison.MAX_QUEUED_BYTES")
def test_decisions_beyond_the_queue_are_counted_as_skipped(
    site: Site, tmp_path: Path
) -> None:
    """If the queue is full, further decisions are not compared, and the crawl continues.
    The log and the report give the number of skipped decisions.
    """
    site.robots("User-agent: *\nDisallow: /a\n")
    urls = [site.url("/b"), site.url("/c")]
    path = tmp_path / "report.json"
    settings = {"ROBOTS1994_COMPARE": True, "ROBOTS1994_COMPARE_REPORT": str(path)}
    small = {"crawl.features.comparison.MAX_QUEUED_BYTES": -1}
    result = bounded_crawl(urls, small, settings=settings)

    assert result.fetched_urls == urls
    assert result.stats["robots1994/compare/skipped"] == 2
    assert "2 decisions not compared with other parsers" in result.log
    assert "Not compared: 2 decisions." in json.loads(path.read_text())["notes"]


@bound(
    "crawl.features.comparison.MAX_FILE_BYTES",
    "crawl.features.comparison.MAX_BODY_BYTES",
)
def test_decision_about_a_forgotten_body_is_counted_as_skipped(site: Site) -> None:
    """A decision is not compared if the body of its robots.txt is no longer stored. In
    the crawl of this test, the body of the second origin replaces the body of the first
    origin.
    """
    site.answer("/robots.txt", replies.text("User-agent: *\nDisallow: /\n", 404))
    urls = [site.url("/page", host=host) for host in HOSTS[:2]]
    small = {
        "crawl.features.comparison.MAX_FILE_BYTES": 1,
        "crawl.features.comparison.MAX_BODY_BYTES": 1,
    }
    asked = [*urls, urls[0]]
    result = one_after_another(asked, small, settings={"ROBOTS1994_COMPARE": True})

    assert len(result.fetched) == 3
    assert result.stats["robots1994/compare/skipped"] == 1
    assert "the body of an answer was no longer stored" in result.log


# The following bounds limit evidence.


@bound("crawl.features.evidence_format.MAX_TEXT")
def test_rule_in_the_journal_is_cut(site: Site, tmp_path: Path) -> None:
    """The journal contains only the beginning of a long rule. The bound is needed because
    a line of a robots.txt file can be half a megabyte long.
    """
    site.robots(f"User-agent: *\nDisallow: /{'a' * 99}\n")
    small = {"crawl.features.evidence_format.MAX_TEXT": 9}
    url = site.url(f"/{'a' * 99}")
    bounded_crawl([url], small, settings=recording(tmp_path))

    _, _, (line,) = evidence.only(tmp_path)
    assert (line["decision"], line["rule"]) == ("refused", "/" + "a" * 8)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record the evidence of a crawl, and return the folder of the evidence."""
    folder = tmp_path_factory.mktemp("evidence")
    with Site() as site:
        site.robots(RULES)
        crawl([site.url("/a"), site.url("/b")], settings=recording(folder))
    return folder


@bound(
    "commands.evidence.MAX_LINE_BYTES",
    "commands.evidence.MAX_INFO_BYTES",
    "commands.evidence.MAX_BLOCK_BYTES",
    "commands.warc.MAX_HEADER_BYTES",
    "commands.warc.MAX_BODY_BYTES",
)
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("commands.evidence.MAX_LINE_BYTES", 99, "the line exceeds 99 bytes"),
        ("commands.evidence.MAX_INFO_BYTES", 99, "exceeds 99 bytes, and is not read"),
        ("commands.evidence.MAX_BLOCK_BYTES", 9, "exceeds 9 bytes"),
        ("commands.warc.MAX_HEADER_BYTES", 99, "header exceeds 99 bytes: skipped"),
        # The limit is inside the line "Disallow: /a". A truncated line "Disallow: /"
        # would disallow everything.
        ("commands.warc.MAX_BODY_BYTES", 25, "but 'allowed' in the record"),
    ],
)
def test_evidence_is_read_up_to_the_bound(
    recorded: Path, path: str, value: int, said: str
) -> None:
    """If a part of the evidence exceeds a bound, `robots-check` reads only the
    beginning of this part, and reports a difference. The bounds are needed because
    evidence from other people can have any size.
    """
    args = "robots-check", "--evidence", recorded, "--verify"
    code, out = bounded_scrapy({path: value}, *args)

    assert code == 1, out
    assert said in out


@bound("commands.evidence.MAX_FINDING", "commands.evidence.MAX_FIELD")
def test_text_of_evidence_is_cut(recorded: Path) -> None:
    """Long texts from the evidence are truncated in the output."""
    args = "robots-check", "--evidence", recorded
    small = {
        "commands.evidence.MAX_FINDING": 20,
        "commands.evidence.MAX_LINE_BYTES": 99,
    }
    _, out = bounded_scrapy(small, *args, "--verify")
    assert max(map(len, out.splitlines()[:-1])) <= 20
    _, _, lines = evidence.only(recorded)
    assert lines[0]["time"] in bounded_scrapy({}, *args, lines[0]["url"])[1]

    _, out = bounded_scrapy({"commands.evidence.MAX_FIELD": 8}, *args, lines[0]["url"])
    assert lines[0]["time"] not in out


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
