"""A comparison report as a table for spreadsheets: the data of the JSON form, in rows."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.compare.report import as_plain
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.compare.report import ComparisonReport

# Spreadsheets run what begins like this.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MAX_CELL = 2_000

COLUMNS = (
    *("row", "parser", "name", "value", "site", "basis", "status", "change"),
    *("agree", "stricter", "laxer", "raised"),
    *("direction", "cause", "url", "robot", "ours", "theirs", "lines"),
)


def as_csv(report: ComparisonReport) -> str:
    """Return *report* as a table that a spreadsheet may open.

    The column `row` says what a row is about: metadata, parser, basis, variant, cause,
    site or disagreement.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for kind, row in _rows(as_plain(report)):
        cells = {name: _cell(value) for name, value in row.items() if name in COLUMNS}
        writer.writerow({"row": kind} | cells)
    return file.getvalue()


def _rows(plain: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what kind each row of the table is of, and its cells by column."""
    for name, value in plain["metadata"].items():
        yield "metadata", {"name": name, "value": value}
    for parser, counts in plain["parsers"].items():
        yield "parser", {"parser": parser} | counts
        for basis, change, number in _pairs(counts["changes_by"]):
            row = {"parser": parser, "basis": basis, "change": change}
            yield "basis", row | {"value": number}
        for cause, way, number in _pairs(counts["causes_by_direction"]):
            row = {"parser": parser, "cause": cause, "direction": way}
            yield "cause", row | {"value": number}
    for variant in plain["variants"]:
        name = f"{variant['dialect']} {variant['reading']}"
        for parser, change, number in _pairs(variant["changes"]):
            row = {"parser": parser, "name": name, "change": change}
            yield "variant", row | {"value": number}
    for site in plain["sites"]:
        for parser, counts in site["parsers"].items():
            row = {"parser": parser, "cause": counts["main_cause"]}
            yield "site", site | counts | row
    for example in plain["disagreements"]:
        lines = " ".join(map(str, example["lines"]))
        yield "disagreement", example | {"site": example["where"], "lines": lines}


def _pairs(nested: dict[str, dict[str, int]]) -> Iterator[tuple[str, str, int]]:
    """Yield both keys and the number of each entry of a nested mapping."""
    for outer, inner in nested.items():
        for name, number in inner.items():
            yield outer, name, number


def _cell(value: object) -> str:
    """Return *value* harmless: nothing a terminal or a spreadsheet would act on."""
    shown = escape_control_chars("" if value is None else str(value), _MAX_CELL)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
