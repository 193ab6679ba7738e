"""Spiders for the argument `spider` of `crawl`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spiders import SitemapSpider
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.python.failure import Failure

from scrapy_robots1994 import Robots1994Middleware
from tests.support.child import RequestingSpider


async def download(crawler: Crawler, request: Request) -> Response:
    """Download *request* as a media pipeline or a callback does, in any version of Scrapy."""
    engine: Any = crawler.engine
    if not hasattr(engine, "download_async"):  # Scrapy 2.13
        engine.download_async = lambda it: maybe_deferred_to_future(engine.download(it))
    response: Response = await engine.download_async(request)
    return response


async def sleep(seconds: float) -> None:
    """Sleep, with or without a reactor."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        from twisted.internet import reactor, task  # noqa: PLC0415 - the import installs a reactor

        installed: Any = reactor
        await maybe_deferred_to_future(task.deferLater(installed, seconds))
    else:
        await asyncio.sleep(seconds)


class PausingSpider(RequestingSpider):
    """After the first page, pauses the engine and counts the page requests that are still sent."""

    name = "pausing"
    sent = 0

    async def start(self) -> AsyncIterator[Any]:
        reached = signals.request_reached_downloader
        self.crawler.signals.connect(self.reached, reached)
        async for request in super().start():
            yield request

    def reached(self, request: Request) -> None:
        self.sent += not request.url.endswith("/robots.txt")

    async def fetched(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]  # asynchronous
        is_first = not self.result["fetched"]
        self.result["fetched"].append((response.url, response.status))
        if is_first:
            engine: Any = self.crawler.engine
            engine.pause()
            before = self.sent
            await sleep(0.3)
            yield {"sent": self.sent - before}
            engine.unpause()


class Counted(RequestingSpider):
    """Requests *pages* numbered pages, spread over *hosts* hosts.

    If *filtered*, requests pass through the duplicates filter, so that a resumed crawl does not
    repeat them.
    Yields *item* for each page, with `{n}` in its values replaced with the number of the page.
    """

    name = "counted"
    site: str
    pages = 0
    hosts = 1
    filtered = False
    item: dict[str, str] | None = None

    async def start(self) -> AsyncIterator[Any]:
        for request in self.requests:
            yield self.request(**request)
        for number in range(self.pages):
            yield self.page(number, priority=-(number % 3))
        self.logger.info("all %d are yielded", self.pages)

    def page(self, number: int, **options: Any) -> Request:
        url = self.site.replace("{n}", str(number % self.hosts))
        return self.request(
            f"{url}/p{number}", dont_filter=not self.filtered, **options
        )

    def parse_page(self, response: Response) -> Iterator[Any]:
        number = response.url.rpartition("/p")[2]
        if self.item is not None:
            yield {key: it.replace("{n}", number) for key, it in self.item.items()}


class Unserializable(Counted):
    """Uses a lambda as callback, so no queue on disk can store its requests."""

    name = "unserializable"

    def page(self, number: int, **options: Any) -> Request:
        request = super().page(number, **options)
        # A queue could store the method itself by its name.
        return request.replace(callback=lambda response: self.fetched(response))  # noqa: PLW0108


class Raising(Counted):
    name = "raising"

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield from super().parse_page(response)
        raise ValueError(response.url)


class Downloading(Counted):
    """Starts a download that bypasses the scheduler, and yields a request to the same origin."""

    name = "downloading"
    first: str

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.first, callback=self.first_page)

    async def first_page(self, response: Response) -> Any:
        awaited = deferred_from_coro(download(self.crawler, self.page(0)))
        yield self.page(1)
        self.logger.info("page 1 is yielded")
        try:
            found = await maybe_deferred_to_future(awaited)
        except Exception as error:  # noqa: BLE001 - the test checks the class
            self.result["items"].append({"end": type(error).__name__})
        else:
            self.result["items"].append({"end": found.status})


class Awaiting(Counted):
    name = "awaiting"

    async def fetched(self, response: Response) -> None:  # type: ignore[override]  # a coroutine
        number = response.url.rpartition("/p")[2]
        origin = self.site.replace("a.test", f"b{number}.test")
        found = await download(self.crawler, Request(f"{origin}/awaited"))
        self.result["items"].append({"status": found.status})


