"""The data of a report, made of what JSON knows: all its forms show this and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.impact import VARIANTS, Change
from scrapy_robots1994.compare.parsers import DISAGREEING, Basis, Direction
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy_robots1994.compare.impact import SiteImpact
    from scrapy_robots1994.compare.report import ComparisonReport

AROUND = 3
"""Lines shown before and after a needed one in a file that is too long to show."""

MAX_WHOLE = 24
"""Lines of a file that is shown whole."""

MAX_LINES = 200
"""Lines shown of one file, however many are needed."""


def as_plain(report: ComparisonReport) -> dict[str, Any]:
    """Return *report* as one object, its texts as they were."""
    sites = [(site, _lines_of(site)) for site in report.sites]
    return {
        "subject": report.subject,
        "metadata": dict(report.metadata),
        "notes": list(report.notes),
        "files": report.totals.captures,
        "has_answers": report.has_answers,
        "not_compared": report.totals.skipped,
        "sites_not_listed": report.totals.unlisted_sites,
        "causes_of": "examples" if report.is_sampled else "all",
        "parsers": {name: _parser(report, name) for name in report.parsers},
        "variants": [
            variant._asdict()
            | {
                "changes": {
                    it: _named(report.totals.changes_in(place, it))
                    for it in report.parsers
                }
            }
            for place, variant in enumerate(VARIANTS)
        ],
        "sites": [_site(report, *it) for it in sites],
        "disagreements": [row for it in sites for row in _examples(report, *it)],
    }


def _parser(report: ComparisonReport, parser: str) -> dict[str, Any]:
    """Return the counts of one parser."""
    totals = report.totals
    causes = [it for it in report.causes_found if report.caused(it, parser)]
    return {way.value: report.count(parser, way) for way in Direction} | {
        "changes": _named(totals.changes(parser)),
        "changes_by": {
            basis.value: _named(totals.changes(parser, basis)) for basis in Basis
        },
        "causes": {it.value: report.caused(it, parser) for it in causes},
        "causes_by_direction": {
            it.value: {way.value: report.caused(it, parser, way) for way in DISAGREEING}
            for it in causes
        },
    }


def _named(changes: Mapping[Change, int]) -> dict[str, int]:
    """Return the four numbers by their names."""
    return {change.value: number for change, number in changes.items()}


def _site(
    report: ComparisonReport, site: SiteImpact, lines: tuple[str, ...]
) -> dict[str, Any]:
    """Return one site with what each parser changes, and the lines that matter."""
    needed = {
        number
        for examples in site.examples.values()
        for example in examples
        for number in example.needed_lines
    }
    return {
        "site": site.label,
        "basis": site.basis.value,
        "status": site.status,
        "parsers": {
            name: {"change": site.change(name).value}
            | {way.value: site.count(name, way) for way in Direction}
            | {"main_cause": getattr(site.main_cause(name), "value", None)}
            for name in report.parsers
            if site.count(name)
        },
        "lines": len(lines),
        "excerpt": [[it, lines[it - 1]] for it in _excerpt(len(lines), needed)],
        "problems": list(_problems(site, needed)),
    }


def _lines_of(site: SiteImpact) -> tuple[str, ...]:
    """Return the text of all lines of the file of *site*, as our parser numbers them."""
    if not site.packed:
        return ()
    return tuple(line.text for line in RobotsTxt.parse(site.file).lines)


def _excerpt(count: int, needed: set[int]) -> list[int]:
    """Return the numbers of the lines to show of *count*."""
    if count <= MAX_WHOLE:
        return list(range(1, count + 1))
    near = {
        number
        for middle in needed or {1}
        for number in range(middle - AROUND, middle + AROUND + 1)
    }
    return sorted(it for it in near if 1 <= it <= count)[:MAX_LINES]


def _problems(site: SiteImpact, needed: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the problems of the lines that are *needed*, the first of each kind."""
    seen: set[str] = set()
    for problem in RobotsTxt.parse(site.file).problems if needed else ():
        if problem.line in needed and problem.code not in seen:
            seen.add(problem.code)
            yield {
                "code": problem.code,
                "line": problem.line,
                "message": problem.message,
            }


def _examples(
    report: ComparisonReport, site: SiteImpact, lines: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Yield the examples of one site, the lines they need with their text."""
    for name in report.parsers:
        for way in DISAGREEING:
            for example in site.examples.get((name, way), ()):
                yield {
                    "parser": name,
                    "direction": way.value,
                    "cause": (example.cause or Cause.TIMEOUT).value,
                    "where": site.label,
                    "url": example.question.url,
                    "robot": example.question.robot,
                    "ours": example.verdict,
                    "theirs": example.theirs,
                    "lines": list(example.needed_lines),
                    "text": [lines[number - 1] for number in example.needed_lines],
                }
