"""The result of one parse of a file for one robot. The result contains the rules, the crawl
delay, and the lines to which warnings refer.
"""

from collections.abc import Sequence
from operator import itemgetter

from scrapy_robots1994.parser.columns import small_array
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.fields import LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.rule_table import ALLOW, SPLIT, RuleColumns
from scrapy_robots1994.parser.user_agent import EVERYBODY

# Look up the member of `LineKind` only once. Before Python 3.12, each look-up calls a
# function, and a file may contain many lines.
_ORPHAN = LineKind.ORPHAN
# Access an item of a named tuple by its place, which is faster than access by its name.
_NUMBER, _VALUE = map(itemgetter, map(Line._fields.index, ("number", "value")))

# The names of the default record. Most robots obey only the default record, so all files
# share this object.
_DEFAULT: tuple[str, ...] = (EVERYBODY,)

MAX_OTHER_LINES = 5_000
"""The maximum number of lines without a field of the dialect that a crawl checks for
problems. `MAX_OTHER_LINES` also limits the number of User-agent lines that a crawl checks
in one record.

A hostile file may contain 500,000 lines. All threads would wait while Python's garbage
collector visits 500,000 objects.
"""

MAX_OWN_RECORDS = 500
"""The maximum number of obeyed records that a crawl checks for all problems. In further
obeyed records, a crawl checks only the rules.
"""


class RobotReading:
    """The result of one parse of the *text* of a file for one robot.

    *rules* are the rules that the robot obeys. *crawl_delay* is the number of seconds that
    the robot must pause between two requests. *sitemaps* are the distinct sitemaps in the
    file, as written and in order. *has_any* is `True` if the file contains at least one
    record. *is_cautious* is `True` if the reading is the cautious reading.

    The other attributes contain the lines to which warnings refer. *above* contains the
    lines above all records. *own* contains the first `MAX_OWN_RECORDS` of the records that
    the robot obeys. *own_rules* contains the rules of all records that the robot obeys.
    *elsewhere* contains the slips in the records that the robot does not obey. A slip is a
    line that may not mean what its author intended (see `Group.slips`).
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
        """Read *text* for a robot. *robot* contains the names of the robot, as
        `robot_names` returns the names.

        If *for_warnings* is false, lines that are needed only for warnings are omitted.
        """
        self.text = text
        self.is_cautious = reading == CAUTIOUS
        self.above: Group
        self.elsewhere: list[Line] = []
        self._forget()
        self._sitemaps: dict[str, None] = {}
        choice = dialect.choice(robot)
        record = 0
        # The first group contains the lines above all records, and may be empty.
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
                    # This record names the robot more specifically than the earlier
                    # records, so the robot does not obey the earlier records.
                    self.elsewhere += self.slips if for_warnings else ()
                    self._forget()
                self._obey(group)
                for run, seconds in pauses.items():
                    # In RFC 9309, groups with the same name are merged. A Crawl-delay in
                    # one group does not apply to the names of another group, because RFC
                    # 9309 does not define Crawl-delay.
                    if not dialect.pauses_by_run or choice.obeys_by(
                        group.names[slice(*run)]
                    ):
                        self._delays.append(seconds)
            elif for_warnings:
                self.elsewhere += group.slips
        self.has_any = record > 0
        self.rules = self._obeyed(dialect)

    def _forget(self) -> None:
        """Discard the records that have been collected for the robot so far."""
        self.own: list[Group] = []
        self.own_rules: list[Line] = []
        # The following lists contain the numbers of the first lines, the names and the
        # pauses of the records that the robot obeys.
        self._first_lines: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._delays: list[float] = []

    def _take_others(self, group: Group) -> dict[tuple[int, int], float]:
        """Store the sitemaps of *group*. Return the longest pause for each run of names."""
        pauses: dict[tuple[int, int], float] = {}
        for line, run in zip(group.others, group.runs, strict=True):
            role, said = line.row and line.row.role, line.said
            if role is Role.SITEMAP:
                # Ours X7 (Sitemap): a sitemap does not belong to a record, and may be
                # anywhere in the file.
                self._sitemaps[said] = None
            elif role is not Role.PAUSE:
                raise NotImplementedError(role)
            # Ours X4 (Crawl-delay): a Crawl-delay without a number is ignored. Ours O5
            # (readings): only the cautious reading obeys a Crawl-delay that a blank line
            # separates from its record.
            elif said is not None and (line.kind is not _ORPHAN or self.is_cautious):
                # Ours X5 (several delays): the longest delay for the robot applies.
                pauses[run] = max(said, pauses.get(run, said))
        return pauses

    def _obey(self, group: Group) -> None:
        """Add a record. The robot obeys the record, unless a later record names the robot
        more specifically.
        """
        names = tuple(group.names)
        self.own_rules += group.rules
        if len(self.own) < MAX_OWN_RECORDS:
            self.own.append(group)
        self._first_lines.append(group.agents[0].number)
        # Share one tuple between records with equal names, because a file may contain
        # thousands of records with the same names.
        before = self._names[-1] if self._names else _DEFAULT
        self._names.append(before if before == names else names)

    def _obeyed(self, dialect: Dialect) -> RuleColumns:
        """Return the rules that the robot obeys."""
        # Ours O5: only the cautious reading obeys a rule that a blank line separates from
        # its record.
        ignored = None if self.is_cautious else _ORPHAN
        # Ours O4 (rule without a record): a rule above all records is ignored. 1994 D2
        # (empty value) and Ours O21 (empty Disallow next to other rules): an empty path
        # disallows nothing.
        obeyed = [it for it in self.own_rules if it.value and it.kind is not ignored]
        last_line = obeyed[-1].number if obeyed else 0
        if dialect.has_lists:
            # Revisited K2 (lists of paths): a line may list several paths.
            obeyed = [
                it._replace(value=path)
                for it in obeyed
                for path in dialect.paths(it.value)
            ]
        obeyed.sort(key=_VALUE)
        values = list(map(_VALUE, obeyed))
        kinds = bytes(
            SPLIT * (it.kind is _ORPHAN)
            + ALLOW * (it.row is not None and it.row.allows)
            for it in obeyed
        )
        text = "\n".join(["", *values])
        is_path = text.count("\n/") == len(values)
        return RuleColumns(
            values,
            small_array(map(_NUMBER, obeyed), last_line),
            kinds if any(kinds) else b"",
            small_array(self._first_lines, max(self._first_lines, default=0)),
            tuple(self._names),
            is_path and "%" not in text and text.isascii(),
            "*" in text or "$" in text,
            max(kinds, default=0) >= ALLOW,
        )

    @property
    def slips(self) -> list[Line]:
        """The slips in the records of *own* (see `Group.slips`)."""
        return [line for group in self.own for line in group.slips]

    @property
    def is_named(self) -> bool:
        """Whether the robot obeys a record that does not apply to every robot."""
        return not all(EVERYBODY in names for names in self.rules.names)

    @property
    def crawl_delay(self) -> float | None:
        """The number of seconds that the robot must pause between two requests, or None if
        no delay applies.
        """
        # Ours X5: the longest delay for the robot applies.
        return max(self._delays, default=None)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The distinct sitemaps in the file, as written and in order."""
        return tuple(filter(None, self._sitemaps))
