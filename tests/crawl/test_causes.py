"""Tests that errbacks, log and commands report why a robots.txt could not be fetched."""

from __future__ import annotations

import re

from tests.support import replies
from tests.support.commands import scrapy
from tests.support.crawl import CrawlRequest, Reactor, crawl
from tests.support.left_out import table
from tests.support.replies import Reply
from tests.support.site import Site


def test_refusal_says_what_failed_and_has_the_exception_as_cause(
    site: Site, reactor: Reactor
) -> None:
    """The exception of a refusal contains the text of the failure. The `__cause__` of
    the exception is the exception that ended the fetch.

    After an answer with an error status, the refusal has no cause, because no exception
    ended the fetch.
    """
    site.answer("/robots.txt", replies.reset(), at="reset.test")
    site.answer("/robots.txt", replies.status(503), at="down.test")
    site.answer("/robots.txt", replies.redirect("http://b.invalid/r"), at="to.test")
    urls = {
        "CannotResolveHost|DNSLookup": "http://name.invalid/",
        "ConnectionRefused": site.refused_url("/"),
        "DownloadFailed|ResponseNeverReceived": site.url("/", host="reset.test"),
        "HTTP 503": site.url("/", host="down.test"),
        "redirected to http://b.invalid/r, ": site.url("/", host="to.test"),
    }
    result = crawl([*urls.values()], spider="CauseSpider", reactor=reactor)

    found = {it["url"]: (it["failure"], bool(it["cause"])) for it in result.items}
    for words, url in urls.items():
        failure, has_cause = found[url]
        assert re.search(words, failure)
        assert has_cause is (words != "HTTP 503")
        assert result.lines("Forbidden by robots.txt", f"<GET {url}>", failure)
        assert result.lines("  unreachable  ", failure[:30])


@table(
    ("answer", "said"),
    (replies.redirect("/robots.txt"), "a redirect loop, more than 5 redirects"),
    (replies.redirect("ftp://h.test/r"), "redirect to ftp://h.test/r"),
    (replies.redirect("http://[::1/r"), "redirect to an unreadable address"),
    (Reply(200, headers=(("X ", "y"),)), "InvalidHeaderName: x)"),
    (Reply(200, b"x" * 99, (("Content-Encoding", "compress"),)), "Content-Encoding"),
    (replies.status(503), "HTTP 503"),
    short=5,
)
def test_robots_check_explains_what_failed(
    site: Site, answer: Reply, said: str
) -> None:
    """`robots-check` explains why an answer to the robots.txt request could not be used.

    The output of the command does not contain "no answer", because an answer arrived.
    """
    site.answer("/robots.txt", answer)
    args = ("-s", "RETRY_ENABLED=False", "--explain")
    checked = scrapy("robots-check", *args, site.url("/page"))

    assert said in " ".join(checked.out.split())
    assert "no answer" not in checked.out


def test_failures_of_a_proxy_and_page_share_one_budget_of_retries(site: Site) -> None:
    """Ours 3.1 (retries): with a failing proxy, robots.txt is requested RETRY_TIMES + 1 times.

    All pages that wait for one robots.txt share its RETRY_TIMES + 1 requests.
    """
    meta = {"proxy": site.refused_url("").rstrip("/")}
    pages = [CrawlRequest(f"http://far.test/{number}", meta) for number in range(3)]
    settings = {"RETRY_ENABLED": True, "RETRY_TIMES": 4}
    result = crawl(pages, settings=settings)

    assert result.failed_urls == [it.url for it in pages]
    assert result.stats["robotstxt/request_count"] == 5
    assert "robots1994/retries" not in result.stats
