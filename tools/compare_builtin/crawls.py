"""Run one crawl of a scenario, in a separate process."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Literal

from tests.support.crawl import CrawlResult, start_crawl
from tools.compare_builtin.registry import CrawlError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.crawl import CrawlRequest
    from tests.support.site import Site
    from tools.compare_builtin.registry import Side

IN_PROCESS = "tools.compare_builtin.in_process"
"""The module with hooks and middlewares, which the process of the crawl imports."""

CLOSED = "User-agent: *\nDisallow: /\n"
PRIVATE = "User-agent: *\nDisallow: /private\n"


def crawl(
    side: Side | Literal["off"],
    urls: Sequence[str | CrawlRequest],
    settings: Mapping[str, object] | None = None,
    **options: Any,
) -> CrawlResult:
    """Crawl `urls` with the middleware of `side`, and return the result.

    `settings` are settings of Scrapy. `options` are further arguments of `start_crawl`.
    """
    running = start_crawl(urls, middleware=side, settings=settings, **options)
    return _checked(running.result())


def crawl_or_hang(
    side: Side,
    urls: Sequence[str | CrawlRequest],
    settings: Mapping[str, object],
    timeout: float,
) -> CrawlResult | None:
    """Crawl `urls`, and return the result. If the crawl runs longer than `timeout`
    seconds, kill the crawl, and return None.
    """
    running = start_crawl(urls, middleware=side, settings=settings)
    hung = threading.Event()

    def kill() -> None:
        hung.set()
        os.kill(running.pid, signal.SIGKILL)

    timer = threading.Timer(timeout, kill)
    timer.start()
    try:
        return _checked(running.result())
    except AssertionError:
        if hung.is_set():
            return None
        raise
    finally:
        timer.cancel()


def _checked(done: CrawlResult) -> CrawlResult:
    """Return `done`. If the crawl failed, raise `CrawlError`, so that the failure does
    not count as "nothing fetched".
    """
    if done.error:
        raise CrawlError(done.error)
    return done


def pages(site: Site) -> list[str]:
    """Return the requested pages as `host/path`, without robots.txt."""
    return [
        seen.host.partition(":")[0] + seen.target
        for seen in site.log()
        if seen.target != "/robots.txt"
    ]


def verb(fetched: object, *, welcome: bool = False) -> str:
    """Return a phrase that says whether the private page, or an allowed page, was
    fetched.
    """
    page = "allowed" if welcome else "private"
    return f"{page} page {'fetched' if fetched else 'refused'}"


def unless(done: object, otherwise: str) -> str:
    """Return an empty string if `done` is true. If `done` is false, return "; "
    followed by `otherwise`.
    """
    return "" if done else f"; {otherwise}"


def behind(names: Sequence[str]) -> str:
    """Return a phrase that lists the hosts whose pages were fetched."""
    return f"fetched the page behind {listing(names)}" if names else "fetched no page"


def times(number: int) -> str:
    """Return `number` in words: `once`, `twice` or, for example, `3 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def listing(names: Sequence[str]) -> str:
    """Return the names as an English list: `a, b and c`, or `nothing`."""
    if not names:
        return "nothing"
    *front, last = names
    return f"{', '.join(front)} and {last}" if front else last
