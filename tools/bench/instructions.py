"""Count the instructions of whole crawls with Valgrind, because CPU time varies too much.

Each crawl runs in a process of its own: `python -m tools.bench.instructions SIDE PORT DRAW PAGES`.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

from tests.support.names import resolve_test_names
from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
ORIGINS = 60
COMMAND = ("valgrind", "--tool=cachegrind", "--cache-sim=no")
BUILT_IN = "built-in"
TARGETS = {1: 1 / 1.05, 8: 1.0}
"""Maps the number of pages per origin to the target ratio."""


def instructions(draws: int, corpus: str) -> Iterator[Result]:
    """Count the instructions of crawls. Each draw uses different files of the corpus."""
    from tools.bench.crawls import serving  # noqa: PLC0415 - its import must not be counted

    if which(COMMAND[0]) is None:
        raise SystemExit(
            'the benchmark "instructions" needs valgrind: apt install valgrind'
        )
    with serving(corpus or "made") as port:
        # Discard the first crawl of each side, because it may also compile modules.
        for side in (OURS, BUILT_IN):
            _counted(side, port, 0, 1)
        for pages, target in TARGETS.items():
            values = {
                side: [_counted(side, port, draw, pages) for draw in range(draws)]
                for side in (OURS, BUILT_IN)
            }
            what = (
                f"crawl of {ORIGINS} origins with {pages} page(s) each, whole process"
            )
            yield Result(
                what, "M instructions", values, against=BUILT_IN, target=target
            )


def _counted(side: str, port: int, draw: int, pages: int) -> float:
    """Return the instructions of a crawl, in millions."""
    crawl = (sys.executable, "-m", "tools.bench.instructions", side, port, draw, pages)
    ran = subprocess.run(
        [*COMMAND, "--cachegrind-out-file=/dev/null", *map(str, crawl)],
        cwd=ROOT,
        # The order of sets, and so the work, must not differ between processes.
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    fetched = re.search(r"'downloader/response_status_count/200': (\d+)", ran.stderr)
    counted = re.search(r"I\s+refs:\s+([\d,]+)", ran.stderr)
    if fetched is None or counted is None or int(fetched[1]) <= ORIGINS:
        raise RuntimeError(f"{side} fetched no pages:\n{ran.stderr[-3000:]}")
    return int(counted[1].replace(",", "")) / 1e6


def main(side: str, port: str, draw: str, pages: str) -> None:
    # Full garbage collections come at unpredictable times, and cost as much as several fetches.
    gc.disable()
    from scrapy import Request, Spider  # noqa: PLC0415 - only a crawl needs Scrapy
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415 - only a crawl needs Scrapy

    class CountedSpider(Spider):
        name = "counted"

        async def start(self) -> Any:
            for page in range(int(pages)):
                for origin in range(ORIGINS):
                    # The host name decides which robots.txt the server sends.
                    host = f"site-{draw}-{origin}.test:{port}"
                    yield Request(f"http://{host}/page/{page}")

        def parse(self, response: Any) -> None:
            """Do nothing, so that only Scrapy and the middleware are counted."""

    settings: dict[str, Any] = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "examplebot/1.0 (+http://example.test)",
        "MEMUSAGE_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    if side == OURS:
        settings["ADDONS"] = {"scrapy_robots1994.Addon": 500}
    resolve_test_names()
    process = AsyncCrawlerProcess(settings)
    process.crawl(CountedSpider)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
