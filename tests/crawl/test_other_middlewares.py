"""Other middlewares must not change verdicts, and ours must not block the event loop."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import default_settings

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlRequest, Reactor, crawl
from tests.support.site import Site

OPEN = "User-agent: *\nDisallow: /closed\n"
SECRET = "hunter2-of-the-test"  # noqa: S105 (the tests check that it does not leak)

# Before it had HTTPAUTH settings, Scrapy read attributes of the spider, such as `http_user`.
OLDER_HTTPAUTH = (
    {}
    if hasattr(default_settings, "HTTPAUTH_USER")
    else {"http_user": "u", "http_pass": SECRET, "http_auth_domain": "b.test"}
)


def test_other_middlewares_change_no_verdict(site: Site) -> None:
    cookie = replies.Reply(200, OPEN.encode(), (("Set-Cookie", "robots=1"),))
    site.answer("/robots.txt", cookie)
    site.answer("/flaky", [replies.status(503), replies.html("well")])
    result = crawl(
        [site.url(it, host="a.test") for it in ("/open", "/closed", "/flaky")],
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
    seen = site.log()

    sent = [*["/flaky"] * 2, "/open", "/robots.txt"]
    assert sorted(it.target for it in seen) == sent
    assert not [it for it in seen if "authorization" in it.headers]
    assert {it.headers.get("cookie") for it in seen} == {None, "robots=1"}
    assert result.failed_urls == [site.url("/closed", host="a.test")]
    assert result.unclean == []


@pytest.mark.parametrize(
    ("middleware", "order", "raised"),
    [
        ("BrokenResponseMiddleware", 850, "ZeroDivisionError"),
        ("BrokenResponseMiddleware", 50, "ZeroDivisionError"),
        ("DroppingMiddleware", 850, "IgnoreRequest"),
        ("BreakRobots", 850, "ZeroDivisionError"),
    ],
)
def test_ours_r7_middleware_that_breaks_robots_txt_fails_the_pages_with_its_exception(
    site: Site, reactor: Reactor, middleware: str, order: int, raised: str
) -> None:
    name = f"{COMPONENTS}.{middleware}"
    site.robots(OPEN)
    hosts = [f"h{host}.test" for host in range(3)]
    pages = [site.url(f"/open/{n}", host=host) for n in range(2) for host in hosts]
    settings = {"DOWNLOADER_MIDDLEWARES": {name: order}}
    result = crawl(pages, reactor=reactor, settings=settings)

    assert set(site.targets()) <= {"/robots.txt"}
    assert result.failed_urls == sorted(pages)
    ends = {(it.name.rpartition(".")[2], it.verdict) for it in result.failed}
    assert ends == {(raised, None)}
    lines = result.lines(
        "] WARNING: Could not fetch", f"({raised}: ", f"let {name} pass"
    )
    assert {any(host in it for it in lines) for host in hosts} == {True}
    assert "Traceback" not in "".join(lines)
    assert "\x1b[31mmine" not in result.log
    assert result.stats["robots1994/local_faults"] >= 3
    assert not [key for key in result.stats if key.startswith("robots1994/outcome/")]


@pytest.mark.parametrize("hook", ["stop_at_the_first_bytes", "stop_all_but_html"])
def test_ours_r5_stopped_download_is_incomplete(
    site: Site, hook: str, reactor: Reactor
) -> None:
    """The missing part may disallow any page."""
    site.robots("User-agent: *\n" + "Disallow: /x\n" * 20_000 + "Disallow: /closed\n")
    result = crawl([site.url("/open"), site.url("/closed")], hook=hook, reactor=reactor)

    assert site.targets() == ["/robots.txt"]
    assert result.reasons == ["unreachable"] * 2


@pytest.mark.parametrize(
    ("middleware", "sent"),
    [
        ("AnswerRobots", []),
        ("RobotsFromOtherPath", ["/robots.txt", "/robots-file", "/open"]),
    ],
)
def test_answer_or_request_of_a_middleware_is_obeyed(
    site: Site, middleware: str, sent: list[str]
) -> None:
    """The rules come from the file that the middleware returns or requests."""
    site.answer("/robots-file", replies.text(OPEN))
    settings = {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.{middleware}": 850}}
    result = crawl([site.url("/open"), site.url("/closed")], settings=settings)

    assert site.targets() == sent
    assert set(result.reasons) == {"rule"}


def test_password_in_a_page_url_is_not_logged(site: Site) -> None:
    """Only our log lines are checked, because Scrapy's own contain the password."""
    site.robots(OPEN)
    site.answer("/open", replies.html('<meta name="robots" content="none">'))
    with_password = site.url("").replace("http://", f"http://user:{SECRET}@")
    result = crawl(
        [with_password + path for path in ("/open", "/closed")],
        settings={"ROBOTS1994_PAGES": True},
    )
    robots = site.log("/robots.txt")[0]

    ours = result.lines("[scrapy_robots1994")
    assert "Forbidden by robots.txt" in "".join(ours)
    assert SECRET not in "".join(ours)
    # In Scrapy 2.13, the allowed page fails too, and Scrapy's message contains the password.
    refused = next(each for each in result.failed if each.verdict)
    assert SECRET not in refused.message + str(refused.verdict) + str(result.stats)
    assert "authorization" not in robots.headers
    assert SECRET not in robots.target + robots.host


