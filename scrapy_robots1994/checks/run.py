"""Runs all checks over a file: one pass over its lines, one over its records."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_robots1994.checks import kinds, records
from scrapy_robots1994.checks.lines import RULES, line_matches
from scrapy_robots1994.checks.prefilter import may_weaken
from scrapy_robots1994.parser.body import encoding_of
from scrapy_robots1994.parser.dialects import CAUTIOUS
from scrapy_robots1994.parser.records import applied, read_records
from scrapy_robots1994.parser.tokens import LineKind, read_lines
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_robots1994.checks.problem import Check, Match, Problem
    from scrapy_robots1994.parser.body import Body
    from scrapy_robots1994.parser.dialects import Dialect
    from scrapy_robots1994.parser.records import Record
    from scrapy_robots1994.parser.tokens import Line

# Ours O23: where the file is no robots.txt at all, its lines are not reported one by one.
_LINES_OF_A_PAGE = (
    kinds.MALFORMED,
    kinds.UNKNOWN,
    kinds.MISSPELT,
    kinds.NO_COLON,
    kinds.INVISIBLE,
)
# How much of the beginning is looked at for UTF-16, and how much of it must be NUL.
_WIDE_BYTES = 400
_WIDE_SHARE = 0.25


@dataclass(slots=True)
class _Lines:
    """What one pass over the lines has found, besides the records."""

    dialect: Dialect
    matches: list[Match] = field(default_factory=list)
    blanks: list[int] = field(default_factory=list)
    ignored_allows: list[int] = field(default_factory=list)
    undecodable: list[tuple[int, int]] = field(default_factory=list)
    first: Line | None = None
    first_lone_cr: Line | None = None
    lone_crs: int = 0
    count: int = 0
    has_agents: bool = False

    def watch(self, text: str) -> Iterator[Line]:
        """Yield the lines of *text*, and note what is wrong with each."""
        for line in read_lines(text, self.dialect):
            self.count = line.number
            if line.ending == "\r":
                self.first_lone_cr = self.first_lone_cr or line
                self.lone_crs += 1
            if not line.text.isascii():
                self._note_undecodable(line)
            if line.kind is LineKind.BLANK:
                self.blanks.append(line.number)
            elif line.kind is not LineKind.COMMENT:
                self._note(line)
            yield line

    def _note(self, line: Line) -> None:
        """Note the problems of a line that is not empty."""
        self.first = self.first or line
        self.has_agents |= line.kind is LineKind.USER_AGENT
        if line.kind in RULES and not self.has_agents:
            # Ours O4
            self.matches.append(
                kinds.ORPHAN.at(line.number, line.column, line.field)._replace(
                    is_harmless=line.kind is LineKind.ALLOW
                )
            )
        if line.kind is LineKind.UNKNOWN and line.field.lower() == "allow":
            self.ignored_allows.append(line.number)
        self.matches += line_matches(line, self.dialect)

    def _note_undecodable(self, line: Line) -> None:
        """Note where a line has a byte that is not UTF-8."""
        at = next(
            (at for at, it in enumerate(line.text) if "\udc80" <= it <= "\udcff"), -1
        )
        if at >= 0:
            self.undecodable.append((line.number, at + 1))

    def surroundings(self) -> records.Surroundings:
        """Return what the checks of records need to know about the lines."""
        two_fields = (it.line for it in self.matches if it.check is kinds.TWO_FIELDS)
        return records.Surroundings(
            self.blanks, self.ignored_allows, frozenset(two_fields)
        )


def find_problems(body: Body, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problems of a file, in the order of their places."""
    lines = _Lines(dialect)
    found = tuple(read_records(lines.watch(body.text), dialect))
    matches = [
        *lines.matches,
        *records.boundary_matches(found, lines.surroundings()),
        *records.default_matches(found),
        *records.name_matches(found, dialect),
        *(it for record in found for it in records.rule_matches(record, dialect)),
        *_file_matches(lines, body),
    ]
    left_out = _left_out(lines, found, body, dialect)
    matches = [it for it in matches if it.check not in left_out]
    matches.sort(key=lambda it: (it.line, it.column, it.check.code))
    return tuple(it.problem() for it in matches)


