"""Other middlewares and handlers: they change no verdict, and no password leaks."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import default_settings

from tests.crawl.test_closing import unclean
from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

PARTS = "tests.crawl.component_parts"
OPEN = "User-agent: *\nDisallow: /closed\n"
SECRET = "hunter2-of-the-test"  # noqa: S105 (the tests check that it does not leak)

# Scrapy versions without HTTPAUTH settings read these attributes of the spider.
OLDER_HTTPAUTH = (
    {}
    if hasattr(default_settings, "HTTPAUTH_USER")
    else {"http_user": "u", "http_pass": SECRET, "http_auth_domain": "b.test"}
)


def test_other_middlewares_change_no_verdict() -> None:
    """With retry, cookies, AutoThrottle, compression, offsite and auth enabled."""
    cookie = replies.Reply(200, OPEN.encode(), (("Set-Cookie", "robots=1"),))
    with Site() as site:
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
    assert unclean(result.log) == []


@pytest.mark.parametrize("source", ["environment", "meta"])
def test_only_the_proxy_gets_its_password(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HttpProxy sends the credentials to the proxy in a header; they are not logged."""
    with Site() as proxy:
        proxy.robots(OPEN)
        url = proxy.url("").replace("http://", f"http://user:{SECRET}@")
        if source == "environment":
            monkeypatch.setenv("http_proxy", url)
        meta = {"proxy": url} if source == "meta" else {}
        pages = [f"http://far.example/{path}" for path in ("open", "closed")]
        result = crawl([CrawlRequest(page, meta=meta) for page in pages])
        seen = proxy.log()

    credentials = base64.b64encode(f"user:{SECRET}".encode()).decode()
    assert [each.target for each in seen] == ["/robots.txt", "/open"]
    assert {each.headers["proxy-authorization"] for each in seen} == {
        f"Basic {credentials}"
    }
    assert result.fetched_urls == pages[:1]
    assert SECRET not in result.log + str(result.stats) + str(result.failed)


def test_dead_proxy_fails_the_request_without_naming_its_password() -> None:
    """R7: the fault is local, so the request fails with the proxy's error and no verdict."""
    with Site() as site:
        url = site.refused_url("").replace("http://", f"http://user:{SECRET}@")
        result = crawl([CrawlRequest("http://far.example/page", meta={"proxy": url})])

    assert result.fetched == []
    (failed,) = result.failed
    assert failed.verdict is None
    assert "refused" in failed.message
    assert result.stats["robots1994/local_faults"] == 1
    assert not [key for key in result.stats if key.startswith("robots1994/outcome/")]
    assert SECRET not in result.log + str(result.stats) + str(result.failed)


def test_exception_in_a_download_handler_fails_the_request() -> None:
    """R7: no page is requested or refused, and the log has the exception."""
    handlers = {"DOWNLOAD_HANDLERS": {"http": f"{PARTS}.BrokenHandler"}}
    with Site() as site:
        site.robots(OPEN)
        result = crawl([site.url("/open")], settings=handlers)

        assert site.targets() == []

    assert result.fetched == []
    assert "robotstxt/forbidden" not in result.stats
    assert "ZeroDivisionError: a bug" in result.log


@pytest.mark.parametrize("order", [850, 50], ids=["inner", "outer"])
def test_exception_in_a_middleware_fails_the_request(
    order: int,
) -> None:
    """R7: the request fails with the middleware's exception; no policy is stored."""
    middleware = {
        "DOWNLOADER_MIDDLEWARES": {f"{PARTS}.BrokenResponseMiddleware": order}
    }
    with Site() as site:
        site.robots(OPEN)
        result = crawl([site.url("/open")], settings=middleware)

        assert "/open" not in site.targets()

    (failed,) = result.failed
    assert (failed.name, failed.verdict) == ("builtins.ZeroDivisionError", None)
    assert result.stats["robots1994/local_faults"] == 1
    assert not [key for key in result.stats if key.startswith("robots1994/outcome/")]


@pytest.mark.parametrize(
    ("middleware", "raised"),
    [
        ("BrokenResponseMiddleware", "ZeroDivisionError"),
        ("BrokenRequestMiddleware", "KeyError"),
        ("DroppingMiddleware", "IgnoreRequest"),
    ],
)
def test_middleware_that_breaks_robots_txt_is_named_once(
    middleware: str, raised: str
) -> None:
    """For three origins: its exception, its path and the way out, in one line."""
    name = f"{PARTS}.{middleware}"
    with Site() as site:
        site.robots(OPEN)
        urls = [site.url("/open", host=f"h{number}.test") for number in range(3)]
        result = crawl(urls, settings={"DOWNLOADER_MIDDLEWARES": {name: 850}})

    (line,) = [it for it in result.log.split("\n") if "] ERROR: " in it and name in it]
    assert f"raised {raised} (" in line
    assert "Let it pass requests for /robots.txt" in line
    assert "WARNING: Could not fetch" not in result.log


@pytest.mark.parametrize("reactor", reactors())
@pytest.mark.parametrize(
    "hook",
    ["stop_all_but_html", "stop_at_the_first_bytes", "fail_at_the_first_bytes"],
)
def test_stopped_robots_txt_download_fails_the_requests(
    hook: str, reactor: Reactor
) -> None:
    """R7: the missing part may disallow anything, and the origin is not at fault."""
    with Site() as site:
        site.robots(
            "User-agent: *\n" + "Disallow: /x\n" * 20_000 + "Disallow: /closed\n"
        )
        pages = [site.url("/open"), site.url("/closed")]
        result = crawl(pages, hook=f"{PARTS}:{hook}", reactor=reactor)

        assert site.targets() == ["/robots.txt"]

    assert {failed.name for failed in result.failed} == {
        "scrapy.exceptions.StopDownload"
    }
    assert result.stats["robots1994/local_faults"] == 1


def test_stopped_download_of_a_complete_file_is_obeyed() -> None:
    """A short file arrives completely, by its Content-Length, with the first bytes."""
    with Site() as site:
        site.robots(OPEN)
        pages = [site.url("/open"), site.url("/closed")]
        result = crawl(pages, hook=f"{PARTS}:stop_at_the_first_bytes")

    assert result.fetched_urls == pages[:1]
    assert [failed.verdict is None for failed in result.failed] == [False]


def test_request_returned_by_a_middleware_is_followed() -> None:
    """Its response is used as the robots.txt of the origin."""
    with Site() as site:
        site.answer("/robots-file", replies.text(OPEN))
        site.answer("/robots.txt", replies.text("User-agent: *\nDisallow: /\n"))
        pages = [site.url("/open"), site.url("/closed")]
        settings = {"DOWNLOADER_MIDDLEWARES": {f"{PARTS}.RobotsFromOtherPath": 850}}
        result = crawl(pages, settings=settings)

        assert "/robots-file" in site.targets()

    assert result.fetched_urls == pages[:1]


def test_password_in_a_page_url_is_not_logged(tmp_path: Path) -> None:
    """Nor does it appear in exceptions, stats or the report of the comparison.

    Scrapy's own log lines ("Crawled (200) <GET …>") show URLs unchanged.
    """
    report = tmp_path / "report.json"
    page = '<html><meta name="robots" content="noindex, nofollow"></html>'
    with Site() as site:
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

    ours = [line for line in result.log.split("\n") if "[scrapy_robots1994" in line]
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
    "DOWNLOADER_MIDDLEWARES": {f"{PARTS}.RenamingMiddleware": 990},
    "USER_AGENT": "known/1.0",
}
WARNING = (
    "robots.txt is matched by the User-Agent known/1.0, but a downloader middleware"
)


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
