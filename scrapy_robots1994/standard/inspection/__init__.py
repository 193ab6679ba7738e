"""Inspection: finds the problems of a file in what has been read of it; a report, it
changes no verdict.

Each room has the kinds it finds beside the code that finds them: `ignored` (lines that
count for nothing), `values`, `boundaries` (of records, and what stands in them) and
`whole` (the file as such).
"""

from bisect import bisect_right
from collections.abc import Iterator

from scrapy_robots1994.standard.dialects import CAUTIOUS
from scrapy_robots1994.standard.inspection import boundaries, ignored, values, whole
from scrapy_robots1994.standard.inspection.suspicion import may_open
from scrapy_robots1994.standard.problems import Kind, Problem
from scrapy_robots1994.standard.records import applied
from scrapy_robots1994.standard.source import Contents, Source, contents_of

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
    found = [problem for find in _FIND for problem in find(contents)]
    found += whole.in_bytes(source, contents)
    if source.dialect.has_lists:
        # Revisited K1, K2: there a line holds several names or paths.
        found = [it for it in found if it.code not in _OF_SINGLE_VALUES]
    if whole.is_page(contents):
        # Ours O23: what is wrong is the file; each of its lines is not worth telling.
        found = [it for it in found if it.code not in _EVERY_LINE_OF_A_PAGE]
    return tuple(sorted(found, key=lambda it: (it.line, it.column, it.code)))


_OF_SINGLE_VALUES = {values.PATH_LIST.code, values.NAME_WILDCARD.code}
_EVERY_LINE_OF_A_PAGE = {ignored.MALFORMED.code, ignored.UNKNOWN.code}


def find_openings(source: Source, reading: str, names: str) -> tuple[Problem, ...]:
    """Return what opens the site, against its owner's likely intent, to a robot that
    goes by *names* (see `names_of`), in the order of the lines.

    That is what is wrong in the records that the robot obeys, or below them, or above
    all records.
    """
    if not may_open(source.text, source.dialect):
        return ()
    contents = contents_of(source)
    found = [
        problem
        for find in _FIND_OPENINGS
        for problem in find(contents)
        if problem.opens_site
        # The cautious reading does not let this one open anything.
        and not (source.dialect.has_lists and problem.code in _OF_SINGLE_VALUES)
        and not (problem.code == boundaries.SPLIT.code and reading == CAUTIOUS)
    ]
    return tuple(sorted(_concerning(found, contents, names), key=lambda it: it.line))


def _concerning(
    found: list[Problem], contents: Contents, names: str
) -> Iterator[Problem]:
    """Yield the problems whose place is in or below a record that the robot obeys."""
    if not found:
        return
    obeyed = {record.first_line for record in applied(contents.records, names)}
    starts = [record.first_line for record in contents.records]
    for problem in found:
        before = bisect_right(starts, problem.line)
        if not before or starts[before - 1] in obeyed:
            yield problem
