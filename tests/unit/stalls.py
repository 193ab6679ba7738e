"""Measure how long a hostile site blocks the event loop: `python -m tests.unit.stalls [NAME...]`.

Each line has the longest time between two turns of the loop, and the longest CPU time of its
thread, in a crawl of 3 origins with 20 pages each: the maximum of three runs, minus that of a
site whose robots.txt has one rule. The exit code is 1 if a time is above 25 ms, which other
work on the machine can also cause.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

from tests.crawl.test_page_directives import HOSTILE as PAGES
from tests.support.crawl import OBEYING, ROOT
from tests.support.replies import Reply
from tests.support.site import Site
from tests.unit.growth import HOSTILE as FILES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOST_MS = 25.0
BYTES = 500_000
TIMES = 3
ORIGINS = 3
ONE_RULE = b"User-agent: *\nDisallow: /private\n"
TARGETS = tuple(f"/{'a' * (number + 1)}?q={number}" for number in range(20))
HTML = (("Content-Type", "text/html"),)
RFC9309 = {"ROBOTS1994_DIALECT": "rfc9309"}
USAGE = {"ROBOTS1994_USAGE": "items", "ROBOTS1994_PURPOSES": ["train-ai"]}
ALL_PAGES = {"ROBOTS1994_PAGES": True, **USAGE}
RULES = (
    *("Disallow: /a", "Disallow: /a\nAllow: /a", "Disallow: http://h0.test/a"),
    *("Disallow: /*x", "Disallow: /*a*a*a*a*b{}$", "Disallow: /a{}%2f%zz"),
    *("Crawl-delay: {}", "Sitemap: http://h0.test/{}"),
)
PREFERENCES = (
    *("Content-Usage: train-ai=n", "Content-Usage: /{} train-ai=n"),
    *("Content-Usage: /*{}*b$ train-ai=n", "Content-Signal: search=yes, ai-train=no"),
    *("Content-Signal: " + "ai-train=no," * 5_000, "License: http://h0.test/{}"),
    *(
        "Content-Usage: " + it
        for it in ("a;b=1;c=2," * 5_000, '"' * 50_000, "(" * 50_000)
    ),
)
HEADERS = {
    "Cache-Control": ",",
    "Retry-After": "9",
    "Content-Encoding": "gzip,",
    "Date": "Mon, ",
    "Expires": " ",
    "ETag": '"',
    "Set-Cookie": "a=b; ",
    "Content-Type": "text/plain; charset=",
    "Link": "<x>; rel=license, ",
}
PAGE_HEADERS = {
    "X-Robots-Tag": "noindex x, unavailable_after: a, ",
    "Content-Usage": "a;b=1;c=2, ",
    "tdm-policy": "http://x/ ",
    "Link": "<x>; rel=license, ",
}
"""Headers and the units that their values of 60 KB repeat."""


class Row(NamedTuple):
    """A hostile site, and the settings with which it is crawled."""

    robots: Reply = Reply(200, ONE_RULE)
    page: Reply = Reply(200, b"<p>", HTML)
    settings: dict[str, Any] | None = None


def of_all(line: str) -> Reply:
    """Return a record for every robot that repeats *line*, with its number in place of `{}`."""
    lines = (f"{line.format(number)}\n" for number in range(BYTES // (len(line) + 1)))
    return Reply(200, ("User-agent: *\n" + "".join(lines)).encode()[:BYTES])


def rows() -> dict[str, Row]:
    """Return each row by its name."""
    files = {f"file: {it}": make(BYTES).encode()[:BYTES] for it, make in FILES.items()}
    answers = {name: Reply(200, body) for name, body in files.items()}
    answers |= {f"lines: {it}".replace("\n", " "): of_all(it) for it in RULES}
    found = {name: Row(it) for name, it in answers.items()}
    found |= {
        f"{name}, rfc9309": Row(it, settings=RFC9309) for name, it in answers.items()
    }
    for line in PREFERENCES:
        found[f"usage: {line[:40]}"] = Row(of_all(line), settings=USAGE)
    for name, unit in HEADERS.items():
        header = name, unit * (60_000 // len(unit))
        found[f"header: {name}"] = Row(Reply(200, ONE_RULE, (header,)))
    for name, make in PAGES.items():
        page = Reply(200, make(BYTES).encode(), HTML)
        found[f"page: {name}"] = Row(page=page, settings=ALL_PAGES)
    for name, unit in PAGE_HEADERS.items():
        header = name, unit * (60_000 // len(unit))
        page = Reply(200, b"<p>", (*HTML, header))
        found[f"page header: {name}"] = Row(page=page, settings=ALL_PAGES)
    return found


class StallsSpider(Spider):
    """Requests the pages, and measures the time between two turns of the event loop."""

    name = "stalls"
    site: Site

    async def start(self) -> AsyncIterator[Request]:
        """Start the measurement, and request all pages."""
        self.longest: tuple[float, ...] = (0.0, 0.0)
        # A collection of what Scrapy has made so far would take 50 to 120 ms.
        gc.collect()
        gc.freeze()
        self.last = perf_counter(), thread_time()
        self._measure()
        for port in range(ORIGINS):
            for target in TARGETS:
                yield Request(self.site.url(target, port=port))

    def parse(self, response: Any) -> Any:
        """Return an item, so that the crawl checks whether it must be dropped."""
        return {"url": response.url}

    def _measure(self) -> None:
        now = perf_counter(), thread_time()
        took = (it - last for it, last in zip(now, self.last, strict=True))
        self.longest, self.last = tuple(map(max, self.longest, took)), now
        # Not a coroutine that sleeps, which would resume one turn later.
        asyncio.get_running_loop().call_later(0.001, self._measure)

    def closed(self, _reason: str) -> None:
        """Print the longest stall in seconds, in wall-clock time and in CPU time."""
        print(*self.longest)  # noqa: T201 (a program)


def crawl(row: Row) -> None:
    """Crawl the site of *row* in this process, and print the longest stall."""
    with Site(ports=ORIGINS) as site:
        site.answer("/robots.txt", row.robots)
        for target in TARGETS:
            site.answer(target, row.page)
        # Scrapy decodes a page for meta refresh, which takes minutes in Punycode.
        settings = {"LOG_LEVEL": "CRITICAL", "METAREFRESH_ENABLED": False}
        process = AsyncCrawlerProcess(OBEYING["ours"] | settings | (row.settings or {}))
        process.crawl(StallsSpider, site=site)
        process.start()


def longest(*args: str) -> list[float]:
    """Return the longest stall of three crawls in ms, in wall-clock time and in CPU time."""
    command = [sys.executable, "-m", "tests.unit.stalls", "--one", *args]
    found = [0.0, 0.0]
    for _ in range(TIMES):
        out = subprocess.check_output(command, cwd=ROOT, text=True)
        found = [
            max(it, float(seconds) * 1_000)
            for it, seconds in zip(found, out.split()[-2:], strict=True)
        ]
    return found


def main() -> int:
    """Print the table of stalls, and return the exit code."""
    wanted, known = sys.argv[1:], rows()
    if wanted[:1] == ["--one"]:
        row = known[wanted[1]]
        crawl(Row(settings=row.settings) if "--plain" in wanted else row)
        return 0
    plain: dict[str, list[float]] = {}
    most = 0.0
    for name, row in known.items():
        if wanted and not name.startswith(tuple(wanted)):
            continue
        key = str(row.settings)
        plain[key] = plain.get(key) or longest(name, "--plain")
        more = [it - base for it, base in zip(longest(name), plain[key], strict=True)]
        most = max(most, more[0])
        print(f"{name:50}{more[0]:8.1f} ms{more[1]:8.1f} ms", flush=True)  # noqa: T201 (a program)
    return int(most > MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
