"""Run the rows of issue 18's table, ours and the built-in's, and print them as a table:

python -m tests.closing [--reactors asyncio,select] [--divide-by 10] [--only ours] [ROW ...]

Another Scrapy is the one that PYTHONPATH names first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy
import twisted

from tests.closing import rows
from tests.support.crawl import reactors
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from tests.support.crawl import Middleware


def _resumed(side: rows.Side, pages: int) -> str:
    """Return how many pages were lost, and how many were fetched more than once."""
    with tempfile.TemporaryDirectory() as folder:
        found = rows.resumed(side, pages, Path(folder))
    twice = sum(times > 1 for times in found.values())
    return f"{pages - len(found)} lost, {twice} more than once"


def _cached(side: rows.Side, pages: int) -> str:
    """Return the seconds of a crawl from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        return f"{rows.from_cache(side, pages, Path(folder)):.1f} s"


def _shared(side: rows.Side, pages: int) -> str:
    """Return how many pages were lost, and how many were fetched more than once."""
    if side.middleware == "builtin":
        # When it closes, it waits for a robots.txt that is sent after the worker has ended.
        return "does not close before robots.txt is there"
    with RedisServer() as redis:
        found = rows.shared(side, pages, redis.url)
    twice = sum(times > 1 for times in found.values())
    return f"{pages - len(found)} lost, {twice} more than once"


def _closed(side: rows.Side, pages: int, **settings: Any) -> str:
    """Return how many pages were requested."""
    return f"{rows.closes_by(side, pages, settings)} pages"


def _silent(side: rows.Side, pages: int) -> str:
    """Return the robots.txt requests before and after SIGINT, and the seconds after it."""
    before, after, took = rows.silent_origins(side, pages, min(100, pages // 6))
    return f"{before} before, {after} after, {took:.1f} s"


def _urgent(side: rows.Side, pages: int) -> str:
    """Return the first and the last place of the urgent pages."""
    places = rows.urgent_places(side, pages, 20)
    return f"places {min(places)} to {max(places)}"


def _foreign(side: rows.Side, pages: int) -> str:
    """Return the concurrency at the end, the pages at once, and how many were fetched."""
    end, at_once, fetched = rows.foreign_concurrency(side, pages)
    return f"{end} at the end, {at_once} at once, {fetched} pages"


ROWS: Mapping[str, tuple[int, Callable[[rows.Side, int], str]]] = {
    "pagecount: CLOSESPIDER_PAGECOUNT 20 while requests wait": (
        3_000,
        partial(_closed, CLOSESPIDER_PAGECOUNT=20),
    ),
    "timeout: CLOSESPIDER_TIMEOUT 2, DOWNLOAD_DELAY 0.02": (
        3_000,
        partial(_closed, CLOSESPIDER_TIMEOUT=2, DOWNLOAD_DELAY=0.02),
    ),
    "errors: CLOSESPIDER_ERRORCOUNT 1, the first page raises": (3_000, rows.errorcount),
    "jobdir: SIGINT while requests wait, robots.txt fails, resumed": (2_000, _resumed),
    "scrapy-redis: one of two workers stopped and started again": (2_000, _shared),
    "silent: SIGINT with origins that do not answer": (600, _silent),
    "urgent: 20 urgent pages after the others": (2_000, _urgent),
    "cache: pages from the HTTP cache": (1_500, _cached),
    "foreign: total_concurrency = 4 while requests wait": (500, _foreign),
}
"""Each row: its size in the issue, and what runs it."""


def main(arguments: list[str]) -> None:
    """Print one line for each row and reactor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", help="how their names begin; else all")
    parser.add_argument("--reactors", default=",".join(reactors()))
    parser.add_argument("--divide-by", type=int, default=1, help="smaller rows")
    parser.add_argument("--only", choices=("ours", "builtin"))
    chosen = parser.parse_args(arguments)
    sides: tuple[Middleware, ...] = ("ours", "builtin")
    write = partial(print, flush=True)
    write(f"Scrapy {scrapy.__version__}, Twisted {twisted.__version__}\n")
    write("| row | pages | reactor | ours | built-in |\n|---|---|---|---|---|")
    for name, (size, run) in ROWS.items():
        if chosen.rows and not name.startswith(tuple(chosen.rows)):
            continue
        pages = size // chosen.divide_by
        for reactor in chosen.reactors.split(","):
            cells = [
                _found(run, rows.Side(side, reactor), pages)
                if chosen.only in (None, side)
                else ""
                for side in sides
            ]
            write(f"| {name} | {pages} | {reactor} | {' | '.join(cells)} |")


def _found(run: Callable[[rows.Side, int], str], side: rows.Side, pages: int) -> str:
    """Return what a row shows, or how it failed."""
    try:
        return run(side, pages)
    except AssertionError as error:
        return f"failed: {str(error).splitlines()[0]}"


if __name__ == "__main__":
    main(sys.argv[1:])
