"""Run the rows of issue 18's table in its numbers, ours and the built-in's:

python -m tests.closing [reactor [row...]]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tests.closing import rows
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl import Reactor


def _resumed(side: rows.Side, pages: int) -> str:
    """Pages that were lost, and pages that came more than once."""
    with tempfile.TemporaryDirectory() as folder:
        found = rows.resumed(side, pages, Path(folder))
    twice = sum(times > 1 for times in found.values())
    return f"{pages - len(found)} lost, {twice} more than once"


def _cached(side: rows.Side, pages: int) -> str:
    """The seconds of a crawl from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        return f"{rows.from_cache(side, pages, Path(folder)):.1f} s"


def _shared(side: rows.Side, pages: int) -> str:
    """Pages that were lost, and pages that came more than once."""
    with RedisServer() as redis:
        found = rows.shared(side, pages, redis.url)
    twice = sum(times > 1 for times in found.values())
    return f"{pages - len(found)} lost, {twice} more than once"


ROWS: dict[str, Callable[[rows.Side], object]] = {
    "3,000 wait, CLOSESPIDER_PAGECOUNT 20: pages": lambda side: rows.closes_by(
        side, 3_000, {"CLOSESPIDER_PAGECOUNT": 20}
    ),
    "3,000 wait, CLOSESPIDER_TIMEOUT 2, DOWNLOAD_DELAY 0.02: pages": (
        lambda side: rows.closes_by(
            side, 3_000, {"CLOSESPIDER_TIMEOUT": 2, "DOWNLOAD_DELAY": 0.02}
        )
    ),
    "JOBDIR, SIGINT while 2,000 wait": lambda side: _resumed(side, 2_000),
    "scrapy-redis, one of two workers stopped while 2,000 wait, and started again": (
        lambda side: _shared(side, 2_000)
    ),
    "SIGINT with 600 silent origins: robots.txt before, after, seconds": (
        lambda side: rows.silent_origins(side, 600, 100)
    ),
    "2,000 pages, then 20 urgent: their places": (
        lambda side: rows.urgent_places(side, 2_000, 20)
    ),
    "1,500 pages from the HTTP cache": lambda side: _cached(side, 1_500),
    "total_concurrency = 4 while requests wait: at the end, at once, pages": (
        lambda side: rows.foreign_concurrency(side, 500)
    ),
}


def main(reactor: str = "asyncio", *names: str) -> None:
    """Print each row whose name has one of *names* in it."""
    for name, run in ROWS.items():
        if names and not any(each in name for each in names):
            continue
        print(name, flush=True)  # noqa: T201 - it is run for what it prints
        for middleware in ("ours", "builtin"):
            side = rows.Side(middleware, cast("Reactor", reactor))
            print(f"  {middleware}: {run(side)}", flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main(*sys.argv[1:])
