"""Log messages at the start of a crawl, during the crawl, and at its close."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import scrapy

from scrapy_robots1994 import __version__
from tests.support import replies
from tests.support.crawl import (
    COMPONENTS,
    CrawlRequest,
    Reactor,
    crawl,
    start_crawl,
)
from tests.support.project import CLOSED
from tests.support.replies import Reply
from tests.support.site import Site

ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0}
CLOSING = {"ROBOTS1994_CLOSE_WHEN_DENIED": True}
NOTHING = "refused every start request"


def test_one_line_at_the_start_shows_the_settings(site: Site) -> None:
    site.robots(CLOSED)
    result = crawl(
        [site.url("/")],
        settings={
            "ROBOTS1994_DIALECT": "extended",
            "USER_AGENT": "rover/1.0\x1b",
        },
    )

    (line,) = result.lines("robot name")
    assert line.split("[scrapy_robots1994] ")[1] == (
        f"INFO: scrapy_robots1994 {__version__}: dialect extended, "
        "robot name rover/1.0\\x1b, store memory://"
    )
    assert f"[<scrapy_robots1994.Addon {__version__}>]" in result.log
    assert 'DEBUG: names read from the User-Agent header: "rover"' in result.log
    assert "robots.txt refused" not in result.log
    assert [key for key in result.stats if "refus" in key] == []


@pytest.mark.parametrize(
    ("settings", "is_said"),
    [
        ({"USER_AGENT": f"Scrapy/{scrapy.__version__} (+https://scrapy.org)"}, True),
        ({"USER_AGENT": "Mozilla/5.0 (X11; Linux)"}, False),
        ({"ROBOTSTXT_USER_AGENT": "rover"}, False),
    ],
    ids=["default", "browser", "for robots.txt"],
)
def test_default_name_of_scrapy_is_said_once(
    site: Site, settings: dict[str, Any], is_said: bool
) -> None:
    """Many sites disallow everything for this name only."""
    result = crawl([site.url("/")], settings=settings)

    assert result.log.count("Scrapy's default name") == is_said
    is_browser = "Mozilla" in settings.get("USER_AGENT", "")
    assert ("INFO: the User-Agent header names no robot" in result.log) is is_browser


@pytest.mark.parametrize(
    ("robots", "dialect", "said"),
    [
        ("Disallow: /*.pdf$", "1994", "1 rule with a wildcard; the first is line 2"),
        # Without a Disallow, an Allow means nothing in any dialect.
        ("Allow: /b", "1994", ""),
        ("Disallow: /b\nAllow: /b/c", "1994", "1 Allow line; the first is line 3"),
        ("Disallow: /b\nAllow: /b/c", "extended", ""),
        ("\nDisallow: /b", "1994", "1 rule below a blank line; the first is line 3"),
        ("\nDisallow: /b*\nAllow: /b", "rfc9309", ""),
        ("\nDisallow: /b*\nAllow: /b", "strictest", ""),
        ("Disallow: /b\n\nUser-agent: other\nDisallow: /*", "1994", ""),
        (
            "Disallow: /*.pdf$",
            "extended",
            "1 rule with a wildcard; the first is line 2",
        ),
    ],
)
def test_lines_that_the_dialect_ignores_are_said(
    site: Site, robots: str, dialect: str, said: str
) -> None:
    site.robots(f"User-agent: *\n{robots}\n")
    result = crawl([site.url("/x")], settings={"ROBOTS1994_DIALECT": dialect})

    lines = result.lines("WARNING", "ignores or takes literally")
    assert len(lines) == bool(said)
    for line in lines:
        assert f"the dialect {dialect} ignores or takes literally {said}; " in line
        assert site.url("/robots.txt") in line
        assert 'ROBOTS1994_DIALECT = "rfc9309"' in line
        assert '"strictest"' in line
    assert result.stats.get("robots1994/ignored", 0) == bool(said)


def test_file_that_is_read_again_is_not_warned_of_again(site: Site) -> None:
    """Ours O5. A changed file causes a new warning."""
    file = replies.text("User-agent: *\n\nDisallow: /private\n")
    changed = replies.text("User-agent: *\n\nDisallow: /private/\n")
    site.answer("/robots.txt", [file, file, changed])
    result = crawl(
        [site.url(f"/private/{number}") for number in range(4)],
        settings=ONE_BY_ONE | {"ROBOTS1994_TTL": 0},
    )

    assert len(site.log("/robots.txt")) == 4
    assert len(result.fetched) == 4
    assert len(result.lines("ignores or takes literally")) == 2
    assert result.stats["robots1994/ignored"] == 2


def test_rules_are_escaped_and_shortened(site: Site) -> None:
    """Ours O25."""
    site.robots("User-agent: *\nDisallow: /p\x1b[31m\u202e" + "x" * 200 + "\n")
    result = crawl([site.url("/p%1B[31m%E2%80%AE" + "x" * 201)])

    shown = result.failed[0].message + result.log
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    row = next(line for line in result.log.split("\n") if "parsed     " in line)
    assert "\\x1b[31m" in row
    assert len(row) <= 100
    assert "refused 1 request at 1 origin\n" in result.log


def test_refusals_are_logged_in_one_table_by_origin(site: Site) -> None:
    site.robots(CLOSED)
    site.answer("/robots.txt", replies.status(503), at="b.test")
    urls = [site.url(f"/private/{number}", host="a.test") for number in range(3)]
    result = crawl([*urls, site.url("/x", host="b.test"), site.url("/")])

    log = result.log.split("\n")
    at = next(n for n, line in enumerate(log) if "requests at 2 origins" in line)
    a, b = site.url("", host="a.test"), site.url("", host="b.test")
    assert log[at].endswith("robots.txt refused 4 requests at 2 origins")
    heading = ["refused", "outcome", "origin", "first", "line", "that", "refused"]
    assert log[at + 1].split() == heading
    assert log[at + 2].split() == ["3", "parsed", a, "2:", "Disallow:", "/private"]
    assert log[at + 3].split() == ["1", "unreachable", b, "HTTP", "503"]
    assert result.stats["robots1994/refusing_origins"] == 2
    assert result.stats["robots1994/forbidden/rule"] == 3
    assert result.stats["robots1994/forbidden/unreachable"] == 1
    assert result.stats[f"robots1994/refused_by/{a}"] == 3


def test_crawl_whose_every_start_was_refused_warns_once(
    site: Site, reactor: Reactor
) -> None:
    """Duplicate start requests do not count."""
    site.robots(CLOSED)
    result = crawl(
        [site.url(f"/private/{name}") for name in "abaab"],
        spider="FilteredSpider",
        settings=CLOSING,
        reactor=reactor,
    )

    (line,) = result.lines(NOTHING)
    assert "WARNING: robots.txt refused every start request (2)" in line
    assert f"first: {site.url('/private/a')}: " in line
    assert "line 2" in line
    assert line.endswith("explains each refusal.")
    assert result.stats["robots1994/starts_refused"] == 2
    assert result.stats["finish_reason"] == "robotstxt_denied"


@pytest.mark.parametrize(
    "open_one",
    [
        CrawlRequest("/"),
        CrawlRequest("/private", {"dont_obey_robotstxt": True}),
        CrawlRequest("/robots.txt"),
    ],
    ids=["allowed", "not-obeying", "the-file"],
)
def test_one_start_request_that_is_sent_prevents_the_warning(
    site: Site, open_one: CrawlRequest
) -> None:
    site.robots(CLOSED)
    started = CrawlRequest(site.url(open_one.url), open_one.meta)
    result = crawl(
        [site.url("/private/1"), started, site.url("/private/2")], settings=CLOSING
    )

    assert NOTHING not in result.log
    assert result.stats["finish_reason"] == "finished"


def test_start_request_of_a_stopped_crawl_was_not_refused(site: Site) -> None:
    site.robots(CLOSED)
    site.robots(CLOSED, at="slow.test", gate="never")
    urls = [site.url("/private/1"), site.url("/private/2", host="slow.test")]
    running = start_crawl(urls, hook="close_soon")
    running.wait_for("Forbidden by robots.txt")
    running.interrupt()

    assert NOTHING not in running.result().log


def test_request_that_is_awaited_does_not_prevent_the_warning(site: Site) -> None:
    """A request that a component awaits, such as a login, is not a start request."""
    site.robots(CLOSED)
    result = crawl(
        [site.url("/private/1")],
        spider="LoggingIn",
        spider_args={"login": site.url("/login")},
    )

    assert [it.target for it in site.log("/login")] == ["/login"]
    assert "robots.txt refused every start request (1)" in result.log
    assert result.stats["finish_reason"] == "finished"


def test_start_request_that_is_retried_counts_once(
    site: Site, reactor: Reactor
) -> None:
    site.robots(CLOSED)
    breaking = {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.BreakFirstRobots": 850}}
    result = crawl(
        [site.url("/private")],
        settings=CLOSING | breaking | {"RETRY_ENABLED": True},
        reactor=reactor,
    )

    assert result.stats["robots1994/retries"] == 1
    assert "robots.txt refused every start request (1)" in result.log
    assert result.stats["finish_reason"] == "robotstxt_denied"


@pytest.mark.parametrize("order", [[0, 2, 1], [2, 0, 1]])
def test_start_request_of_an_earlier_run_was_not_refused(
    site: Site, tmp_path: Path, order: list[int]
) -> None:
    """The resumed crawl drops the request as a duplicate."""
    site.robots(CLOSED)
    settings = CLOSING | {"JOBDIR": str(tmp_path)}
    urls = [site.url("/a"), site.url("/b"), site.url("/private")]
    crawl(urls[:2], spider="FilteredSpider", settings=settings)
    several = [urls[place] for place in order]
    result = crawl(several, spider="FilteredSpider", settings=settings)

    assert result.failed_urls == urls[2:]
    assert NOTHING not in result.log
    assert result.stats["finish_reason"] == "finished"


KINDS: dict[str, tuple[Reply | list[Reply], str, dict[str, Any]]] = {
    'all URLs of the origin are refused unless ROBOTS1994_FORBIDDEN = "allow"': (
        replies.status(403),
        "WARNING",
        {},
    ),
    "requests that wait for it fail with this exception": (
        replies.text(""),
        "WARNING",
        {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.BreakRobots": 850}},
    ),
    "Could not fetch http://": (replies.status(503), "WARNING", {}),
    "the dialect 1994 ignores or takes literally": (
        replies.text("User-agent: *\n\nDisallow: /private\n"),
        "WARNING",
        {},
    ),
    "is longer than ROBOTS1994_MAX_BYTES": (
        replies.text(CLOSED + "# more"),
        "WARNING",
        {"ROBOTS1994_MAX_BYTES": len(CLOSED) + 1},
    ),
    "asks for a pause of 9 s": (
        replies.text("User-agent: *\nCrawl-delay: 9\nDisallow: /no"),
        "WARNING",
        {"ROBOTS1994_CRAWL_DELAY": 0.1, "ROBOTS1994_DIALECT": "extended"},
    ),
}
"""By a part of the log line: the answer that causes it, its level, and settings."""


@pytest.mark.parametrize("kind", KINDS)
def test_lines_about_origins_are_limited(site: Site, kind: str) -> None:
    reply, level, settings = KINDS[kind]
    urls = [site.url("/a", host=f"h{number}.test") for number in range(22)]
    for number in range(22):
        site.answer("/robots.txt", reply, at=f"h{number}.test")
    result = crawl(urls, settings=settings)

    lines = result.lines("[scrapy_robots1994]", ".test:")
    said = [it for it in lines if "DEBUG: " not in it and "first: " not in it]
    assert len({line.partition("/robots.txt")[0].split()[-1] for line in said}) == 20
    assert [level in line for line in said] == [True] * 20
    start = (
        f"] {level}: 22 origins had a line like this one, the first 20 above DEBUG: "
    )
    (summary,) = result.lines(start)
    assert kind in summary
    if "ROBOTS1994_FORBIDDEN" in kind:
        (rest,) = result.lines("at the other origins")
        assert rest.split()[0] == "2"
        assert sum("refused_by" in key for key in result.stats) == 20


def test_first_failure_is_said_while_the_requests_wait(site: Site) -> None:
    """A waiting crawl must not seem to hang."""
    failing = replies.status(503)
    site.answer("/robots.txt", [failing, failing, replies.text(CLOSED)])
    result = crawl([site.url("/private/1")], settings={"RETRY_ENABLED": True})

    said = result.lines(site.url("/robots.txt"), "no answer yet, trying again")
    assert [("INFO" in it, "(2 of 3)" in it, "(3 of 3)" in it) for it in said] == [
        (True, True, False),
        (False, False, True),
    ]
    assert result.reasons == ["rule"]
