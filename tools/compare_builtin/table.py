"""Format the findings as one table of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from tools.compare_builtin.registry import Finding, Scenario, Side

WIDTHS = (2, 22, 27, 27, 14)
GAP = "  "
HEAD = ("#", "situation", "Scrapy's built-in", "scrapy_robots1994", "wanted")

Findings = Mapping[Side, Finding]


def row(cells: Sequence[str]) -> str:
    """Return one row; a cell too long for its column is wrapped."""
    columns = [textwrap.wrap(*pair) for pair in zip(cells, WIDTHS, strict=True)]
    lines = zip_longest(*columns, fillvalue="")
    return "\n".join(GAP.join(map(str.ljust, line, WIDTHS)).rstrip() for line in lines)


def cell(finding: Finding) -> str:
    """Return the finding with its mark as a prefix."""
    return f"{'ok' if finding.ok else 'NOT OK'}: {finding.did}"


def table(results: Iterable[tuple[Scenario, Findings]]) -> str:
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
