"""Race of crawls with and without ROBOTS1994_EVIDENCE."""

from __future__ import annotations

from collections import defaultdict
from tempfile import TemporaryDirectory
from time import thread_time
from typing import TYPE_CHECKING, Any

from scrapy import signals

from tests.support.crawl import crawl
from tools.bench.crawls import SETTINGS, serving
from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.crawler import Crawler

RECORDED = "ours, with evidence"
FILES = ("WARC", "journal")
SPENT = "bench/evidence_"


def recorded(rounds: int, origins: int, corpus: str) -> Iterator[Result]:
    """Crawl eight pages of each of many origins, in turn; measure the CPU of all threads.

    Two crawls differ by more than evidence costs, so it is also timed within one.
    """
    cpu: dict[str, list[float]] = {OURS: [], RECORDED: []}
    shares: dict[str, list[float]] = {name: [] for name in FILES}
    with serving(corpus or "made") as port:
        args = {"port": port, "hosts": [("site-{}.test", origins)], "pages": 8}
        for number in range(rounds):
            for side in list(cpu)[:: -1 if number % 2 else 1]:
                seconds, stats = _ran(args, is_recorded=side == RECORDED)
                cpu[side].append(seconds)
                for name in FILES if side == RECORDED else ():
                    shares[name].append(100 * stats[SPENT + name] / seconds)
    what = f"broad crawl, {origins:,} origins in turn, 8 pages each, recorded: CPU"
    yield Result(what, "s", cpu, against=RECORDED)
    for name in FILES:
        yield Result(
            f"of it for the {name}, in both threads", "%", {OURS: shares[name]}
        )


def _ran(args: dict[str, Any], *, is_recorded: bool) -> tuple[float, dict[str, Any]]:
    """Return the CPU seconds and the stats of one crawl."""
    with TemporaryDirectory() as folder:
        evidence = {"ROBOTS1994_EVIDENCE": folder if is_recorded else None}
        result = crawl(
            spider="tools.bench.spiders:MeasuredSpider",
            spider_args=args,
            settings=SETTINGS | {"CONCURRENT_REQUESTS": 100} | evidence,
            hook="tools.bench.recording:measure" if is_recorded else "",
            timeout=1_800,
        )
    if not result.items:
        message = f"the crawl returned nothing: {result.error}\n{result.log[-3000:]}"
        raise RuntimeError(message)
    return float(result.items[0]["cpu"]), result.stats


def measure(crawler: Crawler) -> None:
    """Time in this crawling process what each file costs."""
    from scrapy_robots1994.crawl.features import evidence, evidence_files  # noqa: PLC0415 - of the crawling process

    spent: defaultdict[str, float] = defaultdict(float)

    def timed(kind: Any, method: str, file_of: Callable[..., str]) -> None:
        """Add the time of each call to the file that it is for."""
        call = getattr(kind, method)

        def wrapped(*args: Any, **options: Any) -> Any:
            started = thread_time()
            try:
                return call(*args, **options)
            finally:
                spent[file_of(*args)] += thread_time() - started

        setattr(kind, method, wrapped)

    warc, journal = FILES
    for method in ("answered", "ended", "policy_fetched"):
        timed(evidence.Evidence, method, lambda *_: warc)
    timed(evidence.Evidence, "decided", lambda *_: journal)
    timed(evidence_files.EvidenceFiles, "_pack", lambda *_: warc)
    timed(evidence_files, "_packed_lines", lambda *_: journal)

    def written_to(file: Any, _: bytes) -> str:
        """Return the file that a piece is appended to."""
        return warc if ".warc" in file.path.name else journal

    timed(evidence_files._File, "append", written_to)

    def record() -> None:
        assert crawler.stats is not None
        for name in FILES:
            crawler.stats.set_value(SPENT + name, spent[name])

    crawler.signals.connect(record, signals.spider_closed, weak=False)
