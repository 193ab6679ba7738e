"""The report as one HTML page that needs nothing else, not even a network.

The page is a fixed template; what was compared stands in it as JSON, which its script
shows as text. So nothing in a file or URL can become markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.impact import VARIANTS, Basis, Change
from scrapy_robots1994.compare.parsers import DISAGREEING, Direction
from scrapy_robots1994.compare.report import lines_of_site
from scrapy_robots1994.escaping import escape_control_chars
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

MAX_WIDTH = 300
"""Characters shown of a line, URL or name."""

_CAUSES = tuple(Cause)
_BASES = tuple(Basis)
_CHANGES = tuple(Change)


def as_html(report: ComparisonReport) -> str:
    """Return *report* as a page."""
    script = _part("report.js")
    digest = hashlib.sha256(script.encode()).digest()
    parts = {
        "HASH": base64.b64encode(digest).decode("ascii"),
        "STYLE": _part("report.css"),
        "SCRIPT": script,
        "DATA": _embedded(_payload(report)),
    }
    page = _part("report.html")
    # The data comes last: nothing in it is a placeholder.
    for name, text in parts.items():
        page = page.replace(f"%{name}%", text, 1)
    return page


@cache
def _part(name: str) -> str:
    """Return one of the files the page is made of."""
    return files("scrapy_robots1994.compare").joinpath(name).read_text("utf-8")


def _embedded(payload: object) -> str:
    """Return *payload* as JSON that cannot end the element it stands in."""
    text = json.dumps(payload, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def _payload(report: ComparisonReport) -> dict[str, Any]:
    """Return what the script of the page shows."""
    totals, parsers = report.totals, report.parsers
    return {
        "subject": _shown(report.subject),
        "notes": [_shown(it) for it in report.notes],
        "kind": report.metadata.get("questions", ""),
        "metadata": [[name, _shown(it)] for name, it in report.metadata.items()],
        "documentation": _documentation(),
        "parsers": [_shown(it) for it in parsers],
        "captures": totals.captures,
        "questions": report.questions,
        "skipped": totals.skipped,
        "unlisted": totals.unlisted_sites,
        "sampled": report.is_sampled,
        "hasAnswers": report.has_answers,
        "variant": VARIANTS.index(report.variant),
        "variants": VARIANTS,
        "changes": [it.value for it in _CHANGES],
        "bases": [it.value for it in _BASES],
        "causes": [[it.value, it.title, it.evidence, it.clause] for it in _CAUSES],
        "impact": [_numbers(totals.changes(it)) for it in parsers],
        "impactBy": [
            [_numbers(totals.changes(it, basis)) for basis in _BASES] for it in parsers
        ],
        "impactIn": [
            [_numbers(totals.changes_in(place, it)) for place in range(len(VARIANTS))]
            for it in parsers
        ],
        "answers": [[report.count(it, way) for way in Direction] for it in parsers],
        "causeCounts": [
            [[report.caused(cause, it, way) for way in DISAGREEING] for cause in Cause]
            for it in parsers
        ],
        "sites": [_site(site, parsers) for site in report.sites],
    }


def _numbers(changes: Mapping[Change, int]) -> list[int]:
    """Return the four numbers in the order of `Change`."""
    return [changes[it] for it in _CHANGES]


def _site(site: SiteImpact, parsers: tuple[str, ...]) -> list[Any]:
    """Return one row of the table, with what it opens to."""
    text = lines_of_site(site)
    examples = list(_examples(site, parsers))
    needed = {number for example in examples for number in example[-1]}
    excerpt = [
        [number, _shown(text[number - 1])] for number in _excerpt(len(text), needed)
    ]
    return [
        _shown(site.label),
        _BASES.index(site.basis),
        site.status,
        [_counts(site, parser) for parser in parsers],
        examples,
        excerpt,
        len(text),
        list(_problems(site, needed)),
    ]


def _counts(site: SiteImpact, parser: str) -> list[int]:
    """Return the change of *site*, its counts by direction and its main cause."""
    cause = site.main_cause(parser)
    return [
        _CHANGES.index(site.change(parser)),
        *(site.count(parser, way) for way in (*DISAGREEING, Direction.AGREE)),
        -1 if cause is None else _CAUSES.index(cause),
    ]


def _examples(site: SiteImpact, parsers: tuple[str, ...]) -> Iterator[list[Any]]:
    """Yield the examples of *site*."""
    for place, parser in enumerate(parsers):
        for way in DISAGREEING:
            for it in site.examples.get((parser, way), ()):
                cause = it.cause or Cause.TIMEOUT
                yield [
                    place,
                    DISAGREEING.index(way),
                    _shown(it.question.url),
                    _shown(it.question.robot),
                    _CAUSES.index(cause),
                    _shown(it.verdict),
                    _shown(it.theirs),
                    list(it.needed_lines),
                ]


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


def _problems(site: SiteImpact, needed: set[int]) -> Iterator[list[Any]]:
    """Yield the problems of the lines that are *needed*, each kind once."""
    if not needed:
        return
    seen = Counter[str]()
    for problem in RobotsTxt.parse(site.capture.body).problems:
        if problem.line in needed and not seen[problem.code]:
            seen[problem.code] += 1
            yield [problem.code, problem.line, _shown(problem.message)]


def _shown(text: str) -> str:
    """Return *text* with control characters made visible, not too wide."""
    return escape_control_chars(text, MAX_WIDTH)


def _documentation() -> str:
    """Return the address of the documentation that the package was published with."""
    try:
        urls = metadata("scrapy_robots1994").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    named: dict[str, str] = dict(it.split(", ", 1) for it in urls if ", " in it)
    return named.get("Documentation", "").rstrip("/")
