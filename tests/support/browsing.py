"""Spiders for crawls with scrapy-playwright."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING, Any

from tests.support.checked_browser import CheckedBrowser
from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from scrapy.http import Response

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"

SETTINGS: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
    "PLAYWRIGHT_LAUNCH_OPTIONS": {
        "executable_path": shutil.which("chromium"),
        "args": ["--no-sandbox", "--disable-gpu"],
    },
    "USER_AGENT": "walker/1.0",
}

ENDS = ("requestfinished", "requestfailed")


class BrowsingSpider(RequestingSpider):
    """Runs the `script` in the meta of each browser page, and waits until a request from the page
    ends.
    """

    name = "browsing"

    async def fetched(self, response: Response) -> None:  # type: ignore[override]  # a coroutine
        self.result["fetched"].append((response.url, response.status))
        page = response.meta.get("playwright_page")
        if page is None:
            return
        ends = [asyncio.create_task(page.wait_for_event(it)) for it in ENDS]
        await page.evaluate(response.meta["script"])
        _, waiting = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        await page.close()


class CheckedBrowsingSpider(CheckedBrowser, BrowsingSpider):
    """Uses the recipe in docs/beyond.rst."""
