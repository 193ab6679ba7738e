"""Race of crawls with and without ROBOTS1994_COMPARE."""

from __future__ import annotations

from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from scrapy import signals

from tests.support.crawl import crawl
from tools.bench.crawls import SETTINGS, serving
from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

HOSTS = 20
COMPARED = "ours, compared with Protego"
SPENT = "bench/comparison_ns"


def compared(rounds: int, pages: int) -> Iterator[Result]:
    """Measure a crawl without and with comparison: CPU, and our share of the difference."""
    cpu: dict[str, list[float]] = {OURS: [], COMPARED: []}
    shares = []
    with serving() as port:
        args = {"port": port, "hosts": [("site-{}.test", HOSTS)], "pages": pages}
        for _ in range(rounds):
            cpu[OURS].append(_ran(args, compare=False)[0])
            seconds, stats = _ran(args, compare=True)
            cpu[COMPARED].append(seconds)
            spent = stats[SPENT] / (HOSTS * pages)
            shares.append(f"{spent / 1e3:.1f} µs per request")
    yield Result(
        f"crawl of {HOSTS * pages:,} requests, comparison off and on: CPU",
        "s",
        cpu,
        against=COMPARED,
        notes={"time in the comparison": "; ".join(shares)},
    )


def _ran(args: dict[str, Any], *, compare: bool) -> tuple[float, dict[str, Any]]:
    """Return the CPU seconds and the stats of one crawl."""
    result = crawl(
        spider="tools.bench.spiders:MeasuredSpider",
        spider_args=args,
        settings=SETTINGS | {"ROBOTS1994_COMPARE": ["Protego"] if compare else ()},
        hook="tools.bench.comparing:measure" if compare else "",
        timeout=1_800,
    )
    if not result.items:
        message = f"the crawl returned nothing: {result.error}\n{result.log[-3000:]}"
        raise RuntimeError(message)
    return result.items[0]["cpu"], result.stats


def measure(crawler: Crawler) -> None:
    """Time the comparison in the event loop of a crawl."""
    from scrapy_robots1994.crawl.features import comparison as shadow  # noqa: PLC0415 - of the crawling process

    spent = 0
    compare = shadow.ShadowComparison.compare

    def timed(*args: Any, **options: Any) -> Any:
        nonlocal spent
        started = thread_time_ns()
        try:
            return compare(*args, **options)
        finally:
            spent += thread_time_ns() - started

    shadow.ShadowComparison.compare = timed  # type: ignore[method-assign]  # measured

    def record() -> None:
        assert crawler.stats is not None
        crawler.stats.set_value(SPENT, spent)

    crawler.signals.connect(record, signals.spider_closed, weak=False)
