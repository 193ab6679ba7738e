"""ComparisonReport: what came of a comparison, as a value and as a table of text."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.impact import Change
from scrapy_robots1994.compare.parsers import DISAGREEING, Direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy_robots1994.compare.impact import SiteImpact, Totals, Variant

_NUMBER = 9


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """Exact counts, and the sites with examples of what differs.

    The first of *parsers* is the one in use. *metadata* says what was compared, when
    and how. The causes are those of all disagreements, or of the examples alone when
    *is_sampled*. *notes* are further sentences about it.
    """

    subject: str
    parsers: tuple[str, ...]
    totals: Totals
    variant: Variant
    metadata: Mapping[str, str]
    is_sampled: bool = False
    has_answers: bool = False
    notes: tuple[str, ...] = ()

    def count(self, parser: str, *directions: Direction) -> int:
        """Return how many questions *parser* answered in one of *directions*."""
        return sum(self.totals.counts[parser, it] for it in directions or Direction)

    def caused(
        self, cause: Cause, parser: str | None = None, *directions: Direction
    ) -> int:
        """Return how many disagreements, of *parser* or of all, have *cause*."""
        return sum(
            number
            for (name, way, why), number in self.totals.causes.items()
            if why is cause
            and parser in {None, name}
            and way in (directions or Direction)
        )

    @property
    def questions(self) -> int:
        """How many questions each parser answered, at most."""
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

    @property
    def sites(self) -> list[SiteImpact]:
        """The listed sites by label."""
        self.totals.trim()
        return [self.totals.sites[it] for it in sorted(self.totals.sites)]


def describe(variant: Variant, *, robots: str, questions: str) -> dict[str, str]:
    """Return what a report says about how and when it was made."""
    return {
        "made": datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "dialect": variant.dialect,
        "reading": variant.reading,
        "robot": robots,
        "questions": questions,
        "versions": f"scrapy_robots1994 {version('scrapy_robots1994')}, "
        f"Scrapy {version('scrapy')}, Protego {version('protego')}, "
        f"Python {platform.python_version()}",
    }


_CHANGES = {
    Change.UNCHANGED: "unchanged",
    Change.OPENED: "only opened",
    Change.CLOSED: "only closed",
    Change.BOTH: "both",
}


def as_table(report: ComparisonReport) -> str:
    """Return the counts of *report* as lines of plain text."""
    parts = (_impact(report), _agreement(report), _causes(report))
    return "\n\n".join("\n".join(part) for part in parts)


def _impact(report: ComparisonReport) -> Iterator[str]:
    """Yield how many sites would change in a switch from each parser."""
    rows = [
        (name, [f"{it:,}" for it in report.totals.changes(name).values()])
        for name in report.parsers
    ]
    yield from _grid("sites, by what changes", list(_CHANGES.values()), rows)


def _agreement(report: ComparisonReport) -> Iterator[str]:
    """Yield how often each parser agrees with ours."""
    rows = [
        (
            parser,
            [str(report.count(parser, way)) for way in Direction]
            + [share(report.count(parser, Direction.AGREE), report.count(parser))],
        )
        for parser in report.parsers
    ]
    heads = ["agree", "stricter", "laxer", "raised", "agreement"]
    yield from _grid("compared with ours", heads, rows)


def _causes(report: ComparisonReport) -> Iterator[str]:
    """Yield why the others differ."""
    if not report.causes_found:
        yield "No parser differs."
        return
    title = "causes (of the examples)" if report.is_sampled else "causes"
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
    widths = [max(len(head), _NUMBER) + 2 for head in heads]
    lines = [(title, heads), *rows]
    first = max(len(name) for name, _ in lines)
    for name, cells in lines:
        fitted = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield f"{name:{first}}{''.join(fitted)}"


def share(part: int, whole: int) -> str:
    """Return how much of *whole* is *part*, in per cent; a dash of nothing."""
    return f"{100 * part / whole:.2f} %" if whole else "-"
