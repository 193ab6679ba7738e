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
from scrapy_robots1994.parser.user_agent import EVERYBODY, Choice

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
    blank, comment, orphan = LineKind.BLANK, LineKind.COMMENT, LineKind.ORPHAN
    unknown, malformed, names_role = LineKind.UNKNOWN, LineKind.MALFORMED, Role.NAMES
    record = 0
    # Whether a User-agent line now begins another record, and whether a blank line
    # ended the record.
    is_named = is_parted = False
    # 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else: just what an
    # empty `newline` makes of it.
    for number, raw in enumerate(StringIO(text, newline=""), 1):
        # 1994 F5: the comment is discarded; the space before it goes with the value.
        content = raw.partition(COMMENT)[0] if COMMENT in raw else raw
        # 1994 F3: a line is field name, colon, optional space, value.
        name, colon, value = content.partition(":")
        # Ours O15: space before the colon and at the start of the line is accepted.
        name = name.strip(_SPACE_OR_END)
        if not colon or not name:
            if name or colon:
                # Ours O14: a line without this form is ignored, never guessed.
                yield number, record, malformed, None, "", "", None, raw
            elif content is not raw:
                # 1994 F5: a line of a comment alone vanishes, and is not blank.
                yield number, record, comment, None, "", "", None, raw
            else:
                # 1994 F1: blank lines separate records. Ours O5: also where only
                # User-agent lines precede them.
                is_parted = has_blank_lines and record > 0
                yield number, record, blank, None, "", "", None, raw
            continue
        value = value.strip(_SPACE_OR_END)
        # 1994 F4: field names compare without case.
        field = fields.get(name.lower())
        if field is None:
            # 1994 F6: any other field is ignored, wherever it stands.
            yield number, record, unknown, None, name, value, value, raw
            continue
        kind, said = field.kind, value
        if field.role is names_role:
            said = names_of(value)
        elif field.read is not None:
            said = field.read(value)
        if (said is None or said == ()) and field.bad_value is not None:
            # Ours O12, X4: what says nothing is ignored.
            kind = field.bad_value.kind
        elif field.role is names_role:
            # 1994 F1: after a blank line another record starts. Ours O7, X2: also after a
            # rule; X6: but not after a Crawl-delay.
            if is_named or is_parted or not record:
                record += 1
                is_named = is_parted = False
        elif field.in_record:
            if is_parted or not record:
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
        number, _, kind, field, name, value, said, _ = entry
        is_orphan = kind is LineKind.ORPHAN
        if not is_orphan:
            self.last_line = number
        role = field.role if field else Role.NONE
        if role is Role.NAMES:
            self.agents += [Agent(each, number) for each in said]
        elif role is Role.PAUSE:
            delays = self.orphan_delays if is_orphan else self.delays
            delays.append(Delay(said, number, f"{name}: {value}"))
        elif field is not None:
            rules = self.orphans if is_orphan else self.rules
            paths = dialect.paths(value)
            rules += [Rule(path, number, field.allows) for path in paths]

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


class Head(NamedTuple):
    """A record that a robot obeys: its names, its first line, and the number of the first of
    its rules among those of the robot.
    """

    names: list[str]
    first_line: int
    first_rule: int


# Values that no check is about, but for wildcards.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+|\*")
_PLAIN_PATH = re.compile(r"(?:/[!-\"%-)+-9;-~]*)?")


