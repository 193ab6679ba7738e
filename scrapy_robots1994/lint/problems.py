"""The problems of a file, and those that concern one robot. They change no verdict."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import attrgetter

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import UNDECODABLE
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.lint.lines import absent, line_problems, odd_rules
from scrapy_robots1994.lint.records import (
    boundary_problems,
    default_problems,
    is_owned,
    joining_problems,
    name_problems,
    orphan_problem,
    rule_problems,
)
from scrapy_robots1994.parser.body import Body, begins_as_markup, encoding_of
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import IDLE, LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line
from scrapy_robots1994.parser.records import records_of
from scrapy_robots1994.parser.robot_reading import RobotReading
from scrapy_robots1994.parser.user_agent import EVERYBODY

# What to do about HTML in a file that has records all the same.
_HTML_LINES_FIX = "Delete the lines of HTML: the records below them are obeyed."
_WITHOUT_AGENTS_FIX = (
    "No line of the file names a robot. Write `User-agent: *` above the first rule, with "
    "no blank line between, if all of them are for every robot."
)
# How much of the beginning is looked at for UTF-16, and how much of it must be NUL.
_WIDE_CHARACTERS = 400
_WIDE_SHARE = 0.25

_WIDE_TEXT = kinds.WIDE_TEXT.at(1, 1)

_PLACE = attrgetter("line", "column", "code")


def problems_of(
    groups: Sequence[Group], body: Body, dialect: Dialect
) -> tuple[Problem, ...]:
    """Return the problems of the file *body*, which makes these *groups*, in the order of their
    places.
    """
    above, *own = groups
    lines = [it for group in groups for it in group.lines]
    is_wide, is_page = _is_wide(body.text), not own and begins_as_markup(body.text)
    reported = _reported(lines, is_wide=is_wide, is_page=is_page)
    found = [it for line in reported for it in line_problems(line, dialect)]
    found += _orphans(above.rules, found, has_records=bool(own))
    # Ours O2, RFC 9309 2.2.1: the names whose records are obeyed together.
    merged = {
        name.lower()
        for group in own
        if any(map(is_owned, group.rules))
        for name in group.names
        if name == EVERYBODY or dialect.merges_named
    }
    for group in own:
        is_merged = merged.issuperset(map(str.lower, group.names))
        found += boundary_problems(group, dialect, is_merged=is_merged)
    found += joining_problems(own, dialect)
    records = tuple(records_of(groups, dialect))
    found += name_problems(records, dialect)
    found += rule_problems(records, dialect)
    if dialect.has_blank_lines:
        found += default_problems(records)
    found += _file_problems(lines, body, is_wide=is_wide, has_records=bool(own))
    return tuple(sorted(found, key=_PLACE))


def weakening_problems(
    reading: RobotReading,
    dialect: Dialect,
    robot: Sequence[str],
    limit: int | None = None,
) -> tuple[Problem, ...]:
    """Return what opens a file to *robot*, against its owner's likely intent, in the order
    of the lines; at most *limit*.

    *reading* is that of the file for the robot with these names. The problems are
    those in or below the records that the robot obeys, above all records, and of
    User-agent lines that likely meant the robot.
    """
    is_wide = _is_wide(reading.text)
    is_page = not reading.has_any and begins_as_markup(reading.text)
    slips = reading.above.slips + reading.slips
    odd = chain(
        odd_rules(reading.above.rules + reading.own_rules),
        _reported(slips, is_wide=is_wide, is_page=is_page),
    )
    meant = () if reading.is_named else reading.elsewhere
    found: list[Problem] = []
    for problem in chain(
        _record_problems(reading, dialect),
        (it for line in odd for it in line_problems(line, dialect)),
        _meant_problems(meant, dialect, robot),
        _orphans(reading.above.rules, found, has_records=reading.has_any),
        (_WIDE_TEXT,) if is_wide else (),
    ):
        # The cautious reading obeys the lines below a blank line.
        is_obeyed = problem.is_split and reading.is_cautious
        if problem.weakens_policy and not is_obeyed:
            found.append(problem)
            if len(found) == limit:
                break
    return tuple(sorted(found, key=_PLACE))


def ignored_allows(
    reading: RobotReading, limit: int | None = None
) -> tuple[Problem, ...]:
    """Return each Allow, at most *limit*, in a record that the robot of *reading* obeys, which
    the dialect does not have.
    """
    known = ((it, it.known) for group in reading.own for it in group.without)
    allows = (absent(it, field) for it, field in known if field and field.allows)
    return tuple(islice(allows, limit))


def _meant_problems(
    others: Iterable[Line], dialect: Dialect, robot: Sequence[str]
) -> Iterator[Problem]:
    """Yield the problems of wrong User-agent lines that likely meant *robot*, in records of
    *others*.
    """
    for line in others:
        for problem in line_problems(line, dialect):
            if dialect.choose([problem.meant], robot):
                yield problem


def _record_problems(reading: RobotReading, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems of the records that the robot obeys."""
    orphan = LineKind.ORPHAN
    is_merged = any(it.kind is not orphan for it in reading.own_rules)
    for group in reading.own:
        yield from boundary_problems(group, dialect, is_merged=is_merged)
    if reading.rules.allows:
        yield from rule_problems(tuple(records_of(reading.own, dialect)), dialect)


