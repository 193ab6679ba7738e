"""One crawl of a scenario: a Scrapy process of its own against the scripted site."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Literal

from tests.compare_builtin.registry import CrawlError
from tests.support.crawl import CrawlResult, start_crawl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.compare_builtin.registry import Side
    from tests.support.crawl import CrawlRequest
    from tests.support.site import Site

IN_PROCESS = "tests.compare_builtin.in_process"
"""Hooks and middlewares, by the name that the crawling process imports them."""

CLOSED = "User-agent: *\nDisallow: /\n"
PRIVATE = "User-agent: *\nDisallow: /private\n"


def crawl(
    side: Side | Literal["off"],
    urls: Sequence[str | CrawlRequest],
    settings: Mapping[str, object] | None = None,
    **options: Any,
) -> CrawlResult:
    """Ask for all `urls` at once with the middleware of `side`; return the end.

    `settings` are Scrapy's; `options` are those of `tests.support.crawl`.
    """
    running = start_crawl(urls, middleware=side, settings=settings, **options)
    return _sound(running.result())


def crawl_or_hang(
    side: Side,
    urls: Sequence[str | CrawlRequest],
    settings: Mapping[str, object],
    patience: float,
) -> CrawlResult | None:
    """Like `crawl`, but None if the crawl did not end within `patience` seconds."""
    running = start_crawl(urls, middleware=side, settings=settings)
    hung = threading.Event()

    def give_up() -> None:
        hung.set()
        os.kill(running.pid, signal.SIGKILL)

    watch = threading.Timer(patience, give_up)
    watch.start()
    try:
        return _sound(running.result())
    except AssertionError:
        if hung.is_set():
            return None
        raise
    finally:
        watch.cancel()


def _sound(done: CrawlResult) -> CrawlResult:
    """Return `done`, or raise: nothing measured is not "nothing fetched"."""
    if done.error:
        raise CrawlError(done.error)
    return done


def pages(site: Site) -> list[str]:
    """Return the pages that were requested, as `host/path`, without robots.txt."""
    return [
        seen.host.partition(":")[0] + seen.target
        for seen in site.log()
        if seen.target != "/robots.txt"
    ]


def verb(fetched: object, *, welcome: bool = False) -> str:
    """Return what happened to the private page, or to an allowed one."""
    page = "allowed" if welcome else "private"
    return f"{page} page {'fetched' if fetched else 'refused'}"


def unless(done: object, otherwise: str) -> str:
    """Return nothing if `done`, else `; otherwise`: a control that failed."""
    return "" if done else f"; {otherwise}"


def behind(names: Sequence[str]) -> str:
    """Return which hosts' page was fetched, in words."""
    return f"fetched the page behind {listing(names)}" if names else "fetched no page"


def times(number: int) -> str:
    """Return `once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def listing(names: Sequence[str]) -> str:
    """Return the names as English: `a, b and c`, or `nothing`."""
    if not names:
        return "nothing"
    *front, last = names
    return f"{', '.join(front)} and {last}" if front else last
