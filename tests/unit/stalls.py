"""Measure how long a hostile site blocks the event loop.

Run `python -m tests.unit.stalls [NAME...]`.

Each row of the output is about a crawl of 3 origins with 20 pages each. The first number
of a row is the longest time between two turns of the event loop, in milliseconds. The
second number of a row is the longest CPU time of the loop's thread between two turns.
Each number is the maximum of three runs, minus the number for a crawl of a harmless site.
The robots.txt of the harmless site has only one rule.

The exit code is 1 if the first number of a row is above 25 ms. Other work on the machine
can also cause a number above 25 ms.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from dataclasses import dataclass, field
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

from tests.crawl.test_page_directives import HOSTILE as PAGES
from tests.support.crawl import ROOT
from tests.support.replies import Reply
from tests.support.site import Site
from tests.unit.growth import HOSTILE as FILES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOST_MS = 25.0
BYTES = 500_000
TIMES = 3
ONE_RULE = b"User-agent: *\nDisallow: /private\n"
NONE = (0.0, 0.0)
ORIGINS = 3
TARGETS = tuple(f"/{'a' * (number + 1)}?q={number}" for number in range(20))


HTML = (("Content-Type", "text/html"),)


@dataclass(frozen=True)
class Row:
    """A hostile site, and the settings with which it is crawled."""

    body: bytes = ONE_RULE
    headers: tuple[tuple[str, str], ...] = ()
    page: Reply = field(default_factory=lambda: Reply(200, b"<p>", HTML))
    settings: dict[str, Any] = field(default_factory=dict)


PAGES_ON = {"ROBOTS1994_PAGES": True}
USAGE_ON = {"ROBOTS1994_USAGE": "items", "ROBOTS1994_PURPOSES": ["train-ai"]}
RFC9309 = {"ROBOTS1994_DIALECT": "rfc9309"}


def of_all(line: str) -> bytes:
    """Return a record that applies to every robot and repeats *line*. In *line*, `{}`
    stands for the number of the line.
    """
    lines = (f"{line.format(number)}\n" for number in range(BYTES // (len(line) + 1)))
    return ("User-agent: *\n" + "".join(lines)).encode()[:BYTES]


def rows() -> dict[str, Row]:
    """Return a mapping from the name of each row to the row."""
    found = {}
    for name, make in FILES.items():
        body = make(BYTES).encode()[:BYTES]
        found[f"file: {name}"] = Row(body)
        found[f"file: {name}, rfc9309"] = Row(body, settings=RFC9309)
    for line in (
        "Disallow: /a",
        "Disallow: /a\nAllow: /a",
        "Disallow: http://h0.test/a",
        "Disallow: /*x",
        "Disallow: /*a*a*a*a*b{}$",
        "Disallow: /a{}%2f%zz",
        "Crawl-delay: {}",
        "Sitemap: http://h0.test/{}",
    ):
        name = line.replace("\n", " ")
        found[f"lines: {name}"] = Row(of_all(line))
        found[f"lines: {name}, rfc9309"] = Row(of_all(line), settings=RFC9309)
    for line in (
        "Content-Usage: train-ai=n",
        "Content-Usage: /{} train-ai=n",
        "Content-Usage: /*{}*b$ train-ai=n",
        "Content-Signal: search=yes, ai-train=no",
        "Content-Signal: " + "ai-train=no," * 5_000,
        "Content-Usage: " + "a;b=1;c=2," * 5_000,
        "Content-Usage: " + '"' * 50_000,
        "Content-Usage: " + "(" * 50_000,
        "License: http://h0.test/{}",
    ):
        found[f"usage: {line[:40]}"] = Row(of_all(line), settings=USAGE_ON)
    for name, value in {
        "Cache-Control": "," * 60_000,
        "Retry-After": "9" * 60_000,
        "Content-Encoding": "gzip," * 12_000,
        "Date": "Mon, " * 12_000,
        "Expires": " " * 60_000,
        "ETag": '"' * 60_000,
        "Set-Cookie": "a=b; " * 12_000,
        "Content-Type": "text/plain; charset=" + "x" * 60_000,
        "Link": "<x>; rel=license, " * 3_000,
    }.items():
        found[f"header: {name}"] = Row(headers=((name, value),))
    for name, make in PAGES.items():
        page = Reply(200, make(BYTES).encode(), HTML)
        found[f"page: {name}"] = Row(page=page, settings=PAGES_ON | USAGE_ON)
    for name, unit in {
        "X-Robots-Tag": "noindex x, unavailable_after: a, ",
        "Content-Usage": "a;b=1;c=2, ",
        "tdm-policy": "http://x/ ",
        "Link": "<x>; rel=license, ",
    }.items():
        headers = (*HTML, (name, unit * (60_000 // len(unit))))
        page = Reply(200, b"<p>", headers)
        found[f"page header: {name}"] = Row(page=page, settings=PAGES_ON | USAGE_ON)
    return found


class StallsSpider(Spider):
    """A spider that requests the pages, and measures the time between two turns of the
    event loop.
    """

    name = "stalls"
    site: Site

    async def start(self) -> AsyncIterator[Request]:
        """Start the measurement, and request all pages."""
        self.longest: tuple[float, ...] = NONE
        # Freeze the objects that Scrapy has made so far, so that the garbage collector
        # does not examine these objects again. Another collection would take 50 to 120
        # ms in any crawl. The time of this collection would vary by more than the
        # length of the measured stalls.
        gc.collect()
        gc.freeze()
        self.last = perf_counter(), thread_time()
        self._measure()
        for port in range(ORIGINS):
            for target in TARGETS:
                yield Request(self.site.url(target, port=port))

    def parse(self, response: Any) -> Any:
        """Return an item, so that the crawl checks whether the item must be dropped."""
        return {"url": response.url}

    def _measure(self) -> None:
        """Measure the time since the last turn, and schedule the next measurement."""
        now = perf_counter(), thread_time()
        took = (it - last for it, last in zip(now, self.last, strict=True))
        self.longest, self.last = tuple(map(max, self.longest, took)), now
        # Do not measure with a coroutine that sleeps, because the coroutine would
        # resume one turn later.
        asyncio.get_running_loop().call_later(0.001, self._measure)

    def closed(self, _reason: str) -> None:
        """Print the longest stall in seconds, in wall-clock time and in CPU time."""
        print(*self.longest)  # noqa: T201 (a program)


def crawl(row: Row) -> None:
    """Crawl the site of *row* in this process, and print the longest stall."""
    with Site(ports=ORIGINS) as site:
        site.answer("/robots.txt", Reply(200, row.body, row.headers))
        for target in TARGETS:
            site.answer(target, row.page)
        process = AsyncCrawlerProcess(
            {
                "ADDONS": {"scrapy_robots1994.Addon": 500},
                "LOG_LEVEL": "CRITICAL",
                "TELNETCONSOLE_ENABLED": False,
                # The middleware for meta refresh decodes the whole page. Decoding a page
                # in Punycode takes minutes.
                "METAREFRESH_ENABLED": False,
                **row.settings,
            }
        )
        process.crawl(StallsSpider, site=site)
        process.start()


def longest(name: str, *, is_plain: bool) -> list[float]:
    """Return the longest stall in three crawls of the row *name*, in wall-clock time and
    in CPU time. If *is_plain* is true, the robots.txt has only one rule.
    """
    command = [sys.executable, "-m", "tests.unit.stalls", "--one", name]
    command += ["--plain"] * is_plain
    found = [*NONE]
    for _ in range(TIMES):
        ran = subprocess.run(
            command, cwd=ROOT, capture_output=True, check=True, text=True
        )
        seconds = map(float, ran.stdout.splitlines()[-1].split())
        found = list(map(max, found, seconds))
    return found


def main() -> int:
    """Print the table of stalls, and return the exit code."""
    wanted = sys.argv[1:]
    known = rows()
    if wanted[:1] == ["--one"]:
        row = known[wanted[1]]
        crawl(Row(settings=row.settings) if "--plain" in wanted else row)
        return 0
    plain: dict[str, list[float]] = {}
    is_long = False
    for name, row in known.items():
        if wanted and not any(name.startswith(it) for it in wanted):
            continue
        key = str(row.settings)
        if key not in plain:
            plain[key] = longest(name, is_plain=True)
        hostile = longest(name, is_plain=False)
        more = [
            (it - of_one_rule) * 1_000
            for it, of_one_rule in zip(hostile, plain[key], strict=True)
        ]
        is_long = is_long or more[0] > MOST_MS
        print(f"{name:50}" + "".join(f"{it:8.1f} ms" for it in more), flush=True)  # noqa: T201 (a program)
    return int(is_long)


if __name__ == "__main__":
    sys.exit(main())
