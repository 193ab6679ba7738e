"""Pipelines and download handlers that these crawls load by their import path."""

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
    """Return the path or the error of each file."""
    return [str(result["path"] if ok else result.value) for ok, result in results]


class Files(FilesPipeline):
    """Scrapy's pipeline, with its results as text in the item."""

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Add the results to the item."""
        return item | {"files": _paths(results)}


class Images(ImagesPipeline):
    """Scrapy's pipeline, with its results as text in the item."""

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Add the results to the item."""
        return item | {"images": _paths(results)}


class _RaisingRefusals:
    """Put refusals into the results, which older Scrapy does not do."""

    def media_failed(self, failure: Any, request: Any, info: Any) -> Any:
        """Raise the refusal instead of the pipeline's own exception."""
        if failure.check(ForbiddenByRobots):
            raise failure.value
        return super().media_failed(failure, request, info)  # type: ignore[misc]  # the pipeline's


class ReportingFiles(_RaisingRefusals, Files):
    """Files with refusals in the results."""


class ReportingImages(_RaisingRefusals, Images):
    """Images with refusals in the results."""


class RequestingPipeline:
    """Pipeline that requests two pages through the engine for each item."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler: Any = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a pipeline of *crawler*."""
        return cls(crawler)

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        """Wait for the download of one page, and schedule another."""
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
        spider = self._crawler.spider
        engine.crawl(spider.request(item["crawl"], meta={"further": True}))
        return item


class FakeHandler:
    """Download handler that responds without a server."""

    lazy = False

    def __init__(self, *_: Any) -> None:
        """Accept the arguments of every Scrapy version."""

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        """Return a handler."""
        return cls()

    async def download_request(self, request: Request) -> Response:
        """Return a response to every request."""
        return TextResponse(request.url, body=b"pretended", request=request)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class OlderFakeHandler(FakeHandler):
    """FakeHandler for Scrapy 2.13, which expects a Deferred."""

    def download_request(self, request: Request, spider: Any = None) -> Any:
        """Return a Deferred of the response."""
        return deferred_from_coro(super().download_request(request))

    def close(self) -> None:  # type: ignore[override]  # not a coroutine in Scrapy 2.13
        """Do nothing: there is nothing to close."""


if not inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
    FakeHandler = OlderFakeHandler  # type: ignore[misc]  # loaded by this name
