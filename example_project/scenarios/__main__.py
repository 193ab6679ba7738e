"""Plays the scenarios on both sides and prints what was measured.

Ends with 0 if our side was right in every scenario played, else with 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import TYPE_CHECKING

from scenarios import failures, keeping, origins, waiting, words
from scenarios.registry import (
    SCENARIOS,
    SIDES,
    CrawlError,
    Finding,
    Scenario,
    Side,
)
from scenarios.table import Findings, table

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOMS = (failures, keeping, origins, waiting, words)
Results = list[tuple[Scenario, Findings]]


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the command line as values."""
    parser = argparse.ArgumentParser(prog="compare_builtin", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")
    parser.add_argument(
        "--only",
        type=int,
        action="append",
        choices=sorted(SCENARIOS),
        metavar="N",
        help="play this scenario alone; may be given several times",
    )
    return parser.parse_args(given)


def play(scenario: Scenario, side: Side) -> Finding:
    """Play one scenario on one side; say on stderr that it was played."""
    began = time.monotonic()
    try:
        finding = scenario.play(side)
    except CrawlError as error:
        finding = Finding(f"the crawl did not start: {error}", ok=False)
    spent = time.monotonic() - began
    note = f"scenario {scenario.number:2} {side:8} {spent:5.1f} s"
    print(note, file=sys.stderr, flush=True)
    return finding


def play_all(scenarios: Sequence[Scenario]) -> Results:
    """Play the scenarios, as many at once as there are processors.

    Those that compare times come last, one by one.
    """
    pairs = [(each, side) for each in scenarios for side in SIDES]
    together = [pair for pair in pairs if not pair[0].alone]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        played = pool.map(lambda pair: play(*pair), together)
        found = dict(zip(together, played, strict=True))
    found |= {pair: play(*pair) for pair in pairs if pair[0].alone}
    return [(each, {side: found[each, side] for side in SIDES}) for each in scenarios]


def as_json(results: Results) -> str:
    """Return everything measured as JSON, a list in the order of the table."""
    rows = [
        {
            "number": scenario.number,
            "situation": scenario.title,
            "asks": scenario.asks,
        }
        | {
            side: {"ok": found.ok, "did": found.did, "facts": found.facts}
            for side, found in findings.items()
        }
        for scenario, findings in results
    ]
    return json.dumps(rows, indent=2)


def summary(results: Results) -> str:
    """Return how many scenarios each side got right, and who the sides were."""
    right = {side: sum(found[side].ok for _, found in results) for side in SIDES}
    return (
        f"Right: built-in {right['builtin']}, ours {right['ours']} of {len(results)}. "
        f"Scrapy {version('scrapy')}, Twisted {version('twisted')}, "
        f"Python {sys.version.split()[0]}."
    )


def main() -> int:
    """Play, print, and return the exit code."""
    chosen = arguments()
    numbers = sorted(set(chosen.only or SCENARIOS))
    results = play_all([SCENARIOS[number] for number in numbers])
    print(as_json(results) if chosen.json else table(results))
    if not chosen.json:
        print(f"\n{summary(results)}")
    return 0 if all(findings["ours"].ok for _, findings in results) else 1


if __name__ == "__main__":
    sys.exit(main())