class RobotReading:
    """What one pass over a file finds for one robot.

    The columns *values*, *lines*, *allows* and *splits* have an entry for each rule that the
    robot obeys and that is not empty: the path as written, its line, whether it is an
    Allow, and whether only the cautious reading obeys it. *heads* are the records, in the
    order of the file. *has_any* says whether the file has any record.

    *entries* are those that a warning may be about, in the order of the lines: all of the
    records that the robot obeys but comments, the rules above all records, and, of the
    other records, lines that may be a slip or that name a robot oddly. *is_odd* says that
    something in them is not plain: an odd name or path, a wildcard, a line without
    effect, a record without rules. Where it is False, no warning is due.
    """

    __slots__ = (
        "_choice",
        "_dialect",
        "_first",
        "_has_rules",
        "_is_cautious",
        "_is_obeyed",
        "_names",
        "_pause",
        "_pauses",
        "_record",
        "_run",
        "_sitemaps",
        "allows",
        "entries",
        "heads",
        "is_odd",
        "lines",
        "splits",
        "values",
    )

    def __init__(
        self, text: str, dialect: Dialect, reading: str, robot: Sequence[str]
    ) -> None:
        """Read *text* for the robot with these names (see `robot_names`)."""
        self.values: list[str] = []
        self.lines: list[int] = []
        self.allows: list[bool] = []
        self.splits: list[bool] = []
        self.heads: list[Head] = []
        self.entries: list[Entry] = []
        self.is_odd = False
        self._choice = Choice(robot, dialect.rank, merges_named=dialect.merges_named)
        self._dialect = dialect
        self._is_cautious = reading == CAUTIOUS
        self._sitemaps: dict[str, None] = {}
        # The seconds that the records ask for which the robot obeys; Extended X5: the
        # longest counts.
        self._pauses: list[float] = []
        # Of the present record: its number, first line, User-agent lines, names and pause,
        # whether it has a rule, and whether the robot obeys it as far as it is read. What is
        # above all records is looked at as if the robot obeyed it.
        self._record = self._first = 0
        self._run: list[Entry] = []
        self._names: list[str] = []
        self._pause: float | None = None
        self._has_rules = self._is_obeyed = True
        # A role without a method is an error here, not a line without effect.
        take = {role: getattr(self, f"_take_{role.name.lower()}") for role in Role}
        ignored = take[Role.NONE]
        for entry in read(text, dialect):
            field = entry[3]
            if field is not None:
                take[field.role](entry)
            elif entry[2] is not LineKind.COMMENT:
                ignored(entry)
        self._end_record()

    @property
    def has_any(self) -> bool:
        """Whether the file has any record, for this robot or another."""
        return self._record > 0

    @property
    def crawl_delay(self) -> float | None:
        """The seconds that the file asks the robot to pause between two requests."""
        return max(self._pauses, default=None)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file names, as written, in order, each once."""
        return tuple(self._sitemaps)

    def _take_names(self, entry: Entry) -> None:
        """Take a User-agent line."""
        number, record, kind, field, _, value, names, _ = entry
        self._run.append(entry)
        if not _PLAIN_NAME.fullmatch(value):
            # It may mean this robot in a way that the standard does not know.
            self.is_odd = True
            if not self._is_obeyed:
                self.entries.append(entry)
        if field and kind is not field.kind:
            # Ours O12: it names no robot.
            return
        if record != self._record:
            self._end_record()
            self._record, self._first, self._names, self._run = (
                record,
                number,
                [],
                [entry],
            )
            self._has_rules, self._pause = False, None
        self._names += names
        self._is_obeyed = self._choice.offer(names, record)
        if not self._is_obeyed:
            return
        if self._choice.chosen == [record]:
            # It is the first, or speaks to the robot more plainly than those before. No
            # rule of its own is here yet, for names come before rules.
            for column in (self.values, self.lines, self.allows, self.splits):
                column.clear()
            self.heads.clear()
            self._pauses.clear()
        if not self.heads or self.heads[-1].names is not self._names:
            self.heads.append(Head(self._names, self._first, len(self.values)))
        self.entries += self._run
        self._run = []

    def _end_record(self) -> None:
        """Take what is known of a record only at its end."""
        if self._is_obeyed:
            self.is_odd |= not self._has_rules
            if self._pause is not None:
                self._pauses.append(self._pause)
        self._run = []

    def _take_rule(self, entry: Entry) -> None:
        """Take a Disallow or Allow line."""
        if not self._is_obeyed:
            return
        number, record, kind, field, _, value, _, _ = entry
        self._has_rules = True
        self.entries.append(entry)
        is_orphan = kind is LineKind.ORPHAN
        if is_orphan or not _PLAIN_PATH.fullmatch(value):
            self.is_odd = True
            # Ours O4: above all records it is ignored. Ours O5: the cautious reading
            # obeys what a blank line parts from the record.
            if is_orphan and not (record and self._is_cautious):
                return
        # Revisited K2: a line may have several paths.
        paths = self._dialect.paths(value) if self._dialect.has_lists else (value,)
        for path in paths:
            # 1994 D2, Ours O21: an empty path closes nothing.
            if path:
                self.values.append(path)
                self.lines.append(number)
                self.allows.append(field is not None and field.allows)
                self.splits.append(is_orphan)

    def _take_pause(self, entry: Entry) -> None:
        """Take a line that asks for a pause."""
        _, record, kind, field, _, _, seconds, _ = entry
        if self._is_obeyed:
            self.entries.append(entry)
        if kind is LineKind.ORPHAN:
            if not (record and self._is_cautious):
                return
        elif field and kind is not field.kind:
            # Ours X4: without a number it is ignored.
            return
        self._pause = max(self._pause or 0.0, seconds)

    def _take_sitemap(self, entry: Entry) -> None:
        """Take a Sitemap line."""
        # Ours X7: it belongs to no record and may stand anywhere.
        if entry[5]:
            self._sitemaps[entry[5]] = None

    def _take_none(self, entry: Entry) -> None:
        """Take a blank line, or one without effect."""
        kind, name = entry[2], entry[4]
        if kind is LineKind.BLANK:
            if self._is_obeyed:
                self.entries.append(entry)
            return
        known = FIELD_NAMED.get(name.lower()) if name else None
        # A slip may mean a record for this robot. What another dialect knows is none, but an
        # Allow may have closed or opened paths of its record.
        is_slip = known is None or (self._is_obeyed and known.role is Role.RULE)
        self.is_odd |= is_slip
        if is_slip or self._is_obeyed:
            self.entries.append(entry)
