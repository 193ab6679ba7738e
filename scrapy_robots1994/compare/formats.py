"""Formats of a report: JSON, CSV, and one HTML page that needs no network.

The page is a fixed template; the data is in it as JSON, which its script shows as text.
So nothing in a file or URL can become markup.
"""

import base64
import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import Any

from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.impact import CHANGES
from scrapy_robots1994.compare.report import ComparisonReport, as_plain
from scrapy_robots1994.escaping import escape_control_chars, escape_json

# Spreadsheets run what begins like this.
# Where a cell of a spreadsheet would begin with a formula: also behind a semicolon, which
# separates cells where a comma is a decimal sign.
_FORMULA = re.compile(r"((?:\A|;)[\s\"]*)(?=[=+\-@])")
_MAX_CELL = 2_000
_MAX_SHOWN = 300

COLUMNS = (
    *("row", "parser", "name", "value", "site", "basis", "status", "change"),
    *("agree", "stricter", "laxer", "raised"),
    *("direction", "cause", "url", "robot", "ours", "theirs", "lines"),
)


def as_json(report: ComparisonReport) -> str:
    """Return *report* as one JSON object."""
    return escape_json(json.dumps(as_plain(report), indent=1)) + "\n"


def as_csv(report: ComparisonReport) -> str:
    """Return *report* as a table that a spreadsheet may open.

    The column `row` says what a row is about: metadata, note, parser, basis, variant, cause,
    site or disagreement.
    """
    file = io.StringIO()
    writer = csv.DictWriter(
        file, COLUMNS, restval="", lineterminator="\n", quoting=csv.QUOTE_ALL
    )
    writer.writeheader()
    plain = as_plain(report)
    notes = (("note", {"value": it}) for it in plain["notes"])
    for kind, row in chain(notes, _rows(plain)):
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
    return _FORMULA.sub(r"\1'", shown)


def as_html(report: ComparisonReport) -> str:
    """Return *report* as a page."""
    script = _part("report.js")
    digest = hashlib.sha256(script.encode()).digest()
    data = _shown(as_plain(report)) | {
        "cause_words": {it.value: [it.title, it.clause, it.evidence] for it in Cause},
        "change_words": {it.name: [it.title, it.meaning] for it in CHANGES},
    }
    text = json.dumps(data, separators=(",", ":"))
    parts = {
        "HASH": base64.b64encode(digest).decode("ascii"),
        "STYLE": _part("report.css"),
        "SCRIPT": script,
        # Nothing in the data can end the element that it is in.
        "DATA": text.replace("<", "\\u003c").replace(">", "\\u003e"),
    }
    # In one pass: nothing in a part is a placeholder.
    return re.sub("%([A-Z]+)%", lambda it: parts[it[1]], _part("report.html"))


def _part(name: str) -> str:
    """Return one of the files the page is made of."""
    return files("scrapy_robots1994.compare").joinpath(name).read_text("utf-8")


def _shown(value: Any) -> Any:
    """Return *value* with control characters in its texts made visible, none too wide."""
    if isinstance(value, str):
        return escape_control_chars(value, _MAX_SHOWN)
    if isinstance(value, dict):
        return {_shown(name): _shown(it) for name, it in value.items()}
    return [_shown(it) for it in value] if isinstance(value, list) else value


FORMS: dict[str, Callable[[ComparisonReport], str]] = {
    ".html": as_html,
    ".json": as_json,
    ".csv": as_csv,
}


def write_report(report: ComparisonReport, path: Path) -> None:
    """Write *report* to *path* in the form of its ending: all of it, or nothing."""
    text = FORMS[path.suffix.lower()](report)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Exclusive, and with a name that cannot be foreseen: the folder may be shared.
    part = path.with_name(f".{token_hex(8)}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
