"""Race of crawls with and without ROBOTS1994_EVIDENCE."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.support.crawl import crawl
from tools.bench.crawls import SETTINGS, serving
from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

WARC = "ours, with a WARC and no journal"
BOTH = "ours, with evidence"
SIDES = {OURS: "", WARC: "tools.bench.recording:without_journal", BOTH: ""}


def recorded(rounds: int, origins: int, corpus: str) -> Iterator[Result]:
    """Crawl eight pages of each of many origins, in turn; measure the CPU of all threads."""
    cpu: dict[str, list[float]] = {side: [] for side in SIDES}
    with serving(corpus or "made") as port:
        args = {"port": port, "hosts": [("site-{}.test", origins)], "pages": 8}
        for number in range(rounds):
            turn = number % len(cpu)
            names = list(cpu)
            for side in names[turn:] + names[:turn]:
                cpu[side].append(_ran(args, side))
    what = f"broad crawl, {origins:,} origins in turn, 8 pages each, recorded: CPU"
    yield Result(what, "s", cpu, against=BOTH)


def _ran(args: dict[str, Any], side: str) -> float:
    """Return the CPU seconds of one crawl."""
    with TemporaryDirectory() as folder:
        evidence = None if side == OURS else folder
        result = crawl(
            spider="tools.bench.spiders:MeasuredSpider",
            spider_args=args,
            settings=SETTINGS
            | {"CONCURRENT_REQUESTS": 100, "ROBOTS1994_EVIDENCE": evidence},
            hook=SIDES[side],
            timeout=1_800,
        )
    if not result.items:
        message = f"{side} returned nothing: {result.error}\n{result.log[-3000:]}"
        raise RuntimeError(message)
    return float(result.items[0]["cpu"])


def without_journal(_crawler: Crawler) -> None:
    """Write no line in this crawling process."""
    from scrapy_robots1994.crawl.features import evidence  # noqa: PLC0415 - of the crawling process

    evidence.EvidenceJudge.judge = lambda self, *args: self.inner.judge(*args)  # type: ignore[method-assign]  # measured
