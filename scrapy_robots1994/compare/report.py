"""The result of a comparison, as text tables and as plain values for JSON."""

import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from itertools import chain, product
from typing import Any

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.impact import (
    CHANGES,
    VARIANTS,
    SiteImpact,
    Switch,
    Totals,
    Variant,
)
from scrapy_robots1994.compare.parsers import DISAGREEING, Direction
from scrapy_robots1994.escaping import redact_credentials
from scrapy_robots1994.policy.outcomes import GROUPS, ROWS, AnswerGroup
from scrapy_robots1994.robotstxt import RobotsTxt

AROUND = 3
"""The number of lines that an excerpt shows before and after each needed line."""

MAX_WHOLE = 24
"""The maximum number of lines in a file that is shown as a whole."""

MAX_LINES = 200
"""The maximum number of lines shown in an excerpt of a file."""

# The notes below the table of answers, which explain the directions.
_DIRECTIONS = (
    "stricter: the other parser disallows a URL that ours allows; ours opens the site",
    "laxer: the other parser allows a URL that ours disallows; ours closes the site",
)

# The minimum width of a column of numbers in a text table.
_NUMBER = 9


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """The exact counts of a comparison, and the sites with examples of disagreements.

    *parsers* are the names of the parsers that were compared with our parser. The parser
    that the project uses comes first, if it was compared. *metadata* says what was
    compared, when, and how. *is_sampled* is true if the counts of causes include only the
    examples, and not all disagreements. *has_answers* is true if the comparison can
    include HTTP answers, and not only files. *notes* are further sentences about the
    comparison.
    """

    subject: str
    parsers: tuple[str, ...]
    totals: Totals
    metadata: Mapping[str, str]
    is_sampled: bool = False
    has_answers: bool = False
    notes: tuple[str, ...] = ()

    @property
    def questions(self) -> int:
        """The number of questions that were compared. If the parsers were asked different
        numbers of questions, the property is the largest of these numbers.
        """
        return max(map(self.totals.count, self.parsers), default=0)

    @property
    def disagreements(self) -> int:
        """The number of answers that differ from our answers, over all parsers."""
        return sum(self.totals.count(name, *DISAGREEING) for name in self.parsers)

    @property
    def sites(self) -> list[SiteImpact]:
        """The sites that the report lists, sorted by label."""
        return [self.totals.sites[it] for it in sorted(self.totals.sites)]


def describe(variant: Variant, *, robots: str, questions: str) -> dict[str, str]:
    """Return the metadata of a report: the time, the settings and the package versions."""
    return {
        "made": datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "dialect": variant.dialect,
        "robot": robots,
        "questions": questions,
        "versions": f"scrapy_robots1994 {version('scrapy_robots1994')}, "
        f"Scrapy {version('scrapy')}, Protego {version('protego')}, "
        f"Python {platform.python_version()}",
    }


