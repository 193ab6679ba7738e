"""Transforms of records, each of which removes one doubt about who a rule is for, and
the table of all transforms by cause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrapy_robots1994.compare import path_transforms as paths
from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.lines import (
    Lines,
    blank_like,
    is_agent,
    rewritten,
    says,
    with_ending,
)
from scrapy_robots1994.parser.dialects import dialect_named
from scrapy_robots1994.parser.records import Record, applied, read_records
from scrapy_robots1994.parser.tokens import LineKind
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_robots1994.compare.parsers import Question
    from scrapy_robots1994.parser import Line

# Neither is part of the other, nor of a name in use.
ME = "Qqrobotqq"
_OTHER = "zzotherzz"


def without_splits(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with blank lines only where a new record begins after a rule."""
    chosen: list[Line] = []
    blanks: list[Line] = []
    previous: Line | None = None
    for line in lines.lines:
        if line.kind is LineKind.BLANK:
            blanks.append(line)
            continue
        if says(line):
            begins = is_agent(line) and not (
                previous is not None and is_agent(previous)
            )
            if begins or previous is None:
                chosen += blanks
            blanks = []
            previous = line
        chosen.append(line)
    yield lines.of(chosen + blanks)


def without_merging(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with one record a name, and with a blank line before each."""
    parted: list[Line] = []
    previous: Line | None = None
    for line in lines.lines:
        if is_agent(line) and previous is not None and not is_agent(previous):
            parted.append(blank_like(line))
        if says(line):
            previous = line
        parted.append(line)
    yield lines.of(parted)
    yield _joined(lines, lambda name: name != EVERYBODY)
    yield _joined(lines.of(parted), lambda name: name != EVERYBODY)


def without_several_defaults(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with the rules of all records for `*` in the first of them."""
    yield _joined(lines, lambda name: name == EVERYBODY)


def _joined(lines: Lines, wanted: Callable[[str], bool]) -> Lines:
    """Return the file with later records of a *wanted* name added to its first one."""
    homes: dict[str, int] = {}
    added: dict[int, list[Line]] = {}
    gone: set[int] = set()
    for record, place, end in _spans(lines):
        names = [agent.name.lower() for agent in record.agents]
        homed = [name for name in names if wanted(name) and name in homes]
        rules = [it for it in lines.lines[place:end] if says(it) and not is_agent(it)]
        for name in dict.fromkeys(homed):
            added.setdefault(homes[name], []).extend(map(with_ending, rules))
        if homed:
            whole = len(homed) == len(names)
            gone.update(
                range(place, end)
                if whole
                else (a.line - 1 for a in record.agents if a.name.lower() in homed)
            )
        for name in names:
            if wanted(name) and name not in homes:
                homes[name] = end
    return lines.of(_woven(lines.lines, added, gone))


def _woven(
    lines: tuple[Line, ...], added: dict[int, list[Line]], gone: set[int]
) -> Iterator[Line]:
    """Yield *lines* without those *gone*, with those *added* before their places."""
    for place, line in enumerate(lines):
        yield from added.get(place, ())
        if place not in gone:
            yield with_ending(line) if len(lines) in added else line
    yield from added.get(len(lines), ())


def _spans(lines: Lines) -> Iterator[tuple[Record, int, int]]:
    """Yield each record as we read it, with the places (from 0) of its first line and
    past its last one, extensions included.
    """
    records = _records(lines)
    starts = {record.first_line for record in records}
    for record in records:
        end = record.last_line
        while end < len(lines.lines) and end + 1 not in starts:
            if lines.lines[end].kind is LineKind.BLANK:
                break
            end += 1
        yield record, record.first_line - 1, end


def _records(lines: Lines) -> tuple[Record, ...]:
    """Return the records of *lines*, whose places are their numbers."""
    numbered = (it._replace(number=n) for n, it in enumerate(lines.lines, 1))
    return tuple(read_records(numbered, dialect_named(lines.dialect)))


def without_names(lines: Lines, robot: str) -> Iterator[Lines]:
    """Yield the file in which no name is a part of another, nor spelled in two ways.

    The names by which our reading chose its record become one plain name, which is also
    the robot's; all other names become another one.
    """
    names, dialect = robot_names(robot), dialect_named(lines.dialect)
    chosen = applied(_records(lines), dialect, names)
    agents = [agent for record in chosen for agent in record.agents]
    named = {
        agent.line
        for agent in agents
        if agent.name != EVERYBODY and dialect.choose([(agent.name,)], names)
    }
    mine = named or {agent.line for agent in agents if agent.name == EVERYBODY}
    yield lines.of(_renamed(lines.lines, mine, ME if named else EVERYBODY))


def question_without_names(question: Question) -> Question:
    """Return *question* by the robot of that plain name."""
    return replace(question, robot=ME)


def _renamed(lines: Iterable[Line], mine: set[int], name: str) -> Iterator[Line]:
    """Yield *lines* with *name* where they name the robot, else with other names."""
    for number, line in enumerate(lines, 1):
        # Ours O12: a line without a name is renamed, too.
        if not is_agent(line):
            yield line
        elif number in mine:
            yield rewritten(line, "User-agent", name)
        else:
            yield rewritten(line, "User-agent", f"{_OTHER}{number}")


def _same(question: Question) -> Question | None:
    """Return *question* as it is: the cause lies in the file alone."""
    return question


@dataclass(frozen=True, slots=True)
class Transform:
    """How a cause is taken out of a file, and out of a question about it.

    *question* gives None where the question has nothing to do with the cause.
    *by_robot* says that the file becomes another one for each robot.
    """

    files: Callable[[Lines, str], Iterator[Lines]]
    question: Callable[[Question], Question | None] = _same
    by_robot: bool = False


# The order counts: of several that make two parsers agree, the first names the cause.
TRANSFORMS: dict[Cause, Transform] = {
    Cause.ITSELF: Transform(paths.without_itself, paths.question_without_itself),
    Cause.LONGEST_MATCH: Transform(paths.without_order),
    Cause.ALLOW: Transform(paths.without_allow),
    Cause.WILDCARD: Transform(
        paths.without_wildcards, paths.question_without_wildcards
    ),
    Cause.SPLIT_RECORD: Transform(without_splits),
    Cause.MERGED_RECORDS: Transform(without_merging),
    Cause.AGENT: Transform(without_names, question_without_names, by_robot=True),
    Cause.SEVERAL_DEFAULTS: Transform(without_several_defaults),
    Cause.PERCENT: Transform(paths.without_spellings, paths.question_without_spellings),
    Cause.ENCODING: Transform(paths.without_encoding),
}
