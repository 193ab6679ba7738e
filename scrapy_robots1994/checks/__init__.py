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
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.records import Contents, Record, applied, read_contents
from scrapy_robots1994.parser.user_agent import robot_names

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


def find_problems(body: Body, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problems of *body*, in the order of their places."""
    contents = read_contents(body.text, dialect)
    found = [finding for find in _FIND for finding in find(contents)]
    found += whole.in_bytes(body, contents)
    passed_over = _passed_over(dialect, contents)
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


def _passed_over(dialect: Dialect, contents: Contents) -> tuple[Kind, ...]:
    """Return the kinds that are no problems of this file."""
    kinds: tuple[Kind, ...] = ()
    if dialect.has_lists:
        # Revisited K1, K2: there a line holds several names or paths.
        kinds = _OF_SINGLE_VALUES
    if whole.is_page(contents):
        # Ours O23: what is wrong is the file; each of its lines is not worth telling.
        kinds += _EVERY_LINE_OF_A_PAGE
    return kinds


def find_weakening_problems(
    body: Body, dialect: Dialect, reading: str, robot: str | bytes
) -> tuple[Problem, ...]:
    """Return what opens the site to *robot*, against its owner's likely intent, in the
    order of the lines.

    That is what is wrong in the records that the robot obeys, or below them, or above
    all records.
    """
    if not may_open(body.text, dialect):
        return ()
    contents = read_contents(body.text, dialect)
    passed_over = _passed_over(dialect, contents)
    found = [
        finding
        for find in _FIND_OPENINGS
        for finding in find(contents)
        if finding.kind.weakens_policy
        and finding.kind not in passed_over
        # The cautious reading does not let this one open anything.
        and not (finding.kind is boundaries.SPLIT and reading == CAUTIOUS)
    ]
    obeyed = applied(contents.records, dialect, robot_names(robot))
    concerning = list(_concerning(found, contents, obeyed))
    if reading == CAUTIOUS:
        # Nor these: the record above them obeys them.
        first = min((it.first_line for it in contents.records), default=0)
        concerning = [
            it for it in concerning if it.kind is not ignored.ORPHAN or it.line < first
        ]
    concerning.sort(key=lambda it: it.line)
    return tuple(finding.problem() for finding in concerning)


def _concerning(
    found: list[Finding], contents: Contents, records: tuple[Record, ...]
) -> Iterator[Finding]:
    """Yield the findings whose place is in or below one of *records*."""
    if not found:
        return
    obeyed = {record.first_line for record in records}
    starts = [record.first_line for record in contents.records]
    for finding in found:
        before = bisect_right(starts, finding.line)
        if not before or starts[before - 1] in obeyed:
            yield finding
