"""The one reader: a text becomes lines, and lines become records, in one loop.

`read` is that loop. It yields one plain tuple, an `Entry`, for each line, and nothing else in
the package splits, matches or searches lines. All else takes what it yields:

- `RobotReading` picks what concerns one robot in one pass: the rules of the records that the
  robot obeys, its pause, the sitemaps, and the entries that a warning may be about;
- `lines_of` makes a `Line` of each entry, `records_of` the `Record`s of the file.

An entry says of its line:

    number   from 1
    record   the record it stands in, from 1; 0 above all records. A record goes on up to
             the User-agent line that begins the next one, blank lines included
    kind     `LineKind`; ORPHAN for a rule or a pause that no record of the literal reading
             owns: with record 0 above all records, else below a blank line that ended its
             record (the cautious reading obeys those)
    field    the row of its field, if the dialect has that field; also for an ORPHAN and
             for a bad value (NAMELESS, TIMELESS); else None
    name     the name of the field as written, "" if the line has none
    value    the value as written, "" if the line has none
    read     what the value says: a tuple of names for a User-agent line, what
             `Field.read` returns for a field that has it; the value itself for all others
    raw      the whole line with comment and end

A line of a field that the dialect does not have is UNKNOWN; `FIELD_NAMED` says whether
another dialect has it. `Line.of(entry)` is the public view of an entry: the text, its end and
its comment apart.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from io import StringIO
from typing import Any, NamedTuple, TypeAlias

from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import (
    FIELD_NAMED,
    WHY_IGNORED,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.parser.user_agent import EVERYBODY

# 1994 F3: the optional space. Ours O6: spaces and tabs, which an author cannot see.
SPACE = " \t"
# 1994 F5: begins a comment. Ours O13: the `#` needs no space before it.
COMMENT = "#"
_SPACE_OR_END = f"{SPACE}\r\n"

Entry: TypeAlias = tuple[
    int,  # number
    int,  # record
    LineKind,
    Field | None,
    str,  # name
    str,  # value
    Any,  # read
    str,  # raw
]
"""What the reader yields for a line, see above. A plain tuple: a crawl makes one for each
line of each file, and a class of its own would take longer than all else that is done
with most lines.
"""


# One loop is simpler to follow than its parts would be, and calls would cost more than all else.
def read(text: str, dialect: Dialect) -> Iterator[Entry]:  # noqa: C901, PLR0912, PLR0915
    """Yield an entry for each line of *text*, in order."""
    said: Any
    fields, names_of = dialect.fields, dialect.names
    has_blank_lines = dialect.has_blank_lines
    # Looked up once, not for each line.
    orphan, unknown, names_role = LineKind.ORPHAN, LineKind.UNKNOWN, Role.NAMES
    space, record = _SPACE_OR_END, 0
    # Whether a User-agent line now begins another record, and whether a blank line
    # ended the record.
    is_named = is_parted = False
    # 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else: just what an
    # empty `newline` makes of it.
    for number, raw in enumerate(StringIO(text, newline=""), 1):
        # 1994 F5: the comment is discarded; the space before it goes with the value.
        content = raw.partition("#")[0] if "#" in raw else raw
        # 1994 F3: a line is field name, colon, optional space, value.
        name, colon, value = content.partition(":")
        # Mostly the name is as usually written.
        field = fields.get(name)
        if field is None or not colon:
            # Ours O15: space before the colon and at the start of the line is accepted.
            name = name.strip(space)
            # 1994 F4: field names compare without case.
            field = fields.get(name.lower())
            if not colon or not name:
                kind = LineKind.BLANK
                if name or colon:
                    # Ours O14: a line without this form is ignored, never guessed.
                    kind = LineKind.MALFORMED
                elif content is not raw:
                    # 1994 F5: a line of a comment alone vanishes, and is not blank.
                    kind = LineKind.COMMENT
                else:
                    # 1994 F1: blank lines separate records. Ours O5: also where only
                    # User-agent lines precede them.
                    is_parted = has_blank_lines and record > 0
                yield number, record, kind, None, "", "", None, raw
                continue
            if field is None:
                # 1994 F6: any other field is ignored, wherever it stands.
                value = value.strip(space)
                yield number, record, unknown, None, name, value, value, raw
                continue
        said = value = value.strip(space)
        kind, role = field.kind, field.role
        if role is names_role:
            said = names_of(value)
            if not said:
                # Ours O12: a line that names no robot is ignored.
                kind = LineKind.NAMELESS
            # 1994 F1: after a blank line another record starts. Ours O7, X2: also after a
            # rule; X6: but not after a Crawl-delay.
            elif is_named or is_parted or not record:
                record += 1
                is_named = is_parted = False
        elif field.in_record:
            if field.read is not None:
                said = field.read(value)
            if said is None and field.bad_value is not None:
                # Ours X4: without a number it is ignored.
                kind = field.bad_value.kind
            elif is_parted or not record:
                # Ours O4: it belongs to no record.
                kind = orphan
            elif field.ends_names:
                is_named = True
        yield number, record, kind, field, name, value, said, raw


class Line(NamedTuple):
    """One line of a file; `text + ending` is what the file has there.

    *number* counts from 1. *field* and *value* are as written, without the space around
    them and without the comment; *comment* begins with its `#`. Each is empty if the
    line has none. Bytes that are not UTF-8 are surrogate escapes.
    """

    number: int
    kind: LineKind
    text: str
    ending: str
    field: str = ""
    value: str = ""
    comment: str = ""

    @classmethod
    def of(cls, entry: Entry) -> "Line":
        """Return the line of *entry*."""
        number, _, kind, _, name, value, _, raw = entry
        text = raw.rstrip("\r\n")
        # A `#` is nowhere but at the start of a comment.
        _, mark, rest = text.partition(COMMENT)
        return cls(number, kind, text, raw[len(text) :], name, value, mark + rest)

    @property
    def why_ignored(self) -> str | None:
        """The reason why the line has no effect; None if it has one, is blank or is a
        comment.
        """
        return WHY_IGNORED.get(self.kind)

    @property
    def column(self) -> int:
        """The column, from 1, of the first character that is not space."""
        return len(self.text) - len(self.text.lstrip(SPACE)) + 1

    @property
    def value_column(self) -> int:
        """The column, from 1, where the value begins, or would begin."""
        value = self.text.partition(":")[2]
        return len(self.text) - len(value.lstrip(SPACE)) + 1

    @property
    def comment_column(self) -> int:
        """The column, from 1, of the `#`; behind the line if there is none."""
        return len(self.text) - len(self.comment) + 1


def lines_of(text: str, dialect: Dialect) -> tuple[Line, ...]:
    """Return every line of *text*; joined they are the text again."""
    return tuple(map(Line.of, read(text, dialect)))


class Agent(NamedTuple):
    """One name of a record, without its version, and its line."""

    name: str
    line: int


class Rule(NamedTuple):
    """One Disallow or Allow value as written, perhaps empty, and its line."""

    value: str
    line: int
    allows: bool = False

    def __str__(self) -> str:
        """Return the rule as a line of a robots.txt, without its end."""
        return f"{'Allow' if self.allows else 'Disallow'}: {self.value}".rstrip(" ")


class Delay(NamedTuple):
    """One line that asks for a pause: its seconds, its line, and how the file says it."""

    seconds: float
    line: int
    written: str = ""

    def __str__(self) -> str:
        """Return the delay as the line of a robots.txt, without its end."""
        return self.written or f"Crawl-delay: {self.seconds:f}"


@dataclass(frozen=True, slots=True)
class Record:
    """The policy that some robots share: their names and what they must not retrieve.

    *first_line* and *last_line* are its first User-agent line and its last line of any
    kind. *orphans* and *orphan_delays* are the lines below that a blank line parts from
    the record: the cautious reading obeys them too.
    """

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    first_line: int
    last_line: int
    delays: tuple[Delay, ...] = ()
    orphans: tuple[Rule, ...] = ()
    orphan_delays: tuple[Delay, ...] = ()

    @property
    def is_default(self) -> bool:
        """Whether the record is for every robot that no other record names."""
        # 1994 A3: `*` is the default policy.
        return any(agent.name == EVERYBODY for agent in self.agents)

    @property
    def names(self) -> tuple[str, ...]:
        """The names as written, in order, without their versions."""
        return tuple(agent.name for agent in self.agents)

    def __str__(self) -> str:
        """Return the record as lines of a robots.txt, each ended by NL."""
        agents = (f"User-agent: {agent.name}" for agent in self.agents)
        lines = (*agents, *self.delays, *self.rules)
        return "".join(f"{line}\n" for line in lines)


@dataclass(slots=True)
class _Draft:
    """A record while its lines come in."""

    agents: list[Agent] = made_by(default_factory=list)
    rules: list[Rule] = made_by(default_factory=list)
    delays: list[Delay] = made_by(default_factory=list)
    orphans: list[Rule] = made_by(default_factory=list)
    orphan_delays: list[Delay] = made_by(default_factory=list)
    last_line: int = 0

    def add(self, entry: Entry, dialect: Dialect) -> None:
        """Add what *entry* says."""
        number, _, kind, field, _, value, said, _ = entry
        is_orphan = kind is LineKind.ORPHAN
        if not is_orphan:
            self.last_line = number
        if field is None:
            return
        if field.role is Role.NAMES:
            self.agents += [Agent(each, number) for each in said]
        elif field.role is Role.PAUSE:
            delays = self.orphan_delays if is_orphan else self.delays
            delays.append(Delay(said, number, f"{field.name}: {value}"))
        elif field.role is Role.RULE:
            rules = self.orphans if is_orphan else self.rules
            paths = dialect.paths(value)
            rules += [Rule(path, number, field.allows) for path in paths]
        else:
            raise NotImplementedError(field.role)

    def record(self) -> Record:
        """Return the record."""
        return Record(
            tuple(self.agents),
            tuple(self.rules),
            self.agents[0].line,
            self.last_line,
            tuple(self.delays),
            tuple(self.orphans),
            tuple(self.orphan_delays),
        )


def records_of(entries: Iterable[Entry], dialect: Dialect) -> Iterator[Record]:
    """Yield the records of *entries* in order, as the literal reading finds them."""
    draft, at = _Draft(), 0
    for entry in entries:
        record, kind, field = entry[1:4]
        if record != at:
            if at:
                yield draft.record()
            draft, at = _Draft(), record
        # A bad value says nothing; what is above all records belongs to none.
        if field and field.in_record and at and kind in (field.kind, LineKind.ORPHAN):
            draft.add(entry, dialect)
    if at:
        yield draft.record()


def obeyed_records(
    records: Sequence[Record], dialect: Dialect, robot: Sequence[str]
) -> tuple[Record, ...]:
    """Return those of *records* that a robot with these names (see `robot_names`) obeys."""
    chosen = dialect.choose((record.names for record in records), robot)
    return tuple(records[place] for place in chosen)


MAX_OTHER_LINES = 5_000
"""So many lines without a rule are looked at for warnings.

