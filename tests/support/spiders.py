"""The spiders that tests use. The argument `spider` of `crawl` names a spider of this
module.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.python.failure import Failure

from scrapy_robots1994 import Robots1994Middleware
from tests.support.child import RequestingSpider


async def download(crawler: Crawler, request: Request) -> Response:
    """Download *request* as a media pipeline or a callback does, with any version of Scrapy."""
    engine: Any = crawler.engine
    if not hasattr(engine, "download_async"):  # Scrapy 2.13
        engine.download_async = lambda it: maybe_deferred_to_future(engine.download(it))
    response: Response = await engine.download_async(request)
    return response


async def sleep(seconds: float) -> None:
    """Sleep, with any reactor or without a reactor."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        from twisted.internet import reactor, task  # noqa: PLC0415 - needs an installed reactor

        installed: Any = reactor
        await maybe_deferred_to_future(task.deferLater(installed, seconds))
    else:
        await asyncio.sleep(seconds)


class FilteredSpider(RequestingSpider):
    """A spider whose requests pass through the duplicates filter.

    Therefore, two workers with this spider and a shared queue request each page only once.
    """

    def request(self, url: str, **options: Any) -> Request:
        """Return a request that the duplicates filter drops if its URL is a duplicate."""
        return super().request(url, **options | {"dont_filter": False})


class Counted(RequestingSpider):
    """A spider that requests numbered pages of one or several hosts.

    *pages* is their number. If *filtered* is true, requests pass through the duplicates
    filter, as in a crawl that can be resumed. *item* is yielded for each page; `{n}` in its
    values is the number of the page.
    """

    name = "counted"
    site: str
    pages = 0
    hosts = 1
    filtered = False
    item: dict[str, str] | None = None

    async def start(self) -> AsyncIterator[Any]:
        """Yield all requests at once, beginning with the requests of the job."""
        for request in self.requests:
            yield self.request(**request)
        for number in range(self.pages):
            yield self.page(number, priority=-(number % 3))
        self.logger.info("all %d are yielded", self.pages)

    def page(self, number: int, **options: Any) -> Request:
        """Return the request of one page."""
        url = self.site.replace("{n}", str(number % self.hosts))
        return self.request(
            f"{url}/p{number}", dont_filter=not self.filtered, **options
        )

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item of the page."""
        number = response.url.rpartition("/p")[2]
        if self.item is not None:
            yield {key: it.replace("{n}", number) for key, it in self.item.items()}


class LoggingIn(RequestingSpider):
    """A spider that awaits the response of the page *login* before its start requests."""

    name = "logging-in"
    login: str

    async def start(self) -> AsyncIterator[Any]:
        """Await the login, and then yield all requests of the job."""
        await download(self.crawler, Request(self.login))
        async for request in super().start():
            yield request


class Unserializable(Counted):
    """A spider with a lambda as callback, which no queue on disk can store."""

    name = "unserializable"

    def page(self, number: int, **options: Any) -> Request:
        """Return a request that Scrapy can queue only in memory."""
        request = super().page(number, **options)
        # Use a lambda, because a queue on disk could store a method by its name.
        return request.replace(callback=lambda response: self.fetched(response))  # noqa: PLW0108


class Raising(Counted):
    """A spider whose callback raises an exception for each page.

    CLOSESPIDER_ERRORCOUNT counts the exceptions of callbacks.
    """

    name = "raising"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item of the page, and then raise an exception."""
        yield from super().parse_page(response)
        raise ValueError(response.url)


class Downloading(Counted):
    """A spider that awaits a page in a callback. The awaited request bypasses the scheduler."""

    name = "downloading"
    first: str

    async def start(self) -> AsyncIterator[Any]:
        """Yield the request of the page *first*."""
        yield Request(self.first, callback=self.first_page)

    async def first_page(self, response: Response) -> Any:
        """Await page 0, and record the status of the page or the class of the exception."""
        try:
            found = await download(self.crawler, self.page(0))
        except Exception as error:  # noqa: BLE001 - the test checks the class
            self.result["items"].append({"end": type(error).__name__})
        else:
            self.result["items"].append({"end": found.status})


class Awaiting(Counted):
    """A spider that awaits a page of a new origin in the callback of each page."""

    name = "awaiting"

    async def fetched(self, response: Response) -> None:  # type: ignore[override]  # a coroutine
        """Await a page of another origin, and record the status of that page."""
        number = response.url.rpartition("/p")[2]
        origin = self.site.replace("a.test", f"b{number}.test")
        found = await download(self.crawler, Request(f"{origin}/awaited"))
        self.result["items"].append({"status": found.status})


