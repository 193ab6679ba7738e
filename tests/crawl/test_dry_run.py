"""Tests of ROBOTS1994_DRY_RUN.

In a dry run, the built-in middleware decides. The log reports the decisions that our
middleware would change.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlRequest, CrawlResult, Reactor, crawl
from tests.support.left_out import table
from tests.support.replies import Reply
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from tests.support.crawl import Middleware

DRY: dict[str, Any] = {"ROBOTS1994_DRY_RUN": True}
MIXED = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n"
FILE = replies.text(MIXED)
CLOSED = replies.text("User-agent: *\nDisallow: /\n")
RECOVERING = [replies.status(503), FILE]
BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scrapy_robots1994.Robots1994Middleware"
BY_HAND: dict[str, Any] = {
    "ADDONS": {},
    "DOWNLOADER_MIDDLEWARES": {BUILT_IN: None, OURS: 100},
}
IN_FRONT = {"DOWNLOADER_MIDDLEWARES": {OURS: 50}}


def summary(result: CrawlResult) -> str:
    """Return the summary of the dry run. The summary is logged when the crawl closes."""
    (line,) = result.lines("] INFO: Dry run: the rules of ")
    return line.partition("] INFO: ")[2]


def opened_and_refused(result: CrawlResult) -> tuple[int, int]:
    """Return how many requests our middleware would open, and how many it would refuse."""
    return (
        result.stats.get("robots1994/would_open", 0),
        result.stats.get("robots1994/would_refuse", 0),
    )


@table("listed", {}, BY_HAND, IN_FRONT, short=3, ids=["add-on", "by hand", "beside"])
def test_built_in_decides_and_the_log_says_what_would_change(
    site: Site, reactor: Reactor, listed: dict[str, Any]
) -> None:
    """In a dry run, Protego decides; the log says that our middleware would change 3 decisions.

    Our middleware is enabled by the add-on, by hand, or by both.
    """
    site.robots(MIXED)
    pages = {path: site.url(path) for path in ("/a/b", "/a/c", "/x.gif", "/y")}
    other = site.url("/x.gif", host="other.test")
    result = crawl(
        [*pages.values(), other],
        settings=DRY | listed | {"CONCURRENT_REQUESTS": 1},
        reactor=reactor,
    )

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
    assert (
        f"Dry run: our middleware would refuse <GET {pages['/a/b']}>: {why}"
        in result.log
    )
    assert f"<GET {other}>: our middleware would allow the request" in result.log
    assert f"<GET {pages['/a/c']}>: our middleware would also refuse" in result.log
    assert summary(result) == (
        "Dry run: the rules of the built-in middleware decided about 5 requests; our "
        "middleware would allow 2 of those refused, and refuse 1 of those allowed; set "
        "ROBOTS1994_COMPARE_REPORT to write a report"
    )


@dataclass(frozen=True, slots=True)
class Situation:
    """A robots.txt, and the requests and settings of crawls.

    *runs* is the number of crawls. *unknown* is the number of requests for which a dry run
    cannot find the decision of our middleware. If *unknown* is -1, the test does not
    compare decisions.
    """

    robots: Reply | Sequence[Reply] | Callable[[Site], Reply] = FILE
    targets: Sequence[str] = ("/page", "/a", "/a/b", "/end", "/x.gif")
    settings: Mapping[str, Any] = field(default_factory=dict)
    headers: Sequence[Mapping[str, str]] = ({},)
    meta: Mapping[str, Any] = field(default_factory=dict)
    hosts: Sequence[str] = ("one.test",)
    allowed: Sequence[str] = ()
    runs: int = 1
    unknown: int = 0

    def crawl(
        self, middleware: Middleware, settings: dict[str, Any]
    ) -> tuple[CrawlResult, list[str]]:
        """Run the crawls. Return the result of the last crawl, and all requests that the
        server received.
        """
        with Site() as site, TemporaryDirectory() as folder:
            robots = self.robots(site) if callable(self.robots) else self.robots
            site.answer("/robots.txt", robots)
            site.answer("/nofollow", replies.html(NOFOLLOW))
            meta = {"proxy": site.url("")} if "proxy" in self.meta else self.meta
            requests = [
                CrawlRequest(site.url(target, host=host), meta, headers)
                for host in self.hosts
                for target in self.targets
                for headers in self.headers
            ]
            always = {"CONCURRENT_REQUESTS": 1, "HTTPCACHE_DIR": folder}
            args = {"follow": True, "allowed_domains": self.allowed}
            for _ in range(self.runs):
                result = crawl(
                    requests,
                    middleware=middleware,
                    settings=always | dict(self.settings) | settings,
                    spider_args=args,
                )
            seen = [
                f"{it.method} {it.host.partition(':')[0]}{it.target} "
                f"{it.headers.get('user-agent')}"
                for it in site.log()
            ]
            return result, seen


NOFOLLOW = '<meta name="robots" content="nofollow"><a href="/followed">x</a>'
REFRESH = '<meta http-equiv="refresh" content="0; url=/other.txt">'
BY_NAME = replies.text(
    "User-agent: *\nDisallow: /all\n\nUser-agent: rover\nDisallow: /rover\n\n"
    "User-agent: tester\nDisallow: /*/t$\nAllow: /x/t\n"
)
LARGE = replies.text("User-agent: *\n" + "# much\n" * 430_000 + "Disallow: /end\n")
PACKED = (("Content-Encoding", "gzip"),)
RETRYING = {"RETRY_ENABLED": True, "RETRY_TIMES": 1}
SHORT = {"DOWNLOAD_TIMEOUT": 3, "ROBOTS1994_TIMEOUT": 3}
CACHED = {"HTTPCACHE_ENABLED": True}


def elsewhere(site: Site) -> Reply:
    """Return a redirect to the robots.txt of another host, and script this robots.txt."""
    site.answer("/robots.txt", replies.text(MIXED), at="elsewhere.test")
    return replies.redirect(site.url("/robots.txt", host="elsewhere.test"))


def refreshed(site: Site) -> Reply:
    """Return an HTML page with a meta refresh, and script the target of the refresh."""
    site.answer("/other.txt", CLOSED)
    return replies.html(f"<html><head>{REFRESH}</head></html>")


def gated(site: Site) -> Reply:
    """Script a robots.txt that is not sent until the last page of another host is requested."""
    site.robots(MIXED, at="one.test", gate="all")
    site.robots("", at="two.test")
    site.open_when("all", "/end", host="two.test")
    return FILE


SITUATIONS = {
    "401": Situation(replies.status(401)),
    "403": Situation(replies.status(403)),
    "503": Situation(replies.status(503)),
    "reset": Situation(replies.reset()),
    "silent": Situation(replies.black_hole(), ("/a",), settings=SHORT),
    "404 with rules": Situation(replace(CLOSED, status=404)),
    "403 with rules": Situation(replace(CLOSED, status=403)),
    "503, retried": Situation(replies.status(503), settings=RETRYING),
    "reset, retried": Situation(replies.reset(), settings=RETRYING),
    "503 once": Situation(RECOVERING, settings=RETRYING),
    "425, which only ours retries": Situation(
        replies.status(425), settings=RETRYING, unknown=5
    ),
    "names": Situation(
        BY_NAME,
        ("/all", "/rover", "/x/t", "/y/t", "/y/t/z", "/", "/%72over"),
        {"USER_AGENT": "tester/1.0"},
        ({}, {"User-Agent": "rover/2.0"}),
    ),
    "name by default": Situation(
        BY_NAME,
        ("/all", "/rover", "/x/t"),
        {"DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/1.0"}},
    ),
    "broken middleware": Situation(
        settings={
            "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.BrokenRequestMiddleware": 900}
        },
        unknown=5,
    ),
    "3 MB": Situation(LARGE),
    "no line ends within the limit": Situation(replies.text("#" * 600_000)),
    "404 over the limit": Situation(replies.text("#" * 600_000, 404)),
    "packed": Situation(Reply(body=gzip.compress(MIXED.encode()), headers=PACKED)),
    "broken off": Situation(replies.truncated(MIXED.encode(), 1_000)),
    "broken off, and good enough for Scrapy": Situation(
        replies.truncated(MIXED.encode(), 1_000),
        settings={"DOWNLOAD_FAIL_ON_DATALOSS": False},
        unknown=5,
    ),
    "not unpacked": Situation(
        replies.status(200, b"\x1f\x9d\x90", Content_Encoding="compress"), unknown=5
    ),
    "407": Situation(replies.status(407), unknown=5),
    "later than ours waits": Situation(
        Reply(body=MIXED.encode(), delay=1.5),
        settings={"ROBOTS1994_TIMEOUT": 0.5},
        unknown=5,
    ),
    "loop": Situation(replies.redirect("/robots.txt"), unknown=5),
    "redirect": Situation(elsewhere, hosts=("one.test", "elsewhere.test")),
    "redirect off site": Situation(elsewhere, allowed=("one.test",), unknown=5),
    "redirect not followed": Situation(
        elsewhere, settings={"REDIRECT_ENABLED": False}, unknown=5
    ),
    "more redirects than ours follows": Situation(
        elsewhere, settings={"ROBOTS1994_MAX_REDIRECTS": 0}
    ),
    "meta refresh": Situation(refreshed, unknown=5),
    "raising parser": Situation(
        settings={"ROBOTSTXT_PARSER": f"{COMPONENTS}.RaisingParser"}, unknown=-1
    ),
    # Scrapy cannot request the robots.txt of the last host. Therefore, the built-in
    # middleware checks no request for this host.
    "spellings": Situation(hosts=("one.test", "ONE.test", "one.test.", "a:b@one.test")),
    "proxy of the page": Situation(
        meta={"proxy": ""}, hosts=("one.invalid",), unknown=5
    ),
    # The rules of a file are the same with and without a proxy, so every decision is
    # known.
    "file, and proxy of the page": Situation(meta={"proxy": ""}),
    "opted out": Situation(CLOSED, meta={"dont_obey_robotstxt": True}),
    "robots.txt as a page": Situation(CLOSED, ("/robots.txt", "/page")),
    "cached": Situation(settings=CACHED, runs=2),
    "cached failure": Situation(
        RECOVERING,
        settings=CACHED | {"HTTPCACHE_IGNORE_HTTP_CODES": []},
        runs=2,
        unknown=5,
    ),
    "changed": Situation([FILE, CLOSED], hosts=("one.test", "one.test.")),
    "requests that wait": Situation(
        gated,
        hosts=("one.test", "two.test"),
        settings={"CONCURRENT_REQUESTS": 16},
    ),
    "pages": Situation(targets=("/nofollow",), settings={"ROBOTS1994_PAGES": True}),
    "subclass": Situation(
        settings={
            "DOWNLOADER_MIDDLEWARES": {
                BUILT_IN: None,
                f"{COMPONENTS}.OwnMiddleware": 100,
            }
        },
        unknown=-1,
    ),
}

SHORT_ROWS = {
    *("403", "404 with rules", "names", "loop", "requests that wait", "cached"),
    "later than ours waits",
}
ROWS = [
    *((name, {}) for name in sorted(SITUATIONS, key=lambda it: it not in SHORT_ROWS)),
    *(
        (name, BY_HAND)
        for name in ("names", "401", "3 MB", "loop", "requests that wait")
    ),
]


def without_ports(texts: Iterable[str]) -> list[str]:
    """Return the sorted *texts* without the random ports of URLs."""
    return sorted(re.sub(r":\d+/", "/", text) for text in texts)


def refusals(result: CrawlResult) -> Counter[str]:
    """Return the URLs that robots.txt refused, with the number of refusals of each URL."""
    said = "Forbidden by robots.txt"
    refused = [it.url for it in result.failed if it.message.startswith(said)]
    return Counter(without_ports(refused))


def failures(result: CrawlResult) -> list[str]:
    """Return the exception class and the message of each failed request."""
    return without_ports(f"{it.name}: {it.message}" for it in result.failed)


@table(("name", "listed"), *ROWS, short=len(SHORT_ROWS))
def test_dry_run_changes_no_request(
    name: str, listed: dict[str, Any], tmp_path: Path
) -> None:
    """In a dry run, the server receives the requests that the built-in middleware sends.

    The dry run counts exactly the decisions that differ between two real crawls.
    """
    situation, report = SITUATIONS[name], tmp_path / "report.json"
    settings = DRY | listed | {"ROBOTS1994_COMPARE_REPORT": str(report)}
    dry, sent = situation.crawl("ours", settings)
    builtin, expected = situation.crawl("builtin", {})

    assert sorted(sent) == sorted(expected)
    assert without_ports(dry.fetched_urls) == without_ports(builtin.fetched_urls)
    assert failures(dry) == failures(builtin)
    for key in builtin.stats:
        if key.startswith("robotstxt/"):
            assert dry.stats[key] == builtin.stats[key]
    if situation.unknown < 0:
        return
    ours, _ = situation.crawl("ours", {})
    opened = refusals(builtin) - refusals(ours)
    refused = refusals(ours) - refusals(builtin)
    counts = opened.total(), refused.total()
    assert opened_and_refused(dry) == ((0, 0) if situation.unknown else counts)
    assert dry.stats.get("robots1994/not_known", 0) == situation.unknown
    assert ("is not known for" in summary(dry)) is (situation.unknown > 0)
    parsers = json.loads(report.read_text("utf-8"))["parsers"]
    written = parsers.get("ProtegoRobotParser", {})
    rows = written.get("stricter", 0), written.get("laxer", 0)
    assert rows == opened_and_refused(dry)


def test_ours_in_front_of_scrapys_own_says_where_to_list_it() -> None:
    """If our middleware is listed in front of the built-in middleware, the log says
    where to list our middleware.

    In front of the built-in middleware, our middleware cannot see the built-in decisions.
    The crawl sends the requests that the built-in middleware alone would send.
    """
    dry, sent = Situation().crawl("ours", DRY | IN_FRONT | {"ADDONS": {}})
    _, expected = Situation().crawl("builtin", {})

    assert sent == expected
    assert "list it behind, or in its place" in dry.log


@table(
    ("settings", "why"),
    ({"ROBOTSTXT_OBEY": False}, "ROBOTSTXT_OBEY is False"),
    ({"ROBOTSTXT_OBEY": False} | BY_HAND, "ROBOTSTXT_OBEY is False"),
    ({"DOWNLOADER_MIDDLEWARES": {BUILT_IN: None}}, "the built-in is switched off"),
    ids=["off", "off, by hand", "no middleware"],
)
def test_dry_run_obeys_nothing_where_nothing_was_obeyed(
    settings: dict[str, Any], why: str
) -> None:
    """If a crawl does not obey robots.txt, a dry run is disabled, and the log says why."""
    dry, sent = Situation().crawl("ours", DRY | settings)

    assert not [it for it in sent if "/robots.txt" in it]
    assert len(dry.fetched) == 5
    said = f"Dry run disabled: {why}, so robots.txt is not obeyed in this crawl; set "
    assert said in dry.log


def test_store_is_neither_read_nor_written_in_a_dry_run(
    site: Site, tmp_path: Path
) -> None:
    """A dry run uses the current robots.txt, and does not change the store.

    The robots.txt in the store disallows the page, but the current robots.txt does not.
    """
    file = tmp_path / "robots.db"
    store = {"ROBOTS1994_STORE": f"sqlite:///{file}"}
    site.answer("/robots.txt", [CLOSED, replies.text("")])
    crawl([site.url("/page")], settings=store)
    stored = file.read_bytes()
    result = crawl([site.url("/page")], settings=store | DRY)

    assert site.targets() == ["/robots.txt", "/robots.txt", "/page"]
    assert opened_and_refused(result) == (0, 0)
    assert file.read_bytes() == stored


def test_what_goes_beyond_1994_does_nothing_in_a_dry_run(site: Site) -> None:
    """In a dry run, crawl delays and page directives have no effect, and the sitemap signal
    is not sent.

    If the Crawl-delay of 100 s applied, three pages would take longer than the time limit
    of tests.
    """
    beyond = {
        "ROBOTS1994_DIALECT": "extended",
        "ROBOTS1994_CRAWL_DELAY": True,
        "ROBOTS1994_PAGES": True,
        "SPIDER_MIDDLEWARES": {"scrapy_robots1994.RobotsPages": 5},
    }
    file = "Sitemap: /map.xml\nUser-agent: *\nCrawl-delay: 100\nDisallow: /no\n"
    site.robots(file)
    site.answer("/1", replies.html(NOFOLLOW))
    result = crawl(
        [site.url(path) for path in ("/1", "/2", "/3")],
        settings=DRY | beyond,
        spider_args={"follow": True},
        hook="note_sitemaps",
    )

    assert sorted(site.targets()) == ["/1", "/2", "/3", "/followed", "/robots.txt"]
    assert "test/sitemaps" not in result.stats
    assert result.log.count("ROBOTS1994_DRY_RUN changes nothing") == 2


def test_report_uses_the_robot_name_of_the_built_in(site: Site, tmp_path: Path) -> None:
    """For Protego, the comparison report uses the robot name of the built-in middleware.

    The built-in middleware ignores DEFAULT_REQUEST_HEADERS. The report also compares the
    parsers in ROBOTS1994_COMPARE.
    """
    report = tmp_path / "report.json"
    settings = {
        "USER_AGENT": "tester/1.0",
        "DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/2.0"},
        "ROBOTS1994_COMPARE": ["PythonRobotParser"],
        "ROBOTS1994_COMPARE_REPORT": str(report),
    }
    site.robots("User-agent: tester\nDisallow: /\n")
    result = crawl([site.url("/a")], settings=DRY | settings)

    assert opened_and_refused(result) == (1, 0)
    assert summary(result).endswith(f"; the report is {report}")
    written = json.loads(report.read_text("utf-8"))
    assert set(written["parsers"]) == {"ProtegoRobotParser", "PythonRobotParser"}
    assert written["parsers"]["ProtegoRobotParser"]["stricter"] == 1
    rows = [
        (it["robot"], it["cause"])
        for it in written["disagreements"]
        if it["parser"] == "ProtegoRobotParser"
    ]
    shown = "rover/2.0 (for the other parser: tester/1.0)"
    assert rows == [(shown, "agent-matching")]
