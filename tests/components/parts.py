"""Pipelines and download handlers that crawls of these tests load by their path."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse
from scrapy.pipelines.files import FilesPipeline
from scrapy.pipelines.images import ImagesPipeline
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from scrapy_robots1994 import ForbiddenByRobots

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self


def _paths(results: Any) -> list[str]:
    """What an item's results say of each file."""
    return [str(result["path"] if ok else result.value) for ok, result in results]


class Files(FilesPipeline):
    """Scrapy's own pipeline, which stores its results as text."""

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Put the results into the item."""
        return item | {"files": _paths(results)}


class Images(ImagesPipeline):
    """Scrapy's own pipeline, which stores its results as text."""

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Put the results into the item."""
        return item | {"images": _paths(results)}


class _RaisingRefusals:
    """Let the results name a refusal, on a Scrapy whose own results are silent."""

    def media_failed(self, failure: Any, request: Any, info: Any) -> Any:
        """Raise the refusal in place of the pipeline's own exception."""
        if failure.check(ForbiddenByRobots):
            raise failure.value
        return super().media_failed(failure, request, info)  # type: ignore[misc]  # the pipeline's


class ReportingFiles(_RaisingRefusals, Files):
    """Files whose results name a refusal."""


class ReportingImages(_RaisingRefusals, Images):
    """Images whose results name a refusal."""


class Asking:
    """Asks the engine for further pages while it has an item in hand."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler: Any = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(crawler)

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        """Download one page at once, and have the engine crawl another."""
        engine = self._crawler.engine
        request = Request(item["download"])
        try:
            if hasattr(engine, "download_async"):
                response = await engine.download_async(request)
            else:  # Scrapy 2.13
                response = await maybe_deferred_to_future(engine.download(request))
            item["downloaded"] = response.status
        except IgnoreRequest as error:
            item["downloaded"] = str(error)
        asking = self._crawler.spider
        engine.crawl(asking.request(item["crawl"], meta={"further": True}))
        return item


class Pretending:
    """A download handler for schemes whose servers a test does not have."""

    lazy = False

    def __init__(self, *_: Any) -> None:
        """Take whatever a version of Scrapy hands over."""

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls()

    async def download_request(self, request: Request) -> Response:
        """Answer every request."""
        return TextResponse(request.url, body=b"pretended", request=request)

    async def close(self) -> None:
        """Nothing is open."""


class Older(Pretending):
    """The same for Scrapy 2.13, which wants a Deferred."""

    def download_request(self, request: Request, spider: Any = None) -> Any:
        """Answer every request."""
        return deferred_from_coro(super().download_request(request))

    def close(self) -> None:  # type: ignore[override]  # as it was
        """Nothing is open."""


if not inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
    Pretending = Older  # type: ignore[misc]  # the one that a crawl loads
