"""The headers and meta of robots.txt requests, names of robots, and unchecked requests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.crawl import COMPONENTS, CrawlRequest, crawl
from tests.support.exemptions import EXAMPLES, Exempt
from tests.support.site import Site

ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0}
OPEN = "User-agent: *\nDisallow:\n"
CLOSED = "User-agent: *\nDisallow: /\n"
SPECIAL = "special/1.0"


def test_robots_txt_request_has_a_timeout_and_meta_of_its_own(site: Site) -> None:
    site.robots(OPEN)
    url = site.url("/page").replace("http://", "http://user:secret@")
    headers = {"Referer": "http://secret.test/", "Cookie": "a=b"}
    meta = {"session": "s1", "bindaddress": "127.0.0.9", "allow_offsite": False}
    settings = {
        "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RecordMeta": 899},
        "ROBOTS1994_TIMEOUT": 7,
        "ROBOTS1994_PROPAGATE_META": ["session", "allow_offsite"],
    }
    result = crawl([CrawlRequest(url, meta, headers)], settings=settings)

    assert result.stats["test/robots_meta"] == {
        "dont_obey_robotstxt": True,
        "allow_offsite": True,
        "download_timeout": 7,
        "is_robotstxt_request": True,
        "dont_redirect": True,
        "dont_retry": True,
        "handle_httpstatus_all": True,
        "download_maxsize": 2**23,
        "autothrottle_dont_adjust_delay": True,
        "callback": "NO_CALLBACK",
        "session": "s1",
    }
    (robots,) = site.log("/robots.txt")
    assert robots.headers.keys().isdisjoint({"cookie", "referer", "authorization"})
    # Ours 3.1: Scrapy would not notice that a compressed file is truncated.
    assert robots.headers["accept-encoding"] == "identity"
    assert robots.peer == "127.0.0.9"


def test_request_with_another_user_agent_is_judged_by_it(site: Site) -> None:
    """The rules of this large file are first compiled for the usual name of the robot."""
    site.robots("User-agent: special\nDisallow: /\n" + "# large\n" * 2_000)
    names = [{}, {}, {"User-Agent": SPECIAL}, {}]
    pages = [CrawlRequest(site.url(f"/{n}"), headers=it) for n, it in enumerate(names)]
    result = crawl(pages, settings=ONE_BY_ONE)

    assert result.failed_urls == [site.url("/2")]
    assert len(result.fetched) == 3


def test_page_without_a_user_agent_is_judged_by_the_usual_name(site: Site) -> None:
    site.robots("User-agent: special\nDisallow: /b\n")
    none: dict[str, Any] = {"User-Agent": None}
    pages = [CrawlRequest(site.url(path), headers=none) for path in ("/a", "/b")]
    result = crawl(pages, settings={"USER_AGENT": SPECIAL})

    assert result.fetched_urls == [site.url("/a")]
    assert result.failed_urls == [site.url("/b")]
    (robots,) = site.log("/robots.txt")
    assert robots.headers["user-agent"] == SPECIAL


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        ({}, {"User-Agent": SPECIAL}),
        ({"DEFAULT_REQUEST_HEADERS": {"user-agent": [SPECIAL], "User-Agent": "x"}}, {}),
        ({"ROBOTSTXT_USER_AGENT": "special"}, {}),
        ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": SPECIAL}}, {}),
        ({"DEFAULT_REQUEST_HEADERS": {"user-agent": [SPECIAL]}}, {}),
        ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": None}, "USER_AGENT": SPECIAL}, {}),
        ({"USER_AGENT": SPECIAL}, {}),
    ],
)
def test_robot_name_comes_from_the_settings_that_scrapy_uses(
    site: Site, settings: dict[str, object], headers: dict[str, str]
) -> None:
    """If DEFAULT_REQUEST_HEADERS contains two spellings of User-Agent, the first counts."""
    site.robots("User-agent: special\nDisallow: /\n\nUser-agent: *\nDisallow:\n")
    result = crawl(
        [CrawlRequest(site.url("/page"), headers=headers)], settings=settings
    )

    if "ROBOTSTXT_USER_AGENT" not in settings:
        assert site.log()[0].headers["user-agent"] == "special/1.0"

    assert result.fetched == []


@pytest.mark.parametrize("exempt", EXAMPLES.values(), ids=lambda it: it.url)
def test_exempt_request_is_sent_and_allows_no_others(
    site: Site, exempt: Exempt
) -> None:
    site.robots(CLOSED)
    url = exempt.url.format(port=site.port)
    result = crawl(
        [
            CrawlRequest(url, exempt.meta, priority=3),
            CrawlRequest(site.url("/1"), priority=2),
            CrawlRequest(url, exempt.meta, priority=1),
            CrawlRequest(site.url("/2")),
        ],
        settings=ONE_BY_ONE | dict(exempt.settings),
    )

    refused = [it.url for it in result.failed if it.verdict is not None]
    assert refused == [site.url("/1"), site.url("/2")]
    assert result.fetched_urls == [url] * 2 * exempt.valid
    sent = [url] * ("{port}" in exempt.url)
    reached = [f"http://{it.host}{it.target}" for it in site.log()]
    assert reached == [*sent, site.url("/robots.txt"), *sent]


@pytest.mark.parametrize("path", ["/robots.txt.bak", "/robots.txt/x", "/a/robots.txt"])
def test_only_robots_txt_itself_is_exempt(site: Site, path: str) -> None:
    """Ours O22."""
    site.robots(CLOSED)
    result = crawl([site.url(path)])

    assert result.failed_urls == [site.url(path)]
    assert site.targets() == ["/robots.txt"]


def test_opt_out_that_is_false_is_none(site: Site) -> None:
    """Without the opt-out, the mark of robots.txt requests (`is_robotstxt_request`) exempts no
    page.
    """
    site.robots(CLOSED)
    metas = [{"dont_obey_robotstxt": value} for value in (True, False, None, 0)]
    metas.append({"is_robotstxt_request": True})
    pages = [CrawlRequest(site.url(f"/{n}"), meta) for n, meta in enumerate(metas)]
    result = crawl(pages)

    assert result.fetched_urls == [site.url("/0")]
    assert len(result.failed) == 4


def test_hosts_and_origins_of_the_setting_are_not_checked(site: Site) -> None:
    """A host is exempt on every port, but an origin only on its own."""
    site.robots(CLOSED)
    exempt = ["API.test", site.url("", host="one.test"), "https://two.test"]
    hosts = ["api.test", "one.test", "two.test", "sub.api.test", "api.test.other.test"]
    result = crawl(
        [site.url("/page", host=host) for host in hosts],
        settings={"ROBOTS1994_EXEMPT": exempt},
    )

    passed = [site.url("/page", host=host) for host in hosts[:2]]
    assert result.fetched_urls == passed
    assert len(result.failed) == 3
    assert not {"api.test", "one.test"} & {it.host for it in site.log("/robots.txt")}
    (line,) = result.lines("robot name")
    named = f"; not checked: api.test, {exempt[1]}, https://two.test"
    assert line.endswith(named)
