"""Other middlewares and handlers: they change no verdict, and no password leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import default_settings

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlRequest, Reactor, crawl
from tests.support.left_out import long_after
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

OPEN = "User-agent: *\nDisallow: /closed\n"
SECRET = "hunter2-of-the-test"  # noqa: S105 (the tests check that it does not leak)

# Scrapy versions without HTTPAUTH settings read these attributes of the spider.
OLDER_HTTPAUTH = (
    {}
    if hasattr(default_settings, "HTTPAUTH_USER")
    else {"http_user": "u", "http_pass": SECRET, "http_auth_domain": "b.test"}
)


def test_other_middlewares_change_no_verdict(site: Site) -> None:
    """With retry, cookies, AutoThrottle, compression, offsite and auth enabled."""
    cookie = replies.Reply(200, OPEN.encode(), (("Set-Cookie", "robots=1"),))
    site.answer("/robots.txt", cookie)
    site.answer("/flaky", [replies.status(503), replies.html("well")])
    paths = ("/open", "/closed", "/flaky")
    result = crawl(
        [site.url(path, host="a.test") for path in paths],
        settings={
            "RETRY_ENABLED": True,
            "COOKIES_ENABLED": True,
            "AUTOTHROTTLE_ENABLED": True,
            "AUTOTHROTTLE_START_DELAY": 0.01,
            "HTTPAUTH_USER": "u",
            "HTTPAUTH_PASS": SECRET,
            "HTTPAUTH_DOMAIN": "b.test",
        },
        spider_args={"allowed_domains": ["a.test"]} | OLDER_HTTPAUTH,
    )
    cookies = [seen.headers.get("cookie") for seen in site.log()]
    auth = [seen.headers.get("authorization") for seen in site.log()]
    targets = site.targets()

    assert sorted(targets) == ["/flaky", "/flaky", "/open", "/robots.txt"]
    assert cookies == [None] * 4
    assert auth == [None] * 4
    assert [failed.url.partition("test")[2][-7:] for failed in result.failed] == [
        "/closed"
    ]
    assert result.unclean == []


@pytest.mark.parametrize(
    ("middleware", "order", "raised"),
    long_after(
        1,
        [
            ("BrokenRequestMiddleware", 850, "KeyError"),
            ("BrokenResponseMiddleware", 850, "ZeroDivisionError"),
            ("BrokenResponseMiddleware", 50, "ZeroDivisionError"),
            ("DroppingMiddleware", 850, "IgnoreRequest"),
            ("BreakRobots", 850, "ZeroDivisionError"),
        ],
    ),
)
def test_ours_r7_middleware_that_breaks_robots_txt_fails_the_pages_with_its_exception(
    site: Site, reactor: Reactor, middleware: str, order: int, raised: str
) -> None:
    """For three origins one line has the exception, its path and the way out."""
    name = f"{COMPONENTS}.{middleware}"
    site.robots(OPEN)
    pages = [
        site.url(f"/open/{page}", host=f"h{host}.test")
        for page in range(2)
        for host in range(3)
    ]

    result = crawl(
        pages, reactor=reactor, settings={"DOWNLOADER_MIDDLEWARES": {name: order}}
    )

    assert set(site.targets()) <= {"/robots.txt"}
    assert result.failed_urls == sorted(pages)
    ends = {(it.name.rpartition(".")[2], it.verdict) for it in result.failed}
    assert ends == {(raised, None)}
    (line,) = result.lines("] ERROR: ", name)
    assert f"raised {raised} (" in line
    assert "Let it pass requests for /robots.txt" in line
    assert result.lines("WARNING: Could not fetch") == []
    assert result.log.count("Traceback") == (raised != "IgnoreRequest")
    assert "\x1b[31mmine" not in result.log
    assert result.stats["robots1994/local_faults"] >= 3
    assert not [key for key in result.stats if key.startswith("robots1994/outcome/")]


@pytest.mark.parametrize(
    "hook",
    long_after(
        1, ["stop_at_the_first_bytes", "fail_at_the_first_bytes", "stop_all_but_html"]
    ),
)
def test_stopped_robots_txt_download_fails_the_requests(
    site: Site, hook: str, reactor: Reactor
) -> None:
    """R7: the missing part may disallow anything, and the origin is not at fault."""
    site.robots("User-agent: *\n" + "Disallow: /x\n" * 20_000 + "Disallow: /closed\n")
    pages = [site.url("/open"), site.url("/closed")]
    result = crawl(pages, hook=hook, reactor=reactor)

    assert site.targets() == ["/robots.txt"]

    assert {failed.name for failed in result.failed} == {
        "scrapy.exceptions.StopDownload"
    }
    assert result.stats["robots1994/local_faults"] == 1


def test_stopped_download_of_a_complete_file_is_obeyed(site: Site) -> None:
    """A short file arrives completely, by its Content-Length, with the first bytes."""
    site.robots(OPEN)
    pages = [site.url("/open"), site.url("/closed")]
    result = crawl(pages, hook="stop_at_the_first_bytes")

    assert result.fetched_urls == pages[:1]
    assert [failed.verdict is None for failed in result.failed] == [False]


def test_request_returned_by_a_middleware_is_followed(site: Site) -> None:
    """Its response is used as the robots.txt of the origin."""
    site.answer("/robots-file", replies.text(OPEN))
    site.answer("/robots.txt", replies.text("User-agent: *\nDisallow: /\n"))
    pages = [site.url("/open"), site.url("/closed")]
    settings = {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RobotsFromOtherPath": 850}}
    result = crawl(pages, settings=settings)

    assert "/robots-file" in site.targets()

    assert result.fetched_urls == pages[:1]


def test_password_in_a_page_url_is_not_logged(site: Site, tmp_path: Path) -> None:
    """Nor does it appear in exceptions, stats or the report of the comparison.

    Scrapy's own log lines ("Crawled (200) <GET …>") show URLs unchanged.
    """
    report = tmp_path / "report.json"
    page = '<html><meta name="robots" content="noindex, nofollow"></html>'
    # The parsers disagree about it, so the report has its URL.
    site.robots(f"{OPEN}Allow: /closed\n")
    site.answer("/open", replies.html(page))
    with_password = site.url("").replace("http://", f"http://user:{SECRET}@")
    result = crawl(
        [with_password + path for path in ("/open", "/closed")],
        settings={
            "ROBOTS1994_COMPARE": True,
            "ROBOTS1994_COMPARE_REPORT": str(report),
            "ROBOTS1994_PAGES": True,
        },
    )
    robots = site.log("/robots.txt")[0]

    ours = result.lines("[scrapy_robots1994")
    assert "Forbidden by robots.txt" in "".join(ours)
    assert SECRET not in "".join(ours)
    # Scrapy 2.13 fails for the allowed page with a message that contains the password.
    refused = next(each for each in result.failed if each.verdict)
    assert SECRET not in refused.message + str(refused.verdict) + str(result.stats)
    written = report.read_text("utf-8")
    assert "/closed" in written
    assert SECRET not in written
    assert "authorization" not in robots.headers
    assert SECRET not in robots.target + robots.host


OTHER: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RenamingMiddleware": 990},
    "USER_AGENT": "known/1.0",
}
WARNING = (
    "robots.txt is matched by the User-Agent known/1.0, but a downloader middleware"
)


def test_changed_user_agent_is_warned_about_once(site: Site) -> None:
    """For two origins; the warning has both names and the setting to change."""
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
    site: Site, settings: dict[str, Any], headers: dict[str, str]
) -> None:
    """With ROBOTSTXT_USER_AGENT, without another middleware, and with a request header."""
    result = crawl([CrawlRequest(site.url("/"), headers=headers)], settings=settings)

    assert "robots.txt is matched by" not in result.log
