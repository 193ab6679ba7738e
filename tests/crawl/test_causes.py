"""Errbacks and the log say why a robots.txt could not be fetched."""

from __future__ import annotations

import re

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl
from tests.support.replies import Reply
from tests.support.site import Site

NOT_USED = {
    "loop.test": ("a redirect loop", replies.redirect("/robots.txt")),
    "ftp.test": ("redirect to ftp://h.test/r", replies.redirect("ftp://h.test/r")),
    "odd.test": ("redirect to an unreadable", replies.redirect("http://[::1/r")),
    "packed.test": (
        "compress, which was not undone",
        Reply(200, b"x" * 99, (("Content-Encoding", "compress"),)),
    ),
}
"""Maps each host to a part of the message, and to its unusable answer."""


def test_refusal_says_what_failed_and_has_the_exception_as_cause(
    site: Site, reactor: Reactor
) -> None:
    """If the fetch raised no exception, the refusal has no `__cause__`."""
    site.answer("/robots.txt", replies.reset(), at="reset.test")
    site.answer("/robots.txt", replies.status(503), at="down.test")
    site.answer("/robots.txt", replies.redirect("http://b.invalid/r"), at="to.test")
    urls = {
        "CannotResolveHost|DNSLookup": "http://name.invalid/",
        "ConnectionRefused": site.refused_url("/"),
        "DownloadFailed|ResponseNeverReceived": site.url("/", host="reset.test"),
        "redirected to http://b.invalid/r, ": site.url("/", host="to.test"),
    }
    without_cause = {"HTTP 503": site.url("/", host="down.test")}
    for host, (words, answer) in NOT_USED.items():
        site.answer("/robots.txt", answer, at=host)
        without_cause[words] = site.url("/", host=host)
    urls |= without_cause
    result = crawl([*urls.values()], spider="CauseSpider", reactor=reactor)

    found = {it["url"]: (it["failure"], bool(it["cause"])) for it in result.items}
    for words, url in urls.items():
        failure, has_cause = found[url]
        assert re.search(words, failure)
        assert has_cause is (words not in without_cause)
        assert result.lines("Forbidden by robots.txt", f"<GET {url}>", failure)
        assert result.lines("  unreachable  ", failure[:30])


def test_failures_of_a_proxy_and_page_share_one_budget_of_retries(site: Site) -> None:
    """Ours 3.1: however many pages wait, robots.txt is requested RETRY_TIMES + 1 times."""
    meta = {"proxy": site.refused_url("").rstrip("/")}
    pages = [CrawlRequest(f"http://far.test/{number}", meta) for number in range(3)]
    settings = {"RETRY_ENABLED": True, "RETRY_TIMES": 4}
    result = crawl(pages, settings=settings)

    assert result.failed_urls == [it.url for it in pages]
    assert result.stats["robotstxt/request_count"] == 5
    assert "robots1994/retries" not in result.stats
