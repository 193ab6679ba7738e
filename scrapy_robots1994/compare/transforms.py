"""Transforms of a file and a question about it, each of which removes one doubt: about
what a path covers, or about whom a rule is for.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, groupby
from string import ascii_letters, digits
from urllib.parse import quote

from scrapy_robots1994.compare.parsers import ROBOTS_TXT, Question, is_agent, is_rule
from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser.body import Body, encoding_of
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import ALLOW, LineKind
from scrapy_robots1994.parser.reader import Line, groups_of, read
from scrapy_robots1994.parser.records import Record, obeyed_records, records_of
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

# Neither is part of the other, nor of a name in use.
_ME = "Qqrobotqq"
_OTHER = "zzotherzz"
# No URL in use starts with it.
_NOWHERE = "/_nothing_is_called_so_"

# What means the same to every parser, however it decodes, encodes or splits URLs.
_PLAIN = frozenset(f"{ascii_letters}{digits}-._~/*$")
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a body, such that any can be taken out or changed without touching a
    byte of the others.

    *mark* is the byte order mark. *dialect* says of which kinds the lines are.
    """

    mark: bytes
    encoding: str
    lines: tuple[Line, ...]
    dialect: Dialect

    @property
    def text(self) -> str:
        """The text again."""
        return "".join(line.raw for line in self.lines)

    @property
    def body(self) -> bytes:
        """The bytes again, those that are not UTF-8 included."""
        return self.mark + self.text.encode(self.encoding, "surrogateescape")

    def only(self, places: Collection[int]) -> "Lines":
        """Return the lines at these *places* (from 0)."""
        return self.of(self.lines[place] for place in sorted(places))

    def of(self, lines: Iterable[Line]) -> "Lines":
        """Return other lines of the same mark and encoding."""
        return replace(self, lines=tuple(lines))


def lines_of(body: bytes, dialect: Dialect) -> Lines:
    """Return the lines of *body*, numbered as our parser numbers them."""
    text = Body(body, is_truncated=False).text
    return Lines(*encoding_of(body), tuple(read(text, dialect)), dialect)


def _is_allow(line: Line) -> bool:
    return line.field.lower() == ALLOW.key


def _rewritten(line: Line, field: str, value: str) -> Line:
    """Return *line* saying something else."""
    return line._replace(raw=f"{field}: {value}" + _ended(line).ending)


def _ended(line: Line) -> Line:
    """Return *line* with an end, so that another may follow it."""
    return line if line.ending else line._replace(raw=f"{line.raw}\n")


