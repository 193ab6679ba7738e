"""ROBOTS1994_DRY_RUN: the built-in decides, and differences to ours are logged."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Reactor, crawl, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy import Request

    from tests.support.crawl import Middleware

DRY: dict[str, Any] = {"ROBOTS1994_DRY_RUN": True}
MIXED = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n"
XFAIL = pytest.mark.xfail(
    strict=True, reason="the dry run: Scrapy's own middleware decides, in its place"
)


def summary(result: CrawlResult) -> str:
    """Return the summary line at the close."""
    (line,) = [it for it in result.log.split("\n") if "] INFO: Dry run: of " in it]
    return line.partition("] INFO: ")[2]


def opened_and_refused(result: CrawlResult) -> tuple[int, int]:
    """Return the numbers of requests that ours would open and refuse."""
    return (
        result.stats.get("robots1994/would_open", 0),
        result.stats.get("robots1994/would_refuse", 0),
    )


@pytest.mark.parametrize("reactor", reactors())
def test_built_in_decides_and_the_log_says_what_would_change(
    reactor: Reactor,
) -> None:
    """Protego decides; ours would open two requests and refuse one."""
    with Site() as site:
        site.robots(MIXED)
        pages = {path: site.url(path) for path in ("/a/b", "/a/c", "/x.gif", "/y")}
        other = site.url("/x.gif", host="other.test")
        result = crawl([*pages.values(), other], settings=DRY, reactor=reactor)

        assert site.targets().count("/robots.txt") == 2
        assert {"/a/c", "/x.gif"}.isdisjoint(site.targets())

    assert result.fetched_urls == [pages["/a/b"], pages["/y"]]
    assert {failed.name for failed in result.failed} == {
        "scrapy.exceptions.IgnoreRequest"
    }
    assert result.failed_urls == sorted([pages["/a/c"], pages["/x.gif"], other])
    assert result.stats["robotstxt/forbidden"] == 3
    assert opened_and_refused(result) == (2, 1)
    why = 'disallowed by line 2, "Disallow: /a", of the record for "*" (line 1)'
    assert f"Dry run: ours would refuse <GET {pages['/a/b']}>: {why}" in result.log
    assert f"<GET {other}>: ours would allow it" in result.log
    assert f"<GET {pages['/a/c']}>: as ours would" in result.log
    assert summary(result) == (
        "Dry run: of 5 requests that the built-in's rules decided, ours would open 2 at "
        "2 sites and refuse 1 at 1 site; ROBOTS1994_COMPARE_REPORT writes a report of "
        "it"
    )


class RaisingParser:
    """A custom parser that raises for every question."""

    @classmethod
    def from_crawler(cls, *_: object) -> RaisingParser:
        """Accept any file."""
        return cls()

    def allowed(self, url: str, user_agent: str) -> bool:
        """Fail."""
        raise LookupError(url)


class FailingRobots:
    """A downloader middleware with a bug that affects each robots.txt request."""

    def process_request(self, request: Request, spider: object = None) -> None:
        """Raise `TypeError` for a robots.txt."""
        if request.url.endswith("/robots.txt"):
            raise TypeError


@dataclass(frozen=True, slots=True)
class Situation:
    """A robots.txt, and the requests and settings of a crawl.

    What ours would decide cannot be counted where it *is_unknown*.
    """

    robots: replies.Reply
    targets: Sequence[str] = ("/page", "/a", "/end")
    settings: dict[str, Any] = field(default_factory=dict)
    headers: Sequence[dict[str, str]] = ({},)
    is_unknown: bool = False

    def crawl(
        self, middleware: Middleware, settings: dict[str, Any]
    ) -> tuple[CrawlResult, list[str]]:
        """Crawl one by one; return the result and the targets that the server saw."""
        with Site() as site:
            site.answer("/robots.txt", self.robots)
            site.answer("/nofollow", replies.html(NOFOLLOW))
            result = crawl(
                [
                    CrawlRequest(site.url(f"{target}?{number}"), headers=headers)
                    for target in self.targets
                    for number, headers in enumerate(self.headers)
                ],
                middleware=middleware,
                settings={"CONCURRENT_REQUESTS": 1} | self.settings | settings,
                spider_args={"follow": True},
            )
            return result, site.targets()


NOFOLLOW = '<meta name="robots" content="nofollow"><a href="/followed">x</a>'
BY_NAME = replies.text(
    "User-agent: *\nDisallow: /all\n\nUser-agent: rover\nDisallow: /rover\n\n"
    "User-agent: tester\nDisallow: /*/t$\nAllow: /x/t\n"
)
LARGE = replies.text("User-agent: *\n" + "# much\n" * 430_000 + "Disallow: /end\n")
SITUATIONS = {
    "401": Situation(replies.status(401)),
    "403": Situation(replies.status(403)),
    "503": Situation(replies.status(503)),
    "reset": Situation(replies.reset()),
    "404 with rules": Situation(replies.text("User-agent: *\nDisallow: /\n", 404)),
    "403 with rules": Situation(replies.text("User-agent: *\nDisallow: /\n", 403)),
    "names": Situation(
        BY_NAME,
        ("/all", "/rover", "/x/t", "/y/t", "/y/t/z", "/", "/%72over"),
        {"USER_AGENT": "tester/1.0"},
        ({}, {"User-Agent": "rover/2.0"}),
    ),
    "broken middleware": Situation(
        replies.text(MIXED),
        settings={
            "DOWNLOADER_MIDDLEWARES": {"tests.crawl.test_dry_run.FailingRobots": 900}
        },
    ),
}
DIFFERENT = {
    "3 MB": Situation(LARGE),
    "loop": Situation(replies.redirect("/robots.txt"), is_unknown=True),
    "raising parser": Situation(
        replies.text(MIXED),
        settings={"ROBOTSTXT_PARSER": "tests.crawl.test_dry_run.RaisingParser"},
        is_unknown=True,
    ),
    "pages": Situation(replies.text(MIXED), ("/nofollow",), {"ROBOTS1994_PAGES": True}),
}


def paths(urls: list[str]) -> list[str]:
    """Return *urls* without their host, as ports are random; sorted."""
    return sorted(url.split("/", 3)[3] for url in urls)


def assert_dry_run_changes_nothing(situation: Situation) -> None:
    """Compare requests and refusals with the built-in's, and the counts with ours."""
    dry, sent = situation.crawl("ours", DRY)
    builtin, expected = situation.crawl("builtin", {})
    ours, _ = situation.crawl("ours", {})

    assert sorted(sent) == sorted(expected)
    assert paths(dry.fetched_urls) == paths(builtin.fetched_urls)
    assert paths(dry.failed_urls) == paths(builtin.failed_urls)
    fetched = set(paths(builtin.fetched_urls))
    opened = set(paths(ours.fetched_urls)) - fetched
    refused = {*paths([it.url for it in ours.failed if it.verdict])} & fetched
    counts = len(opened), len(refused)
    assert situation.is_unknown or opened_and_refused(dry) == counts


