"""Run the scenarios with both middlewares, and print the outcomes.

The exit code is 0 if our middleware was right in every scenario, otherwise 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import zip_longest
from typing import TYPE_CHECKING

from tools.compare_builtin import failures, origins, storing, waiting
from tools.compare_builtin.registry import (
    SCENARIOS,
    SIDES,
    CrawlError,
    Finding,
    Scenario,
    Side,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MODULES = (failures, origins, storing, waiting)
"""The modules of scenarios. Importing a module registers its scenarios."""

WIDTHS = (2, 22, 27, 27, 14)
GAP = "  "
HEAD = ("#", "situation", "Scrapy's built-in", "scrapy_robots1994", "wanted")

Results = list[tuple[Scenario, dict[Side, Finding]]]


def arguments(args: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="compare_builtin", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")
    parser.add_argument(
        "--only",
        type=int,
        action="append",
        choices=sorted(SCENARIOS),
        metavar="N",
        help="run this scenario alone; may be given several times",
    )
    return parser.parse_args(args)


def run(scenario: Scenario, side: Side) -> Finding:
    """Run one scenario with one middleware, and then print a line to stderr."""
    try:
        finding = scenario.run(side)
    except CrawlError as error:
        finding = Finding(f"the crawl did not start: {error}", ok=False)
    print(f"scenario {scenario.number:2} {side}", file=sys.stderr, flush=True)  # noqa: T201 - its interface
    return finding


def run_all(scenarios: Sequence[Scenario]) -> Results:
    """Run the scenarios in parallel, one for each processor."""
    pairs = [(each, side) for each in scenarios for side in SIDES]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = pool.map(lambda pair: run(*pair), pairs)
        found = dict(zip(pairs, findings, strict=True))
    return [(each, {side: found[each, side] for side in SIDES}) for each in scenarios]


def as_json(results: Results) -> str:
    """Return all measurements as a JSON list, in the order of the table."""
    rows = [
        {
            "number": scenario.number,
            "situation": scenario.title,
            "wanted": scenario.wanted,
        }
        | {
            side: {"ok": found.ok, "did": found.did, "facts": found.facts}
            for side, found in findings.items()
        }
        for scenario, findings in results
    ]
    return json.dumps(rows, indent=2)


def row(cells: Sequence[str]) -> str:
    """Return one row of the table. Text that is longer than the width of its column is
    wrapped.
    """
    columns = [textwrap.wrap(*pair) for pair in zip(cells, WIDTHS, strict=True)]
    lines = zip_longest(*columns, fillvalue="")
    return "\n".join(GAP.join(map(str.ljust, line, WIDTHS)).rstrip() for line in lines)


def cell(finding: Finding) -> str:
    """Return the text of *finding*, with the prefix "ok" or "NOT OK"."""
    return f"{'ok' if finding.ok else 'NOT OK'}: {finding.did}"


def table(results: Results) -> str:
    """Return the whole table, with blank lines between scenarios."""
    rule = GAP.join("-" * width for width in WIDTHS)
    rows = [
        row(
            (
                str(scenario.number),
                scenario.title,
                cell(findings["builtin"]),
                cell(findings["ours"]),
                scenario.wanted,
            )
        )
        for scenario, findings in results
    ]
    return "\n".join([row(HEAD), rule, "\n\n".join(rows)])


def summary(results: Results) -> str:
    """Return the number of scenarios in which each middleware was right, and the
    versions.
    """
    right = {side: sum(found[side].ok for _, found in results) for side in SIDES}
    return (
        f"Right: built-in {right['builtin']}, ours {right['ours']} of {len(results)}. "
        f"Scrapy {version('scrapy')}, Twisted {version('twisted')}, "
        f"Python {sys.version.split()[0]}."
    )


def main() -> int:
    """Run the scenarios, print the results, and return the exit code."""
    chosen = arguments()
    numbers = sorted(set(chosen.only or SCENARIOS))
    results = run_all([SCENARIOS[number] for number in numbers])
    print(as_json(results) if chosen.json else table(results))  # noqa: T201 - its interface
    if not chosen.json:
        print(f"\n{summary(results)}")  # noqa: T201 - its interface
    return 0 if all(findings["ours"].ok for _, findings in results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted: no situation is reported.", file=sys.stderr)  # noqa: T201 - its interface
        sys.exit(130)
