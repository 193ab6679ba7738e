"""The log at the close: refusals by origin, and a crawl whose every start was refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl
from tests.support.left_out import long_after
from tests.support.site import Site

ONCE = "FilteredSpider"
CLOSED = "User-agent: *\nDisallow: /private\n"
CLOSE_REASON = "robotstxt_denied"
NOTHING = "refused every start request"


def test_refusals_are_logged_in_one_table_by_origin(site: Site) -> None:
    """It has the number, outcome, origin and first line, sorted by number."""
    site.robots(CLOSED)
    site.answer("/robots.txt", replies.status(503), at="b.test")
    urls = [site.url(f"/private/{number}", host="a.test") for number in range(3)]
    result = crawl([*urls, site.url("/x", host="b.test"), site.url("/")])

    log = result.log.split("\n")
    at = next(n for n, line in enumerate(log) if "requests at 2 origins" in line)
    a, b = site.url("", host="a.test"), site.url("", host="b.test")
    assert log[at + 2].split() == ["3", "parsed", a, "2:", "Disallow:", "/private"]
    assert log[at + 3].split() == ["1", "unreachable", b, "HTTP", "503"]
    assert log[at].endswith("robots.txt refused 4 requests at 2 origins")
    heading = ["refused", "outcome", "origin", "first", "line", "that", "refused"]
    assert log[at + 1].split() == heading
    assert result.stats["robots1994/refusing_origins"] == 2
    assert result.stats["robots1994/forbidden/rule"] == 3
    assert result.stats["robots1994/forbidden/unreachable"] == 1
    assert result.stats[f"robots1994/refused_by/{a}"] == 3


def test_crawl_without_refusals_logs_no_table(site: Site) -> None:
    """There is neither a table nor a stat."""
    site.robots(CLOSED)
    result = crawl([site.url("/")])

    assert "robots.txt refused" not in result.log
    assert [key for key in result.stats if "refus" in key] == []


def test_table_has_at_most_20_origins(site: Site) -> None:
    """It has the 20 with most refusals, and one row for the rest; so have the stats."""
    site.robots(CLOSED)
    urls = [
        site.url(f"/private/{page}", host=f"h{number}.test")
        for number in range(25)
        for page in range(2)
    ]
    result = crawl(urls)

    table = result.log[result.log.index("robots.txt refused 50 requests") :]
    assert table.split("\n")[22].split() == ["10", "at", "the", "other", "origins"]
    assert sum("refused_by" in key for key in result.stats) == 20


def test_rules_in_the_table_are_escaped_and_shortened(site: Site) -> None:
    """A rule may contain control characters and be very long."""
    site.robots("User-agent: *\nDisallow: /p\x1b[31m" + "x" * 200 + "\n")
    result = crawl([site.url("/p%1B[31m" + "x" * 201)])

    row = next(line for line in result.log.split("\n") if "parsed     " in line)
    assert "\x1b" not in row
    assert "\\x1b[31m" in row
    assert len(row) <= 100
    assert "refused 1 request at 1 origin\n" in result.log


def test_crawl_whose_every_start_was_refused_warns_once(
    site: Site, reactor: Reactor
) -> None:
    """The warning has the number and a line; with the setting it is the finish reason."""
    site.robots(CLOSED)
    result = crawl(
        [site.url("/private/1"), site.url("/private/2")],
        settings={"ROBOTS1994_CLOSE_WHEN_DENIED": True},
        reactor=reactor,
    )

    said = result.lines(NOTHING)
    assert len(said) == 1
    assert "WARNING" in said[0]
    assert "(2)" in said[0]
    assert "line 2" in said[0]
    assert result.stats["robots1994/starts_refused"] == 2
    assert result.stats["finish_reason"] == CLOSE_REASON


@pytest.mark.parametrize(
    "open_one",
    long_after(
        1,
        [
            CrawlRequest("/"),
            CrawlRequest("/private", {"dont_obey_robotstxt": True}),
            CrawlRequest("/robots.txt"),
        ],
    ),
    ids=["allowed", "not-obeying", "the-file"],
)
def test_one_start_request_that_is_sent_prevents_the_warning(
    site: Site, open_one: CrawlRequest
) -> None:
    """The result of that request does not matter."""
    site.robots(CLOSED)
    started = CrawlRequest(site.url(open_one.url), open_one.meta)
    result = crawl(
        [site.url("/private/1"), started, site.url("/private/2")],
        settings={"ROBOTS1994_CLOSE_WHEN_DENIED": True},
    )

    assert NOTHING not in result.log
    assert result.stats["finish_reason"] == "finished"


def test_duplicate_start_request_is_refused_once(site: Site, reactor: Reactor) -> None:
    """Requests that the duplicates filter drops do not count as start requests."""
    site.robots(CLOSED)
    result = crawl(
        [site.url(f"/private/{name}") for name in "abaab"],
        spider=ONCE,
        settings={"ROBOTS1994_CLOSE_WHEN_DENIED": True},
        reactor=reactor,
    )

    assert "refused every start request (2)" in result.log
    assert "explains each." in result.log
    assert result.stats["finish_reason"] == CLOSE_REASON


@pytest.mark.parametrize("order", long_after(1, [[0, 2, 1], [2, 0, 1]]))
def test_start_request_of_an_earlier_run_was_not_refused(
    site: Site, tmp_path: Path, order: list[int]
) -> None:
    """A resumed crawl drops it as a duplicate, but robots.txt did not refuse it."""
    site.robots(CLOSED)
    resumed = {"JOBDIR": str(tmp_path), "ROBOTS1994_CLOSE_WHEN_DENIED": True}
    known = [site.url("/a"), site.url("/b")]
    crawl(known, spider=ONCE, settings=resumed)

    several = [*known, site.url("/private")]
    urls = [several[place] for place in order]
    result = crawl(urls, spider=ONCE, settings=resumed)

    assert result.failed_urls == [site.url("/private")]
    assert NOTHING not in result.log
    assert result.stats["finish_reason"] == "finished"
