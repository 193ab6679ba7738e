"""Functions that the crawling process calls with the crawler before the crawl starts."""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots1994 import (
    RobotsTxt,
    request_refused,
    robots_sitemaps,
)
from tests.support.spiders import download, sleep


def close_soon(_crawler: Any) -> None:
    """Let a closing crawl wait only one second for robots.txt."""
    import_module("scrapy_robots1994.crawl.waiting").CLOSE_SECONDS = 1.0  # type: ignore[attr-defined]


def log_scheduled(crawler: Any) -> None:
    def scheduled(request: Request) -> None:
        crawler.spider.logger.info("scheduled %s", request.url)

    crawler.signals.connect(scheduled, signals.request_scheduled, weak=False)


def await_a_page(crawler: Any) -> None:
    async def heard(request: Request, **_: Any) -> None:
        page = request.replace(url=request.url + "-other", callback=NO_CALLBACK)
        response = await download(crawler, page)
        crawler.stats.inc_value(f"test/awaited/{response.status}")

    for sent in (robots_sitemaps, getattr(signals, "robots_parsed", None)):
        if sent is not None:
            crawler.signals.connect(heard, sent, weak=False)


def shrink_concurrency(crawler: Any) -> None:
    def reached(request: Request) -> None:
        if request.url.endswith("/robots.txt"):
            crawler.engine.downloader.total_concurrency = 4

    def closed() -> None:
        concurrency = crawler.engine.downloader.total_concurrency
        crawler.stats.set_value("test/concurrency", concurrency)

    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)
    crawler.signals.connect(closed, signals.spider_closed, weak=False)


def stop_all_but_html(crawler: Any) -> None:
    def received(headers: Headers, **_: Any) -> None:
        if b"html" not in (headers.get("Content-Type") or b""):
            raise StopDownload(fail=False)

    crawler.signals.connect(received, signals.headers_received, weak=False)


def stop_at_the_first_bytes(crawler: Any) -> None:
    def received(**_: Any) -> None:
        raise StopDownload(fail=False)

    crawler.signals.connect(received, signals.bytes_received, weak=False)


def count_dropped(crawler: Any) -> None:
    def dropped(item: Any, response: Response, exception: Exception) -> None:
        dropped = (item["url"], response.url, type(exception).__name__, str(exception))
        crawler.stats.set_value(f"test/dropped{response.url}", dropped)

    crawler.signals.connect(dropped, signals.item_dropped, weak=False)


def count_dropped_slowly(crawler: Any) -> None:
    async def dropped() -> None:
        await sleep(0.5)
        crawler.stats.inc_value("test/dropped")

    crawler.signals.connect(dropped, signals.item_dropped, weak=False)


def note_sitemaps(crawler: Any) -> None:
    def sitemaps_found(**arguments: Any) -> None:
        crawler.stats.set_value("test/sitemaps", arguments["sitemaps"])
        crawler.stats.set_value("test/origin", str(arguments["origin"]))
        crawler.stats.set_value("test/request", arguments["request"].url)
        crawler.stats.inc_value("test/times")

    crawler.signals.connect(sitemaps_found, robots_sitemaps, weak=False)


def note_slots(crawler: Any) -> None:
    def left(request: Request) -> None:
        key = request.meta["download_slot"]
        slot = crawler.engine.downloader.slots[key]
        seen = crawler.stats.get_value(f"test/slot/{key}", [])
        state = slot.delay, slot.concurrency, slot.download_delay()
        crawler.stats.set_value(f"test/slot/{key}", [*seen, state])

    crawler.signals.connect(left, signals.request_left_downloader, weak=False)


def count_active(crawler: Any) -> None:
    """Record how many requests the download slots list as active when the spider is idle."""

    def idle() -> None:
        slots = crawler.engine.downloader.slots.values()
        crawler.stats.set_value("test/active", sum(len(it.active) for it in slots))

    crawler.signals.connect(idle, signals.spider_idle, weak=False)


def is_on_the_loop() -> bool:
    return threading.current_thread() is threading.main_thread()


def count_readings(crawler: Any) -> None:
    read, under_way = RobotsTxt.prepare, [0]

    def slowly(*args: Any, **options: Any) -> Any:
        under_way[0] += 1
        crawler.stats.inc_value("test/readings")
        crawler.stats.max_value("test/readings_at_once", under_way[0])
        crawler.stats.inc_value("test/readings_on_the_loop", is_on_the_loop())
        time.sleep(0.1)
        found = read(*args, **options)
        under_way[0] -= 1
        return found

    RobotsTxt.prepare = slowly  # type: ignore[method-assign]


def break_reading(_crawler: Any) -> None:
    def broken(*_: Any, **_options: Any) -> Any:
        raise ZeroDivisionError("bug in the reader")

    RobotsTxt.prepare = broken  # type: ignore[method-assign]


def count_decisions(crawler: Any) -> None:
    """Record the largest number of decisions in one turn of the event loop."""
    rules: Any = import_module("scrapy_robots1994.parser.rules").RobotRules
    call_later = import_module("scrapy_robots1994.crawl.threads").call_later
    allowed, in_turn = rules.allowed, [0]

    def ends() -> None:
        in_turn[0] = 0

    def counted(*args: Any, **options: Any) -> Any:
        if not in_turn[0]:
            call_later(0, ends)
        in_turn[0] += 1
        crawler.stats.max_value("test/decisions_in_a_turn", in_turn[0])
        return allowed(*args, **options)

    rules.allowed = counted


def name_proxies(crawler: Any) -> None:
    """Use the proxies in `TEST_PROXIES` and count the requests with credentials for a proxy."""
    named = json.loads(os.environ["TEST_PROXIES"])
    os.environ.update(named)
    os.environ.pop("no_proxy", None)

    def reached(request: Request) -> None:
        if "Proxy-Authorization" in request.headers:
            scheme = request.url.partition(":")[0]
            crawler.stats.inc_value(f"test/authorized/{scheme}")

    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)


def record_refusals(crawler: Any) -> None:
    def record(request: Any, verdict: Any, spider: Any) -> None:
        text = f"{request.url} {verdict.line} {verdict.rule} {spider.name}"
        crawler.stats.inc_value(f"test/{text}")

    def fail(**_: object) -> None:
        raise LookupError

    for handler in (fail, record):
        crawler.signals.connect(handler, request_refused, weak=False)


def on_sitemaps_close(crawler: Any) -> None:
    async def handle() -> None:
        engine: Any = crawler.engine
        if hasattr(engine, "close_spider_async"):
            await engine.close_spider_async(reason="no page wanted")
        else:
            closing = engine.close_spider(crawler.spider, "no page wanted")
            await maybe_deferred_to_future(closing)

    crawler.signals.connect(handle, robots_sitemaps, weak=False)


def without_http_sf(_crawler: Any) -> None:
    sys.modules["http_sf"] = None  # type: ignore[assignment]  # makes the import fail


def fill_disk(crawler: Any) -> None:
    """After a response, make writes to non-empty evidence files fail, as on a full disk."""

    def received() -> None:
        for link in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                path = link.resolve()
                if path.name.endswith(".jsonl.gz") and path.stat().st_size:
                    os.dup2(os.open("/dev/full", os.O_WRONLY), int(link.name))

    crawler.signals.connect(received, signals.response_received, weak=False)


def few_descriptors(crawler: Any) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = crawler.settings.getint("TEST_DESCRIPTORS")
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))


def leak_a_socket(crawler: Any) -> None:
    sys.modules["left open"] = socket.socket()  # type: ignore[assignment]  # kept until exit
