"""Problems of records: where they end too early, and rules and names without effect."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, takewhile
from operator import itemgetter

from scrapy_robots1994.checks import kinds
from scrapy_robots1994.checks.kinds import Match
from scrapy_robots1994.checks.lines import second_field
from scrapy_robots1994.checks.values import is_pattern, letters, likely_field
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Agent, Line, Record, Rule
from scrapy_robots1994.parser.rfc9309 import normal_spelling
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

# So many names are compared with each other; of more, only equal ones are found.
_NAMES_COMPARED = 500

_AGENT = ("User-agent",)

# What to do about several blank lines in a record.
_SPLIT_FIX = "Delete the blank lines, or write a `#` into each of them."
_ORPHAN_FIX = (
    "Delete the blank lines above it, or write a `#` into each of them, if it belongs to "
    "the record of line {}."
)
_SAME_NAME_FIX = "Make one record of the two."
# What to do about a rule below a line that likely names its robots.
_MISSPELT_AGENT_FIX = (
    "Correct the name of the field in line {}: it is likely User-agent."
)


def boundary_matches(
    records: Sequence[Record], lines: Sequence[Line], dialect: Dialect
) -> Iterator[Match]:
    """Yield where records end too early, or without a sign.

    Where a blank line parts a record, that is the one problem; the record without a
    rule and the Disallow lines without a record only follow from it.
    """
    # By the number of a line: how many blank lines there are up to it.
    blank = LineKind.BLANK
    block = list(accumulate([it.kind is blank for it in lines], initial=0))
    # Ours O2, RFC 9309 2.2.1: the names whose records are obeyed together.
    merged = {
        name.lower()
        for record in records
        for name in record.names
        if record.rules and (name == EVERYBODY or not dialect.has_blank_lines)
    }
    previous = None
    for record in records:
        first, last = record.first_line, record.last_line
        if record.orphans:
            last = record.orphans[-1].line
            yield from _orphan_matches(record, lines, block)
        elif not (record.rules or merged.issuperset(map(str.lower, record.names))):
            yield from _without_rules(record, lines)
        if dialect.has_blank_lines and previous == block[first]:
            # Ours O7
            yield kinds.NO_BLANK.at(first, 1, "Disallow", "begins a new record")
        if dialect.has_blank_lines and any(rule.value for rule in record.rules):
            yield from _joined_matches(record, lines)
        previous = block[last]


def _without_rules(record: Record, lines: Sequence[Line]) -> Iterator[Match]:
    """Yield the problem of *record*, which has no rule."""
    if any(second_field(lines[agent.line - 1]) for agent in record.agents):
        # A rule is in that line, which is reported itself.
        return
    # No slice: a large file may have as many such records as lines.
    below = map(lines.__getitem__, range(record.first_line, len(lines)))
    block = takewhile(lambda it: it.kind is not LineKind.BLANK, below)
    ignored = {it.field.lower() for it in block if it.kind is LineKind.UNKNOWN}
    # Ours O3, against 1994 D3.
    check = kinds.ALLOW_ONLY if "allow" in ignored else kinds.WITHOUT_RULES
    # Who writes a delay alone means to close nothing.
    is_harmless = "crawl-delay" in ignored or bool(record.delays)
    names = ", ".join(record.names)
    yield check.at(record.first_line, 1, names, is_harmless=is_harmless)


def _joined_matches(record: Record, lines: Sequence[Line]) -> Iterator[Match]:
    """Yield the User-agent lines that only an ignored field parts from those above."""
    for above, agent in pairwise(record.agents):
        for line in lines[above.line : agent.line - 1]:
            # 1994 F6: such a line is no boundary. A misspelt one, or one with an odd
            # character, is reported itself.
            is_ignored = line.kind in (LineKind.UNKNOWN, LineKind.CRAWL_DELAY)
            is_slip = likely_field(line.field, ("User-agent", "Disallow"))
            if is_ignored and letters(line.field) and not is_slip:
                outcome = f"shares its rules with line {above.line}"
                yield kinds.NO_BLANK.at(agent.line, 1, line.field, outcome)
                break


def _orphan_matches(
    record: Record, lines: Sequence[Line], block: Sequence[int]
) -> Iterator[Match]:
    """Yield the rules that blank lines part from *record*, which has some."""
    # Revisited K2: a line may have several rules.
    numbers = list(dict.fromkeys(rule.line for rule in record.orphans))
    last, first, end = record.last_line, numbers[0], numbers[-1]
    agents = (
        line.number
        for line in lines[last:end]
        if line.kind is LineKind.UNKNOWN and likely_field(line.field, _AGENT)
    )
    agent = next(agents, end)
    agent_fix = _MISSPELT_AGENT_FIX.format(agent)
    if not record.rules:
        # Ours O5: the blank line is the boundary that F1 makes it.
        blank, joined = bisect_left(block, block[last] + 1), block[first]
        fix = _SPLIT_FIX if joined > block[blank] else ""
        fix = agent_fix if agent < first else fix
        yield kinds.SPLIT.at(blank, 1, str(first), fix=fix, is_split=True)
        # To delete that blank line joins the rules below it, up to the next one.
        numbers = [number for number in numbers if block[number] > joined]
    fix = _ORPHAN_FIX.format(record.first_line)
    for number in numbers:
        match = orphan(lines[number - 1], agent_fix if agent < number else fix)
        yield match._replace(is_split=True)


def orphan(line: Line, fix: str | Callable[[], str]) -> Match:
    """Return the match of a rule without a record."""
    # Ours O4
    is_harmless = line.kind is LineKind.ALLOW
    return kinds.ORPHAN.at(
        line.number, line.column, line.field, fix=fix, is_harmless=is_harmless
    )


def default_matches(records: Iterable[Record]) -> Iterator[Match]:
    """Yield the records for every robot after the first one."""
    defaults = [record for record in records if record.is_default]
    for record in defaults[1:]:
        # 1994 A3: there may be one.
        line = next(it.line for it in record.agents if it.name == EVERYBODY)
        fix = "" if record.rules else _SAME_NAME_FIX
        yield kinds.SECOND_DEFAULT.at(line, 1, str(defaults[0].first_line), fix=fix)


def rule_matches(records: Sequence[Record], dialect: Dialect) -> Iterator[Match]:
    """Yield the rules that change nothing in their record."""
    # RFC 9309 2.2.1: the groups of one name are merged.
    with_allow = {
        name.lower()
        for record in records
        if any(rule.allows for rule in record.rules)
        for name in record.names
    }
    for record in records:
        if any(rule.value for rule in record.rules):
            for rule in record.rules:
                if not (rule.value or rule.allows):
                    # Ours O21
                    yield kinds.ADDS_NOTHING.at(rule.line, 1)
        # RFC 9309 2.2.2: the longest rule decides, so a shorter one hides none.
        is_merged = not with_allow.isdisjoint(map(str.lower, record.names))
        if not (dialect.has_wildcards and is_merged):
            yield from _covered_rules(record.rules, dialect)


def _covered_rules(rules: Sequence[Rule], dialect: Dialect) -> Iterator[Match]:
    """Yield the rules about whose URLs another one decides."""
    has_allow = any(rule.allows for rule in rules)
    # Revisited K2: deleting a line with several paths would open the others.
    listed = Counter(rule.line for rule in rules) if dialect.has_lists else {}
    # RFC 9309 2.2.2: an encoded reserved character differs from a plain one.
    spelling_of = normal_spelling if dialect.has_wildcards else canonical
    spelled = [
        (spelling_of(rule.value), rule)
        for rule in rules
        if rule.value.startswith("/") and not is_pattern(rule.value, dialect)
    ]
    # Spellings that begin those that follow in order, each with the rule that decides
    # about its URLs. Equal ones stay in the order of the file.
    ancestors: list[tuple[str, Rule]] = []
    for spelling, rule in sorted(spelled, key=itemgetter(0)):
        while ancestors and not spelling.startswith(ancestors[-1][0]):
            ancestors.pop()
        first = ancestors[-1][1] if ancestors else rule
        # 1994 D1, Ours O18: what starts with this value starts with that one.
        # Ours X1: of several rules the first in the file decides.
        if ancestors and (first.line < rule.line or not has_allow):
            is_same = spelling == spelling_of(first.value)
            is_listed = listed.get(rule.line, 0) > 1
            yield _without_effect(rule, first, is_same=is_same, is_listed=is_listed)
        else:
            first = rule
        ancestors.append((spelling, first))


def _without_effect(
    rule: Rule, first: Rule, *, is_same: bool, is_listed: bool
) -> Match:
    """Return the match of *rule*, about whose URLs *first* decides."""
    path = escape_control_chars(rule.value, 60)
    fix = f"Delete `{path}` from this line, and keep its other paths." * is_listed
    if rule.allows == first.allows:
        check = kinds.DUPLICATE if is_same else kinds.SHADOWED
    elif rule.allows:
        check = kinds.INEFFECTIVE_ALLOW
    else:
        check = kinds.INEFFECTIVE_DISALLOW
    return check.at(rule.line, 1, str(first.line), str(first), fix=fix)


def name_matches(records: Sequence[Record], dialect: Dialect) -> Iterator[Match]:
    """Yield the names of records that no robot of that name ever comes to."""
    for position, agent, taker in _taken_names(records, dialect):
        # Else it makes no difference which of the two is obeyed.
        if set(map(str, records[position].rules)) != set(map(str, taker.rules)):
            name = agent.name.lower()
            whose = next(
                (it for it in taker.agents if it.name.lower() in name), taker.agents[0]
            )
            # Neither name is the longer one.
            fix = _SAME_NAME_FIX if whose.name.lower() == name else ""
            yield kinds.UNREACHED.at(
                agent.line, 1, agent.name, str(whose.line), whose.name, fix=fix
            )


def _taken_names(
    records: Sequence[Record], dialect: Dialect
) -> Iterator[tuple[int, Agent, Record]]:
    """Yield each name whose robot obeys another record: its place, and that record."""
    names = [record.names for record in records]
    agents = [
        (position, agent)
        for position, record in enumerate(records)
        for agent in record.agents
        if agent.name != EVERYBODY
    ]
    if sum(map(len, names)) <= _NAMES_COMPARED:
        for position, agent in agents:
            # Ours O1: as a robot of that name chooses. Uncached: it may be any text.
            robot = robot_names.__wrapped__(agent.name)
            chosen = dialect.choose(names, robot)
            # A name that no robot can have is a problem of its own.
            is_name = agent.name.lower() in robot
            if is_name and chosen and position not in chosen:
                yield position, agent, records[chosen[0]]
    elif not dialect.merges_named:
        # Of equal names the first one decides in this dialect.
        first: dict[str, int] = {}
        for position, agent in agents:
            taker = first.setdefault(agent.name.lower(), position)
            if taker != position:
                yield position, agent, records[taker]
