"""If undocumented parts of Scrapy change, no crawl hangs or loses a page.

Each of `CHANGES` renames or replaces a name in Scrapy. The crawl includes slow and quick hosts, a
crawl delay, and disallowed pages.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.crawl import crawl_changed
from tests.support.replies import Reply
from tests.support.site import Site

PAGES = 3


class Change(NamedTuple):
    """A change to Scrapy's source, in modules whose names begin with *where*.

    *said* has a part of each warning that must be logged. *more* contains further patterns and
    replacements, each with its own *where* if it differs.
    """

    pattern: str
    replacement: str
    said: tuple[str, ...] = ()
    where: str = "scrapy."
    more: tuple[tuple[str, ...], ...] = ()


def renamed(name: str, *said: str, where: str = "scrapy.") -> Change:
    return Change(rf"\b{name}\b", r"\g<0>_renamed", said, where)


ENGINE = "scrapy.core.engine"
DOWNLOADER = "scrapy.core.downloader"
DELAY = "downloader._get_slot: ROBOTS1994_CRAWL_DELAY"
COUNTS = "downloader.total_concurrency: requests that wait"
FINISHED = "engine._slot.closing: requests that wait"

CHANGES = {
    "total_concurrency": renamed("total_concurrency", COUNTS),
    "total_concurrency is read only": Change(
        r"self\.total_concurrency: int =",
        "type(self).total_concurrency = property(lambda self: self._total)\n"
        "        self._total =",
        (COUNTS,),
        DOWNLOADER,
    ),
    "engine.needs_backout": Change(
        r"(engine|self)\.needs_backout\b",
        r"\1.is_full",
        where=ENGINE,
        more=((r"def needs_backout", "def is_full"),),
    ),
    "engine.downloader": Change(
        r"(engine|self)\.downloader\b", r"\1.fetcher", (COUNTS, DELAY)
    ),
    "engine._slot": renamed("_slot", FINISHED, "engine._slot.nextcall", where=ENGINE),
    "engine._slot.closing": renamed("closing", FINISHED, where=ENGINE),
    "engine._slot.nextcall": renamed("nextcall", "engine._slot.nextcall", where=ENGINE),
    "engine._slot.closing is an event": Change(
        r"\bclosing\b",
        "closed_by",
        (FINISHED,),
        ENGINE,
        ((r"(?=self\.closed_by: )", "self.closing = asyncio.Event(); "),),
    ),
    "engine.scraper": Change(
        r"(engine|self)\.scraper\b",
        r"\1.scraper_renamed",
        ("engine.scraper.slot: requests that have waited",),
    ),
    "downloader.slots": Change(r"(self|downloader)\.slots\b", r"\1.slots_renamed"),
    "downloader._get_slot": renamed("_get_slot", DELAY),
    "crawler.crawling": renamed("crawling", "crawler.crawling"),
    "no signal that a request left": Change(
        r"signals\.request_left_downloader", "'left'", where=DOWNLOADER
    ),
}


def scripted(site: Site) -> list[str]:
    """Script the answers of *site* and return the URLs to crawl."""
    body = b"User-agent: *\nDisallow: /no\n"
    site.answer("/robots.txt", Reply(200, body))
    for number in range(6):
        slow = Reply(200, body, delay=1.3)
        site.answer("/robots.txt", slow, at=f"slow{number}.test")
    site.answer(
        "/robots.txt", Reply(200, body + b"Crawl-delay: 0.1\n"), at="paced.test"
    )
    hosts = ["paced", *(f"{kind}{n}" for kind in ("slow", "quick") for n in range(6))]
    paths = [*(f"/p{number}" for number in range(PAGES)), "/no"]
    return [site.url(path, host=f"{host}.test") for path in paths for host in hosts]


SETTINGS = {
    "ROBOTS1994_DIALECT": "extended",
    "ROBOTS1994_CRAWL_DELAY": True,
    "CONCURRENT_REQUESTS": 4,
    "LOG_LEVEL": "INFO",
}
NAMES = [
    pytest.param(name, marks=[pytest.mark.long] * bool(it.more or not it.said))
    for name, it in CHANGES.items()
]


@pytest.mark.parametrize("name", NAMES)
def test_changed_scrapy_hangs_no_crawl_and_loses_no_page(
    name: str, tmp_path: Path
) -> None:
    change = CHANGES[name]
    changes = [[*it, change.where][:3] for it in (change[:2], *change.more)]
    with Site() as site:
        urls = scripted(site)
        result = crawl_changed(urls, tmp_path, changes=changes, settings=SETTINGS)
        requested = Counter(
            f"http://{seen.host}{seen.target}"
            for seen in site.log()
            if seen.target != "/robots.txt"
        )
    log, permitted = result["log"], {it for it in urls if not it.endswith("/no")}

    assert all(result["changed"]), log
    assert result["error"] == "", log
    assert set(requested) == permitted, log
    assert set(requested.values()) == {1}, log
    assert len(result["failed"]) == len(urls) - len(permitted), log
    assert result["stats"]["finish_reason"] == "finished", log
    said = [line for line in log.split("\n") if "This version of Scrapy has no" in line]
    assert len(said) == len(change.said), log
    assert all(any(part in line for line in said) for part in change.said), log
