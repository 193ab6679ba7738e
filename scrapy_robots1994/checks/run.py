"""Runs all checks over a file: those of its lines, of its records and of the whole."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from scrapy_robots1994.checks import kinds, records
from scrapy_robots1994.checks.kinds import Match, Problem
from scrapy_robots1994.checks.lines import line_matches
from scrapy_robots1994.checks.values import UNDECODABLE
from scrapy_robots1994.parser.body import Body, encoding_of
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import DISALLOW, USER_AGENT, LineKind
from scrapy_robots1994.parser.reader import (
    Entry,
    Line,
    obeyed_records,
    read,
    records_of,
)
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

# Ours O23: where the file is no robots.txt at all, its lines are not reported one by one.
_LINES_OF_A_PAGE = (
    kinds.MALFORMED,
    kinds.UNKNOWN,
    kinds.MISSPELT,
    kinds.NO_COLON,
    kinds.INVISIBLE,
)
# What to do about HTML in a file that has records all the same.
_HTML_LINES_FIX = "Delete the lines of HTML: the records below them are obeyed."
_WITHOUT_AGENTS_FIX = (
    "No line of the file names a robot. Write `User-agent: *` above the first rule, with "
    "no blank line between, if all of them are for every robot."
)
# How much of the beginning is looked at for UTF-16, and how much of it must be NUL.
_WIDE_BYTES = 400
_WIDE_SHARE = 0.25


class _File:
    """The lines and records of a file, and what is wrong with them."""

    def __init__(self, body: Body, dialect: Dialect) -> None:
        """Read the file; *body* is what is left of it within the limit."""
        self.body = body
        self.dialect = dialect
        entries = tuple(read(body.text, dialect))
        self.lines = tuple(map(_line, entries))
        self.records = tuple(records_of(entries, dialect))
        idle = (LineKind.BLANK, LineKind.COMMENT)
        self.written = [line for line in self.lines if line.kind not in idle]
        beginning = self.written[0].text.lstrip() if self.written else ""
        self.is_page = beginning.startswith("<")
        self.is_wide = bool(self.written) and _is_wide(body)

    def basic_matches(self) -> Iterator[Match]:
        """Yield the problems of single lines, and where records end too early."""
        unreported: tuple[kinds.Check, ...] = ()
        if self.is_wide:
            unreported = (*_LINES_OF_A_PAGE, kinds.CONTROL)
        elif self.is_page and not self.records:
            unreported = _LINES_OF_A_PAGE
        yield from self._orphans()
        for line in self.written:
            for match in line_matches(line, self.dialect):
                if match.check not in unreported:
                    yield match
        yield from records.boundary_matches(self.records, self.lines, self.dialect)
        if self.is_wide:
            yield kinds.WIDE_TEXT.at(1, 1)

    def _orphans(self) -> Iterator[Match]:
        """Yield the rules above all records."""
        first = self.records[0].first_line if self.records else len(self.lines) + 1
        rules = LineKind.ALLOW, LineKind.DISALLOW
        orphans = [line for line in self.lines[: first - 1] if line.kind in rules]
        if orphans:
            # Once for all of them: every line of a large file may be one.
            fix = "" if "agent" in self.body.text.lower() else _WITHOUT_AGENTS_FIX
            yield from (records.orphan(line, fix) for line in orphans)

    def file_matches(self) -> Iterator[Match]:
        """Yield the problems of the file as a whole."""
        if encoding_of(self.body.data)[0]:
            # Ours O16
            yield kinds.MARK.at(1, 1)
        for line in () if self.is_wide else self.lines:
            if undecodable := UNDECODABLE.search(line.text):
                # Ours O17
                yield kinds.UNDECODABLE.at(line.number, undecodable.start() + 1)
        if self.body.is_truncated:
            # Ours O24
            yield kinds.TRUNCATED.at(len(self.lines) + 1, 1)
        if self.is_page:
            # Ours O23
            first = self.written[0]
            fix = _HTML_LINES_FIX if self.records else ""
            yield kinds.HTML.at(first.number, first.text.index("<") + 1, fix=fix)
        lone_crs = [line for line in self.lines if line.ending == "\r"]
        if lone_crs:
            # 1994 F2
            column = max(len(lone_crs[0].text), 1)
            yield kinds.LONE_CR.at(lone_crs[0].number, column, str(len(lone_crs)))

    def concerning(self, matches: Iterable[Match], robot: str | bytes) -> list[Match]:
        """Return those of *matches* that concern *robot*, in the order of the lines."""
        names = robot_names(robot)
        obeyed = obeyed_records(self.records, self.dialect, names)
        lines = {record.first_line for record in obeyed}
        starts = [record.first_line for record in self.records]
        is_named = any(not record.is_default for record in obeyed)

        def concerns(match: Match) -> bool:
            before = bisect_right(starts, match.line)
            if not before or starts[before - 1] in lines:
                return True
            # A wrong User-agent line that likely meant the robot.
            return not is_named and (
                EVERYBODY in match.meant
                or bool(match.meant and self.dialect.choose([match.meant], names))
            )

        return sorted(filter(concerns, matches), key=lambda it: it.line)


def find_problems(body: Body, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problems of a file, in the order of their places."""
    file = _File(body, dialect)
    matches = [
        *file.basic_matches(),
        *records.name_matches(file.records, dialect),
        *records.rule_matches(file.records, dialect),
        *file.file_matches(),
    ]
    if dialect.has_blank_lines:
        matches += records.default_matches(file.records)
    matches.sort(key=lambda it: (it.line, it.column, it.check.code))
    return tuple(match.problem() for match in matches)


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
    # A crawl does this for every file, and one in four is a page without any rule.
    text = body.text.lower()
    is_page = text.lstrip().startswith("<") and not _is_wide(body)
    if is_page and USER_AGENT.key not in text and DISALLOW.key not in text:
        return ()
    file = _File(body, dialect)
    matches = [*file.basic_matches()]
    if dialect.has_allow:
        matches += records.rule_matches(file.records, dialect)
    weakening = (
        match
        for match in matches
        # The cautious reading obeys the lines below a blank line.
        if match.weakens_policy and not (match.is_split and reading == CAUTIOUS)
    )
    concerning = file.concerning(weakening, robot)
    return tuple(match.problem() for match in concerning[:limit])


def _is_wide(body: Body) -> bool:
    """Return whether the file is likely UTF-16 without a byte order mark."""
    start = body.data[:_WIDE_BYTES]
    return (
        not encoding_of(start)[0]
        and b"\0" in start
        and start.count(0) >= _WIDE_SHARE * len(start)
    )


def _line(entry: Entry) -> Line:
    """Return the line of *entry*; that of an orphan as if a record owned it."""
    line, field = Line.of(entry), entry[3]
    is_orphan = line.kind is LineKind.ORPHAN and field is not None
    return line._replace(kind=field.kind) if is_orphan and field else line
