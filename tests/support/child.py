"""The crawling process: `python -m tests.support.child` in a folder with a job.json.

It leaves a result.json there. Nothing here imports a reactor before Scrapy chose one.
"""

from __future__ import annotations

import gc
import json
import socket
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import crawler as scrapy_crawler
from scrapy import signals

from scrapy_robots1994.policy import faults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
SELECT = "twisted.internet.selectreactor.SelectReactor"


class AskingSpider(scrapy.Spider):
    """Asks for everything in the job and notes what became of each request.

    With the argument `follow` it follows the links of the pages. Subclasses may yield
    items or requests from `look`.
    """

    name = "asking"
    asks: list[dict[str, Any]]
    told: dict[str, list[Any]]
    follow = False

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all URLs of the job, none filtered as a duplicate."""
        for ask in self.asks:
            yield self.ask(**ask)

    def ask(self, url: str, **options: Any) -> scrapy.Request:
        """Return a request whose end is noted, whichever it is."""
        known: dict[str, Any] = {"dont_filter": True} | options
        return scrapy.Request(url, callback=self.fetched, errback=self.failed, **known)

    def fetched(self, response: Response) -> Iterator[Any]:
        """Note a page that came, whatever its status."""
        self.told["fetched"].append((response.url, response.status))
        yield from self.look(response)
        if self.follow:
            for link in response.css("a::attr(href)").getall():
                yield self.ask(response.urljoin(link), dont_filter=False)

    def look(self, response: Response) -> Iterator[Any]:
        """Yield what a subclass finds on the page."""
        yield from ()

    def failed(self, failure: Failure) -> None:
        """Note a request that failed, and why."""
        error: Any = failure.value
        if error.__class__.__name__ == "HttpError":
            self.told["fetched"].append((error.response.url, error.response.status))
            return
        kind = type(error)
        verdict = getattr(error, "verdict", None)
        self.told["failed"].append(
            {
                "url": failure.request.url,  # type: ignore[attr-defined]  # Scrapy adds it
                "name": f"{kind.__module__}.{kind.__qualname__}",
                "message": str(error),
                "verdict": None if verdict is None else _plain(verdict),
            }
        )


def _plain(verdict: Any) -> dict[str, Any]:
    """What a test compares of a verdict."""
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule,
        "text": str(verdict),
    }


def _load(path: str) -> Any:
    """The object that `module:name` names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _resolve_test_names() -> None:
    """Let every name under `test` be 127.0.0.1, and every one under `invalid` nobody.

    For Twisted and asyncio alike; no resolver of this machine is asked for either.
    """
    real_info, real_name = socket.getaddrinfo, socket.gethostbyname

    def local(host: Any) -> Any:
        name = host.decode("ascii") if isinstance(host, bytes) else host
        if name and name.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return "127.0.0.1" if name and name.rstrip(".").endswith(".test") else host

    def info(host: Any, *rest: Any, **options: Any) -> Any:
        return real_info(local(host), *rest, **options)

    socket.getaddrinfo = info
    socket.gethostbyname = lambda host: real_name(local(host))


def _shorten_pauses() -> None:
    """Let the pauses between retries of a robots.txt take a fiftieth of their time."""
    for name in ("NETWORK_PAUSES", "STATUS_PAUSES"):
        shorter = tuple(seconds / 50 for seconds in getattr(faults, name))
        setattr(faults, name, shorter)


def _process(job: dict[str, Any]) -> Any:
    """The process that `scrapy crawl` of this version takes for the reactor."""
    settings, plain = job["settings"], scrapy_crawler.CrawlerProcess
    if job["reactor"] == "select":
        return plain({"TWISTED_REACTOR": SELECT} | settings)
    newer = getattr(scrapy_crawler, "AsyncCrawlerProcess", plain)
    if job["reactor"] == "none":
        return newer({"TWISTED_REACTOR_ENABLED": False} | settings)
    return newer({"TWISTED_REACTOR": ASYNCIO} | settings)


def _listen(crawler: Crawler, job: dict[str, Any], told: dict[str, Any]) -> None:
    """Note items and the wanted signals for as long as the crawler lives."""

    def scraped(item: Any) -> None:
        told["items"].append(dict(item))

    def noting(name: str) -> Callable[..., None]:
        def sent(**arguments: Any) -> None:
            shown = {key: repr(value) for key, value in sorted(arguments.items())}
            told["sent"].append((name, shown))

        return sent

    crawler.signals.connect(scraped, signals.item_scraped, weak=False)
    for name in job["signals"]:
        crawler.signals.connect(noting(name), getattr(signals, name), weak=False)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Crawl as the job says and tell what came of it."""
    told: dict[str, Any] = {"stats": {}, "error": ""} | {
        key: [] for key in ("fetched", "failed", "items", "sent", "warnings")
    }

    def noted(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        *_: object,
        **__: object,
    ) -> None:
        told["warnings"].append((category.__name__, str(message), filename))

    warnings.showwarning, shown = noted, warnings.showwarning
    _resolve_test_names()
    _shorten_pauses()
    try:
        _crawl(job, told)
    except Exception as error:  # noqa: BLE001 (whatever stops a crawl is its result)
        told["error"] = _one_line(error)
    # What was never awaited or closed is warned of when it is thrown away: now, or on
    # stderr when the interpreter ends.
    gc.collect()
    warnings.showwarning = shown
    return told


def _crawl(job: dict[str, Any], told: dict[str, Any]) -> None:
    """Crawl to the end and add the stats and the error that stopped it, if one did."""
    process = _process(job)
    crawler = process.create_crawler(_load(job["spider"]))
    _listen(crawler, job, told)
    if job["hook"]:
        _load(job["hook"])(crawler)
    started: Any = process.crawl(
        crawler, asks=job["asks"], told=told, **job["spider_args"]
    )
    process.start()
    told["error"] = _error_of(started)
    # A crawl that an add-on stopped has no stats; newer Scrapy raises on reading them.
    with suppress(RuntimeError):
        told["stats"] = crawler.stats.get_stats() if crawler.stats else {}


def _one_line(error: BaseException) -> str:
    """The class and message of an exception."""
    return "".join(traceback.format_exception_only(error)).strip()


def _error_of(started: Any) -> str:
    """The exception that stopped the crawl from starting, as one line; else nothing."""
    if hasattr(started, "exception"):
        error = started.exception()
    else:
        outcome: list[Any] = []
        started.addErrback(outcome.append)
        error = outcome[0].value if outcome else None
    return _one_line(error) if error else ""


def main() -> None:
    """Run the job of this folder."""
    result = run(json.loads(Path("job.json").read_text("utf-8")))
    Path("result.json").write_text(json.dumps(result, default=str), "utf-8")


if __name__ == "__main__":
    main()
