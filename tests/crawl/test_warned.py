"""A warning in a crawling process fails its test, even one at the end of the process."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest
import scrapy

from tests.support.crawl import start_crawl
from tests.support.left_out import long_after
from tests.support.site import Site


def loud_hook(crawler: scrapy.crawler.Crawler) -> None:
    """Warn, and set an attribute of the crawler, like a hook of a test."""
    import warnings  # noqa: PLC0415 (runs in the crawling process)

    warnings.warn("heard", stacklevel=1)
    crawler.hooked = True  # type: ignore[attr-defined]  # the test's own mark


def leaking_hook(crawler: scrapy.crawler.Crawler) -> None:
    """Leave a socket open until the interpreter ends, like a faulty component."""
    sys.modules["left open"] = socket.socket()  # type: ignore[assignment]  # lives long


def forgetful_hook(crawler: scrapy.crawler.Crawler) -> None:
    """Leave a coroutine that is never awaited in a cycle, like a faulty component."""
    cycle: list[object] = [asyncio.sleep(0)]
    cycle.append(cycle)


@pytest.mark.parametrize(
    ("hook", "message"),
    long_after(
        1,
        [
            ("leaking_hook", "ResourceWarning.*unclosed"),
            ("loud_hook", "UserWarning.*heard"),
            ("forgetful_hook", "never awaited"),
        ],
    ),
)
def test_crawl_that_warns_fails(
    hook: str, message: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning in the crawling process is an error, even at the end of the process."""
    monkeypatch.setattr("tests.support.warned.IS_NEWEST", True)
    crawling = start_crawl([site.url("/")], hook=f"tests.crawl.test_warned:{hook}")

    with pytest.raises(AssertionError, match=message):
        crawling.result()
