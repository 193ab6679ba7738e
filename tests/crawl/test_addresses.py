"""Unusual URLs are checked against the robots.txt of the right origin.

Download handlers may disagree about which part of a URL is the host.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
import scrapy
from scrapy.settings import default_settings

from tests.support.crawl import (
    CrawlRequest,
    Reactor,
    crawl,
    http_handlers,
)
from tests.support.project import CLOSED
from tests.support.site import Site

# Scrapy's default resolver does not accept IPv6 literals. Scrapy 2.19 renamed the setting
# DNS_RESOLVER, and warns about the old name.
PREFIX = "TWISTED_" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else ""
IPV6 = {f"{PREFIX}DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver"}


def test_forms_of_a_host_are_checked(reactor: Reactor) -> None:
    with Site(ports=2) as site:
        site.robots(CLOSED)
        forms = [
            f"http://bücher.test:{site.port}",
            site.url("", port=1),
            f"http://me:secret@user.test:{site.port}",
            f"http://USER.test.:{site.port}",
        ]
        urls = [f"{form}{path}" for form in forms for path in ("/open", "/private")]
        result = crawl(urls, reactor=reactor)
        targets, robots = site.targets(), site.log("/robots.txt")

    # Some download handlers of Scrapy cannot fetch a URL with a password.
    fetched = {urlsplit(url).hostname for url in result.fetched_urls}
    assert fetched >= {"xn--bcher-kva.test", "127.0.0.1", "user.test."}
    assert len([failed for failed in result.failed if failed.verdict]) == len(forms)
    assert "/private" not in targets
    hosts = sorted(seen.host.rpartition(":")[0] for seen in robots)
    assert hosts == ["127.0.0.1", "user.test", "xn--bcher-kva.test"]
    assert not [seen for seen in robots if "authorization" in seen.headers]


def test_ipv6_literal_is_an_origin(reactor: Reactor) -> None:
    with Site(ipv6=True) as site:
        site.robots(CLOSED)
        urls = [f"http://[::1]:{site.port}{path}" for path in ("/open", "/private")]
        result = crawl(urls, reactor=reactor, settings=IPV6)
        hosts = [seen.host for seen in site.log("/robots.txt")]

    assert (result.fetched_urls, result.failed_urls) == (urls[:1], urls[1:])
    assert hosts == [f"[::1]:{site.port}"]


def test_ipv6_address_is_readable_in_the_log() -> None:
    """`::` is escaped where it may begin a CI command, but not in an IPv6 address."""
    url = "http://[::1]:1/"
    result = crawl([url])

    assert result.reasons == ["unreachable"]
    assert result.lines("WARNING", f"{url}robots.txt", "lookup: ::1.")


VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))
WITH_VERBATIM_URL = pytest.mark.skipif(
    VERSION < (2, 19), reason="Scrapy normalizes all URLs"
)
with_each_handler = pytest.mark.parametrize(("reactor", "handler"), http_handlers())


HOSTS = (
    "http://{0}\\@{1}/private",
    "http://{1}\\@{0}/private",
    "http://{1}\\private",
    "http://user\\:a@{1}/private",
    "http:\\\\{1}/private?://",
    "http:/\\{1}/private?://",
    "http\\://{1}/private",
    "ht\ttp://{1}/private",
    "h\nttp://{1}/private",
    "http\r://{1}/private",
    "http:\t//{1}/private?://",
    "http:/\t/{1}/private?://",
    "http://\t{1}/private",
    "http://{1}\x00/private",
    "http://{0}\t@{1}/private",
    "\x0bht\ttp://{1}/private",
    "http:///{1}/private",
    "http:{1}/private?://",
)
"""Clients disagree about the hosts of these URLs. The robots.txt of `{0}` allows everything, and
that of `{1}` nothing. Some URLs have `://` in the query, because Scrapy rejects URLs without it.
"""


@WITH_VERBATIM_URL
@with_each_handler
def test_url_that_clients_read_differently_is_not_requested(
    reactor: Reactor, handler: str
) -> None:
    settings = {"DOWNLOAD_HANDLERS": {"http": handler}} if handler else {}
    with Site() as opened, Site() as closed:
        opened.robots("")
        closed.robots("User-agent: *\nDisallow: /\n")
        names = [f"127.0.0.1:{site.port}" for site in (opened, closed)]
        urls = [form.format(*names) for form in HOSTS]
        requests = [CrawlRequest(url, {"verbatim_url": True}) for url in urls]
        requests.append(CrawlRequest(opened.url("/last")))
        result = crawl(
            requests, reactor=reactor, settings=settings, may_warn=bool(handler)
        )
        targets = opened.targets(), closed.targets()

    reason = (
        "the URL names no host, or HTTP clients disagree about its host, so no "
        "robots.txt can be fetched"
    )
    assert targets == (["/robots.txt", "/last"], [])
    assert len(result.failed) == len(HOSTS)
    assert {(failed.name, failed.message) for failed in result.failed} == {
        ("scrapy.exceptions.NotSupported", reason)
    }