def find_weakening_problems(
    body: Body,
    dialect: Dialect,
    reading: str,
    robot: str | bytes,
    limit: int | None = None,
) -> tuple[Problem, ...]:
    """Return what opens the site to *robot*, against its owner's likely intent, in the
    order of the lines; at most *limit*.

    These are the problems in or below the records that the robot obeys, above all
    records, and of User-agent lines that likely meant the robot.
    """
    text = body.text
    if not may_weaken(text, dialect):
        return ()
    lines = _Lines(dialect)
    found = tuple(read_records(lines.watch(text), dialect))
    found_in_records = [*records.boundary_matches(found, lines.surroundings())]
    if dialect.has_allow:
        for record in found:
            found_in_records += records.rule_matches(record, dialect)
    left_out = _left_out(lines, found, body, dialect)
    matches = [
        match
        for match in (*lines.matches, *found_in_records)
        if match.weakens_policy
        and match.check not in left_out
        # The cautious reading obeys the lines below a blank line.
        and not (match.check is kinds.SPLIT and reading == CAUTIOUS)
    ]
    if lines.first is not None and _is_wide(body):
        matches.append(kinds.WIDE_TEXT.at(1, 1))
    concerning = sorted(
        _concerning(matches, found, dialect, robot_names(robot)),
        key=lambda it: it.line,
    )
    return tuple(match.problem() for match in concerning[:limit])


def _left_out(
    lines: _Lines, found: Sequence[Record], body: Body, dialect: Dialect
) -> tuple[Check, ...]:
    """Return the checks that are no problems of this file, or of this dialect."""
    left_out: tuple[Check, ...] = ()
    if not dialect.has_blank_lines:
        left_out += (kinds.NO_BLANK, kinds.SECOND_DEFAULT)
    if _is_page(lines) and not found:
        left_out += _LINES_OF_A_PAGE
    if _is_wide(body):
        left_out += (*_LINES_OF_A_PAGE, kinds.CONTROL)
    return left_out


def _concerning(
    matches: Iterable[Match],
    found: Sequence[Record],
    dialect: Dialect,
    names: Sequence[str],
) -> Iterator[Match]:
    """Yield the matches that concern a robot with these *names*."""
    obeyed = applied(found, dialect, names)
    lines = {record.first_line for record in obeyed}
    starts = [record.first_line for record in found]
    is_named = any(not record.is_default for record in obeyed)
    for match in matches:
        before = bisect_right(starts, match.line)
        if (
            not before
            or starts[before - 1] in lines
            or (not is_named and _means(match, dialect, names))
        ):
            yield match


def _means(match: Match, dialect: Dialect, names: Sequence[str]) -> bool:
    """Whether a wrong User-agent line likely meant a robot with these *names*."""
    return EVERYBODY in match.meant or bool(
        match.meant and dialect.choose([match.meant], names)
    )


def _file_matches(lines: _Lines, body: Body) -> Iterator[Match]:
    """Yield the problems of the file as a whole."""
    mark, _ = encoding_of(body.data)
    if mark:
        # Ours O16
        yield kinds.MARK.at(1, 1)
    if _is_wide(body):
        yield kinds.WIDE_TEXT.at(1, 1)
    else:
        # Ours O17
        yield from (kinds.UNDECODABLE.at(*place) for place in lines.undecodable)
    if body.is_truncated:
        # Ours O24
        yield kinds.TRUNCATED.at(lines.count + 1, 1)
    if lines.first is not None and _is_page(lines):
        # Ours O23
        yield kinds.HTML.at(lines.first.number, lines.first.text.index("<") + 1)
    if lines.first_lone_cr is not None:
        # 1994 F2
        number, text = lines.first_lone_cr.number, lines.first_lone_cr.text
        yield kinds.LONE_CR.at(number, max(len(text), 1), str(lines.lone_crs))


def _is_page(lines: _Lines) -> bool:
    """Whether the file begins as a page of HTML or XML does."""
    return lines.first is not None and lines.first.text.lstrip().startswith("<")


def _is_wide(body: Body) -> bool:
    """Whether the file is likely UTF-16 without a byte order mark."""
    start = body.data[:_WIDE_BYTES]
    return (
        not encoding_of(start)[0]
        and b"\0" in start
        and start.count(0) >= _WIDE_SHARE * len(start)
    )
