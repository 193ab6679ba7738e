"""Passwords of proxies: no line of ours has one, in whichever way a client spells it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.support.crawl import CrawlRequest, crawl, reactors

HANDLERS = "scrapy.core.downloader.handlers"
AIOHTTP = f"{HANDLERS}._aiohttp"

PASSWORDS = ["hun{}ter2", "hun{}2ter", "12{}hunter", "hun{}ter@s", "hun{0}ter{0}s"]
USER_INFO = [
    f"user:{password.format(character)}"
    for password in PASSWORDS
    for character in ("%2F", "%3F", "%23", "%20", "%40", "%3A", "%5C")
]
USER_INFO += ["hunter", ":hun%2Fter"]


@pytest.mark.parametrize(
    "handler",
    [
        "",
        pytest.param(
            f"{AIOHTTP}.AiohttpDownloadHandler",
            marks=[
                pytest.mark.long,
                pytest.mark.skipif(
                    not find_spec(AIOHTTP) or "asyncio" not in reactors(),
                    reason="Scrapy has no handler for aiohttp",
                ),
            ],
        ),
    ],
)
def test_no_line_of_ours_has_a_password_of_a_proxy(handler: str) -> None:
    """The proxy refuses connections; the client quotes its URL in the exception."""
    settings = {"DOWNLOAD_HANDLERS": {"http": handler}} if handler else {}
    requests = [
        CrawlRequest(
            f"http://site-{number}.test/", meta={"proxy": f"http://{info}@127.0.0.1:1"}
        )
        for number, info in enumerate(USER_INFO)
    ]

    result = crawl(
        requests, settings={"RETRY_ENABLED": False, **settings}, may_warn=bool(handler)
    )

    lines = result.lines("[scrapy_robots1994]")
    assert len(lines) >= len(requests)
    assert [line for line in lines if "hun" in line or "ter@s" in line] == []
