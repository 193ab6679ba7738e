"""What one pass over a file finds for one robot: its rules, its pause, and odd lines."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, itemgetter

from scrapy_robots1994.parser.columns import small_array
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.user_agent import EVERYBODY, Choice

# Before Python 3.12 each look-up of a member calls a function, and lines are many.
_ORPHAN = LineKind.ORPHAN
# A place is found sooner than a name.
_RULES = attrgetter("rules")
_NUMBER, _VALUE = map(itemgetter, map(Line._fields.index, ("number", "value")))

# The names of most records that a robot obeys, one object for all files.
_DEFAULT: tuple[str, ...] = (EVERYBODY,)

MAX_OTHER_LINES = 5_000
"""So many lines of a file that have no field of the dialect, and so many that name the robot,
are looked at for warnings.

A hostile file may have a hundred times as many, and Python's garbage collector stops all
threads while it goes through so many objects.
"""

MAX_OWN_RECORDS = 500
"""So many records of a robot are looked at for warnings; of all others only their rules are."""


@dataclass(slots=True)
class RuleColumns:
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


class RobotReading:
    """What one pass over the *text* of a file finds for one robot.

    *rules* are the rules that the robot obeys, *crawl_delay* the seconds that it is to pause
    between two requests, *sitemaps* those that the file names, as written, in order, each
    once; *has_any* says whether the file has any record, for this robot or another, and
    *is_cautious* that the reading is the cautious one.

    A warning may be about the lines *above* all records, the *own* records that the robot obeys,
    the first of very many, *own_rules*, the rules of all of them, and lines *elsewhere* that may
    mean the robot.
    """

    __slots__ = (
        "above",
        "crawl_delay",
        "elsewhere",
        "has_any",
        "is_cautious",
        "own",
        "own_rules",
        "rules",
        "sitemaps",
        "text",
    )

    def __init__(
        self,
        text: str,
        dialect: Dialect,
        reading: str,
        robot: Sequence[str],
        *,
        for_warnings: bool = True,
    ) -> None:
        """Read *text* for the robot with these names (see `robot_names`).

        Without *for_warnings* it has what rules are made of, and nothing for a warning.
        """
        self.text = text
        self.is_cautious = reading == CAUTIOUS
        self.above: Group
        self.elsewhere: list[Line] = []
        choice, obeyed = dialect.choice(robot), list[Group]()
        sitemaps: dict[str, None] = {}
        most = MAX_OTHER_LINES if for_warnings else 0
        groups = groups_of(text, dialect, most=most, only_effective=not for_warnings)
        record = 0
        for record, group in enumerate(groups):
            if group.others:
                _add_sitemaps(sitemaps, group)
            if not record:
                # What is above all records comes first, be it empty.
                self.above = group
            elif choice.offer(group.names, record):
                if obeyed and len(choice.chosen) == 1:
                    # It speaks to the robot more plainly than those before.
                    self.elsewhere += chain.from_iterable(it.slips for it in obeyed)
                    obeyed.clear()
                obeyed.append(group)
            elif for_warnings:
                self.elsewhere += group.slips
        self.has_any = record > 0
        self.own = obeyed[:MAX_OWN_RECORDS]
        self.own_rules = [*chain.from_iterable(map(_RULES, obeyed))]
        self.rules = self._obeyed(obeyed, dialect)
        self.sitemaps = tuple(sitemaps)
        self.crawl_delay = self._crawl_delay(obeyed, dialect, choice)

    def _crawl_delay(
        self, records: Sequence[Group], dialect: Dialect, choice: Choice
    ) -> float | None:
        """Return the longest pause for the robot in *records*, which it obeys."""
        longest: float | None = None
        for group in records:
            for line, run in zip(group.others, group.runs, strict=True):
                # Ours X4: without a number it is ignored. Ours O5: the cautious reading obeys
                # what a blank line parts from its record. RFC 9309 has no such field, so
                # merging gives it to no other group.
                if (
                    line.row is not None
                    and line.row.role is Role.PAUSE
                    and line.said is not None
                    and (line.kind is not _ORPHAN or self.is_cautious)
                    and (
                        not dialect.pauses_by_run
                        or choice.obeys_by(group.names[slice(*run)])
                    )
                ):
                    # Ours X5: of several delays for our robot the longest counts.
                    longest = max(line.said, longest or 0.0)
        return longest

    def _obeyed(self, records: Sequence[Group], dialect: Dialect) -> RuleColumns:
        """Return the rules that the robot obeys, those of *records*."""
        # Ours O5: the cautious reading obeys what a blank line parts from its record.
        ignored = None if self.is_cautious else _ORPHAN
        # Ours O4: above all records a rule is ignored. 1994 D2, Ours O21: an empty path
        # closes nothing.
        obeyed = [it for it in self.own_rules if it.value and it.kind is not ignored]
        last_line = obeyed[-1].number if obeyed else 0
        if dialect.has_lists:
            # Revisited K2: a line may have several paths.
            obeyed = [
                it._replace(value=path)
                for it in obeyed
                for path in dialect.paths(it.value)
            ]
        obeyed.sort(key=_VALUE)
        values = list(map(_VALUE, obeyed))
        allows = splits = b""
        if self.is_cautious:
            splits = bytes([it.kind is _ORPHAN for it in obeyed])
        if dialect.has_allow:
            allows = bytes([it.row is not None and it.row.allows for it in obeyed])
        # One object for equal names: thousands of records may have them.
        known, names = {_DEFAULT: _DEFAULT}, (tuple(it.names) for it in records)
        text = "\n".join(["", *values])
        is_path = text.count("\n/") == len(values)
        return RuleColumns(
            values,
            small_array(map(_NUMBER, obeyed), last_line),
            allows if any(allows) else b"",
            splits if any(splits) else b"",
            tuple(it.agents[0].number for it in records),
            tuple(known.setdefault(it, it) for it in names),
            is_path and "%" not in text and text.isascii(),
            "*" in text or "$" in text,
        )

    @property
    def slips(self) -> list[Line]:
        """The lines of its records that are no rules and may be meant as something else."""
        return [line for group in self.own for line in group.slips]

    @property
    def is_named(self) -> bool:
        """Whether the robot obeys a record that is not for every robot."""
        return not all(EVERYBODY in names for names in self.rules.names)


def _add_sitemaps(sitemaps: dict[str, None], group: Group) -> None:
    """Add the sitemaps of *group* to *sitemaps*, as written, in order, each once."""
    for line in group.others:
        role = line.row and line.row.role
        # Ours X7: a sitemap belongs to no record and may stand anywhere.
        if role is Role.SITEMAP:
            if line.value:
                sitemaps[line.value] = None
        elif role is not Role.PAUSE:
            raise NotImplementedError(role)