class LinkSpider(CrawlSpider):
    """A spider that follows every link, and records the reason of each refusal."""

    name = "following"
    rules = (Rule(LinkExtractor(), callback="found", errback="refused", follow=True),)
    result: dict[str, list[Any]]

    def found(self, response: Response) -> dict[str, str]:
        """Return an item for each page."""
        return {"url": response.url}

    def refused(self, failure: Failure) -> None:
        """Record the reason for a refusal as an item."""
        self.result["items"].append({"why": str(failure.value)})


class CheckingSpider(RequestingSpider):
    """A spider that asks the middleware for the verdict of each URL, and requests no page."""

    name = "checking"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the verdicts of all URLs at once, and yield an item for each verdict or
        error.
        """
        ours = self.crawler.get_downloader_middleware(Robots1994Middleware)
        assert ours is not None

        async def verdict(url: str) -> dict[str, Any]:
            try:
                found = await ours.check(url)
            except Exception as error:  # noqa: BLE001 (the test checks the class)
                return {"url": url, "error": type(error).__name__}
            values = {"allowed": found.allowed, "reason": found.reason.value}
            return {"url": url, "line": found.line} | values

        # Wait one turn, because Scrapy installs its DNS resolver after the crawl has begun.
        await sleep(0)
        asked = [deferred_from_coro(verdict(it["url"])) for it in self.requests]
        for each in asked:
            yield await maybe_deferred_to_future(each)


class ItemSpider(RequestingSpider):
    """A spider that yields its argument *item* for every page.

    Pages that a pipeline requested yield no item; otherwise, the pipeline would request
    pages forever.
    """

    name = "offering"
    item: dict[str, Any]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item."""
        if not response.meta.get("further"):
            yield dict(self.item)


class MetaPassingSpider(RequestingSpider):
    """A spider that passes the whole meta of a page on to the next requests."""

    name = "handing"
    further_urls: list[str]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Request further pages with the meta of *response*."""
        if not response.meta.get("further"):
            for url in self.further_urls:
                yield self.request(url, meta=response.meta | {"further": True})

    def failed(self, failure: Failure) -> Any:
        """Repeat a refused request once, with all meta of the request, including the
        verdict.
        """
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds `request`
        if request.meta.get("second"):
            return None
        return request.replace(meta=request.meta | {"second": True})


class RepeatingSpider(RequestingSpider):
    """A spider that repeats a refused request with each of *new_urls*.

    The new requests have the whole meta of the refused request. If *dont_obey* is true,
    the meta of the new requests also contains `dont_obey_robotstxt`.
    """

    name = "elsewhere"
    new_urls: list[str]
    dont_obey: bool

    def failed(self, failure: Failure) -> Any:
        """Return a copy of the refused request for each of *new_urls*."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds `request`
        meta = request.meta | ({"dont_obey_robotstxt": True} if self.dont_obey else {})
        return [request.replace(url=url, meta=meta) for url in self.new_urls]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield an item with the verdict from the meta of the page."""
        yield {"verdict": str(response.meta.get("robots1994"))}


class CancellingSpider(RequestingSpider):
    """A spider that cancels a download after n steps of the event loop, for each n below a
    maximum.

    For each n, the spider sends three requests to a separate origin. The first request
    is cancelled. The second request waits for the same robots.txt as the first request.
    The third request is sent after the first and the second request have ended. One
    item contains the outcomes of the three requests.
    """

    name = "cancelling"
    crawler: Crawler

    async def start(self) -> AsyncIterator[Any]:
        """Send the requests for each number of steps, beginning with 0.

        The meta value `steps` of the spider's only request is the maximum number of
        steps. `{n}` in the URL of the spider's only request is the number of steps.
        """
        for steps in range(int(self.requests[0]["meta"]["steps"])):
            url = self.requests[0]["url"].replace("{n}", str(steps))
            cancelled, other = self.download(url), self.download(url + "?other")
            for _ in range(steps):
                await asyncio.sleep(0)
            cancelled.cancel()
            outcomes = [await outcome_of(each) for each in (cancelled, other)]
            late = self.download(url + "?late")
            yield {"steps": steps, "ends": [*outcomes, await outcome_of(late)]}
        engine: Any = self.crawler.engine
        yield {"concurrency": engine.downloader.total_concurrency}

    def download(self, url: str) -> asyncio.Future[Any]:
        """Begin to download one page with the engine, as a pipeline does."""
        page = download(self.crawler, Request(url, dont_filter=True))
        return asyncio.ensure_future(page)


async def outcome_of(page: asyncio.Future[Any]) -> str:
    """Return how the download of *page* ended, in one word.

    The word is the status, the class of the exception, "cancelled" or "hangs".
    """
    done, _ = await asyncio.wait([page], timeout=20)
    if not done:
        return "hangs"
    if page.cancelled():
        return "cancelled"
    error = page.exception()
    return type(error).__name__ if error else str(page.result().status)


class UrgentSpider(RequestingSpider):
    """A spider that requests the urgent pages when the first page under /many/ arrives."""

    name = "urgent"
    urgent: list[str]
    has_requested = False

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Request all urgent pages for the first page under /many/."""
        if "/many/" in response.url and not self.has_requested:
            self.has_requested = True
            for url in self.urgent:
                yield self.request(url, priority=10)


