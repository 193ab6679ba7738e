"""Start crawls as users' scripts do: `python -m tests.support.walking WAY URL`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import scrapy
import scrapy.crawler
from scrapy.http import Response
from scrapy.utils.log import configure_logging
from scrapy.utils.reactor import install_reactor
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python.failure import Failure


def printed(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)).replace(sys.argv[2], "") + "\n")


class Walk(scrapy.Spider):
    name = "walk"

    async def start(self) -> AsyncIterator[Any]:
        for page in ("/open", "/private"):
            yield scrapy.Request(sys.argv[2] + page, errback=self.refused)

    def parse(self, response: Response, **_: Any) -> None:
        printed(self.name, "fetched", response.url)

    def refused(self, failure: Failure) -> None:
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy adds `request`
        error: Any = failure.value
        printed(self.name, "refused", url, "by line", error.verdict.line)


class Other(Walk):
    name = "other"
    custom_settings = {"USER_AGENT": "other/2.0"}  # noqa: RUF012 - as users write it


class Free(Walk):
    name = "free"
    custom_settings = {"ROBOTSTXT_OBEY": False}  # noqa: RUF012 - as users write it


def reads(label: str, agent: str = "walker/1.0", **ours: str) -> type[Walk]:
    found = {f"ROBOTS1994_{key}": value for key, value in ours.items()}
    found["USER_AGENT"] = agent
    return type("Reads", (Walk,), {"name": label, "custom_settings": found})


def settings(**more: Any) -> dict[str, Any]:
    return {
        "ADDONS": {"scrapy_robots1994.Addon": 500},
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "TELNETCONSOLE_ENABLED": False,
        "USER_AGENT": "walker/1.0",
        **more,
    }


crawlers: Any = scrapy.crawler


def in_parallel(process: str) -> None:
    started = getattr(crawlers, process)(settings())
    started.crawl(Walk)
    started.crawl(reads("careful", "split/1.0", DIALECT="rfc9309"))
    started.crawl(reads("exact", "split/1.0"))
    started.crawl(reads("lists", DIALECT="revisited"))
    started.crawl(reads("allows", DIALECT="extended"))
    started.crawl(Free)
    started.start()


def installed() -> Any:
    """Install the reactor named in the settings and return Twisted's `react`."""
    configure_logging()
    install_reactor(settings()["TWISTED_REACTOR"])
    from twisted.internet.task import react  # noqa: PLC0415 - this imports the reactor

    return react


def with_a_runner() -> None:
    @inlineCallbacks
    def both(_: object) -> Any:
        runner = crawlers.CrawlerRunner(settings())
        yield runner.crawl(Walk)
        yield runner.crawl(Other)

    installed()(both)


async def in_turn(**more: Any) -> None:
    runner = crawlers.AsyncCrawlerRunner(settings(**more))
    await runner.crawl(Walk)
    await runner.crawl(Other)


def with_an_async_runner() -> None:
    installed()(lambda _: Deferred.fromFuture(asyncio.ensure_future(in_turn())))


def without_a_reactor() -> None:
    configure_logging()
    asyncio.run(in_turn(TWISTED_REACTOR_ENABLED=False))


WAYS: dict[str, Callable[[], None]] = {
    "CrawlerProcess": partial(in_parallel, "CrawlerProcess"),
    "AsyncCrawlerProcess": partial(in_parallel, "AsyncCrawlerProcess"),
    "CrawlerRunner": with_a_runner,
    "AsyncCrawlerRunner": with_an_async_runner,
    "AsyncCrawlerRunner without a reactor": without_a_reactor,
}

if __name__ == "__main__":
    WAYS[sys.argv[1]]()
