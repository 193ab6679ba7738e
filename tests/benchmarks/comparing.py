"""Race of crawls that compare: what ROBOTS1994_COMPARE adds, and whose part it is."""

from __future__ import annotations

from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from scrapy import signals

from tests.benchmarks.crawls import SETTINGS, serving
from tests.benchmarks.timing import OURS, Result
from tests.support.crawl import crawl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

HOSTS = 20
COMPARED = "ours, beside Protego"
PEERS = ("opinion", "read")
"""The calls in which the other parser works."""

SPENT = "bench/{whose}_ns"


def compared(rounds: int, pages: int) -> Iterator[Result]:
    """The same crawl without and with comparison: CPU, and our part of what it adds."""
    cpu: dict[str, list[float]] = {OURS: [], COMPARED: []}
    shares = []
    with serving() as port:
        args = {"port": port, "hosts": [("site-{}.test", HOSTS)], "pages": pages}
        for _ in range(rounds):
            cpu[OURS].append(_ran(args, compare=False)[0])
            seconds, stats = _ran(args, compare=True)
            cpu[COMPARED].append(seconds)
            whole, theirs = (
                stats[SPENT.format(whose=whose)] for whose in ("all", "theirs")
            )
            requests = HOSTS * pages
            shares.append(
                f"{whole / requests / 1e3:.1f} µs a request, of these "
                f"{(whole - theirs) / requests / 1e3:.1f} µs ours"
            )
    yield Result(
        f"crawl of {HOSTS * pages:,} requests, comparison off and on: CPU",
        "s",
        cpu,
        against=COMPARED,
        notes={"time in the comparison": "; ".join(shares)},
    )


def _ran(args: dict[str, Any], *, compare: bool) -> tuple[float, dict[str, Any]]:
    """The CPU seconds and the stats of one crawl."""
    result = crawl(
        spider="tests.benchmarks.spiders:Counting",
        spider_args=args,
        settings=SETTINGS | {"ROBOTS1994_COMPARE": ["Protego"] if compare else ()},
        hook="tests.benchmarks.comparing:measure" if compare else "",
        patience=1_800,
    )
    if not result.items:
        message = f"the crawl told nothing: {result.error}\n{result.log[-3000:]}"
        raise RuntimeError(message)
    return result.items[0]["cpu"], result.stats


def measure(crawler: Crawler) -> None:
    """Time the comparison of a crawl, and in it what the other parser takes."""
    from scrapy_robots1994.crawl.features import comparison as shadow  # noqa: PLC0415 - of the crawling process

    spent = {"all": 0, "theirs": 0}

    def timed(whose: str, work: Any) -> Any:
        def timing(*args: Any, **options: Any) -> Any:
            started = thread_time_ns()
            try:
                return work(*args, **options)
            finally:
                spent[whose] += thread_time_ns() - started

        return timing

    vars(shadow).update({name: timed("theirs", vars(shadow)[name]) for name in PEERS})
    shadow.ShadowComparison.compare = timed("all", shadow.ShadowComparison.compare)  # type: ignore[method-assign]  # measured

    def tell() -> None:
        assert crawler.stats is not None
        for whose, nanoseconds in spent.items():
            crawler.stats.set_value(SPENT.format(whose=whose), nanoseconds)

    crawler.signals.connect(tell, signals.spider_closed, weak=False)
