"""The result of one parse of a file for one robot. The result contains the rules, the crawl
delay, and the lines to which warnings refer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind, Role
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.user_agent import EVERYBODY, joined_names

# Look up the member of `LineKind` only once. Before Python 3.12, each look-up calls a
# function, and a file may contain many lines.
_ORPHAN = LineKind.ORPHAN

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


@dataclass(slots=True)
class RobotReading:
    """The result of one parse of the *text* of a file for one robot.

    *rules* contains one line for each path that the robot obeys. *first_lines* contains the
    number of the first line of each record that the robot obeys, and *names* contains the
    names in each of the records. *crawl_delay* is the number of seconds that the robot must
    pause between two requests, or None if no delay applies. *sitemaps* are the distinct
    sitemaps in the file, as written and in order. *has_any* is `True` if the file contains
    at least one record.

    The other attributes contain the lines to which warnings refer. *above* contains the
    lines above all records. *own* contains the first `MAX_OWN_RECORDS` of the records that
    the robot obeys. *own_rules* contains the rules of all records that the robot obeys. If
    the robot obeys a record without the name `*`, *elsewhere* is empty. Otherwise,
    *elsewhere* contains the User-agent lines, and the lines without a field of the dialect,
    in the records that the robot does not obey.
    """

    text: str
    has_any: bool
    rules: list[Line]
    first_lines: list[int]
    names: list[tuple[str, ...]]
    crawl_delay: float | None
    sitemaps: tuple[str, ...]
    above: Group
    own: list[Group]
    own_rules: list[Line]
    elsewhere: list[Line]

    @property
    def allows(self) -> bool:
        """Whether one of *rules* is an Allow."""
        return any(it.row is not None and it.row.allows for it in self.rules)


@dataclass(slots=True)
class _Obeyed:
    """The records that the robot obeys, if no later record names the robot more
    specifically.

    *delays* contains the delays that apply to the robot. `RobotReading` describes the other
    attributes.
    """

    own: list[Group] = field(default_factory=list)
    own_rules: list[Line] = field(default_factory=list)
    first_lines: list[int] = field(default_factory=list)
    names: list[tuple[str, ...]] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)

    def add(self, group: Group) -> None:
        """Add the record of *group*."""
        if len(self.own) < MAX_OWN_RECORDS:
            self.own.append(group)
        self.own_rules += group.rules
        self.first_lines.append(group.agents[0].number)
        # Share one tuple between records with equal names, because a file may contain
        # thousands of records with the same names.
        names = tuple(group.names)
        before = self.names[-1] if self.names else _DEFAULT
        self.names.append(before if before == names else names)


def read_for_robot(
    text: str,
    dialect: Dialect,
    robot: Sequence[str],
    *,
    for_warnings: bool = True,
) -> RobotReading:
    """Read *text* for a robot. *robot* is the result of `robot_names` for the robot.

    If *for_warnings* is false, lines that are needed only for warnings are omitted.
    """
    joined = joined_names(robot)
    sitemaps: dict[str, None] = {}
    elsewhere: list[Line] = []
    obeyed, highest, record = _Obeyed(), 0, 0
    # The first group contains the lines above all records, and can be empty.
    groups = groups_of(
        text,
        dialect,
        most=MAX_OTHER_LINES if for_warnings else 0,
        only_effective=not for_warnings,
    )
    for record, group in enumerate(groups):
        pauses = _take_others(group, sitemaps) if group.others else {}
        if not record:
            above = group
            continue
        rank = dialect.rank_of(group.names, joined)
        is_equal = rank == highest > 0 and dialect.obeys_all(rank)
        if not is_equal and rank <= highest:
            elsewhere += group.agents + group.without if for_warnings else ()
            continue
        if rank > highest:
            # This record names the robot more specifically than the earlier records, so the
            # robot does not obey the earlier records.
            for other in obeyed.own if for_warnings else ():
                elsewhere += other.agents + other.without
            obeyed, highest = _Obeyed(), rank
        obeyed.add(group)
        for (start, end), seconds in pauses.items():
            # RFC 9309 does not define Crawl-delay. Therefore, if `pauses_by_run` is `True`,
            # a Crawl-delay applies only to the names in the last run of User-agent lines
            # above the Crawl-delay.
            names = group.names[start:end]
            if not dialect.pauses_by_run or dialect.rank_of(names, joined) == rank:
                obeyed.delays.append(seconds)
    # Ours O4, O5: a rule outside a record is ignored. 1994 D2 and Ours O21: an empty path
    # disallows nothing.
    rules = [it for it in obeyed.own_rules if it.value and it.kind is not _ORPHAN]
    if dialect.has_lists:
        # Revisited K2 (lists of paths): a line may list several paths.
        rules = [
            it._replace(value=path) for it in rules for path in dialect.paths(it.value)
        ]
    is_named = not all(EVERYBODY in names for names in obeyed.names)
    return RobotReading(
        text,
        has_any=record > 0,
        rules=rules,
        first_lines=obeyed.first_lines,
        names=obeyed.names,
        # Ours X5 (several delays): the longest delay for the robot applies.
        crawl_delay=max(obeyed.delays, default=None),
        sitemaps=tuple(filter(None, sitemaps)),
        above=above,
        own=obeyed.own,
        own_rules=obeyed.own_rules,
        elsewhere=[] if is_named else elsewhere,
    )


def _take_others(
    group: Group, sitemaps: dict[str, None]
) -> dict[tuple[int, int], float]:
    """Add the sitemaps of *group* to *sitemaps*. Return the longest pause for each run of
    names.
    """
    pauses: dict[tuple[int, int], float] = {}
    for line, run in zip(group.others, group.runs, strict=True):
        role, said = line.row and line.row.role, line.said
        if role is Role.SITEMAP:
            # Ours X7 (Sitemap): a sitemap does not belong to a record, and may be anywhere
            # in the file.
            sitemaps[said] = None
        elif role is not Role.PAUSE:
            raise NotImplementedError(role)
        # Ours X4: a Crawl-delay without a number is ignored. Ours O5: so is a Crawl-delay
        # that a blank line separates from its record.
        elif said is not None and line.kind is not _ORPHAN:
            # Ours X5: the longest delay for the robot applies.
            pauses[run] = max(said, pauses.get(run, said))
    return pauses