def as_table(report: ComparisonReport) -> str:
    """Return the counts of *report* as three tables of plain text.

    The first table shows for how many sites a switch to our parser changes decisions. The
    second table shows how often each parser agrees with our parser. The third table shows
    how often each cause explains a disagreement. If there is no cause to count, a
    sentence replaces the third table.
    """
    parsers, totals, count = report.parsers, report.totals, report.totals.count
    numbers, ours = totals.changes(), totals.ours
    changes = {
        it: [f"{numbers[it, ours, change]:,}" for change in CHANGES] for it in parsers
    }
    agreement = {
        it: [str(count(it, way)) for way in Direction]
        + [_share(count(it, Direction.AGREE), count(it))]
        for it in parsers
    }
    causes = {
        cause.title: [str(totals.caused(cause, it)) for it in parsers]
        for cause in totals.causes_of(*parsers)
    }
    heads = [it.title for it in CHANGES]
    ways = [*(it.value for it in Direction), "agreement"]
    is_different = report.disagreements > 0
    nothing = "No parser differs." if report.questions else "Nothing was compared."
    title = "causes (of the examples)" if report.is_sampled else "causes"
    parts = [
        _grid("sites, by what changes", heads, changes),
        [*_grid("compared with ours", ways, agreement), *_DIRECTIONS * is_different],
        _grid(title, parsers, causes) if causes else [nothing],
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def _share(part: int, whole: int) -> str:
    """Return *part* as a percentage of *whole*, or a dash if *whole* is 0."""
    return f"{100 * part / whole:.2f}%" if whole else "-"


def _grid(
    title: str, heads: Sequence[str], rows: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the lines of a table whose columns have the headings *heads*. Names are
    aligned to the left, and numbers are aligned to the right.
    """
    lines = {title: heads, **rows}
    first = max(map(len, lines))
    return [
        f"{name:{first}}"
        + "".join(
            f"{cell:>{max(len(head), _NUMBER) + 2}}"
            for cell, head in zip(cells, heads, strict=True)
        )
        for name, cells in lines.items()
    ]


def as_plain(report: ComparisonReport) -> dict[str, Any]:
    """Return *report* as one object of plain values. The strings in the object are not
    escaped.

    The JSON report and the HTML page are both made from this object.
    """
    totals, changes = report.totals, report.totals.changes()
    sites: list[dict[str, Any]] = []
    disagreements: list[dict[str, Any]] = []
    dialect = report.metadata["dialect"]
    for site in report.sites:
        robots = RobotsTxt.parse(site.whole_capture.body, dialect=dialect)
        texts = [line.text for line in robots.lines]
        sites.append(_site(report, site, robots, texts))
        disagreements += _examples(report, site, texts)
    return {
        "subject": report.subject,
        "metadata": dict(report.metadata),
        "notes": [*report.notes, *_unknown(report)],
        "files": totals.captures,
        "has_answers": report.has_answers,
        "not_compared": totals.skipped,
        "sites_not_listed": totals.unlisted_sites,
        "causes_of": "examples" if report.is_sampled else "all",
        "parsers": {it: _parser(totals, changes, it) for it in report.parsers},
        "bases": [[it.name, it.heading, it.words] for it in GROUPS],
        "settings": [
            {
                "setting": row.full_setting,
                "bases": [it.name for it in row.groups],
                "statuses": row.statuses,
            }
            for row in ROWS
            if row.setting
        ],
        "variants": [
            variant._asdict()
            | {"changes": {it: _named(changes, it, variant) for it in report.parsers}}
            for variant in VARIANTS
        ],
        "sites": sites,
        "disagreements": disagreements,
    }


def _unknown(report: ComparisonReport) -> Iterator[str]:
    """Yield a sentence about each kind of decision that the counts of changes do not include."""
    totals = report.totals
    if totals.skipped:
        yield f"Not compared: {totals.skipped:,} decisions."
    for name in report.parsers:
        if raised := totals.count(name, Direction.RAISED):
            yield (
                f"{name} failed or did not answer {raised:,} of {totals.count(name):,} "
                "questions. The changes for these questions are not known."
            )


def _parser(totals: Totals, changes: Counter[Switch], name: str) -> dict[str, Any]:
    """Return the counts of one parser."""
    causes = totals.causes_of(name)
    return {way.value: totals.count(name, way) for way in Direction} | {
        "changes": _named(changes, name, totals.ours),
        "changes_by": {it.name: _named(changes, name, it) for it in GROUPS},
        "causes": {it.value: totals.caused(it, name) for it in causes},
        "causes_by_direction": {
            it.value: {way.value: totals.caused(it, name, way) for way in DISAGREEING}
            for it in causes
        },
    }


def _named(
    changes: Counter[Switch], parser: str, to: AnswerGroup | Variant
) -> dict[str, int]:
    """Return a dict that maps the name of each kind of change to a number of sites.

    The changes are the effects of a switch from *parser* to our parser. *to*, the second
    item of a `Switch`, selects the sites or the variant to count.
    """
    return {change.name: changes[parser, to, change] for change in CHANGES}


def _site(
    report: ComparisonReport, site: SiteImpact, robots: RobotsTxt, texts: list[str]
) -> dict[str, Any]:
    """Return the counts of each parser for one site, an excerpt of the file, and the
    problems with the needed lines.
    """
    examples = chain.from_iterable(site.examples.values())
    needed = {number for it in examples for number in it.needed_lines}
    problems: dict[str, dict[str, Any]] = {}
    for it in robots.problems if needed else ():
        if it.line in needed:
            # Show only the first problem of each kind.
            shown = {"code": it.code, "line": it.line, "message": it.message}
            problems.setdefault(it.code, shown)
    return {
        "site": site.capture.label,
        "basis": site.capture.basis.name,
        "status": site.capture.status,
        "parsers": {
            name: {way.value: site.count(name, way) for way in Direction}
            | {
                "change": site.change(name, report.totals.ours).name,
                "cause": next((it.value for it in site.causes_of(name)), None),
            }
            for name in report.parsers
            if site.count(name)
        },
        "lines": len(texts),
        "excerpt": [[it, texts[it - 1]] for it in _excerpt(len(texts), needed)],
        "problems": list(problems.values()),
    }


def _excerpt(count: int, needed: set[int]) -> list[int]:
    """Return the line numbers (from 1) of the lines to show from a file of *count* lines.

    *needed* contains the numbers of the lines that make the parsers differ.
    """
    if count <= MAX_WHOLE:
        return list(range(1, count + 1))
    shown: set[int] = set()
    for middle in needed or {1}:
        shown.update(range(max(1, middle - AROUND), min(count, middle + AROUND) + 1))
    return sorted(shown)[:MAX_LINES]


def _examples(
    report: ComparisonReport, site: SiteImpact, texts: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the examples of one site, with the text of each needed line."""
    for name, way in product(report.parsers, DISAGREEING):
        for example in site.examples.get((name, way), ()):
            cause, *others = example.causes or (Cause.TIMEOUT,)
            yield {
                "parser": name,
                "direction": way.value,
                "cause": cause.value,
                "other_causes": [it.value for it in others],
                "where": site.capture.label,
                "url": redact_credentials(example.question.url),
                "robot": example.question.robots,
                "ours": example.verdict,
                "theirs": example.theirs,
                "lines": list(example.needed_lines),
                "text": [texts[number - 1] for number in example.needed_lines],
            }