class CheckingSpider(RequestingSpider):
    name = "checking"

    async def start(self) -> AsyncIterator[Any]:
        ours = self.crawler.get_downloader_middleware(Robots1994Middleware)
        assert ours is not None

        async def verdict(url: str) -> dict[str, Any]:
            try:
                found = await ours.check(url)
            except Exception as error:  # noqa: BLE001 (the test checks the class)
                return {"url": url, "error": type(error).__name__}
            values = {"allowed": found.allowed, "reason": found.reason.value}
            policy = ours.policy_of(url)
            values["outcome"] = policy and policy.outcome.value
            return {"url": url, "line": found.line} | values

        # Wait until the event loop runs: by then, Scrapy has installed its DNS resolver.
        await sleep(0)
        asked = [deferred_from_coro(verdict(it["url"])) for it in self.requests]
        for each in asked:
            yield await maybe_deferred_to_future(each)


class ItemSpider(RequestingSpider):
    """Yields *item* for each page."""

    name = "offering"
    item: dict[str, Any]

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield dict(self.item)


class RepeatingSpider(RequestingSpider):
    """When a request fails, sends a copy, with its meta, to each of *new_urls*."""

    name = "elsewhere"
    new_urls: list[str]
    dont_obey: bool

    def failed(self, failure: Failure) -> Any:
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds `request`
        if request.url in self.new_urls:
            return None
        meta = request.meta | ({"dont_obey_robotstxt": True} if self.dont_obey else {})
        return [request.replace(url=url, meta=meta) for url in self.new_urls]

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield {"verdict": str(response.meta.get("robots1994"))}


class CancellingSpider(RequestingSpider):
    """Cancels one download per host: the first at once, the next after a turn of the event loop,
    and so on.

    A second request to each host waits for the same robots.txt. A third request is sent when both
    have ended.
    """

    name = "cancelling"
    crawler: Crawler

    async def start(self) -> AsyncIterator[Any]:
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
        page = download(self.crawler, Request(url, dont_filter=True))
        return asyncio.ensure_future(page)


async def outcome_of(page: asyncio.Future[Any]) -> str:
    done, _ = await asyncio.wait([page], timeout=20)
    if not done:
        return "hangs"
    if page.cancelled():
        return "cancelled"
    error = page.exception()
    return type(error).__name__ if error else str(page.result().status)


class UrgentSpider(RequestingSpider):
    name = "urgent"
    urgent: list[str]
    has_requested = False

    def parse_page(self, response: Response) -> Iterator[Any]:
        if "/many/" in response.url and not self.has_requested:
            self.has_requested = True
            for url in self.urgent:
                yield self.request(url, priority=10)


class PlainSpider(RequestingSpider):
    name = "plain"
    follow = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        directives = response.meta.get("robots1994_page")
        yield {
            "url": response.url,
            "directives": directives and [directives.index, directives.follow],
        }


class ErrbackItemSpider(RequestingSpider):
    name = "errback_item"

    def failed(self, failure: Any) -> Iterator[Any]:
        yield {"failed": failure.request.url}


class UsageSpider(RequestingSpider):
    """Yields the usage preferences of pages. After /again, requests /plain with the same meta."""

    name = "usage"
    follow = True

    def parse_page(self, response: Response) -> Iterator[Any]:
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
    """Yields each item object twice, like a callback that reuses a dict."""

    name = "twice"

    def parse_page(self, response: Response) -> Iterator[Any]:
        for item in super().parse_page(response):
            yield item
            yield item


class AsyncSpider(PlainSpider):
    name = "async"

    def request(self, url: str, **options: Any) -> Any:
        return super().request(url, **options).replace(callback=self.found)

    async def found(self, response: Response) -> AsyncIterator[Any]:
        for each in self.fetched(response):
            yield each


class MapSpider(SitemapSpider):
    name = "map"
    result: dict[str, list[Any]]

    def __init__(self, requests: list[dict[str, Any]], **kwargs: Any) -> None:
        self.sitemap_urls = [request["url"] for request in requests]
        super().__init__(**kwargs)

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        self.result["fetched"].append((response.url, response.status))
        yield {"url": response.url}


class Exporting(RequestingSpider):
    """Yields the meta of each request, and the verdict of each refusal in several forms.

    If *nested*, each of these values is the field `what` of an item. Otherwise, each value is an
    item itself.
    """

    name = "exporting"
    nested = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield from self.items(dict(response.meta))

    def failed(self, failure: Failure) -> Iterator[Any]:
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
        yield {"what": what} if self.nested else what


class CauseSpider(RequestingSpider):
    def failed(self, failure: Failure) -> Iterator[Any]:
        error: Any = failure.value
        cause = error.__cause__
        yield {
            "url": failure.request.url,  # type: ignore[attr-defined]  # Scrapy adds `request`
            "failure": error.verdict.failure,
            "cause": None if cause is None else f"{type(cause).__name__}: {cause}",
        }
