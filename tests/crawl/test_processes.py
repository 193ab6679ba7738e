"""Scripts that start crawls with each of Scrapy's process and runner classes."""

from __future__ import annotations

from pathlib import Path

import pytest
import scrapy.crawler

from tests.support.crawl import ROOT, reactors
from tests.support.project import CLOSED, WHY, run
from tests.support.site import Site
from tests.support.walking import WAYS

# Scrapy 2.13 has neither `AsyncCrawlerProcess` nor `AsyncCrawlerRunner`. Both 2.13 and 2.14 need a
# reactor.
KNOWN = [
    way
    for way in WAYS
    if hasattr(scrapy.crawler, way.partition(" ")[0])
    and ("without" not in way or "none" in reactors())
]


def play(way: str, site: Site, folder: Path) -> tuple[list[str], str]:
    script = ("-m", "tests.support.walking", way, site.url(""))
    result = run(*script, folder=folder, PYTHONPATH=str(ROOT))
    assert result.code == 0, result.err
    assert "Traceback" not in result.err
    return sorted(result.out.splitlines()), result.err


@pytest.mark.parametrize("way", [way for way in KNOWN if "Process" in way])
def test_parallel_spiders_read_one_file_by_their_own_settings(
    way: str, site: Site, tmp_path: Path
) -> None:
    split = "User-agent: split\n\nDisallow: /open\n\n"
    lists = "User-agent: *\nAllow: /private\nDisallow: /private\nDisallow: /open /x\n"
    site.robots(split + lists)
    outcomes, _ = play(way, site, tmp_path)

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


@pytest.mark.parametrize("way", [way for way in KNOWN if "Runner" in way])
def test_successive_crawls_share_no_memory(
    way: str, site: Site, tmp_path: Path
) -> None:
    site.robots(CLOSED)
    outcomes, log = play(way, site, tmp_path)

    ends = ("fetched /open", "refused /private by line 2")
    assert outcomes == [f"{name} {end}" for name in ("other", "walk") for end in ends]
    assert log.count(f"/private>: {WHY}") == 2
    agents = [seen.headers["user-agent"] for seen in site.log("/robots.txt")]
    assert agents == ["walker/1.0", "other/2.0"]
