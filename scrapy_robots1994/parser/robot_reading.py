"""What one pass over a file finds for one robot: its rules, its pause, and odd lines."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from scrapy_robots1994.parser.columns import parts_of_texts, small_array
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import LineKind, Role
from scrapy_robots1994.parser.reader import Entry, Part, parts_of
from scrapy_robots1994.parser.user_agent import EVERYBODY

# Before Python 3.12 each look-up of a member calls a function, and lines are many.
_ORPHAN = LineKind.ORPHAN
_NUMBER, _VALUE = itemgetter(0), itemgetter(5)

# The names of most records that a robot obeys, one object for all files.
_DEFAULT = (EVERYBODY,)

MAX_OTHER_LINES = 5_000
"""So many lines of a file that have no field of the dialect, and so many that name the robot,
are looked at for warnings.

A hostile file may have a hundred times as many, and Python's garbage collector stops all
threads while it goes through so many objects.
"""

MAX_OPEN_RECORDS = 500
"""So many records of a robot that have no rule, or end before their last one, are looked at."""


@dataclass(slots=True)
class Rules:
    """The rules that a robot obeys, but empty ones, in columns and sorted by their values.

    The number of a rule is its place, from 0. *values* are the paths as written, *lines* their
    lines. *allows* says which are Allow, and *splits* which only the cautious reading obeys;
    each is empty if none is. *first_lines* and *names* are those of the records that the robot
    obeys. *is_plain* says that each value is a path in ASCII without an escape, *has_wildcards*
    that one has `*` or `$`.

    The table that is made of them stores *values* in less memory.
    """

    values: Sequence[str]
    lines: Sequence[int]
    allows: bytes
    splits: bytes
    first_lines: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]
    is_plain: bool
    has_wildcards: bool

    def disallows(self, number: int) -> bool:
        """Return whether the rule with this *number* is a Disallow."""
        return not (self.allows and self.allows[number])

    def is_split(self, number: int) -> bool:
        """Return whether only the cautious reading obeys the rule."""
        return bool(self.splits and self.splits[number])

    def record(self, number: int) -> int:
        """Return the place of the record that has the rule."""
        return bisect_right(self.first_lines, self.lines[number]) - 1

    def parts(self) -> Iterable[object]:
        """Return the objects that take memory."""
        columns = self.lines, self.allows, self.splits, self.first_lines
        return self, *columns, self.names, *self.names, *parts_of_texts(self.values)


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
        "_delays",
        "_first_lines",
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
        self._forget()
        self._sitemaps: dict[str, None] = {}
        choice = dialect.choice(robot)
        record = 0
        # What is above all records comes first, be it empty.
        for record, part in enumerate(parts_of(text, dialect, MAX_OTHER_LINES)):
            delays = self._take_others(part) if part.others else []
            if not record:
                self.above = part
            elif choice.offer(part.names, record):
                if self._first_lines and len(choice.chosen) == 1:
                    # It speaks to the robot more plainly than those before.
                    self.elsewhere += self.own.slips
                    self._forget()
                self._obey(part)
                self._delays += delays
            else:
                self.elsewhere += part.slips
        self.has_any = record > 0
        self.rules = self._obeyed(dialect)

    def _forget(self) -> None:
        """Obey no record so far."""
        self.own = Part()
        self.open: list[Part] = []
        # Of the records that the robot obeys: first lines, names, and all pauses.
        self._first_lines: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._delays: list[float] = []

    def _take_others(self, part: Part) -> list[float]:
        """Take the sitemaps of *part*, and return its pauses."""
        delays: list[float] = []
        for _, _, kind, field, _, value, said, _ in part.others:
            role = field and field.role
            if role is Role.SITEMAP:
                # Ours X7: it belongs to no record and may stand anywhere.
                self._sitemaps[value] = None
            elif role is not Role.PAUSE:
                raise NotImplementedError(role)
            # Ours X4: without a number it is ignored. Ours O5: the cautious reading obeys
            # what a blank line parts from its record.
            elif said is not None and (kind is not _ORPHAN or self.is_cautious):
                delays.append(said)
        return delays

    def _obey(self, part: Part) -> None:
        """Take a record that the robot obeys, as far as the file is read."""
        own, names = self.own, tuple(part.names)
        own.rules.extend(part.rules)
        own.without.extend(part.without)
        if len(own.agents) < MAX_OTHER_LINES:
            own.agents.extend(part.agents)
        is_whole = part.rules and part.rules[-1][2] is not _ORPHAN
        if not is_whole and len(self.open) < MAX_OPEN_RECORDS:
            self.open.append(part)
        self._first_lines.append(part.agents[0][0])
        # One object for equal names: thousands of records may have them.
        before = self._names[-1] if self._names else _DEFAULT
        self._names.append(before if before == names else names)

    def _obeyed(self, dialect: Dialect) -> Rules:
        """Return the rules that the robot obeys."""
        # Ours O5: the cautious reading obeys what a blank line parts from its record.
        ignored = None if self.is_cautious else _ORPHAN
        # Ours O4: above all records a rule is ignored. 1994 D2, Ours O21: an empty path
        # closes nothing.
        obeyed = [it for it in self.own.rules if it[5] and it[2] is not ignored]
        last_line = obeyed[-1][0] if obeyed else 0
        if dialect.has_lists:
            # Revisited K2: a line may have several paths.
            paths = dialect.paths
            obeyed = [
                (*it[:5], path, *it[6:]) for it in obeyed for path in paths(it[5])
            ]
        obeyed.sort(key=_VALUE)
        values = list(map(_VALUE, obeyed))
        allows = splits = b""
        if self.is_cautious:
            splits = bytes([it[2] is _ORPHAN for it in obeyed])
        if dialect.has_allow:
            allows = bytes([it[3] is not None and it[3].allows for it in obeyed])
        text = "\n".join(["", *values])
        is_path = text.count("\n/") == len(values)
        return Rules(
            values,
            small_array(map(_NUMBER, obeyed), last_line),
            allows if any(allows) else b"",
            splits if any(splits) else b"",
            tuple(self._first_lines),
            tuple(self._names),
            is_path and "%" not in text and text.isascii(),
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
