"""Benchmarks of whole crawls: with our middleware, with the built-in one, and with neither."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.support.crawl import crawl
from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.support.crawl import Middleware

ROOT = Path(__file__).resolve().parents[2]
SIDES: dict[str, Middleware] = {
    OURS: "ours",
    "robots off": "off",
    "built-in": "builtin",
}
SETTINGS: dict[str, Any] = {
    "LOG_LEVEL": "ERROR",
    "CONCURRENT_REQUESTS": 16,
    "USER_AGENT": "examplebot/1.0 (+http://example.test)",
    "MEMUSAGE_ENABLED": False,
}
MB = 1e6

NOT_DEARER = 1 / 1.03
"""The target ratio: at most 3% more CPU time than the built-in middleware."""


@contextmanager
def serving(corpus: str = "") -> Iterator[int]:
    command = [sys.executable, "-m", "tools.bench.server", corpus]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.terminate()


def ran(side: str, spider: str, settings: Mapping[str, Any], **args: Any) -> Any:
    result = crawl(
        spider=f"tools.bench.spiders:{spider}",
        spider_args=args,
        settings=SETTINGS | dict(settings),
        middleware=SIDES[side],
        timeout=1_800,
    )
    if not result.items:
        message = f"{side} returned nothing: {result.error}\n{result.log[-3000:]}"
        raise RuntimeError(message)
    return result.items[0]


def with_slow_hosts(rounds: int, cases: Sequence[tuple[int, int]]) -> Iterator[Result]:
    """Time how long 20 fast hosts take while other hosts send robots.txt slowly."""
    with serving() as port:
        for slow, delay in cases:
            hosts = [(f"slow-{delay}-{{}}.test", slow), ("well-{}.test", 20)]
            args = {"port": port, "hosts": hosts, "pages": 20, "required": "well-"}
            # With 500 slow hosts, the built-in middleware would take minutes, so it is left out.
            sides = [side for side in SIDES if side != "built-in" or slow < 100]
            values: dict[str, list[float]] = {side: [] for side in sides}
            for number in range(rounds):
                # The built-in middleware takes a minute, so it runs only once.
                for side in sides if number == 0 else sides[:2]:
                    measured = ran(side, "MeasuredSpider", {}, **args)
                    values[side].append(measured["required_after"])
            what = (
                f"20 healthy hosts, while {slow} others send robots.txt after {delay} s"
            )
            yield Result(what, "s (clock)", values, against="robots off", target=1)


def broad(origins: int, bound: int, corpus: str) -> Iterator[Result]:
    """Measure the CPU time and memory of a crawl of many origins with one page each."""
    settings = {"CONCURRENT_REQUESTS": 100}
    store = {"ROBOTS1994_STORE": f"memory://?max_origins={bound}"}
    clock: dict[str, list[float]] = {side: [] for side in SIDES}
    peak: dict[str, list[float]] = {side: [] for side in SIDES}
    resident: dict[str, list[float]] = {}
    with serving(corpus or "made") as port:
        args = {"port": port, "hosts": [("site-{}.test", origins)], "pages": 1}
        for side in SIDES:
            more = store if side == OURS else {}
            measured = ran(side, "MeasuredSpider", settings | more, **args)
            clock[side].append(measured["cpu"])
            peak[side].append(measured["peak"] / MB)
            resident[side] = [round(each / MB, 1) for each in measured["resident"]]
    what = f"broad crawl, {origins:,} origins, one page each: CPU"
    yield Result(what, "s", clock, against="built-in", target=1)
    notes = {"resident MB at each eighth of the pages": resident, "store bound": bound}
    yield Result("the same: peak memory", "MB", peak, against="built-in", notes=notes)


def in_turn(rounds: int, origins: int, corpus: str) -> Iterator[Result]:
    """Measure the CPU time of a crawl that requests eight pages from each of many origins."""
    cpu: dict[str, list[float]] = {side: [] for side in SIDES}
    with serving(corpus or "made") as port:
        args = {"port": port, "hosts": [("site-{}.test", origins)], "pages": 8}
        for side in _taking_turns(rounds):
            settings = {"CONCURRENT_REQUESTS": 100}
            cpu[side].append(ran(side, "MeasuredSpider", settings, **args)["cpu"])
    what = f"broad crawl, {origins:,} origins in turn, 8 pages each: CPU"
    yield Result(what, "s", cpu, against="built-in", target=NOT_DEARER)


def cached(rounds: int, pages: int) -> Iterator[Result]:
    """Measure the CPU time of a crawl whose pages come from Scrapy's HTTP cache."""
    cpu: dict[str, list[float]] = {side: [] for side in SIDES}
    with serving() as port, TemporaryDirectory() as folder:
        args = {"port": port, "hosts": [("site-{}.test", 1)], "pages": pages}
        # The first crawl fills the cache, so the first round is discarded.
        for turn, side in enumerate(_taking_turns(rounds + 1)):
            settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": folder}
            measured = ran(side, "ListedPagesSpider", settings, **args)["cpu"]
            if turn >= len(SIDES):
                cpu[side].append(measured)
    what = f"{pages:,} pages from the HTTP cache: CPU"
    yield Result(what, "s", cpu, against="built-in", target=NOT_DEARER)


def _taking_turns(rounds: int) -> Iterator[str]:
    """Yield the sides of each round, with a different one first each time."""
    names = list(SIDES)
    for number in range(rounds):
        turn = number % len(names)
        yield from names[turn:] + names[:turn]
