"""Crawl local hosts with scrapy_robots1994 and then with Scrapy's own middleware, and print both
results.

The exit code is 0 if the first crawl fetched exactly the allowed pages and reported all others as
refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from demo import end_with, report
from demo.crawling import BUILTIN, OURS, Crawl, CrawlError, crawl
from demo.hosts import HOSTS
from demo.server import LocalSites
from demo.serving import Served, serve

if TYPE_CHECKING:
    from collections.abc import Iterator


def heading(text: str) -> str:
    return f"\n\n{text}\n{'=' * len(text)}\n"


def output(served: Served, ours: Crawl, builtin: Crawl) -> Iterator[str]:
    yield heading(
        '1. With scrapy_robots1994: ADDONS = {"scrapy_robots1994.Addon": 500}'
    )
    for pages in (report.fetched, report.refused):
        yield from pages(served, ours)
        yield ""
    for part in (report.robots_requests, report.warnings, report.stats):
        yield from part(ours)
        yield ""
    yield heading("2. Compared with Scrapy's built-in middleware: ADDONS = {}")
    yield from report.side_by_side(served, ours, builtin)
    mistakes = report.mistakes(served, ours)
    if mistakes:
        yield f"WRONG: scrapy_robots1994 made {len(mistakes)} mistakes."
        yield from (f"  {mistake}" for mistake in mistakes)
    else:
        yield "Right: scrapy_robots1994 fetched every allowed page, and no other."


def main() -> int:
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument(
        "--serve",
        action="store_true",
        help="only serve the hosts, print their URLs as JSON, and wait for Enter",
    )
    only_serve = parser.parse_args().serve
    with LocalSites(len(HOSTS)) as sites:
        served = serve(sites)
        if only_serve:
            where = {"start": served.start, "origins": served.origins}
            print(json.dumps(where), flush=True)
            sys.stdin.readline()
            return 0
        print("\n".join(report.hosts(served)), flush=True)
        try:
            ours, builtin = crawl(sites, served, OURS), crawl(sites, served, BUILTIN)
        except CrawlError as error:
            print(f"The crawl failed:\n{error}", file=sys.stderr)
            return 1
        print("\n".join(output(served, ours, builtin)))
    return 1 if report.mistakes(served, ours) else 0


if __name__ == "__main__":
    end_with(main)
