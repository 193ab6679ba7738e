"""Crawls five sites with the spiders that opt for more than the text of 1994.

Ends with 0 if each fetched and kept exactly what it should.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from beyond_1994.sites import CASES, DELAY, Case
from tests.support import replies
from tests.support.replies import Reply
from tests.support.site import Seen, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[1]
PATIENCE = 120
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
PAGE = '<!doctype html><meta name="robots" content="{}"><ul>{}</ul>'


@dataclass(frozen=True, slots=True)
class Crawled:
    """What came of one crawl: the requests the server saw, the items, the stats."""

    seen: list[Seen]
    items: list[dict[str, Any]]
    stats: dict[str, Any]

    @property
    def fetched(self) -> list[str]:
        """The paths asked for, without robots.txt."""
        return [it.target for it in self.seen if it.target != "/robots.txt"]

    @property
    def kept(self) -> set[str]:
        """The paths of the pages whose items stayed."""
        items = (it for it in self.items if "refused" not in it)
        return {urlsplit(item["url"]).path for item in items}


def build(site: Site, case: Case, origin: str) -> None:
    """Script the site of ``case``."""
    at = urlsplit(origin).netloc
    site.robots(case.robots, at=at)
    places = "".join(f"<url><loc>{origin}{it}</loc></url>" for it in case.sitemap)
    xml = (("Content-Type", "application/xml"),)
    site.answer("/map.xml", Reply(200, SITEMAP.format(places).encode(), xml), at=at)
    for path, (links, said) in case.pages.items():
        listed = "".join(f'<li><a href="{it}">x</a></li>' for it in links.split())
        site.answer(path, replies.html(PAGE.format(said, listed)), at=at)


def crawl(site: Site, case: Case, origin: str) -> Crawled:
    """Run the command that a user would type."""
    site.forget()
    with tempfile.TemporaryDirectory() as folder:
        items, stats = Path(folder, "items.json"), Path(folder, "stats.json")
        command = [sys.executable, "-m", "scrapy", "crawl", case.spider]
        command += ["-a", f"start={origin}{case.start}", "-O", str(items)]
        command += ["-s", f"STATS_FILE={stats}"]
        done = subprocess.run(
            command,
            cwd=PROJECT,
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE,
        )
        if done.returncode or not stats.exists():
            sys.exit(f"The crawl did not end well:\n{done.stderr[-3000:]}")
        noted = json.loads(items.read_text("utf-8"))
        return Crawled(site.log(), noted, json.loads(stats.read_text("utf-8")))


def tell(case: Case, crawled: Crawled) -> Iterator[str]:
    """Yield what came of it."""
    yield f"\n{case.setting}\n    scrapy crawl {case.spider}"
    yield "\n".join(f"    | {line}" for line in case.robots.strip().split("\n"))
    yield f"  fetched  {'  '.join(crawled.fetched)}"
    for item in crawled.items:
        if "refused" in item:
            yield f"  refused  {urlsplit(item['url']).path}"
            yield from (f"           {line}" for line in wrap(item["refused"], 85))
    if case.spider == "patient":
        gaps = [after.at - before.at for before, after in pairwise(crawled.seen)]
        told = "  ".join(f"{gap:.2f}" for gap in gaps)
        yield f"  seconds between two requests, by the server: {told}"
    if case.spider == "mapped":
        offered = crawled.items[0]["offered"]
        asked = len(crawled.seen) - len(crawled.fetched)
        yield f"  offered  {'  '.join(urlsplit(url).path for url in offered)}"
        yield f"  requests for robots.txt: {asked}"
    if case.spider == "reader":
        yield f"  items of {'  '.join(sorted(crawled.kept))}"
        for key, value in sorted(crawled.stats.items()):
            if key.startswith("robots1994/pages/"):
                yield f"  {key}  {value}"


def is_right(case: Case, crawled: Crawled) -> bool:
    """Whether exactly what should be was fetched and kept, no faster than asked."""
    kept = case.fetched if case.kept is None else case.kept
    gaps = [after.at - before.at for before, after in pairwise(crawled.seen)]
    return (
        set(crawled.fetched) == case.fetched
        and len(crawled.seen) == len(case.fetched) + 1
        and crawled.kept == kept
        and (case.spider != "patient" or min(gaps) >= DELAY)
    )


def main() -> int:
    """Open the sites, crawl each, tell; return the exit code."""
    wrong = []
    with Site(addresses=len(CASES)) as site:
        for number, case in enumerate(CASES):
            origin = site.address_url(number, "")
            build(site, case, origin)
            crawled = crawl(site, case, origin)
            print("\n".join(tell(case, crawled)), flush=True)
            if not is_right(case, crawled):
                wrong.append(case.spider)
    print(f"\nWRONG: {', '.join(wrong)}" if wrong else "\nRight: all five.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