def without_allow(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with the lines that allow made void, then with them taken out.

    First the Allow lines alone, then with the Disallow lines that are empty.
    """
    for allows in (_is_allow, _allows):
        yield lines.of(
            _rewritten(it, "Disallow", _NOWHERE) if allows(it) else it
            for it in lines.lines
        )
        yield lines.of(it for it in lines.lines if not allows(it))


def _allows(line: Line) -> bool:
    return _is_allow(line) or (is_rule(line) and not line.value)


def without_order(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with neighbouring rules longest first, Allow first."""
    ordered: list[Line] = []
    for are_rules, run in groupby(lines.lines, is_rule):
        if are_rules:
            by_length = sorted(run, key=lambda it: (-len(it.value), not _is_allow(it)))
            ordered += map(_ended, by_length)
        else:
            ordered += run
    yield lines.of(ordered)


def without_encoding(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file as ASCII: other characters percent-encoded, controls replaced."""
    text = _NOT_ASCII.sub(
        lambda it: quote(it[0], errors="surrogateescape"),
        _CONTROLS.sub("_", lines.text),
    )
    yield lines_of(text.encode("ascii"), lines.dialect)


def in_values(change: Callable[[str], str]) -> Callable[[Lines, str], Iterable[Lines]]:
    """Return the transform that changes all values but those of User-agent lines."""

    def changed(line: Line) -> Line:
        if not line.value or is_agent(line):
            return line
        field, colon, rest = line.text.partition(":")
        rest = rest.replace(line.value, change(line.value), 1)
        return line._replace(raw=field + colon + rest + line.ending)

    return lambda lines, _robot: [lines.of(map(changed, lines.lines))]


def in_target(change: Callable[[str], str]) -> Callable[[Question], Question]:
    """Return what changes the target of the URL of a question."""

    def changed(question: Question) -> Question:
        target = target_of(question.url)
        head = question.url.partition("#")[0].removesuffix(target)
        return replace(question, url=head + change(target))

    return changed


def without_special(text: str) -> str:
    """Return *text* with `*` and `$` as plain letters."""
    return text.replace("*", "_w_").replace("$", "_d_")


def without_itself(text: str) -> str:
    """Return *text* with another name for the file."""
    plain = ROBOTS_TXT if canonical(text) == ROBOTS_TXT else text
    return plain.replace("robots.txt", "robots-txt")


def without_spellings(path: str) -> str:
    """Return *path* in letters that are never encoded; each other byte as its number."""
    return "".join(
        it if it in _PLAIN else f"_x{ord(it):02X}_" for it in canonical(path)
    )


def without_splits(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with blank lines only where a new record begins after a rule."""
    yield lines.of(
        line
        for line, above, below in _with_fields(lines)
        if line.kind is not LineKind.BLANK
        or above is None
        or below is None
        or (is_agent(below) and not is_agent(above))
    )


def without_merging(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with one record a name, and with a blank line before each."""
    parted: list[Line] = []
    for line, above, _ in _with_fields(lines):
        if is_agent(line) and above is not None and not is_agent(above):
            parted.append(Line(line.number, LineKind.BLANK, _ended(line).ending))
        parted.append(line)
    yield lines.of(parted)
    yield _joined(lines, lambda name: name != EVERYBODY)
    yield _joined(lines.of(parted), lambda name: name != EVERYBODY)


def without_several_defaults(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with the rules of all records for `*` in the first of them."""
    yield _joined(lines, lambda name: name == EVERYBODY)


def _with_fields(lines: Lines) -> Iterator[tuple[Line, Line | None, Line | None]]:
    """Yield each line, and those next to it that have a field: the last one above it,
    and it or the first one below.
    """
    fields = [None, *(line for line in lines.lines if line.field), None]
    place = 0
    for line in lines.lines:
        yield line, fields[place], fields[place + 1]
        place += bool(line.field)


def _joined(lines: Lines, wanted: Callable[[str], bool]) -> Lines:
    """Return the file with later records of a *wanted* name added to its first one."""
    # Each line with what follows it; by name, the end of its first record.
    parts = [[line] for line in lines.lines]
    homes: dict[str, list[Line]] = {}
    for record, places in _with_places(lines):
        agents = {it.name.lower(): it.line - 1 for it in record.agents}
        later = [name for name in agents if name in homes]
        own = [lines.lines[place] for place in places]
        for name in later:
            homes[name] += [it for it in own if it.field and not is_agent(it)]
        whole = len(later) == len(agents)
        for place in places if whole else [agents[name] for name in later]:
            parts[place].clear()
        for name in filter(wanted, agents):
            homes.setdefault(name, parts[places[-1]])
    joined = list(chain.from_iterable(parts))
    return lines.of([*map(_ended, joined[:-1]), *joined[-1:]])


def _with_places(lines: Lines) -> Iterator[tuple[Record, range]]:
    """Yield each record as we read it, with the places of all its lines, from 0."""
    records = _records(lines)
    ends = {record.first_line - 1 for record in records} | {len(lines.lines)}
    ends |= {it for it, line in enumerate(lines.lines) if line.kind is LineKind.BLANK}
    for record in records:
        end = next(place for place in count(record.last_line) if place in ends)
        yield record, range(record.first_line - 1, end)


def _records(lines: Lines) -> tuple[Record, ...]:
    """Return the records of *lines*, numbered by their places."""
    return tuple(records_of(groups_of(lines.text, lines.dialect), lines.dialect))


def without_names(lines: Lines, robot: str) -> Iterator[Lines]:
    """Yield the file in which no name is a part of another, nor spelled in two ways.

    The names by which our reading chose its record become one plain name, which is also
    the robot's; all other names become another one.
    """
    names = robot_names(robot)
    chosen = obeyed_records(_records(lines), lines.dialect, names)
    agents = [agent for record in chosen for agent in record.agents]
    named = {
        agent.line
        for agent in agents
        if agent.name != EVERYBODY and lines.dialect.choose([(agent.name,)], names)
    }
    mine = named or {agent.line for agent in agents if agent.name == EVERYBODY}
    name = _ME if named else EVERYBODY
    # Ours O12: a line without a name is renamed, too.
    yield lines.of(
        _rewritten(line, "User-agent", name if n in mine else f"{_OTHER}{n}")
        if is_agent(line)
        else line
        for n, line in enumerate(lines.lines, 1)
    )


def by_plain_name(question: Question) -> Question:
    """Return *question* by the robot of that plain name."""
    return replace(question, robot=_ME, others_robot="")
