"""The spider in `docs/beyond.rst`, which checks the requests of its browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Spider

from scrapy_robots1994 import Robots1994Middleware

if TYPE_CHECKING:
    from typing_extensions import Self


class CheckedBrowser(Spider):
    """A spider whose browser aborts requests that robots.txt disallows."""

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> Self:
        """Have scrapy-playwright call `is_refused` for the requests of the browser."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.settings.set("PLAYWRIGHT_ABORT_REQUEST", spider.is_refused, "spider")
        return spider

    async def is_refused(self, request: Any) -> bool:
        """Whether robots.txt disallows *request*. Also True if the check raises an exception."""
        robots: Any = self.crawler.get_downloader_middleware(Robots1994Middleware)
        try:
            return not (await robots.check(request.url)).allowed
        except Exception:  # noqa: BLE001
            return True
