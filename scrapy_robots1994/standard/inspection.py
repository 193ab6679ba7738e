"""Inspection: finds the problems of a file in what has been read of it; a report, it
changes no verdict.
"""

from bisect import bisect_right
from collections.abc import Iterator

from scrapy_robots1994.standard import problems
from scrapy_robots1994.standard.grammar import COMMENT, SPACE, encoding_of
from scrapy_robots1994.standard.lines import Line, LineKind
from scrapy_robots1994.standard.matching import absolute
from scrapy_robots1994.standard.problems import Problem
from scrapy_robots1994.standard.records import EVERYBODY
from scrapy_robots1994.standard.source import Contents, Source, contents_of

_COUNTING = (LineKind.USER_AGENT, LineKind.DISALLOW)
_REPLACED = "\ufffd"


def find_problems(source: Source) -> tuple[Problem, ...]:
    """Return the problems of *source*, in the order of their places."""
    contents = contents_of(source)
    found = [problem for find in _FINDERS for problem in find(contents)]
    found += _in_bytes(source, contents)
    return tuple(sorted(found, key=lambda it: (it.line, it.column, it.code)))


def _in_lines(contents: Contents) -> Iterator[Problem]:
    """Yield the lines that are ignored by themselves."""
    for line in contents.lines:
        match line.kind:
            case LineKind.NAMELESS:
                # Ours O12
                yield problems.NAMELESS.at(line.number, _column(line))
            case LineKind.MALFORMED:
                # Ours O14
                content = line.text.partition(COMMENT)[0].strip(SPACE)
                yield problems.MALFORMED.at(line.number, _column(line), content)
            case LineKind.UNKNOWN:
                # 1994 F6
                yield problems.UNKNOWN.at(line.number, _column(line), line.field)
            case _:
                pass


def _in_form(contents: Contents) -> Iterator[Problem]:
    """Yield the lines that count, and are not as an author is likely to have meant
    them.
    """
    for line in contents.lines:
        if line.kind not in _COUNTING:
            continue
        # Ours O15: accepted, and told.
        if not line.text.startswith(f"{line.field}:"):
            yield problems.SPACED.at(line.number, 1)
        # Ours O20: a value that no URL starts with.
        is_path = line.value.startswith("/") or absolute(line.value) is not None
        if line.kind is LineKind.DISALLOW and line.value and not is_path:
            column = _value_column(line)
            yield problems.PATHLESS.at(line.number, column, line.value)


def _in_boundaries(contents: Contents) -> Iterator[Problem]:
    """Yield where records end too early, or without a sign.

    Where a blank line parts a record, that is the one problem; the record without a
    rule and the Disallow lines without a record only follow from it.
    """
    blanks = [line.number for line in contents.lines if line.kind is LineKind.BLANK]
    previous = None
    for record, joined in zip(contents.records, contents.joined, strict=True):
        if joined.rules and not record.rules:
            # Ours O5: the blank line is the boundary that F1 makes it.
            parting = blanks[bisect_right(blanks, record.last_line)]
            yield problems.SPLIT.at(parting, 1, str(joined.rules[0].line))
        elif not record.rules:
            # Ours O3, against 1994 D3.
            names = ", ".join(record.names)
            yield problems.WITHOUT_RULES.at(record.first_line, 1, names)
        between = bisect_right(blanks, record.first_line)
        if previous == between:
            # Ours O7
            yield problems.NO_BLANK.at(record.first_line, 1)
        previous = bisect_right(blanks, joined.last_line)


def _in_orphans(contents: Contents) -> Iterator[Problem]:
    """Yield the Disallow lines that no blank line alone keeps from their record."""
    joined = {rule.line for record in contents.joined for rule in record.rules}
    for line in contents.lines:
        if line.kind is LineKind.ORPHAN and line.number not in joined:
            # Ours O4
            yield problems.ORPHAN.at(line.number, _column(line))


def _in_records(contents: Contents) -> Iterator[Problem]:
    """Yield what contradicts itself inside a record or among records."""
    first = None
    for record in contents.records:
        if any(rule.value for rule in record.rules):
            for rule in record.rules:
                if not rule.value:
                    # Ours O21
                    yield problems.ADDS_NOTHING.at(rule.line, 1)
        if record.is_default and first is not None:
            # 1994 A3: there may be one.
            line = next(it.line for it in record.agents if it.name == EVERYBODY)
            yield problems.SECOND_DEFAULT.at(line, 1, str(first))
        elif record.is_default:
            first = record.first_line


def _in_bytes(source: Source, contents: Contents) -> Iterator[Problem]:
    """Yield what was left out or replaced on the way from the bytes to the lines."""
    body = source.body
    mark, encoding = encoding_of(body)
    if mark:
        # Ours O16
        yield problems.MARK.at(1, 1)
    if not body.startswith(mark + source.text.encode(encoding)):
        # Ours O17
        for line in contents.lines:
            if _REPLACED in line.text:
                column = line.text.index(_REPLACED) + 1
                yield problems.UNDECODABLE.at(line.number, column)
    if source.is_cut:
        # Ours O24
        yield problems.CUT.at(len(contents.lines) + 1, 1)


def _column(line: Line) -> int:
    """Return the column, from 1, where the line says something."""
    return len(line.text) - len(line.text.lstrip(SPACE)) + 1


def _value_column(line: Line) -> int:
    """Return the column, from 1, where the value of the line begins."""
    value = line.text.partition(":")[2]
    return len(line.text) - len(value.lstrip(SPACE)) + 1


_FINDERS = (_in_lines, _in_form, _in_boundaries, _in_orphans, _in_records)
