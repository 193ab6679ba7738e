"""Crawls started from a script, by each process and runner, in parallel or in turn."""

from __future__ import annotations

from pathlib import Path

import pytest
import scrapy.crawler

from tests.support.crawl import ROOT, reactors
from tests.support.left_out import table
from tests.support.project import CLOSED, WHY, run
from tests.support.site import Site

SPIDERS = """
import asyncio
from scrapy import crawler as crawlers
from scrapy.utils.log import configure_logging
from tests.support.walking import Free, Other, Walk, reads, settings
"""


def play(
    site: Site, folder: Path, start: str, robots: str = CLOSED
) -> tuple[list[str], str]:
    """Return what the spiders of a script print, which ends with *start*, and its log."""
    site.robots(robots)
    script = folder / "script.py"
    script.write_text(SPIDERS + start)
    result = run(script, site.url(""), folder=folder, PYTHONPATH=str(ROOT))
    assert result.code == 0, result.log
    assert "Traceback" not in result.log
    return sorted(result.printed.splitlines()), result.log


READ_DIFFERENTLY = """User-agent: split

Disallow: /open

User-agent: *
Allow: /private
Disallow: /private
Disallow: /open /x
"""


@table("process", "CrawlerProcess", "AsyncCrawlerProcess")
def test_parallel_spiders_read_one_file_by_their_own_settings(
    process: str, site: Site, tmp_path: Path
) -> None:
    """One spider does not obey; each of the others fetches robots.txt by its own name."""
    if not hasattr(scrapy.crawler, process):
        pytest.skip("this Scrapy has no asyncio processes")
    start = f"""
process = crawlers.{process}(settings())
process.crawl(Walk)
process.crawl(reads("careful", "split/1.0", READING="cautious"))
process.crawl(reads("exact", "split/1.0"))
process.crawl(reads("lists", DIALECT="revisited"))
process.crawl(reads("allows", DIALECT="extended"))
process.crawl(Free)
process.start()
"""
    outcomes, _ = play(site, tmp_path, start, READ_DIFFERENTLY)

    assert outcomes == [
        "allows fetched /open",
        "allows fetched /private",
        "careful fetched /private",
        "careful refused /open by line 3",
        "exact fetched /open",
        "exact fetched /private",
        "free fetched /open",
        "free fetched /private",
        "lists refused /open by line 8",
        "lists refused /private by line 7",
        "walk fetched /open",
        "walk refused /private by line 7",
    ]
    names = sorted(seen.headers["user-agent"] for seen in site.log("/robots.txt"))
    assert names == [*["split/1.0"] * 2, *["walker/1.0"] * 3]


INSTALLED = """
from scrapy.utils.reactor import install_reactor
configure_logging()
install_reactor(settings()["TWISTED_REACTOR"])
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import react
"""
IN_TURN = """
async def both(**more):
    runner = crawlers.AsyncCrawlerRunner(settings(**more))
    await runner.crawl(Walk)
    await runner.crawl(Other)
"""
AFTER_ANOTHER = {
    "CrawlerRunner": INSTALLED
    + """
@inlineCallbacks
def both(reactor):
    runner = crawlers.CrawlerRunner(settings())
    yield runner.crawl(Walk)
    yield runner.crawl(Other)

react(both)
""",
    "AsyncCrawlerRunner": INSTALLED
    + IN_TURN
    + "react(lambda reactor: Deferred.fromFuture(asyncio.ensure_future(both())))\n",
    "AsyncCrawlerRunner without a reactor": IN_TURN
    + "configure_logging()\nasyncio.run(both(TWISTED_REACTOR_ENABLED=False))\n",
}


# Scrapy 2.13 has no asyncio runner, 2.13 and 2.14 cannot do without a reactor.
WAYS = [
    way
    for way in AFTER_ANOTHER
    if hasattr(scrapy.crawler, way.partition(" ")[0])
    and ("without" not in way or "none" in reactors())
]


@table("way", *WAYS)
def test_successive_crawls_share_no_memory(
    way: str, site: Site, tmp_path: Path
) -> None:
    """The second crawl in one process uses no policy of the first."""
    outcomes, log = play(site, tmp_path, AFTER_ANOTHER[way])

    ends = ("fetched /open", "refused /private by line 2")
    assert outcomes == [f"{name} {end}" for name in ("other", "walk") for end in ends]
    assert log.count(f"/private>: {WHY}") == 2
    agents = [seen.headers["user-agent"] for seen in site.log("/robots.txt")]
    assert agents == ["walker/1.0", "other/2.0"]