@pytest.mark.parametrize("name", SITUATIONS)
def test_dry_run_changes_no_request(name: str) -> None:
    """The server sees what the built-in sends; the counts are those of a real crawl."""
    assert_dry_run_changes_nothing(SITUATIONS[name])


@XFAIL
@pytest.mark.parametrize("name", DIFFERENT)
def test_dry_run_changes_no_request_here_either(name: str) -> None:
    """A large file, a loop, a parser that raises, and features beyond 1994."""
    assert_dry_run_changes_nothing(DIFFERENT[name])


@XFAIL
def test_store_decides_nothing_in_a_dry_run(tmp_path: Path) -> None:
    """An answer of an earlier crawl refuses the page, the one of today does not."""
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    with Site() as site:
        refusing = replies.text("User-agent: *\nDisallow: /\n")
        site.answer("/robots.txt", [refusing, replies.text("")])
        crawl([site.url("/page")], settings=store)
        result = crawl([site.url("/page")], settings=store | DRY)

        assert site.targets() == ["/robots.txt", "/robots.txt", "/page"]

    assert opened_and_refused(result) == (0, 0)


@pytest.mark.parametrize("header", [None, ""])
def test_report_uses_the_robot_name_of_the_built_in(
    tmp_path: Path, header: str | None
) -> None:
    """The built-in ignores DEFAULT_REQUEST_HEADERS; stats and report agree on it.

    Further parsers are compared, and do not decide; the summary names the report.
    """
    report = tmp_path / "report.json"
    settings = {
        "USER_AGENT": "tester/1.0",
        "DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/2.0"},
    }
    compared = {
        "ROBOTS1994_COMPARE": ["PythonRobotParser"],
        "ROBOTS1994_COMPARE_REPORT": str(report),
    }
    with Site() as site:
        site.robots("User-agent: tester\nDisallow: /\n")
        headers = {} if header is None else {"User-Agent": header}
        request = CrawlRequest(site.url("/a"), headers=headers)
        result = crawl([request], settings=DRY | settings | compared)
        builtin = crawl([request], settings=settings, middleware="builtin")

    assert result.fetched_urls == builtin.fetched_urls
    number = int(header is None)
    assert opened_and_refused(result) == (number, 0)
    assert summary(result).endswith(f"; the report is {report}")
    written = json.loads(report.read_text("utf-8"))
    assert set(written["parsers"]) == {"ProtegoRobotParser", "PythonRobotParser"}
    assert written["parsers"]["ProtegoRobotParser"]["stricter"] == number
    shown = "rover/2.0 (for the other parser: tester/1.0)"
    rows = [
        (it["robot"], it["cause"])
        for it in written["disagreements"]
        if it["parser"] == "ProtegoRobotParser"
    ]
    assert rows == [(shown, "agent-matching")] * number


@pytest.mark.parametrize(
    ("settings", "meaning"), [(DRY, "would be refused"), ({}, "are refused")]
)
def test_log_says_whether_forbidden_origins_are_refused(
    settings: dict[str, Any], meaning: str
) -> None:
    """Only the first twenty have their own warning; the others are counted."""
    hosts = [f"h{number}.test" for number in range(21)]
    with Site() as site:
        site.answer("/robots.txt", replies.text("x", status=403))
        urls = [site.url("/a", host=host) for host in hosts]
        result = crawl(urls, settings=settings)

    counted = "21 origins answered 401 or 403 for robots.txt: all their URLs"
    assert f"{counted} {meaning};" in result.log
    assert result.log.count(f"all its URLs {meaning}") == 21


def test_invalid_parser_of_the_built_in_stops_the_crawl_at_the_start() -> None:
    """The error names the setting, and no request is sent."""
    with Site() as site:
        result = crawl(
            [site.url("/page")], settings=DRY | {"ROBOTSTXT_PARSER": "no.such.Parser"}
        )

        assert site.targets() == []

    assert "ROBOTSTXT_PARSER: no.such.Parser is not a parser" in result.error
    assert "; write the path of a class, for example scrapy." in result.error