class PlainSpider(RequestingSpider):
    """A spider with a generator as callback. Each item contains the directives of the page."""

    name = "plain"
    follow = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield an item with the URL and the directives of the page."""
        directives = response.meta.get("robots1994_page")
        yield {
            "url": response.url,
            "directives": directives and [directives.index, directives.follow],
        }


class ErrbackItemSpider(RequestingSpider):
    """A spider whose errback yields an item."""

    name = "errback_item"

    def failed(self, failure: Any) -> Iterator[Any]:
        """Yield an item for the failed request."""
        yield {"failed": failure.request.url}


class UsageSpider(RequestingSpider):
    """A spider that yields an item with the usage preferences of each page.

    After a page at `/again`, the spider requests `/plain` with the meta of the page at
    `/again`.
    """

    name = "usage"
    follow = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item of the page. For `/again`, also yield the request for `/plain`."""
        usage = response.meta.get("robots1994_usage")
        item: dict[str, Any] = {"url": response.url, "usage": None}
        if usage is not None:
            item["usage"] = [str(it) for it in usage.statements]
            item["read"] = list(usage.read)
            item["train-ai"] = usage["train-ai"]
        yield item
        if response.url.endswith("/again"):
            url = response.url.removesuffix("/again") + "/plain"
            yield self.request(url, meta=response.meta)


class TwiceSpider(PlainSpider):
    """A spider that yields each item object twice."""

    name = "twice"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield each item twice, as a callback that reuses a dict does."""
        for item in super().parse_page(response):
            yield item
            yield item


class AsyncSpider(PlainSpider):
    """A spider with an asynchronous generator as callback."""

    name = "async"

    def request(self, url: str, **options: Any) -> Any:
        """Return a request with the asynchronous callback."""
        return super().request(url, **options).replace(callback=self.found)

    async def found(self, response: Response) -> AsyncIterator[Any]:
        """Yield the items and requests of the plain callback."""
        for each in self.fetched(response):
            yield each


class MapSpider(SitemapSpider):
    """A spider that reads the sitemaps listed in the robots.txt files of the job."""

    name = "map"
    result: dict[str, list[Any]]

    def __init__(self, requests: list[dict[str, Any]], **kwargs: Any) -> None:
        """Use the URLs of the job as sitemap URLs."""
        self.sitemap_urls = [request["url"] for request in requests]
        super().__init__(**kwargs)

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        """Record the page."""
        self.result["fetched"].append((response.url, response.status))
        yield {"url": response.url}


class Exporting(RequestingSpider):
    """A spider that yields objects of our package as items or in items.

    The callback yields the meta, and the errback yields the meta and the parts of the
    verdict. If *nested* is true, each object is the field `what` of an item. Otherwise, the
    object itself is the item.
    """

    name = "exporting"
    nested = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the meta of an allowed page."""
        yield from self.items(dict(response.meta))

    def failed(self, failure: Failure) -> Iterator[Any]:
        """Yield the meta of a refused page, and the parts of its verdict."""
        super().failed(failure)
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy adds `request`
        verdict = getattr(failure.value, "verdict", None)
        yield from self.items(dict(request.meta))
        if verdict is not None:
            yield from self.items(verdict)
            yield from self.items(verdict.as_dict())
            yield from self.items(ItemAdapter({"verdict": verdict}).asdict())
            yield from self.items(ItemAdapter(verdict).asdict())
            if verdict.record is not None:
                yield from self.items(verdict.record)
        if verdict is not None and self.nested:
            yield from self.items(verdict.reason)
            yield from self.items(verdict.rule)
            yield from self.items([verdict, (verdict.reason,)])

    def items(self, what: Any) -> Iterator[Any]:
        """Yield *what* as an item, or in an item."""
        yield {"what": what} if self.nested else what


class CauseSpider(RequestingSpider):
    """A spider that yields the failure and the cause of each failed request."""

    def failed(self, failure: Failure) -> Iterator[Any]:
        """Yield an item with the failure in the verdict and the cause of the exception."""
        error: Any = failure.value
        cause = error.__cause__
        yield {
            "url": failure.request.url,  # type: ignore[attr-defined]  # Scrapy adds `request`
            "failure": error.verdict.failure,
            "cause": None if cause is None else f"{type(cause).__name__}: {cause}",
        }
