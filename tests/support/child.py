"""The crawling process: `python -m tests.support.child` in a folder with a job.json.

The process writes the result to result.json in the same folder. Nothing that this module imports
may install a reactor before Scrapy does.
"""

from __future__ import annotations

import gc
import json
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from itemadapter import ItemAdapter
from scrapy import crawler as scrapy_crawler
from scrapy import signals

from tests.support import clock  # noqa: F401 - must precede `resolver`, which keeps `time.time`
from tests.support.names import resolve_test_names

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
SELECT = "twisted.internet.selectreactor.SelectReactor"


class RequestingSpider(scrapy.Spider):
    """Requests every URL of the job and records how each request ends.

    A subclass may yield items or requests from `parse_page`.
    """

    name = "asking"
    requests: list[dict[str, Any]]
    result: dict[str, list[Any]]
    follow = False

    async def start(self) -> AsyncIterator[Any]:
        for request in self.requests:
            yield self.request(**request)
        self.logger.info("all %d are yielded", len(self.requests))

    def request(self, url: str, **options: Any) -> scrapy.Request:
        arguments: dict[str, Any] = {"dont_filter": True} | options
        return scrapy.Request(
            url, callback=self.fetched, errback=self.failed, **arguments
        )

    def fetched(self, response: Response) -> Iterator[Any]:
        self.result["fetched"].append((response.url, response.status))
        yield from self.parse_page(response)
        if self.follow:
            for link in response.css("a::attr(href)").getall():
                yield self.request(response.urljoin(link), dont_filter=False)

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield from ()

    def failed(self, failure: Failure) -> Iterator[Any] | None:
        """A response with an error status counts as a fetched page, not as a failure."""
        error: Any = failure.value
        if error.__class__.__name__ == "HttpError":
            self.result["fetched"].append((error.response.url, error.response.status))
            return None
        kind = type(error)
        verdict = getattr(error, "verdict", None)
        self.result["failed"].append(
            {
                "url": failure.request.url,  # type: ignore[attr-defined]  # Scrapy adds `request`
                "name": f"{kind.__module__}.{kind.__qualname__}",
                "message": str(error),
                "verdict": None if verdict is None else _plain(verdict),
            }
        )
        return None


def _plain(verdict: Any) -> dict[str, Any]:
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule,
        "text": str(verdict),
    }


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def shorten_pauses() -> None:
    fetch: Any = import_module("scrapy_robots1994.crawl.fetch")
    sleep = fetch.sleep
    fetch.sleep = lambda seconds: sleep(seconds / 50)


def _process(job: dict[str, Any]) -> Any:
    """Return the crawler process that `scrapy crawl` would use with the job's reactor."""
    settings, plain = job["settings"], scrapy_crawler.CrawlerProcess
    if job["reactor"] == "select":
        return plain({"TWISTED_REACTOR": SELECT} | settings)
    newer = getattr(scrapy_crawler, "AsyncCrawlerProcess", plain)
    if job["reactor"] == "none":
        return newer({"TWISTED_REACTOR_ENABLED": False} | settings)
    return newer({"TWISTED_REACTOR": ASYNCIO} | settings)


def _listen(crawler: Crawler, job: dict[str, Any], result: dict[str, Any]) -> None:
    def scraped(item: Any) -> None:
        result["items"].append(ItemAdapter(item).asdict())

    def recorder(name: str) -> Callable[..., None]:
        def sent(**arguments: Any) -> None:
            shown = {key: repr(value) for key, value in sorted(arguments.items())}
            result["sent"].append((name, shown))

        return sent

    crawler.signals.connect(scraped, signals.item_scraped, weak=False)
    for name in job["signals"]:
        crawler.signals.connect(recorder(name), getattr(signals, name), weak=False)


def run(job: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"stats": {}, "error": ""} | {
        key: [] for key in ("fetched", "failed", "items", "sent", "warnings")
    }

    def record_warning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        *_: object,
        **__: object,
    ) -> None:
        result["warnings"].append((category.__name__, str(message), filename))

    warnings.showwarning, shown = record_warning, warnings.showwarning
    resolve_test_names()
    shorten_pauses()
    try:
        _crawl(job, result)
    except Exception as error:  # noqa: BLE001 (the result contains the error)
        result["error"] = _one_line(error)
    # Python warns of unawaited coroutines and of unclosed files and sockets when it collects them.
    # Collect them now, while warnings are recorded.
    gc.collect()
    warnings.showwarning = shown
    return result


def _crawl(job: dict[str, Any], result: dict[str, Any]) -> None:
    process = _process(job)
    crawler = process.create_crawler(_load(job["spider"]))
    _listen(crawler, job, result)
    if job["hook"]:
        _load(job["hook"])(crawler)
    started: Any = process.crawl(
        crawler, requests=job["requests"], result=result, **job["spider_args"]
    )
    process.start()
    result["error"] = _error_of(started)
    # Scrapy 2.19 raises an error here if an add-on stopped the crawl.
    with suppress(RuntimeError):
        result["stats"] = crawler.stats.get_stats() if crawler.stats else {}


def _one_line(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip()


def _error_of(started: Any) -> str:
    """Return in one line why the crawl did not start, or "" if it did."""
    if hasattr(started, "exception"):
        error = started.exception()
    else:
        outcome: list[Any] = []
        started.addErrback(outcome.append)
        error = outcome[0].value if outcome else None
    return _one_line(error) if error else ""


def main() -> None:
    result = run(json.loads(Path("job.json").read_text("utf-8")))
    Path("result.json").write_text(json.dumps(result, default=str), "utf-8")


if __name__ == "__main__":
    main()
