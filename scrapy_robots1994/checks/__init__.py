"""Inspection: finds the problems of a file in what has been read of it; a report, it
changes no verdict.

Each room has the kinds it finds beside the code that finds them: `ignored` (lines that
count for nothing), `values`, `boundaries` (of records, and what stands in them) and
`whole` (the file as such).
"""

from bisect import bisect_right
from collections.abc import Iterator

from scrapy_robots1994.checks import boundaries, ignored, values, whole
from scrapy_robots1994.checks.problem import Finding, Kind, Problem
from scrapy_robots1994.checks.suspicion import may_open
from scrapy_robots1994.parser.dialects import CAUTIOUS
from scrapy_robots1994.parser.records import applied
from scrapy_robots1994.parser.source import Contents, Source, contents_of

KINDS: tuple[Kind, ...] = tuple(
    sorted(
        (*ignored.KINDS, *boundaries.KINDS, *values.KINDS, *whole.KINDS),
        key=lambda kind: kind.code,
    )
)
"""All kinds of problems, by code. A code never changes its meaning."""

# Who finds what opens a site; the others never do.
_FIND_OPENINGS = (
    ignored.in_lines,
    ignored.in_orphans,
    values.in_values,
    boundaries.in_boundaries,
)
_FIND = (*_FIND_OPENINGS, boundaries.in_records, boundaries.in_names, whole.in_whole)


def find_problems(source: Source) -> tuple[Problem, ...]:
    """Return the problems of *source*, in the order of their places."""
    contents = contents_of(source)
    found = [finding for find in _FIND for finding in find(contents)]
    found += whole.in_bytes(source, contents)
    passed_over = _passed_over(source, contents)
    found = [finding for finding in found if finding.kind not in passed_over]
    found.sort(key=lambda it: (it.line, it.column, it.kind.code))
    return tuple(finding.problem() for finding in found)


_OF_SINGLE_VALUES = (values.PATH_LIST, values.NAME_WILDCARD)
_EVERY_LINE_OF_A_PAGE = (
    ignored.MALFORMED,
    ignored.UNKNOWN,
    ignored.MISSPELT,
    ignored.NO_COLON,
)


def _passed_over(source: Source, contents: Contents) -> tuple[Kind, ...]:
    """Return the kinds that are no problems of this file."""
    kinds: tuple[Kind, ...] = ()
    if source.dialect.has_lists:
        # Revisited K1, K2: there a line holds several names or paths.
        kinds = _OF_SINGLE_VALUES
    if whole.is_page(contents):
        # Ours O23: what is wrong is the file; each of its lines is not worth telling.
        kinds += _EVERY_LINE_OF_A_PAGE
    return kinds


def find_weakening_problems(
    source: Source, reading: str, names: str
) -> tuple[Problem, ...]:
    """Return what opens the site, against its owner's likely intent, to a robot that
    goes by *names* (see `names_of`), in the order of the lines.

    That is what is wrong in the records that the robot obeys, or below them, or above
    all records.
    """
    if not may_open(source.text, source.dialect):
        return ()
    contents = contents_of(source)
    passed_over = _passed_over(source, contents)
    found = [
        finding
        for find in _FIND_OPENINGS
        for finding in find(contents)
        if finding.kind.weakens_policy
        and finding.kind not in passed_over
        # The cautious reading does not let this one open anything.
        and not (finding.kind is boundaries.SPLIT and reading == CAUTIOUS)
    ]
    concerning = sorted(_concerning(found, contents, names), key=lambda it: it.line)
    return tuple(finding.problem() for finding in concerning)


def _concerning(
    found: list[Finding], contents: Contents, names: str
) -> Iterator[Finding]:
    """Yield the findings whose place is in or below a record that the robot obeys."""
    if not found:
        return
    obeyed = {record.first_line for record in applied(contents.records, names)}
    starts = [record.first_line for record in contents.records]
    for finding in found:
        before = bisect_right(starts, finding.line)
        if not before or starts[before - 1] in obeyed:
            yield finding
