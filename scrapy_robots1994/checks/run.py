"""Runs all checks over a file: those of its lines, of its records and of the whole."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from scrapy_robots1994.checks import kinds, records
from scrapy_robots1994.checks.lines import line_matches
from scrapy_robots1994.parser.body import encoding_of
from scrapy_robots1994.parser.dialects import CAUTIOUS
from scrapy_robots1994.parser.records import applied, read_records
from scrapy_robots1994.parser.tokens import (
    ALLOW,
    CRAWL_DELAY,
    DISALLOW,
    USER_AGENT,
    LineKind,
    read_lines,
)
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_robots1994.checks.kinds import Match, Problem
    from scrapy_robots1994.parser.body import Body
    from scrapy_robots1994.parser.dialects import Dialect

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


class _File:
    """The lines and records of a file, and what is wrong with its lines."""

    def __init__(self, body: Body, dialect: Dialect) -> None:
        """Read the file; *body* is what is left of it within the limit."""
        self.body = body
        self.dialect = dialect
        self.lines = tuple(read_lines(body.text, dialect))
        self.records = tuple(read_records(self.lines, dialect))
        empty = (LineKind.BLANK, LineKind.COMMENT)
        self.written = [line for line in self.lines if line.kind not in empty]
        self.is_page = bool(self.written) and _begins_as_page(self.written[0].text)
        self.is_wide = bool(self.written) and _is_wide(body)
        self.line_matches = [*self._orphans()]
        for line in self.written:
            self.line_matches += line_matches(line, dialect)

    def _orphans(self) -> Iterator[Match]:
        """Yield the rules above all records."""
        first = self.records[0].first_line if self.records else len(self.lines) + 1
        fix = "" if "agent" in self.body.text.lower() else kinds.WITHOUT_AGENTS_FIX
        for line in self.written:
            if line.number > first:
                return
            if line.kind in (LineKind.DISALLOW, LineKind.ALLOW):
                # Ours O4
                yield kinds.ORPHAN.at(line.number, line.column, line.field)._replace(
                    is_harmless=line.kind is LineKind.ALLOW,
                    fix=fix,
                )

    def boundary_matches(self) -> Iterator[Match]:
        """Yield where records end too early, or without a sign."""
        blanks = [line.number for line in self.lines if line.kind is LineKind.BLANK]
        unknown = [line for line in self.written if line.kind is LineKind.UNKNOWN]
        allows = [it.number for it in unknown if it.field.lower() == ALLOW]
        delays = [it.number for it in unknown if it.field.lower() == CRAWL_DELAY]
        two_fields = (
            it.line for it in self.line_matches if it.check is kinds.TWO_FIELDS
        )
        around = records.Surroundings(blanks, allows, delays, frozenset(two_fields))
        return records.boundary_matches(self.records, around)

    def rule_matches(self) -> Iterator[Match]:
        """Yield the rules that change nothing."""
        for record in self.records:
            yield from records.rule_matches(record, self.dialect)

    def file_matches(self) -> Iterator[Match]:
        """Yield the problems of the file as a whole."""
        if encoding_of(self.body.data)[0]:
            # Ours O16
            yield kinds.MARK.at(1, 1)
        if self.is_wide:
            yield kinds.WIDE_TEXT.at(1, 1)
        else:
            # Ours O17
            yield from self._undecodable()
        if self.body.is_truncated:
            # Ours O24
            yield kinds.TRUNCATED.at(len(self.lines) + 1, 1)
        if self.is_page:
            # Ours O23
            first = self.written[0]
            column = first.text.index("<") + 1
            fix = kinds.HTML_LINES_FIX if self.records else ""
            yield kinds.HTML.at(first.number, column)._replace(fix=fix)
        lone_crs = [line for line in self.lines if line.ending == "\r"]
        if lone_crs:
            # 1994 F2
            column = max(len(lone_crs[0].text), 1)
            yield kinds.LONE_CR.at(lone_crs[0].number, column, str(len(lone_crs)))

    def _undecodable(self) -> Iterator[Match]:
        """Yield the first byte of each line that is not UTF-8."""
        for line in self.lines:
            if not line.text.isascii():
                is_byte = ["\udc80" <= it <= "\udcff" for it in line.text]
                if True in is_byte:
                    yield kinds.UNDECODABLE.at(line.number, is_byte.index(True) + 1)

    def counts(self, match: Match) -> bool:
        """Return whether *match* is a problem of this file, in this dialect."""
        check = match.check
        if check in (kinds.NO_BLANK, kinds.SECOND_DEFAULT):
            return self.dialect.has_blank_lines
        if check in _LINES_OF_A_PAGE:
            return not (self.is_wide or (self.is_page and not self.records))
        return not (self.is_wide and check is kinds.CONTROL)

    def concerning(self, matches: Iterable[Match], robot: str | bytes) -> list[Match]:
        """Return those of *matches* that concern *robot*, in the order of the lines."""
        names = robot_names(robot)
        obeyed = applied(self.records, self.dialect, names)
        lines = {record.first_line for record in obeyed}
        starts = [record.first_line for record in self.records]
        is_named = any(not record.is_default for record in obeyed)

        def concerns(match: Match) -> bool:
            before = bisect_right(starts, match.line)
            if not before or starts[before - 1] in lines:
                return True
            return not is_named and _means(match, self.dialect, names)

        return sorted(filter(concerns, matches), key=lambda it: it.line)


def find_problems(body: Body, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problems of a file, in the order of their places."""
    file = _File(body, dialect)
    matches = [
        *file.line_matches,
        *file.boundary_matches(),
        *records.default_matches(file.records),
        *records.name_matches(file.records, dialect),
        *file.rule_matches(),
        *file.file_matches(),
    ]
    matches.sort(key=lambda it: (it.line, it.column, it.check.code))
    return tuple(match.problem() for match in matches if file.counts(match))


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
    # A crawl asks this of every file, and one in four is a page without any rule.
    if _says_nothing(body.text) and not _is_wide(body):
        return ()
    file = _File(body, dialect)
    matches = [*file.line_matches, *file.boundary_matches()]
    if dialect.has_allow:
        matches += file.rule_matches()
    if file.is_wide:
        matches.append(kinds.WIDE_TEXT.at(1, 1))
    weakening = (
        match
        for match in matches
        if match.weakens_policy
        and file.counts(match)
        # The cautious reading obeys the lines below a blank line.
        and not (match.check is kinds.SPLIT and reading == CAUTIOUS)
    )
    concerning = file.concerning(weakening, robot)
    return tuple(match.problem() for match in concerning[:limit])


def _begins_as_page(text: str) -> bool:
    """Whether *text* begins as a page of HTML or XML does."""
    return text.lstrip().startswith("<")


def _says_nothing(text: str) -> bool:
    """Whether *text* is a page without a field of 1994."""
    if not _begins_as_page(text):
        return False
    lowered = text.lower()
    return USER_AGENT not in lowered and DISALLOW not in lowered


def _means(match: Match, dialect: Dialect, names: Sequence[str]) -> bool:
    """Whether a wrong User-agent line likely meant a robot with these *names*."""
    return EVERYBODY in match.meant or bool(
        match.meant and dialect.choose([match.meant], names)
    )


def _is_wide(body: Body) -> bool:
    """Whether the file is likely UTF-16 without a byte order mark."""
    start = body.data[:_WIDE_BYTES]
    return (
        not encoding_of(start)[0]
        and b"\0" in start
        and start.count(0) >= _WIDE_SHARE * len(start)
    )
