"""What the crawl says at its close of `*` and `$`, which mean nothing in the text of 1994."""

from __future__ import annotations

import pytest

from tests.support.crawl import Reactor, crawl, crawl_over_time
from tests.support.left_out import long_after
from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /*.pdf$\n"
SUMMARY = "which mean nothing in the dialect"


def summary_of(log: str) -> str:
    """Return the line of the close, or nothing."""
    return "".join(line for line in log.split("\n") if SUMMARY in line)


@pytest.mark.parametrize("size", long_after(1, [40_000, 0]))
def test_ignored_wildcards_are_summed_up_at_the_close(site: Site, size: int) -> None:
    """1994 D1: the page is sent; the close says how many RFC 9309 would have refused."""
    site.robots(FILE + "# more\n" * (size // 7))
    result = crawl([site.url("/x.pdf"), site.url("/y.pdf"), site.url("/z.html")])

    assert len(result.fetched) == 3
    line = summary_of(result.log)
    assert "WARNING" in line
    assert "1 origin has" in line
    assert "would have refused 2 of the 3 requests" in line
    assert 'ROBOTS1994_DIALECT = "rfc9309"' in line
    assert result.stats["robots1994/wildcards_ignored"] == 2


def test_requests_with_a_known_policy_are_summed_up_too(
    site: Site, reactor: Reactor
) -> None:
    """The first page waits for the policy; the policy of the second one is in memory."""
    site.robots(FILE)
    pages = [[site.url("/x.pdf")], [site.url("/y.pdf")]]
    result = crawl_over_time(*pages, reactor=reactor)

    assert len(site.log("/robots.txt")) == 1

    assert "would have refused 2 of the 2 requests" in summary_of(result.log)


def test_ignored_wildcards_that_open_nothing_are_no_warning(site: Site) -> None:
    """Nothing that RFC 9309 refuses was sent, so there is nothing to set."""
    site.robots(FILE)
    result = crawl([site.url("/z.html")])

    line = summary_of(result.log)
    assert "INFO" in line
    assert "would have refused 0 of the 1 request sent there." in line
    assert "ROBOTS1994_DIALECT =" not in line


@pytest.mark.parametrize(
    ("robots", "dialect"),
    long_after(
        1,
        [
            (FILE, "rfc9309"),
            ("User-agent: *\nDisallow: /private\n", "1994"),
            ("User-agent: other\nDisallow: /*.pdf$\n", "1994"),
        ],
    ),
)
def test_nothing_is_summed_up_without_ignored_wildcards(
    site: Site, robots: str, dialect: str
) -> None:
    """No wildcard in our record, or a dialect that has them."""
    site.robots(robots)
    result = crawl([site.url("/x.html")], settings={"ROBOTS1994_DIALECT": dialect})

    assert summary_of(result.log) == ""
