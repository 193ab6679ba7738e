"""Crawl five sites with spiders that enable features beyond the standard of 1994.

The exit code is 0 if each crawl requested every expected page once and no other page, and exported
the expected items.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from demo import end_with, server
from demo.beyond_sites import CASES, Case
from demo.crawling import CrawlError, scrapy_crawl
from demo.server import LocalSites, Received, Response

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = "robots1994/crawl_delay/kept"
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
PAGE = '<!doctype html><meta name="robots" content="{}"><ul>{}</ul>'


@dataclass(frozen=True, slots=True)
class Outcome:
    received: list[Received]
    items: list[dict[str, Any]]
    stats: dict[str, Any]

    @property
    def fetched(self) -> list[str]:
        targets = (request.target for request in self.received)
        return [target for target in targets if target != "/robots.txt"]

    @property
    def exported(self) -> set[str]:
        return {urlsplit(it["url"]).path for it in self.items if "refused" not in it}

    @property
    def gaps(self) -> list[float]:
        """Seconds between successive requests, by the server's clock."""
        return [after.at - before.at for before, after in pairwise(self.received)]


def serve(sites: LocalSites, case: Case, origin: str) -> None:
    sites.respond(origin, "/robots.txt", server.text(case.robots))
    places = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in case.sitemap)
    xml = (("Content-Type", "application/xml"),)
    sitemap = Response(200, SITEMAP.format(places).encode(), xml)
    sites.respond(origin, "/sitemap.xml", sitemap)
    for path, (links, content) in case.pages.items():
        listed = "".join(f'<li><a href="{link}">x</a></li>' for link in links.split())
        sites.respond(origin, path, server.html(PAGE.format(content, listed)))


def crawl(sites: LocalSites, case: Case, origin: str) -> Outcome:
    sites.received.clear()
    done = scrapy_crawl(case.spider, origin + case.start, {})
    return Outcome(sites.received.copy(), done.items, done.stats)


def output(case: Case, outcome: Outcome) -> Iterator[str]:
    yield f"\n{case.settings}\n    scrapy crawl {case.spider}"
    yield "\n".join(f"    | {line}" for line in case.robots.strip().split("\n"))
    yield f"  fetched  {'  '.join(outcome.fetched)}"
    for item in outcome.items:
        if "refused" in item:
            yield f"  refused  {urlsplit(item['url']).path}"
            yield from (f"           {line}" for line in wrap(item["refused"], 85))
    if case.spider == "crawl-delay":
        gaps = "  ".join(f"{gap:.2f}" for gap in outcome.gaps)
        yield f"  seconds between requests, measured by the server: {gaps}"
    if case.spider == "sitemaps":
        sitemaps = (urlsplit(url).path for url in outcome.items[0]["sitemaps"])
        yield f"  sitemaps  {'  '.join(sitemaps)}"
        requests = len(outcome.received) - len(outcome.fetched)
        yield f"  requests for robots.txt: {requests}"
    if case.spider == "page-directives":
        yield f"  items of {'  '.join(sorted(outcome.exported))}"
        for key, value in sorted(outcome.stats.items()):
            if key.startswith("robots1994/pages/"):
                yield f"  {key}  {value}"


def is_right(case: Case, outcome: Outcome) -> bool:
    exported = case.fetched if case.exported is None else case.exported
    # A spider that starts at /robots.txt requests it a second time.
    robots = 1 + (case.start == "/robots.txt")
    return (
        set(outcome.fetched) == case.fetched
        and len(outcome.received) == len(case.fetched) + robots
        and outcome.exported == exported
        and (case.spider != "crawl-delay" or outcome.stats.get(KEPT) == 1)
    )


def main() -> int:
    wrong = []
    with LocalSites(len(CASES)) as sites:
        for case, origin in zip(CASES, sites.origins, strict=True):
            serve(sites, case, origin)
            try:
                outcome = crawl(sites, case, origin)
            except CrawlError as error:
                sys.exit(f"The crawl failed:\n{error}")
            print("\n".join(output(case, outcome)), flush=True)
            if not is_right(case, outcome):
                wrong.append(case.spider)
    print(f"\nWRONG: {', '.join(wrong)}" if wrong else "\nRight: all five.")
    return 1 if wrong else 0


if __name__ == "__main__":
    end_with(main)
