"""The one reader: a text becomes lines, and lines become records, in one loop.

`parts_of` is that loop. It yields the lines above all records, and then each record, with one
plain tuple, an `Entry`, for each line; nothing else in the package splits, matches or searches
lines. All else takes what it yields:

- `RobotReading` picks what concerns one robot in one pass: the rules of the records that the
  robot obeys, its pause, the sitemaps, and the entries that a warning may be about;
- `read` yields the entries one by one, `lines_of` makes a `Line` of each, `records_of` the
  `Record`s of the file.

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
             `Field.read` returns for a field that has it, the value itself for others of the
             dialect; for any other field its row, if it is known by name, else None
    raw      the whole line with comment and end

A line of a field that the dialect does not have is UNKNOWN. `Line.of(entry)` is the public
view of an entry: the text, its end and its comment apart.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from io import StringIO
from itertools import chain
from operator import itemgetter
from sys import maxsize
from typing import Any, NamedTuple, TypeAlias

from scrapy_robots1994.parser.columns import small_array
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


# Before Python 3.12 each look-up of a member calls a function, and lines are many.
_BLANK, _MALFORMED = LineKind.BLANK, LineKind.MALFORMED
_ORPHAN, _UNKNOWN = LineKind.ORPHAN, LineKind.UNKNOWN
_NAMES, _RULE, _PAUSE, _SITEMAP = Role.NAMES, Role.RULE, Role.PAUSE, Role.SITEMAP

# The names of most records that a robot obeys, one object for all files.
_DEFAULT: tuple[str, ...] = (EVERYBODY,)

PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+|\*")
"""The value of a User-agent line that nothing is wrong with."""


class Part(NamedTuple):
    """The lines of a record, or those above all records, but comments: *rules*, with those that
    a blank line parts from the record, lines of *others* of the dialect's fields, and lines
    *without* a field of the dialect; and the *names* that its User-agent lines have.
    """

    rules: list[Entry]
    others: list[Entry]
    without: list[Entry]
    names: list[str]

    @property
    def lines(self) -> list[Entry]:
        """All of them in the order of the file."""
        return sorted(chain(self.rules, self.others, self.without), key=itemgetter(0))

    @property
    def slips(self) -> list[Entry]:
        """The lines that are no rules and that may be meant as something else."""
        is_plain = PLAIN_NAME.fullmatch
        found = [
            it
            for it in self.others
            if it[3] and it[3].role is _NAMES and not is_plain(it[5])
        ]
        found += [
            it
            for it in self.without
            # What another dialect knows is no slip.
            if it[2] is not _BLANK and it[6] is None
        ]
        return found


# One loop is simpler to follow than its parts would be, and calls would cost more than all else.
def parts_of(  # noqa: C901, PLR0912, PLR0915
    text: str, dialect: Dialect, most: int | None = None
) -> Iterator[Part]:
    """Yield the lines above all records of *text*, perhaps none, and then each record.

    With *most*, they have only so many of the lines without a field, and no comments, and each
    only so many User-agent lines.
    """
    said: Any
    field_named, known_field = dialect.fields.get, FIELD_NAMED.get
    names_of = dialect.names
    has_blank_lines = dialect.has_blank_lines
    space, record, room = _SPACE_OR_END, 0, maxsize if most is None else most
    max_others = room
    part = Part([], [], [], [])
    rules, others, without, names = part
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
        if colon:
            # Mostly the name is as usually written.
            field = field_named(name)
            if field is None:
                # Ours O15: space before the colon and at the start of the line is accepted.
                name = name.strip(space)
                # 1994 F4: field names compare without case.
                key = name.lower()
                field = field_named(key)
            value = value.strip(space)
        else:
            field, name = None, name.strip(space)
        if field is None:
            said = None
            if colon and name:
                # 1994 F6: any other field is ignored, wherever it stands.
                kind, said = _UNKNOWN, known_field(key)
            elif name or colon:
                # Ours O14: a line without this form is ignored, never guessed.
                kind, name, value = _MALFORMED, "", ""
            elif content is not raw:
                # 1994 F5: a line of a comment alone vanishes, and is not blank.
                if most is not None:
                    continue
                kind, name = LineKind.COMMENT, ""
            else:
                # 1994 F1: blank lines separate records. Ours O5: also where only
                # User-agent lines precede them.
                kind = _BLANK
                is_parted = has_blank_lines and record > 0
            if room:
                without.append((number, record, kind, None, name, value, said, raw))
                room -= 1
            continue
        kind, role, said = field.kind, field.role, value
        if role is _RULE:
            if is_parted or not record:
                # Ours O4: it belongs to no record.
                kind = _ORPHAN
            elif field.ends_names:
                is_named = True
            rules.append((number, record, kind, field, name, value, said, raw))
            continue
        if role is _NAMES:
            said = names_of(value)
            if not said:
                # Ours O12: a line that names no robot is ignored.
                kind = LineKind.NAMELESS
            # 1994 F1: after a blank line another record starts. Ours O7, X2: also after a
            # rule; X6: but not after a Crawl-delay.
            elif is_named or is_parted or not record:
                record += 1
                is_named = is_parted = False
                yield part
                part = Part([], [], [], [])
                rules, others, without, names = part
            names += said
            if len(others) >= max_others:
                continue
        elif field.in_record and (is_parted or not record):
            # Ours O4: it belongs to no record.
            kind = _ORPHAN
        elif field.ends_names:
            is_named = True
        if field.read is not None:
            said = field.read(value)
            if said is None and field.bad_value is not None:
                # Ours X4: without a number it is ignored.
                kind = field.bad_value.kind
        others.append((number, record, kind, field, name, value, said, raw))
    yield part


def read(text: str, dialect: Dialect) -> Iterator[Entry]:
    """Yield an entry for each line of *text*, in order."""
    for part in parts_of(text, dialect):
        yield from part.lines


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
    """One Crawl-delay line: its seconds, its number, and its text."""

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
        is_orphan = kind is _ORPHAN
        if not is_orphan:
            self.last_line = number
        if field is None:
            return
        if field.role is _NAMES:
            self.agents += [Agent(each, number) for each in said]
        elif field.role is _PAUSE:
            delays = self.orphan_delays if is_orphan else self.delays
            delays.append(Delay(said, number, f"{field.name}: {value}"))
        elif field.role is _RULE:
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
        if field and field.in_record and at and kind in (field.kind, _ORPHAN):
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
"""So many lines of a file that have no field of the dialect, and so many that name the robot,
are looked at for warnings.

