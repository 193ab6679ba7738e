"""Errbacks and the log say why a robots.txt could not be fetched."""

from __future__ import annotations

import re

from tests.support import replies
from tests.support.crawl import Reactor, crawl
from tests.support.site import Site


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
    urls |= without_cause
    result = crawl([*urls.values()], spider="CauseSpider", reactor=reactor)

    found = {it["url"]: (it["failure"], bool(it["cause"])) for it in result.items}
    for words, url in urls.items():
        failure, has_cause = found[url]
        assert re.search(words, failure)
        assert has_cause is (words not in without_cause)
        assert result.lines("Forbidden by robots.txt", f"<GET {url}>", failure)
        assert result.lines("  unreachable  ", failure[:30])