A hostile file may have a hundred times as many, and Python's garbage collector stops all
threads while it goes through so many objects.
"""


class Rules(NamedTuple):
    """The rules that a robot obeys, but empty ones, in columns and in the order of the file.

    *values* are the paths as written, *lines* their lines. *allows* says which are Allow, and
    *splits* which only the cautious reading obeys; each is empty if none is.
    *first_lines* and *names* are those of the records that the robot obeys. *is_plain* says
    that each value is a path in ASCII without an escape.
    """

    values: tuple[str, ...] = ()
    # Quoted, for before Python 3.12 `array` has no subscript.
    lines: "array[int]" = array("I")
    allows: bytes = b""
    splits: bytes = b""
    first_lines: "array[int]" = array("I")
    names: tuple[tuple[str, ...], ...] = ()
    is_plain: bool = True

    def disallows(self, number: int) -> bool:
        """Return whether the rule with this *number* (from 0) is a Disallow."""
        return not (self.allows and self.allows[number])

    def is_split(self, number: int) -> bool:
        """Return whether only the cautious reading obeys the rule."""
        return bool(self.splits and self.splits[number])

    def record(self, number: int) -> int:
        """Return the place of the record that has the rule."""
        return bisect_right(self.first_lines, self.lines[number]) - 1


# A name that no check is about; and what no such path has.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+|\*")
_ODD_IN_PATHS = re.compile(r"[*$ \t:]")


class RobotReading:
    """What one pass over a file finds for one robot.

    *rules* are the rules that the robot obeys; *has_any* says whether the file has any record.

    *entries* are those that a warning may be about, in the order of the lines: all of the
    records that the robot obeys but comments, the lines above all records, lines anywhere
    that may be a slip or that name a robot oddly, and perhaps others. *is_odd* says that
    something in them is not plain: an odd name or path, a wildcard, a line without
    effect, a record without rules. Where it is False, no warning is due. *is_cautious* says
    that the reading is the cautious one.
    """

    __slots__ = (
        "_above",
        "_choice",
        "_first_lines",
        "_is_obeyed",
        "_known_names",
        "_last_names",
        "_names",
        "_others",
        "_own",
        "_pause",
        "_pauses",
        "_record",
        "_run",
        "_sitemaps",
        "is_cautious",
        "is_odd",
        "rules",
    )

    def __init__(
        self, text: str, dialect: Dialect, reading: str, robot: Sequence[str]
    ) -> None:
        """Read *text* for the robot with these names (see `robot_names`)."""
        self.is_odd = False
        self.is_cautious = reading == CAUTIOUS
        self._choice = dialect.choice(robot)
        self._sitemaps: dict[str, None] = {}
        # Of the records that the robot obeys: their first lines and names, and the seconds
        # that they ask for.
        self._first_lines: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._known_names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._last_names: list[str] = []
        self._pauses: list[float] = []
        # Their rules and, *_above* of them, those above all records; the other entries.
        self._own: list[Entry] = []
        self._above = 0
        self._others: list[Entry] = []
        # Of the present record: its number, its lines as long as the robot does not obey it,
        # its pause, and whether the robot obeys it as far as it is read. What is above all
        # records is looked at as if the robot obeyed it.
        self._record = 0
        self._run: list[Entry] = []
        self._pause: float | None = None
        self._is_obeyed = True
        self._read(text, dialect)
        self._end_record()
        self.rules = self._obeyed(dialect)

    def _read(self, text: str, dialect: Dialect) -> None:
        """Take all lines of *text*."""
        # A role that is not here is an error, not a line without effect.
        take = {
            Role.NAMES: self._take_names,
            Role.PAUSE: self._take_pause,
            Role.SITEMAP: self._take_sitemap,
        }
        rule, blank, comment = Role.RULE, LineKind.BLANK, LineKind.COMMENT
        add_rule = self._own.append
        # Most lines are rules, and a call for each would take too long.
        for entry in read(text, dialect):
            field = entry[3]
            if field is not None:
                if field.role is not rule:
                    take[field.role](entry)
                elif self._is_obeyed:
                    add_rule(entry)
                continue
            kind = entry[2]
            if kind is comment:
                continue
            # A slip may mean a record for this robot; what another dialect knows is none.
            if kind is not blank and entry[4].lower() not in FIELD_NAMED:
                self.is_odd = True
                if len(self._others) < MAX_OTHER_LINES:
                    self._others.append(entry)
            else:
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        """Add a line of the present record, which the robot may yet turn out to obey."""
        entries = self._others if self._is_obeyed else self._run
        if len(entries) < MAX_OTHER_LINES:
            entries.append(entry)

    def _take_names(self, entry: Entry) -> None:
        """Take a User-agent line."""
        _, record, kind, _, _, value, names, _ = entry
        is_odd = not _PLAIN_NAME.fullmatch(value)
        self.is_odd |= is_odd
        if kind is LineKind.NAMELESS:
            # Ours O12: it names no robot.
            self._others.append(entry)
            return
        if record != self._record:
            self._end_record()
            self._record, self._run, self._pause = record, [], None
        self._run.append(entry)
        self._is_obeyed = self._choice.offer(names, record)
        if not self._is_obeyed:
            if is_odd:
                # It may mean this robot in a way that the standard does not know.
                self._others.append(entry)
            return
        first_line = self._run[0][0]
        if self._first_lines and self._first_lines[-1] == first_line:
            self._last_names += names
            self._add(entry)
        else:
            agents = [it for it in self._run if it[2] is LineKind.USER_AGENT]
            self._last_names = [name for it in agents for name in it[6]]
            self._first_lines.append(first_line)
            if len(self._others) < MAX_OTHER_LINES:
                self._others += self._run
        if self._choice.chosen == [record]:
            # It is the first, or speaks to the robot more plainly than those before. No
            # rule of its own is here yet, for names come before rules.
            del self._first_lines[:-1], self._own[self._above :]
            self._names.clear()
            self._pauses.clear()

    def _end_record(self) -> None:
        """Take what is known of a record only at its end."""
        if not self._record:
            self._above = len(self._own)
        elif self._is_obeyed:
            # Ours O3: without a rule it closes nothing.
            self.is_odd |= not self._own or self._own[-1][1] != self._record
            # Thousands of records may have equal names.
            names = tuple(self._last_names)
            self._names.append(self._known_names.setdefault(names, names))
            if self._pause is not None:
                self._pauses.append(self._pause)

    def _take_pause(self, entry: Entry) -> None:
        """Take a line that asks for a pause."""
        _, record, kind, field, _, _, seconds, _ = entry
        self._add(entry)
        if kind is LineKind.ORPHAN:
            # Ours O5: the cautious reading obeys what a blank line parts from its record.
            is_taken = record > 0 and self.is_cautious
        else:
            # Ours X4: without a number it is ignored.
            is_taken = field is not None and kind is field.kind
        if is_taken:
            # Ours X5: of several delays for our robot the longest counts.
            self._pause = max(self._pause or 0.0, seconds)

    def _take_sitemap(self, entry: Entry) -> None:
        """Take a Sitemap line."""
        # Ours X7: it belongs to no record and may stand anywhere.
        self._add(entry)
        if value := entry[5]:
            self._sitemaps[value] = None

    def _obeyed(self, dialect: Dialect) -> Rules:
        """Return the rules that the robot obeys."""
        # Ours O4: above all records a rule is ignored. Ours O5: the cautious reading obeys
        # what a blank line parts from its record.
        orphan, splits, allows = LineKind.ORPHAN, b"", b""
        obeyed = [it for it in self._own if it[2] is not orphan]
        has_orphans = len(obeyed) < len(self._own)
        if has_orphans and self.is_cautious:
            obeyed = self._own[self._above :]
        if dialect.has_lists:
            # Revisited K2: a line may have several paths.
            paths = dialect.paths
            obeyed = [
                (*it[:5], path, *it[6:]) for it in obeyed for path in paths(it[5])
            ]
        # 1994 D2, Ours O21: an empty path closes nothing.
        obeyed = [it for it in obeyed if it[5]]
        values = tuple([it[5] for it in obeyed])
        if has_orphans and self.is_cautious:
            splits = bytes([it[2] is orphan for it in obeyed])
        if dialect.has_allow:
            allows = bytes([it[3] is not None and it[3].allows for it in obeyed])
        text = "\n".join(("", *values))
        is_path = text.count("\n/") == len(values)
        is_plain = is_path and text.isascii() and "%" not in text
        if has_orphans or any(allows) or not (is_path and text.isascii()):
            self.is_odd = True
        else:
            self.is_odd |= _ODD_IN_PATHS.search(text) is not None
        return Rules(
            values,
            array("I", [it[0] for it in obeyed]),
            allows if any(allows) else b"",
            splits if any(splits) else b"",
            array("I", self._first_lines),
            tuple(self._names),
            is_plain,
        )

    @property
    def entries(self) -> list[Entry]:
        """The entries that a warning may be about, in the order of the lines."""
        found = {it[0]: it for it in (*self._own, *self._others)}
        return [found[number] for number in sorted(found)]

    @property
    def obeyed(self) -> frozenset[int]:
        """The numbers of the records that the robot obeys, and 0."""
        return frozenset((0, *self._choice.chosen))

    @property
    def is_named(self) -> bool:
        """Whether the robot obeys a record that is not for every robot."""
        return not all(EVERYBODY in names for names in self.rules.names)

    @property
    def has_any(self) -> bool:
        """Whether the file has any record, for this robot or another."""
        return self._record > 0

    @property
    def crawl_delay(self) -> float | None:
        """The seconds that the robot is to pause between two requests."""
        return max(self._pauses, default=None)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file names, as written, in order, each once."""
        return tuple(self._sitemaps)