def _reported(lines: Sequence[Line], *, is_wide: bool, is_page: bool) -> Sequence[Line]:
    """Return those of *lines* that are reported one by one."""
    # Ours O23: in a page, or in UTF-16, no line without an effect was meant to have one.
    if is_wide or is_page:
        return [it for it in lines if it.row is not None]
    return lines


def _orphans(
    rules: Iterable[Line], found: Sequence[Problem], *, has_records: bool
) -> Iterator[Problem]:
    """Yield the problems of *rules* above all records; *found* are the problems of lines."""
    has_agents = has_records or any(
        it.field is not None and it.field.role is Role.NAMES for it in found
    )
    advice = "" if has_agents else _WITHOUT_AGENTS_FIX
    for it in rules:
        yield orphan_problem(it, advice)


def _file_problems(
    lines: Sequence[Line], body: Body, *, is_wide: bool, has_records: bool
) -> Iterator[Problem]:
    """Yield the problems of the file as a whole."""
    if encoding_of(body.data)[0]:
        # Ours O16
        yield kinds.MARK.at(1, 1)
    if is_wide:
        yield _WIDE_TEXT
    else:
        for line in lines:
            if undecodable := UNDECODABLE.search(line.raw):
                # Ours O17
                yield kinds.UNDECODABLE.at(line.number, undecodable.start() + 1)
    if body.is_truncated:
        # Ours O24
        yield kinds.TRUNCATED.at(len(lines) + 1, 1)
    if begins_as_markup(body.text):
        # Ours O23
        first = next(it for it in lines if _is_written(it) and "<" in it.raw)
        advice = _HTML_LINES_FIX if has_records else ""
        yield kinds.HTML.at(first.number, first.raw.index("<") + 1, advice=advice)
    lone_crs = [it for it in lines if it.raw.endswith("\r")]
    if lone_crs:
        # 1994 F2
        number, column = lone_crs[0].number, max(len(lone_crs[0].raw) - 1, 1)
        yield kinds.LONE_CR.at(number, column, str(len(lone_crs)))


def _is_written(line: Line) -> bool:
    """Return whether the line is neither blank nor a comment."""
    return line.kind not in IDLE


def _is_wide(text: str) -> bool:
    """Return whether the file is likely UTF-16 without a byte order mark."""
    start = text[:_WIDE_CHARACTERS]
    return "\0" in start and start.count("\0") >= _WIDE_SHARE * len(start)
