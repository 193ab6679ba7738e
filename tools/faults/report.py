"""Write the README of this folder from a table of outcomes."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tools.faults.fault import Fault, Outcome, PageFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.faults.table import Group, Table

README = Path(__file__).with_name("README.md")
STATUS = re.compile("s[0-9]{3}")

HEAD = """\
# Faults and their outcomes

Written by `python -m tools.faults` from what crawls on Scrapy's default reactor did and
what the fault server counted. Every fault is an origin of
its own, whose /open and /closed are requested at once. Its file is `User-agent: *` and
`Disallow: /closed`, unless the file is the fault. R1 to R7 are the rows of the README's
table of answers to GET /robots.txt; "requests" counts the requests that reached the
server before the policy was known. A refusal shows the reason of its verdict.
"""
ROBOTS_HEAD = "| robots.txt | row | /open | /closed | requests |\n|---|---|---|---|---|"
PAGE_HEAD = "| page, with a sound robots.txt | /open | requests |\n|---|---|---|"


def text(table: Table) -> str:
    """Return the README: a count, and a table for each group of faults."""
    wrong, crossed = len(table.wrong), len(table.violations)
    count = (
        f"{len(table.faults)} faults, {wrong} wrong outcomes, {crossed} fetches "
        "against a file.\n"
    )
    parts = [HEAD, count]
    for group in table.groups:
        rows = "\n".join(_rows(table, group))
        head = PAGE_HEAD if isinstance(group.faults[0], PageFault) else ROBOTS_HEAD
        parts.append(f"## {group.title}\n\n{head}\n{rows}\n")
    return "\n".join(parts)


def _rows(table: Table, group: Group) -> Iterator[str]:
    """Yield a row for each fault; consecutive statuses with the same outcome share one."""
    pairs = [(fault, table.outcome(fault)) for fault in group.faults]
    for (cells, _), same in groupby(pairs, lambda pair: _key(*pair)):
        names = [fault.what for fault, _ in same]
        several = f"{names[0]} to {names[-1].removeprefix('status ')}"
        yield f"| {names[0] if len(names) == 1 else several} | {cells} |"


def _key(fault: Fault | PageFault, outcome: Outcome) -> tuple[str, str]:
    """Return the cells after the first, and the slug unless it is a status."""
    is_status = STATUS.fullmatch(fault.slug) is not None
    return _cells(fault, outcome), "" if is_status else fault.slug


def _cells(fault: Fault | PageFault, outcome: Outcome) -> str:
    """Return the cells after the first."""
    if isinstance(fault, PageFault):
        requested = (
            str(outcome.requested) if fault.requested else "as the client retries"
        )
        return f"{_shown(outcome.open)} | {requested}"
    ends = f"{_shown(outcome.open)} | {_shown(outcome.closed)}"
    return f"{fault.row.split()[0]} | {ends} | {outcome.requested}"


def _shown(end: str) -> str:
    """Return the outcome of a request in words."""
    is_plain = end.startswith(("fetched", "failed"))
    return {"failed": "errback"}.get(end, end) if is_plain else f"refused: {end}"
