"""Requests, spiders and components, most of which break if a request is copied or repeated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredSemaphore

from tests.support.child import RequestingSpider
from tests.support.components import OfCrawler, is_robots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

PAGES = 40
LEASES = 16


class PageRequest(Request):
    """A request whose constructor takes arguments of its own, so that `replace` fails."""

    def __init__(self, page: str, spider: RequestingSpider) -> None:
        super().__init__(page, spider.fetched, errback=spider.failed, dont_filter=True)


class ScriptRequest(Request):
    """A request with an attribute that `replace` does not copy, like `SeleniumRequest`."""

    script = ""


class PageSpider(RequestingSpider):
    name = "pages"

    def request(self, url: str, **_: Any) -> Request:
        return PageRequest(url, self)


class ScriptSpider(RequestingSpider):
    name = "scripts"

    def request(self, url: str, **options: Any) -> Request:
        request = ScriptRequest(
            url, self.fetched, errback=self.failed, dont_filter=True
        )
        request.script = "window.scroll()"
        return request


class RunScripts:
    def process_request(self, request: Request, spider: Any = None) -> None:
        if not is_robots(request) and not getattr(request, "script", ""):
            raise IgnoreRequest("no script")


class SeenScheduler(Scheduler):
    """Accepts each URL once, even with `dont_filter`."""

    def enqueue_request(self, request: Request) -> bool:
        seen = self.__dict__.setdefault("seen_urls", set())
        if request.url in seen:
            return False
        seen.add(request.url)
        return super().enqueue_request(request)


class ScheduledBudget(OfCrawler):
    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._scheduled = 0
        crawler.signals.connect(self._count, signals.request_scheduled)

    def _count(self) -> None:
        self._scheduled += 1
        if self._scheduled > PAGES:
            raise IgnoreRequest("over the budget")


class Budget:
    passed = 0

    def process_request(self, request: Request, spider: Any = None) -> None:
        self.passed += not is_robots(request)
        if self.passed > PAGES:
            raise IgnoreRequest("over the budget")


class Leases:
    """Gives each page request one of 16 leases, which is free again when the response arrives."""

    def __init__(self) -> None:
        self._leases = DeferredSemaphore(LEASES)

    async def process_request(self, request: Request, spider: Any = None) -> None:
        if not is_robots(request):
            await maybe_deferred_to_future(self._leases.acquire())

    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Response:
        if not is_robots(request):
            self._leases.release()
        return response


class Rewriting:
    """Replaces each page request with another one, as middlewares for rendering services do."""

    def process_request(self, request: Request, spider: Any = None) -> Request | None:
        if is_robots(request) or request.url.endswith("?rendered"):
            return None
        return request.replace(url=f"{request.url}?rendered")


class Answering:
    def process_request(self, request: Request, spider: Any = None) -> Response | None:
        return None if is_robots(request) else HtmlResponse(request.url)


class Raising:
    def process_request(self, request: Request, spider: Any = None) -> None:
        if not is_robots(request):
            raise IgnoreRequest("not now")


class KeySpider(RequestingSpider):
    name = "keys"

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield own_keys(response.request)

    def failed(self, failure: Any) -> Any:
        yield own_keys(failure.request)


def own_keys(request: Any) -> dict[str, Any]:
    own = [key for key in request.meta if "robots1994" in key]
    return {"own": own, "dont_filter": request.dont_filter}


class Failing:
    """Raises `IgnoreRequest` for the first response from each page URL."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Response:
        if is_robots(request) or request.url in self._refused:
            return response
        self._refused.add(request.url)
        raise IgnoreRequest("not yet")


class AgainSpider(RequestingSpider):
    name = "again"

    def failed(self, failure: Any) -> Any:
        yield failure.request.copy()


def count_scheduled(crawler: Crawler) -> None:
    scheduled: Counter[str] = Counter()

    def opened() -> None:
        assert crawler.stats is not None
        crawler.stats.set_value("test/scheduled", scheduled)

    def count(request: Request) -> None:
        scheduled[request.url] += 1

    crawler.signals.connect(opened, signals.spider_opened, weak=False)
    crawler.signals.connect(count, signals.request_scheduled, weak=False)
