"""ComparisonReport: what came of a comparison, as a value, as JSON, CSV and a plain table."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import DISAGREEING, Direction
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scrapy_robots1994.compare.comparer import Explanation

# Spreadsheets run what begins like this.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LONGEST = 2_000
_NUMBER = 9
COLUMNS = (
    "parser",
    "direction",
    "cause",
    "where",
    "url",
    "robot",
    "ours",
    "theirs",
    "lines",
)


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """Counts that are exact, and explanations that are samples.

    *causes* are those of all disagreements, or of the explanations alone when
    *is_sampled*. *subject* and *when* say what was compared and at what time; *note*
    is one more sentence, or empty.
    """

    subject: str
    when: str
    parsers: tuple[str, ...]
    captures: int
    skipped: int
    counts: Mapping[tuple[str, Direction], int]
    causes: Mapping[tuple[str, Direction, Cause], int]
    explanations: tuple[Explanation, ...]
    is_sampled: bool
    note: str = ""

    def count(self, parser: str, *directions: Direction) -> int:
        """How many questions *parser* answered in one of *directions*."""
        return sum(self.counts.get((parser, it), 0) for it in directions or Direction)

    def caused(self, cause: Cause, parser: str | None = None) -> int:
        """How many disagreements, of *parser* or of all, have *cause*."""
        return sum(
            number
            for (name, _, why), number in self.causes.items()
            if why is cause and parser in {None, name}
        )

    @property
    def questions(self) -> int:
        """How many questions each parser was asked, at most."""
        return max(map(self.count, self.parsers), default=0)

    @property
    def disagreements(self) -> int:
        """How many answers differ from ours."""
        return sum(self.count(parser, *DISAGREEING) for parser in self.parsers)

    @property
    def causes_found(self) -> tuple[Cause, ...]:
        """The causes there are, the most frequent first."""
        found = [cause for cause in Cause if self.caused(cause)]
        return tuple(sorted(found, key=lambda it: -self.caused(it)))


def as_json(report: ComparisonReport) -> str:
    """Return *report* as one JSON object, its texts as they were."""
    return json.dumps(_plain(report), ensure_ascii=True, indent=1) + "\n"


def _plain(report: ComparisonReport) -> dict[str, Any]:
    """Return *report* made of what JSON knows."""
    return {
        "subject": report.subject,
        "when": report.when,
        "files": report.captures,
        "not_compared": report.skipped,
        "causes_of": "samples" if report.is_sampled else "all",
        "parsers": {
            parser: {way.value: report.count(parser, way) for way in Direction}
            | {
                "causes": {
                    cause.value: report.caused(cause, parser)
                    for cause in report.causes_found
                    if report.caused(cause, parser)
                }
            }
            for parser in report.parsers
        },
        "disagreements": [_row(explanation) for explanation in report.explanations],
    }


def _row(explanation: Explanation) -> dict[str, Any]:
    """Return one explanation by the names of its columns."""
    return {
        "parser": explanation.parser,
        "direction": explanation.direction.value,
        "cause": explanation.cause.value,
        "where": explanation.label,
        "url": explanation.question.url,
        "robot": explanation.question.robot,
        "ours": explanation.verdict,
        "theirs": explanation.theirs,
        "lines": list(explanation.needed_lines),
        "text": [explanation.text[number - 1] for number in explanation.needed_lines],
    }


def as_csv(report: ComparisonReport) -> str:
    """Return the explanations of *report* as a table that a spreadsheet may open."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for explanation in report.explanations:
        row = _row(explanation) | {
            "lines": " ".join(map(str, explanation.needed_lines))
        }
        writer.writerow(_cell(str(row[column])) for column in COLUMNS)
    return file.getvalue()


def _cell(text: str) -> str:
    """Return *text* harmless: nothing a terminal or a spreadsheet would act on."""
    shown = escape_control_chars(text, _LONGEST)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def as_table(report: ComparisonReport) -> str:
    """Return the counts of *report* as lines of plain text."""
    return "\n".join([*_agreement(report), "", *_causes(report)])


def _agreement(report: ComparisonReport) -> Iterator[str]:
    """Yield who agrees with us how often."""
    heads = ["agree", "stricter", "laxer", "raised", "agreement"]
    yield from _grid(
        "compared with ours",
        heads,
        (
            (
                parser,
                [str(report.count(parser, way)) for way in Direction]
                + [share(report.count(parser, Direction.AGREE), report.count(parser))],
            )
            for parser in report.parsers
        ),
    )


def _causes(report: ComparisonReport) -> Iterator[str]:
    """Yield because of what the others differ."""
    if not report.causes_found:
        yield "No parser differs."
        return
    title = "causes (of the samples)" if report.is_sampled else "causes"
    rows: list[tuple[str, list[str]]] = [
        (
            cause.title,
            [str(report.caused(cause, parser)) for parser in report.parsers],
        )
        for cause in report.causes_found
    ]
    yield from _grid(title, list(report.parsers), rows)


def _grid(
    title: str, heads: list[str], rows: Iterable[tuple[str, list[str]]]
) -> Iterator[str]:
    """Yield a table: names to the left, numbers right under their heads."""
    wide = [max(len(head), _NUMBER) + 2 for head in heads]
    fit: Callable[[list[str]], str] = lambda cells: "".join(  # noqa: E731 - one line twice
        cell.rjust(width) for cell, width in zip(cells, wide, strict=True)
    )
    lines = [(title, heads), *rows]
    first = max(len(name) for name, _ in lines)
    for name, cells in lines:
        yield f"{name:{first}}{fit(cells)}"


def share(part: int, whole: int) -> str:
    """Return how much of *whole* is *part*, in per cent; a dash of nothing."""
    return f"{100 * part / whole:.2f} %" if whole else "-"
