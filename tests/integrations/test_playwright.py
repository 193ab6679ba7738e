"""scrapy-playwright with Debian's Chromium: the browser opens allowed pages only."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, crawl

if TYPE_CHECKING:
    from tests.support.site import Site

pytestmark = pytest.mark.browser

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
WHY = 'disallowed by line 2, "Disallow: /private", of the record for "*" (line 1)'


def settings() -> dict[str, Any]:
    """Return the settings for Debian's Chromium."""
    return {
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": shutil.which("chromium"),
            "args": ["--no-sandbox", "--disable-gpu"],
        },
        "USER_AGENT": "walker/1.0",
    }


def test_refused_page_opens_no_tab(site: Site) -> None:
    """Nor does robots.txt, which Scrapy fetches itself with the same User-Agent.

    A redirect that the browser follows is not checked, as the documentation says.
    """
    site.robots("User-agent: *\nDisallow: /private\n")
    site.answer("/open", replies.html("<script>document.title = 'run'</script>"))
    site.answer("/moved", replies.redirect("/private/3"))
    requests = [
        CrawlRequest(site.url(path), meta={"playwright": True})
        for path in ("/private/1", "/open", "/private/2", "/moved")
    ]

    result = crawl(requests, settings=settings())

    assert result.fetched_urls == [site.url("/open"), site.url("/private/3")]
    assert {failed.verdict and failed.verdict["text"] for failed in result.failed} == {
        WHY
    }
    assert result.stats["playwright/page_count"] == 2
    (robots,) = site.log("/robots.txt")
    assert robots.headers["user-agent"] == "walker/1.0"
    assert "sec-fetch-mode" not in robots.headers


def test_user_agent_of_the_browser(site: Site) -> None:
    """PLAYWRIGHT_PROCESS_REQUEST_HEADERS = None sends the browser's User-Agent.

    ROBOTSTXT_USER_AGENT still selects the record.
    """
    site.robots(
        "User-agent: walker\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n"
    )
    requests = [
        CrawlRequest(site.url(path), meta={"playwright": True})
        for path in ("/open", "/private")
    ]
    browser = settings() | {"PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None}

    result = crawl(
        requests,
        settings=browser | {"USER_AGENT": "", "ROBOTSTXT_USER_AGENT": "walker"},
    )

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    (page,), (robots,) = site.log("/open"), site.log("/robots.txt")
    assert "Chrome/" in page.headers["user-agent"]
    assert "Chrome/" not in robots.headers.get("user-agent", "")
