"""Crawls the town with our add-on, then with the built-in, and prints both.

Ends with 0 if our crawl fetched exactly the pages that the town leaves open.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from tour import telling
from tour.opening import Opened, empty_site, open_town
from tour.walking import BUILTIN, OURS, CrawlError, Walk, walk

if TYPE_CHECKING:
    from collections.abc import Iterator


def heading(text: str) -> str:
    """Return a heading with air above it."""
    return f"\n\n{text}\n{'=' * len(text)}\n"


def report(town: Opened, ours: Walk, builtin: Walk) -> Iterator[str]:
    """Yield everything there is to tell after the crawls."""
    yield heading(
        '1. With scrapy_robots1994: ADDONS = {"scrapy_robots1994.Addon": 500}'
    )
    for pages in (telling.fetched, telling.refused):
        yield from pages(town, ours)
        yield ""
    for part in (telling.asked, telling.warnings, telling.stats):
        yield from part(ours)
        yield ""
    yield heading("2. Beside Scrapy's built-in middleware: ADDONS = {}")
    yield from telling.side_by_side(town, ours, builtin)
    if "ROBOTS1994_COMPARE" in OURS:
        yield heading("3. Decision by decision: ROBOTS1994_COMPARE = True")
        yield from telling.compared(ours)
    yield ""
    mistakes = telling.mistakes(town, ours)
    if mistakes:
        yield f"WRONG: scrapy_robots1994 made {len(mistakes)} mistakes."
        yield from (f"  {mistake}" for mistake in mistakes)
    else:
        yield "Right: scrapy_robots1994 fetched every open page, and no other."


def main() -> int:
    """Open the town, crawl it twice, tell; return the exit code."""
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument(
        "--serve",
        action="store_true",
        help="only open the town, print where it is as JSON, and wait for Enter",
    )
    serve = parser.parse_args().serve
    with empty_site() as site:
        town = open_town(site)
        if serve:
            print(
                json.dumps({"start": town.start, "origins": town.origins}), flush=True
            )
            sys.stdin.readline()
            return 0
        print("\n".join(telling.the_town(town)), flush=True)
        try:
            ours, builtin = walk(site, town, OURS), walk(site, town, BUILTIN)
        except CrawlError as error:
            print(f"The crawl did not end well:\n{error}", file=sys.stderr)
            return 1
        print("\n".join(report(town, ours, builtin)))
    return 1 if telling.mistakes(town, ours) else 0


if __name__ == "__main__":
    sys.exit(main())
