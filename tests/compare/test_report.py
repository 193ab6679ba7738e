"""The report as JSON, CSV and plain text; and what the page does without a browser."""

from __future__ import annotations

import csv
import json
import sys

import pytest

from scrapy_robots1994 import MissingExtra
from scrapy_robots1994.compare import (
    Direction,
    as_csv,
    as_html,
    as_json,
    as_table,
)
from tests.compare.report_parts import report


def test_json_holds_every_count_and_finding_as_it_was() -> None:
    """Texts are not cut and not escaped but as JSON does."""
    told = json.loads(as_json(report()))

    name = "ProtegoRobotParser"
    protego = told["parsers"][name]
    assert protego["stricter"] == report().counts[name, Direction.STRICTER]
    assert sum(protego["causes"].values()) == protego["stricter"] + protego["laxer"]
    assert len(told["disagreements"]) == len(report().explanations)
    assert any("<script>" in row["url"] for row in told["disagreements"])


def test_csv_is_harmless_to_a_spreadsheet_and_a_terminal() -> None:
    """No cell begins as a formula does; no control character is left."""
    text = as_csv(report())

    rows = list(csv.reader(text.split("\n")))
    assert rows[0][0] == "parser"
    assert not any(
        cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row
    )
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_table_has_a_line_for_each_parser_and_each_cause() -> None:
    """And fits a terminal of 100 columns."""
    lines = as_table(report()).split("\n")

    heads = "compared with ours agree stricter laxer raised agreement"
    assert " ".join(lines[0].split()) == heads
    assert len(lines) == 1 + 3 + 1 + 1 + len(report().causes_found)
    assert max(map(len, lines)) <= 100


def test_without_its_libraries_the_page_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The pip line stands in the sentence."""
    monkeypatch.setitem(sys.modules, "jinja2", None)

    with pytest.raises(
        MissingExtra, match=r"pip install 'scrapy_robots1994\[report\]'"
    ):
        as_html(report())


def test_drawing_leaves_no_importer_behind() -> None:
    """One that pygal brings would warn at each failing import of the whole process."""
    as_html(report())

    names = {type(finder).__name__ for finder in sys.meta_path}
    assert "PluginImportFixer" not in names
