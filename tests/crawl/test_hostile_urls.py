"""Hostile URLs: what clients would send to another host than the one whose robots.txt is
obeyed is not requested.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import scrapy

from scrapy_robots1994 import Origin
from tests.support.crawl import CrawlRequest, crawl, reactors
from tests.support.left_out import long_after
from tests.support.site import Site

HANDLERS = "scrapy.core.downloader.handlers"
WITH_VERBATIM_URL = (2, 19)
VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))

REASON = (
    "the URL names no host, or not the same one to every client, so there is no "
    "robots.txt that could be fetched"
)

FORMS = [
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
]
"""`{0}` is an origin that allows everything, `{1}` one that allows nothing.
Scrapy accepts no URL without `://`.
"""


@pytest.mark.skipif(VERSION < WITH_VERBATIM_URL, reason="Scrapy normalizes all URLs")
@pytest.mark.parametrize(
    "handler",
    long_after(
        1,
        [
            "",
            *(
                f"{HANDLERS}.{module}.{name}"
                for module, name in (
                    ("_aiohttp", "AiohttpDownloadHandler"),
                    ("_httpx", "HttpxDownloadHandler"),
                )
                if find_spec(f"{HANDLERS}.{module}") and "asyncio" in reactors()
            ),
        ],
    ),
)
def test_url_that_clients_read_differently_is_not_requested(handler: str) -> None:
    """It fails with its own error, as its robots.txt is unknown."""
    settings = {"DOWNLOAD_HANDLERS": {"http": handler}} if handler else {}
    with Site() as opened, Site() as closed:
        opened.robots("")
        closed.robots("User-agent: *\nDisallow: /\n")
        names = [f"127.0.0.1:{site.port}" for site in (opened, closed)]
        requests = [
            CrawlRequest(form.format(*names), meta={"verbatim_url": True})
            for form in FORMS
        ]
        requests.append(CrawlRequest(opened.url("/last")))
        result = crawl(requests, settings=settings, may_warn=bool(handler))
        targets = opened.targets(), closed.targets()

    assert targets == (["/robots.txt", "/last"], [])
    assert len(result.failed) == len(FORMS)
    assert {failed.name.rpartition(".")[2] for failed in result.failed} == {
        "NotSupported"
    }
    assert {failed.message for failed in result.failed} == {REASON}


@pytest.mark.parametrize(
    "url",
    [
        "http://a\\@b/",
        "http://a\\",
        "http://a\x00b/",
        "http://a\tb/",
        "http://u\x1f@b/",
        "http://a\x7fb/",
        "http://a\x85b/",
        "http://a\uff0fb/",
        "http://a\uff20b/",
        "http://a\uff1a8/",
        "http://a\uff3cb/",
        "http://a\u2100b/",
    ],
)
def test_host_that_clients_read_differently_has_no_origin(url: str) -> None:
    """Backslash, control characters, and letters that IDNA turns into delimiters."""
    assert Origin.of(url) is None
    assert Origin.of(url.replace("http", "https")) is None
