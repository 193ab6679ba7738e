"""Page: a report as one HTML file that needs nothing else, not even a network."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.compare.parsers import DISAGREEING, Direction
from scrapy_robots1994.compare.report import share
from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.compare.comparer import Explanation
    from scrapy_robots1994.compare.report import ComparisonReport

AROUND = 3
"""Lines shown before and after a needed one in a file that is too long to show."""

WHOLE = 60
"""Lines of a file that is shown whole."""

MOST = 400
"""Lines shown of one file, however many are needed."""

WIDE = 300


@dataclass(frozen=True, slots=True)
class Shown:
    """One line of a file as it is shown; a *gap* tells how many are left out before."""

    number: int
    text: str
    is_needed: bool
    gap: int


def excerpt(explanation: Explanation) -> tuple[tuple[Shown, ...], int]:
    """Return the lines to show of a file, and how many are left out at its end."""
    count = len(explanation.text)
    needed = set(explanation.needed_lines)
    numbers = sorted(
        range(1, count + 1)
        if count <= WHOLE
        else {
            number
            for middle in needed or {1}
            for number in range(middle - AROUND, middle + AROUND + 1)
            if 1 <= number <= count
        }
    )[:MOST]
    shown = tuple(
        Shown(
            number,
            escape_control_chars(explanation.text[number - 1], WIDE),
            number in needed,
            number - previous - 1,
        )
        for previous, number in pairwise([0, *numbers])
    )
    return shown, count - (numbers[-1] if numbers else 0)


def as_html(report: ComparisonReport) -> str:
    """Return *report* as a page.

    Raises `MissingExtra` when the libraries of the extra `report` are not installed.
    """
    jinja2, charts = required()
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.from_string(_part("report.html.j2"))
    style, script = _part("report.css"), _part("report.js")
    page: str = template.render(
        report=report,
        ways=tuple(Direction),
        differing=DISAGREEING,
        rows=tuple(_rows(report)),
        charts=tuple(charts.charts(report)),
        markup=jinja2_markup,
        share=share,
        style=jinja2_markup(style),
        script=jinja2_markup(script),
        hash=_hash(script),
    )
    return page


def required() -> tuple[Any, Any]:
    """Return jinja2 and our charts; `MissingExtra` says what to install."""
    try:
        jinja2 = import_module("jinja2")
        charts = import_module("scrapy_robots1994.compare.charts")
    except ImportError as error:
        msg = (
            f"A report in HTML needs {error.name}, which is not installed: "
            "pip install 'scrapy_robots1994[report]'"
        )
        raise MissingExtra(msg) from error
    return jinja2, charts


def jinja2_markup(text: str) -> Any:
    """Return *text*, which is ours and no file's, as it stands in the page."""
    return import_module("markupsafe").Markup(text)


def _rows(report: ComparisonReport) -> Iterator[dict[str, Any]]:
    """Yield what the template needs of each explanation, all texts printable."""
    for number, explanation in enumerate(report.explanations):
        shown, rest = excerpt(explanation)
        yield {
            "number": number,
            "explanation": explanation,
            "where": escape_control_chars(explanation.label, 200),
            "url": escape_control_chars(explanation.question.url, WIDE),
            "robot": escape_control_chars(explanation.question.robot, 200),
            "shown": shown,
            "rest": rest,
        }


@cache
def _part(name: str) -> str:
    """Return one of the files the page is made of."""
    return files("scrapy_robots1994.compare").joinpath(name).read_text("utf-8")


def _hash(script: str) -> str:
    """Return the hash by which the page allows its one script, and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return base64.b64encode(digest).decode("ascii")
