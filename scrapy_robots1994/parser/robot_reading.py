"""The result of one parse of a file for one robot: rules, crawl delay, and lines for warnings."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from scrapy_robots1994.parser.columns import small_array
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.user_agent import EVERYBODY

# Look up the member only once: before Python 3.12, each look-up calls a function, and a file may
# have many lines.
_ORPHAN = LineKind.ORPHAN
# Getting an item of a tuple by its place is faster than by its name.
_NUMBER, _VALUE = map(itemgetter, map(Line._fields.index, ("number", "value")))

# Most records that a robot obeys have these names. All files share this one object.
_DEFAULT: tuple[str, ...] = (EVERYBODY,)

MAX_OTHER_LINES = 5_000
"""Maximum number of lines without a field of the dialect in which a crawl looks for problems, and
maximum number of User-agent lines of one record.

A hostile file may have a hundred times as many lines. Python's garbage collector stops all threads
while it goes through so many objects.
"""

MAX_OWN_RECORDS = 500
"""Maximum number of records of a robot in which a crawl looks for all problems. In further records,
a crawl looks only at the rules.
"""


@dataclass(slots=True)
class RuleColumns:
    """The rules with a value that a robot obeys, in columns, sorted by their values.

    The number of a rule is its place, from 0. *values* are the paths as written, *lines* their line
    numbers. *allows* has a 1 for each Allow rule, and *splits* a 1 for each rule that only the
    cautious reading obeys; each is empty if there is no such rule. *first_lines* and *names* are
    the first lines and the names of the records that the robot obeys. *is_plain* says that each
    value is a path in ASCII without an escape; *has_wildcards*, that a value has `*` or `$`.

    A rule table that is compiled from these columns replaces *values* by a smaller object.
    """

    values: Sequence[str]
    lines: Sequence[int]
    allows: bytes
    splits: bytes
    first_lines: Sequence[int]
    names: tuple[tuple[str, ...], ...]
    is_plain: bool
    has_wildcards: bool

    def disallows(self, number: int) -> bool:
        """Return whether the rule with this *number* is a Disallow."""
        return not (self.allows and self.allows[number])

    def is_split(self, number: int) -> bool:
        """Return whether only the cautious reading obeys the rule with this *number*."""
        return bool(self.splits and self.splits[number])

    def record(self, number: int) -> int:
        """Return the place, from 0, of the record that has the rule with this *number*."""
        return bisect_right(self.first_lines, self.lines[number]) - 1


class RobotReading:
    """The result of one parse of the *text* of a file for one robot.

    *rules* are the rules that the robot obeys, *crawl_delay* the seconds that the robot must pause
    between two requests, and *sitemaps* the distinct sitemaps of the file, as written and in order.
    *has_any* says whether the file has any record, for this robot or another. *is_cautious* says
    that the reading is the cautious reading.

    Warnings are about these lines: *above* are the lines above all records, *own* the records that
    the robot obeys (at most `MAX_OWN_RECORDS`), *own_rules* the rules of all records that the robot
    obeys, and *elsewhere* the lines of other records that may be meant for the robot.
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
        "own",
        "own_rules",
        "rules",
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

        Without *for_warnings*, lines that only warnings need are left out.
        """
        self.text = text
        self.is_cautious = reading == CAUTIOUS
        self.above: Group
        self.elsewhere: list[Line] = []
        self._forget()
        self._sitemaps: dict[str, None] = {}
        choice = dialect.choice(robot)
        record = 0
        # The first group has the lines above all records, and may be empty.
        groups = groups_of(
            text,
            dialect,
            most=MAX_OTHER_LINES if for_warnings else 0,
            only_effective=not for_warnings,
        )
        for record, group in enumerate(groups):
            pauses = self._take_others(group) if group.others else {}
            if not record:
                self.above = group
            elif choice.offer(group.names, record):
                if self._first_lines and len(choice.chosen) == 1:
                    # This record names the robot more specifically than the records before, so the
                    # robot obeys none of the earlier records.
                    self.elsewhere += self.slips if for_warnings else ()
                    self._forget()
                self._obey(group)
                for run, seconds in pauses.items():
                    # RFC 9309 does not define Crawl-delay, so merging groups does not extend a
                    # delay to the names of another group.
                    if not dialect.pauses_by_run or choice.obeys_by(
                        group.names[slice(*run)]
                    ):
                        self._delays.append(seconds)
            elif for_warnings:
                self.elsewhere += group.slips
        self.has_any = record > 0
        self.rules = self._obeyed(dialect)

    def _forget(self) -> None:
        """Start again with no record that the robot obeys."""
        self.own: list[Group] = []
        self.own_rules: list[Line] = []
        # The first lines, the names and all pauses of the records that the robot obeys.
        self._first_lines: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._delays: list[float] = []

    def _take_others(self, group: Group) -> dict[tuple[int, int], float]:
        """Take the sitemaps of *group*, and return the longest pause for each run of names."""
        pauses: dict[tuple[int, int], float] = {}
        for line, run in zip(group.others, group.runs, strict=True):
            role, said = line.row and line.row.role, line.said
            if role is Role.SITEMAP:
                # Ours X7 (Sitemap): a sitemap belongs to no record, and may be anywhere in the
                # file.
                self._sitemaps[said] = None
            elif role is not Role.PAUSE:
                raise NotImplementedError(role)
            # Ours X4 (Crawl-delay): a delay without a number is ignored. Ours O5 (readings): the
            # cautious reading obeys a line that a blank line separates from its record.
            elif said is not None and (line.kind is not _ORPHAN or self.is_cautious):
                # Ours X5: of several delays for our robot the longest counts.
                pauses[run] = max(said, pauses.get(run, said))
        return pauses

    def _obey(self, group: Group) -> None:
        """Add a record that the robot obeys, unless a later record names the robot more
        specifically.
        """
        names = tuple(group.names)
        self.own_rules += group.rules
        if len(self.own) < MAX_OWN_RECORDS:
            self.own.append(group)
        self._first_lines.append(group.agents[0].number)
        # Share one tuple between records with equal names: a file may have thousands of such
        # records.
        before = self._names[-1] if self._names else _DEFAULT
        self._names.append(before if before == names else names)

    def _obeyed(self, dialect: Dialect) -> RuleColumns:
        """Return the rules that the robot obeys."""
        # Ours O5: the cautious reading obeys a rule that a blank line separates from its record.
        ignored = None if self.is_cautious else _ORPHAN
        # Ours O4: a rule above all records is ignored. 1994 D2 (empty value), Ours O21: an empty
        # path disallows nothing.
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
        text = "\n".join(["", *values])
        is_path = text.count("\n/") == len(values)
        return RuleColumns(
            values,
            small_array(map(_NUMBER, obeyed), last_line),
            allows if any(allows) else b"",
            splits if any(splits) else b"",
            small_array(self._first_lines, max(self._first_lines, default=0)),
            tuple(self._names),
            is_path and "%" not in text and text.isascii(),
            "*" in text or "$" in text,
        )

    @property
    def slips(self) -> list[Line]:
        """The lines of *own*, other than rules, that may not mean what their author intended."""
        return [line for group in self.own for line in group.slips]

    @property
    def is_named(self) -> bool:
        """Whether the robot obeys a record that is not for every robot."""
        return not all(EVERYBODY in names for names in self.rules.names)

    @property
    def crawl_delay(self) -> float | None:
        """The seconds that the robot must pause between two requests; None without a delay."""
        # Ours X5: of several delays for our robot the longest counts.
        return max(self._delays, default=None)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The distinct sitemaps of the file, as written and in order."""
        return tuple(filter(None, self._sitemaps))
