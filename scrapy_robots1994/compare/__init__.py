"""Ours beside other parsers, decision by decision, and because of which lines. Pure:
the other parsers are handed in.

The flow of the rooms: `parsers` (who is asked, and what for), `questions` (made from a
file), `comparing` (asks, counts, explains), `disagreement` (counts and samples),
`diagnosis` with `variants`, `paths` and `shapes` (the cause), `lines` and `reduction`
(the lines that are needed), `causes` (the closed list), `report`, `page` and `charts`.
"""

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.comparer import (
    Comparer,
    Disagreement,
    Explanation,
    Totals,
    disagreement,
    rank,
)
from scrapy_robots1994.compare.html import as_html, required
from scrapy_robots1994.compare.parsers import (
    ALLOWS,
    FORBIDS,
    Capture,
    Decision,
    Direction,
    ParsedFile,
    Parser,
    Question,
    decision_by,
    direction_of,
    our_parser,
    read,
)
from scrapy_robots1994.compare.questions import questions
from scrapy_robots1994.compare.report import ComparisonReport, as_csv, as_json, as_table

__all__ = [
    "ALLOWS",
    "FORBIDS",
    "Capture",
    "Cause",
    "Comparer",
    "ComparisonReport",
    "Decision",
    "Direction",
    "Disagreement",
    "Explanation",
    "ParsedFile",
    "Parser",
    "Question",
    "Totals",
    "as_csv",
    "as_html",
    "as_json",
    "as_table",
    "decision_by",
    "direction_of",
    "disagreement",
    "our_parser",
    "questions",
    "rank",
    "read",
    "required",
]
