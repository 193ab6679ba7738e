"""ROBOTS1994_DRY_RUN: the built-in decides, and differences to ours are logged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request

from scrapy_robots1994.crawl.features.comparison import LEAK
from scrapy_robots1994.crawl.features.dry_run import BuiltInRules
from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Reactor, crawl, reactors
from tests.support.crawler import idle_crawler
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

DRY: dict[str, Any] = {"ROBOTS1994_DRY_RUN": True}
MIXED = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n"


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


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        (replies.status(401), 1),
        (replies.status(403), 1),
        (replies.status(503), 1),
        (replies.reset(), 1),
        (replies.text("User-agent: *\nDisallow: /\n", status=404), -1),
        (replies.text("User-agent: *\nDisallow: /\n", status=403), 0),
    ],
    ids=["401", "403", "503", "reset", "404 with rules", "403 with rules"],
)
def test_status_is_ignored_and_a_failure_allows_as_in_the_built_in(
    reply: replies.Reply, refused: int
) -> None:
    """The built-in parses the body of any status; without a response it allows all."""
    with Site() as site:
        site.answer("/robots.txt", reply)
        result = crawl([site.url("/page")], settings=DRY)
        builtin = crawl([site.url("/page")], middleware="builtin")

    assert result.fetched_urls == builtin.fetched_urls
    assert result.failed_urls == builtin.failed_urls
    assert opened_and_refused(result) == (int(refused < 0), int(refused > 0))


def test_http_and_https_share_one_policy_of_a_host_and_port_for_the_whole_crawl() -> (
    None
):
    """As in the built-in, the first response decides for both, but not for other ports."""
    bodies: dict[Any, bytes | None] = {
        "http": b"User-agent: *\nDisallow: /a",
        "https": b"",
        "newer": b"User-agent: *\nDisallow: /",
        "unknown": None,
    }
    rules = BuiltInRules(idle_crawler(), bodies.__getitem__)

    def allowed(url: str, policy: Any) -> bool | None:
        return rules.allowed(Request(url), policy)

    assert allowed("http://h.test/a", "http") is False
    assert allowed("https://h.test/a", "https") is False
    assert allowed("https://h.test/b", "newer") is True
    assert allowed("https://h.test:8080/a", "https") is True
    assert allowed("http://u.test/a", "unknown") is None
    assert allowed("http://u.test/a", "newer") is False


def test_failed_fetch_allows_a_host_for_the_whole_crawl() -> None:
    """An earlier response takes precedence."""
    rules = BuiltInRules(idle_crawler(), lambda _: b"User-agent: *\nDisallow: /a")
    policy: Any = object()
    known, unknown = Request("http://known.test/a"), Request("http://failed.test/a")

    assert rules.allowed(known, policy) is False
    for request in (known, unknown):
        rules.note_failure(request)

    assert rules.allowed(known, policy) is False
    assert rules.allowed(unknown, policy) is True


def test_dry_run_decides_exactly_as_the_built_in() -> None:
    """The same requests, with and without their own User-Agent, have the same results."""
    robots = (
        "User-agent: *\nDisallow: /all\n\nUser-agent: rover\nDisallow: /rover\n\n"
        "User-agent: tester\nDisallow: /*/t$\nAllow: /x/t\n"
    )
    targets = ["/all", "/rover", "/x/t", "/y/t", "/y/t/z", "/", "/%72over"]
    with Site() as site:
        site.robots(robots)
        requests = [
            CrawlRequest(
                site.url(f"{target}?{number}" if number else target), headers=headers
            )
            for target in targets
            for number, headers in enumerate(({}, {"User-Agent": "rover/2.0"}))
        ]
        one_by_one = {"CONCURRENT_REQUESTS": 1, "USER_AGENT": "tester/1.0"}
        ours = crawl(requests, settings=DRY | one_by_one)
        builtin = crawl(requests, settings=one_by_one, middleware="builtin")

    assert ours.fetched_urls == builtin.fetched_urls
    assert ours.failed_urls == builtin.failed_urls
    assert 0 < len(ours.failed) < len(requests)


@pytest.mark.parametrize("header", [None, ""])
def test_report_uses_the_robot_name_of_the_built_in(
    tmp_path: Path, header: str | None
) -> None:
    """The built-in ignores DEFAULT_REQUEST_HEADERS; stats and report agree on it."""
    report = tmp_path / "report.json"
    settings = {
        "USER_AGENT": "tester/1.0",
        "DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/2.0"},
    }
    with Site() as site:
        site.robots("User-agent: tester\nDisallow: /\n")
        headers = {} if header is None else {"User-Agent": header}
        request = CrawlRequest(site.url("/a"), headers=headers)
        result = crawl(
            [request],
            settings=DRY | settings | {"ROBOTS1994_COMPARE_REPORT": str(report)},
        )
        builtin = crawl([request], settings=settings, middleware="builtin")

    assert result.fetched_urls == builtin.fetched_urls
    number = int(header is None)
    assert opened_and_refused(result) == (number, 0)
    written = json.loads(report.read_text("utf-8"))
    assert written["parsers"]["ProtegoRobotParser"]["stricter"] == number
    shown = "rover/2.0 (for the other parser: tester/1.0)"
    rows = [(it["robot"], it["cause"]) for it in written["disagreements"]]
    assert rows == [(shown, "agent-matching")] * number


def test_our_parser_decides_if_that_of_the_built_in_raises() -> None:
    """A missing decision does not allow the request."""
    raising = "tests.crawl.test_compare.RaisingParser"
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        result = crawl(
            [site.url("/private"), site.url("/open")],
            settings=DRY | {"ROBOTSTXT_PARSER": raising},
        )

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed[0].verdict is not None


class FailingRobots:
    """A downloader middleware with a bug that affects each robots.txt request."""

    def process_request(self, request: Request, spider: object = None) -> None:
        """Raise `TypeError` for a robots.txt."""
        if request.url.endswith("/robots.txt"):
            raise TypeError


@pytest.mark.parametrize("reactor", reactors())
def test_local_fault_allows_as_in_the_built_in(reactor: Reactor) -> None:
    """R7: the built-in allows everything, where ours would fail with the error."""
    middlewares = {"tests.crawl.test_dry_run.FailingRobots": 900}
    with Site() as site:
        pages = [site.url("/1"), site.url("/2")]
        settings = {"DOWNLOADER_MIDDLEWARES": middlewares}
        dry = crawl(pages, settings=DRY | settings, reactor=reactor)
        builtin = crawl(pages, settings=settings, reactor=reactor, middleware="builtin")

    assert dry.fetched_urls == builtin.fetched_urls == pages
    assert summary(dry).startswith("Dry run: of 2 requests ")
    assert opened_and_refused(dry) == (0, 0)


def test_log_names_the_line_of_a_large_file() -> None:
    """The line is found in a thread."""
    lines = "".join(f"Disallow: /{number}/\n" for number in range(20_000))
    with Site() as site:
        site.robots(f"User-agent: *\n{lines}Disallow: /a\nAllow: /a\n")
        result = crawl([site.url("/a")], settings=DRY)

    assert result.fetched_urls == [site.url("/a")]
    assert opened_and_refused(result) == (0, 1)
    assert 'disallowed by line 20002, "Disallow: /a"' in result.log


def test_further_parsers_are_compared_but_do_not_decide(tmp_path: Path) -> None:
    """The parser of the built-in is compared, too; the summary names the report."""
    report = tmp_path / "report.json"
    with Site() as site:
        site.robots(MIXED)
        pages = [site.url("/a/b"), site.url("/x.gif")]
        result = crawl(
            pages,
            settings=DRY
            | {
                "ROBOTS1994_COMPARE": ["PythonRobotParser"],
                "ROBOTS1994_COMPARE_REPORT": str(report),
            },
        )

    assert result.fetched_urls == [pages[0]]
    assert summary(result).endswith(f"; the report is {report}")
    written = report.read_text("utf-8")
    assert LEAK in written
    assert set(json.loads(written)["parsers"]) == {
        "ProtegoRobotParser",
        "PythonRobotParser",
    }


@pytest.mark.parametrize("status", [403, 503])
def test_log_does_not_say_that_requests_are_refused(status: int) -> None:
    """The warnings say what would happen without the dry run."""
    with Site() as site:
        site.answer("/robots.txt", replies.text("x", status=status))
        settings = DRY | {"RETRY_ENABLED": False}
        result = crawl([site.url("/a")], settings=settings)

    assert result.fetched_urls == [site.url("/a")]
    assert "URLs would be refused" in result.log
    assert "URLs are refused" not in result.log


@pytest.mark.parametrize(
    ("settings", "meaning"), [(DRY, "would be refused"), ({}, "are refused")]
)
def test_many_forbidden_origins_are_counted_at_the_close(
    settings: dict[str, Any], meaning: str
) -> None:
    """Only the first twenty have their own warning."""
    hosts = [f"h{number}.test" for number in range(21)]
    with Site() as site:
        site.answer("/robots.txt", replies.text("x", status=403))
        urls = [site.url("/a", host=host) for host in hosts]
        result = crawl(urls, settings=settings)

    assert (
        f"21 origins answered 401 or 403 for robots.txt: all their URLs {meaning};"
        in result.log
    )
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
