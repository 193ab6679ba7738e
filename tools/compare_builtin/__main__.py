"""Run the scenarios with Scrapy's middleware and with ours, and print a table.

The exit code is 0 if our middleware did what is wanted in every scenario.
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import zip_longest
from typing import TYPE_CHECKING

from tests.support.site import Site
from tools.compare_builtin.scenarios import SCENARIOS, SIDES, Finding, Scenario, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTHS = (2, 22, 27, 27, 14)
GAP = "  "
HEAD = ("#", "situation", "Scrapy's built-in", "scrapy_robots1994", "wanted")


def run(pair: tuple[Scenario, Side]) -> Finding:
    scenario, side = pair
    try:
        finding = scenario.run(side)
    except RuntimeError as error:
        finding = Finding(f"the crawl did not start: {error}", ok=False)
    print(f"{scenario.title}: {side}", file=sys.stderr, flush=True)  # noqa: T201 - program output
    return finding


def row(cells: Sequence[str]) -> str:
    columns = [textwrap.wrap(*pair) for pair in zip(cells, WIDTHS, strict=True)]
    lines = zip_longest(*columns, fillvalue="")
    return "\n".join(GAP.join(map(str.ljust, line, WIDTHS)).rstrip() for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="compare_builtin", description=__doc__)
    numbered = dict(enumerate(SCENARIOS, 1))
    parser.add_argument(
        "--only",
        type=int,
        action="append",
        choices=numbered,
        metavar="N",
        help="run only this scenario; may be repeated",
    )
    numbers = sorted(set(parser.parse_args().only or numbered))
    pairs = [(numbered[number], side) for number in numbers for side in SIDES]
    # All sites share one event loop. Start it here, because starting it is not thread-safe.
    with Site(), ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(pairs, pool.map(run, pairs), strict=True))
    rows = [
        (
            str(number),
            numbered[number].title,
            *(
                f"{'ok' if finding.ok else 'NOT OK'}: {finding.did}"
                for finding in (found[numbered[number], side] for side in SIDES)
            ),
            numbered[number].wanted,
        )
        for number in numbers
    ]
    rule = GAP.join("-" * width for width in WIDTHS)
    print("\n".join([row(HEAD), rule, "\n\n".join(map(row, rows))]))  # noqa: T201 - program output
    right = {
        side: sum(it.ok for pair, it in found.items() if pair[1] == side)
        for side in SIDES
    }
    print(  # noqa: T201 - program output
        f"\nRight: built-in {right['builtin']}, ours {right['ours']} of {len(rows)}. "
        f"Scrapy {version('scrapy')}, Twisted {version('twisted')}, "
        f"Python {sys.version.split()[0]}."
    )
    return 0 if right["ours"] == len(rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted: no scenario is reported.", file=sys.stderr)  # noqa: T201 - program output
        sys.exit(130)