A hostile file may have a hundred times as many, and Python's garbage collector stops all
threads while it goes through so many objects.
"""


MAX_OPEN_RECORDS = 500
"""So many records of a robot that have no rule, or end before their last one, are looked at."""


class Rules(NamedTuple):
    """The rules that a robot obeys, but empty ones, in columns and sorted by their values.

    The number of a rule is its place, from 0. *values* are the paths as written, *lines* their
    lines. *allows* says which are Allow, and *splits*
    which only the cautious reading obeys; each is empty if none is. *first_lines* and *names*
    are those of the records that the robot obeys. *is_plain* says that each value is a path in
    ASCII without an escape, *has_wildcards* that one has `*` or `$`.
    """

    values: Sequence[str]
    # Quoted, for before Python 3.12 `array` has no subscript.
    lines: "array[int]" = array("H")
    allows: bytes = b""
    splits: bytes = b""
    first_lines: tuple[int, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    is_plain: bool = True
    has_wildcards: bool = False

    def disallows(self, number: int) -> bool:
        """Return whether the rule with this *number* is a Disallow."""
        return not (self.allows and self.allows[number])

    def is_split(self, number: int) -> bool:
        """Return whether only the cautious reading obeys the rule."""
        return bool(self.splits and self.splits[number])

    def record(self, number: int) -> int:
        """Return the place of the record that has the rule."""
        return bisect_right(self.first_lines, self.lines[number]) - 1


class RobotReading:
    """What one pass over the *text* of a file finds for one robot.

    *rules* are the rules that the robot obeys, *crawl_delay* the seconds that it is to pause
    between two requests, *sitemaps* those that the file names, as written, in order, each
    once; *has_any* says whether the file has any record, for this robot or another, and
    *is_cautious* that the reading is the cautious one.

    A warning may be about the lines *above* all records, the *own* lines of the records that
    the robot obeys, those of them that are *open*, without a rule of their own or with some
    that a blank line parts from them, and *elsewhere* about a line that may mean the robot.
    """

    __slots__ = (
        "_choice",
        "_delays",
        "_first_lines",
        "_known_names",
        "_names",
        "_sitemaps",
        "above",
        "elsewhere",
        "has_any",
        "is_cautious",
        "open",
        "own",
        "rules",
        "text",
    )

    def __init__(
        self, text: str, dialect: Dialect, reading: str, robot: Sequence[str]
    ) -> None:
        """Read *text* for the robot with these names (see `robot_names`)."""
        self.text = text
        self.is_cautious = reading == CAUTIOUS
        self.above: Part
        self.elsewhere: list[Entry] = []
        self.own = Part([], [], [], [])
        self.open: list[Part] = []
        # Of the records that the robot obeys: first lines, names, and all pauses.
        self._first_lines: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._delays: list[float] = []
        self._known_names = {_DEFAULT: _DEFAULT}
        self._choice = dialect.choice(robot)
        self._sitemaps: dict[str, None] = {}
        record = 0
        # What is above all records comes first, be it empty.
        for record, part in enumerate(parts_of(text, dialect, MAX_OTHER_LINES)):
            self._take(record, part)
        self.has_any = record > 0
        self.rules = self._obeyed(dialect)

    def _take(self, record: int, part: Part) -> None:
        """Take the lines of a *record*, or those above all of them."""
        delays: list[float] = []
        for _, _, kind, field, _, value, said, _ in part.others:
            role = field and field.role
            if role is _NAMES:
                continue
            if role is _SITEMAP:
                # Ours X7: it belongs to no record and may stand anywhere.
                self._sitemaps[value] = None
            elif role is not _PAUSE:
                raise NotImplementedError(role)
            # Ours X4: without a number it is ignored. Ours O5: the cautious reading obeys
            # what a blank line parts from its record.
            elif said is not None and (kind is not _ORPHAN or self.is_cautious):
                delays.append(said)
        if not record:
            self.above = part
        elif self._choice.offer(part.names, record):
            if self._first_lines and len(self._choice.chosen) == 1:
                # It speaks to the robot more plainly than those before.
                self._forget()
            self._obey(part)
            self._delays += delays
        else:
            self.elsewhere += part.slips

    def _forget(self) -> None:
        """Obey no record so far."""
        self.elsewhere += self.own.slips
        self.own, self.open = Part([], [], [], []), []
        self._first_lines, self._names, self._delays = [], [], []

    def _obey(self, part: Part) -> None:
        """Take a record that the robot obeys, as far as the file is read."""
        own, names = self.own, tuple(part.names)
        own.rules.extend(part.rules)
        own.without.extend(part.without)
        if len(own.others) < MAX_OTHER_LINES:
            own.others.extend(part.others)
        is_whole = part.rules and part.rules[-1][2] is not _ORPHAN
        if not is_whole and len(self.open) < MAX_OPEN_RECORDS:
            self.open.append(part)
        self._first_lines.append(part.others[0][0])
        # Thousands of records may have equal names.
        self._names.append(self._known_names.setdefault(names, names))

    def _obeyed(self, dialect: Dialect) -> Rules:
        """Return the rules that the robot obeys."""
        allows = splits = b""
        # Ours O5: the cautious reading obeys what a blank line parts from its record.
        ignored = None if self.is_cautious else _ORPHAN
        # Ours O4: above all records a rule is ignored. 1994 D2, Ours O21: an empty path
        # closes nothing.
        obeyed = [it for it in self.own.rules if it[5] and it[2] is not ignored]
        if dialect.has_lists:
            # Revisited K2: a line may have several paths.
            paths = dialect.paths
            obeyed = [
                (*it[:5], path, *it[6:]) for it in obeyed for path in paths(it[5])
            ]
        last_line = obeyed[-1][0] if obeyed else 0
        obeyed.sort(key=itemgetter(5))
        values = [it[5] for it in obeyed]
        if self.is_cautious:
            splits = bytes([it[2] is _ORPHAN for it in obeyed])
        if dialect.has_allow:
            allows = bytes([it[3] is not None and it[3].allows for it in obeyed])
        text = "\n".join(values)
        is_path = f"\n{text}".count("\n/") == len(values)
        return Rules(
            values,
            small_array([it[0] for it in obeyed], last_line),
            allows if any(allows) else b"",
            splits if any(splits) else b"",
            tuple(self._first_lines),
            tuple(self._names),
            is_path and text.isascii() and "%" not in text,
            "*" in text or "$" in text,
        )

    @property
    def is_named(self) -> bool:
        """Whether the robot obeys a record that is not for every robot."""
        return not all(EVERYBODY in names for names in self.rules.names)

    @property
    def crawl_delay(self) -> float | None:
        """The seconds that the robot is to pause between two requests."""
        # Ours X5: of several delays for our robot the longest counts.
        return max(self._delays, default=None)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file names, as written, in order, each once."""
        return tuple(filter(None, self._sitemaps))