KNOWN = {"USER_AGENT": "known/1.0"}
OTHER = KNOWN | {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RenamingMiddleware": 990}}


@pytest.mark.parametrize(
    ("settings", "headers", "warnings"),
    [
        (OTHER, {}, 1),
        (OTHER | {"ROBOTSTXT_USER_AGENT": "known"}, {}, 0),
        (KNOWN, {}, 0),
        (KNOWN, {"User-Agent": "own/3.0"}, 0),
        ({"USER_AGENT": ""}, {}, 0),
    ],
    ids=["renamed", "exact", "unchanged", "own", "none"],
)
def test_changed_user_agent_is_warned_about_once(
    site: Site, settings: dict[str, Any], headers: dict[str, str], warnings: int
) -> None:
    urls = [site.url("/", host=host) for host in ("a.test", "b.test")]
    result = crawl(
        [CrawlRequest(it, headers=headers) for it in urls], settings=settings
    )

    assert len(result.fetched) == 2
    lines = result.lines("robots.txt is matched by the User-Agent known/1.0, but")
    assert len(lines) == result.log.count("robots.txt is matched by") == warnings
    assert all("other/2.0: set ROBOTSTXT_USER_AGENT" in line for line in lines)


FIRST = b"User-agent: *\nDisallow: /first\n"


def test_requests_that_wait_for_a_large_file_are_decided_one_after_the_other(
    site: Site, reactor: Reactor
) -> None:
    """Ours O28: matching many wildcards can take milliseconds, so each turn of the event loop makes
    only one decision.
    """
    many = b"".join(b"Disallow: /*%d/\n" % number for number in range(1_000))
    site.robots(FIRST + many)
    urls = [site.url(f"/page{number}") for number in range(8)]
    settings = {"ROBOTS1994_DIALECT": "rfc9309"}

    result = crawl(urls, reactor=reactor, settings=settings, hook="count_decisions")

    assert result.fetched_urls == sorted(urls)
    # The hook resets its count late, so the count may include the first decision of the next turn.
    assert result.stats["test/decisions_in_a_turn"] <= 2


def test_large_files_are_read_one_after_the_other(site: Site, reactor: Reactor) -> None:
    many = b"".join(b"Disallow: /%d/\n" % number for number in range(1_000))
    site.robots(FIRST + many)
    # The files differ, because identical files are parsed only once.
    for number in range(6):
        site.robots(FIRST + many + b"#" * number, at=f"h{number}.test")
    urls = [site.url("/page", host=f"h{number}.test") for number in range(6)]

    result = crawl(urls, reactor=reactor, hook="count_readings")

    assert result.fetched_urls == sorted(urls)
    assert result.stats["test/readings"] == 6
    assert result.stats["test/readings_at_once"] == 1
    assert result.stats["test/readings_on_the_loop"] == 0
