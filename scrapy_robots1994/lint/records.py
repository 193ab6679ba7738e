"""Problems with records: where they end, whom they are for, and rules without effect.

A group is a record with all its lines; the first group has the lines above all records.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.kinds import ERROR, WARNING, Problem, lines_text
from scrapy_robots1994.lint.values import before_wildcard
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import ALLOW, IDLE, LineKind
from scrapy_robots1994.parser.reader import Group, Line
from scrapy_robots1994.parser.rfc9309 import normal_spelling
from scrapy_robots1994.parser.robot_reading import has_wildcard
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

# Names are compared with each other, and rules of several groups together: at most so many.
MAX_NAMES = 500
MAX_RULES = 100_000

_WHOLE = ("/", "*", "/*")
# What another line does to a line without effect.
_BEATS = "decides for every URL that this line covers"
_COVERS = "already covers every URL that this line covers"
_CONTRADICTS = "disallows something, so the empty Disallow has no effect"
_BARE = (*IDLE, LineKind.USER_AGENT)


def record_problems(groups: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with *groups*, of which the first is above all records."""
    above, *records = groups
    for line in above.rules:
        yield kinds.ORPHAN.at(line, line.field, "no User-agent line is above it")
    has_allow = any(_allows(line) for group in groups for line in group.lines)
    with_rules = {
        it.lower() for group in records if _disallows(group) for it in group.names
    }
    for group, below in zip_longest(records, records[1:]):
        yield from _boundary_problems(group, below, with_rules, dialect)
        yield from _joined_problems(group)
        yield from _rule_problems(group, dialect, has_allow=has_allow)
        if not dialect.has_allow:
            yield from _ignored_allows(group)
        if not dialect.has_wildcards:
            yield from _literal_wildcards(group, dialect)
    yield from _not_inherited(records)
    if dialect.has_blank_lines:
        yield from _unseparated(records)
    if dialect.has_wildcards:
        for rules in _rules_together(records):
            yield from _beaten(rules)
    if not dialect.merges_named:
        yield from _second_defaults(records)
        if sum(len(it.names) for it in records) <= MAX_NAMES:
            yield from _unreached(records, dialect)


def _rules(group: Group) -> list[Line]:
    return [it for it in group.rules if it.kind is not LineKind.ORPHAN]


def _allows(line: Line) -> bool:
    return line.known is ALLOW


def _disallows(group: Group) -> list[Line]:
    return [it for it in _rules(group) if not _allows(it)]


def _closing(group: Group) -> list[Line]:
    return [it for it in _disallows(group) if it.value]


def _boundary_problems(
    group: Group, below: Group | None, with_rules: set[str], dialect: Dialect
) -> Iterator[Problem]:
    """Yield the problems with the end of *group*, or with its lack of rules."""
    first, named = group.agents[0], ", ".join(group.names)
    orphans = [it for it in group.rules if it.kind is LineKind.ORPHAN]
    blank = next((it for it in group.without if it.kind is LineKind.BLANK), None)
    if blank and orphans and not _rules(group):
        rules = f"its rules in line {orphans[0].number}"
        yield kinds.SPLIT.at(blank, first.number, rules, column=1)
        return
    for line in orphans:
        yield kinds.ORPHAN.at(line, line.field, "a blank line ends the record above it")
    is_merged = with_rules.issuperset(map(str.lower, group.names))
    if orphans or is_merged or _disallows(group):
        return
    allows = [it for it in group.lines if it.value and _allows(it)]
    if allows:
        if not any(it.value in _WHOLE for it in allows):
            words = "has only Allow lines, so everything else is allowed too"
            yield kinds.WITHOUT_RULES.at(first, named, words, opens=False)
        return
    is_bare = all(it.kind in _BARE for it in group.lines)
    # Nobody lists `*` with other names, so such names may be meant to be free.
    is_list = EVERYBODY not in (*group.names, *(below.names if below else ()))
    if below and blank and is_bare and is_list and dialect.has_blank_lines:
        names = f"the names in line {below.agents[0].number}"
        yield kinds.SPLIT.at(blank, first.number, names, column=1)
        return
    words, severity = "has no rule, so it disallows nothing", WARNING if is_bare else ""
    yield kinds.WITHOUT_RULES.at(first, named, words, severity=severity, opens=is_bare)


def _joined_problems(group: Group) -> Iterator[Problem]:
    """Yield a problem with each User-agent line of *group* that seems to begin a record."""
    closing = _closing(group)
    if not closing:
        return
    severity = ERROR if any(it.value in _WHOLE for it in closing) else ""
    agent = group.agents[0]
    has_blank = has_other = False
    for line in group.lines:
        if line.kind is not LineKind.USER_AGENT:
            has_blank |= line.kind is LineKind.BLANK
            has_other |= line.kind not in IDLE
        elif line.said:
            # A list with blank lines is usual, but nobody lists `*` with other names.
            is_odd = has_blank and EVERYBODY in (*line.said, *agent.said)
            if has_other or is_odd:
                named = ", ".join(line.said)
                yield kinds.JOINED.at(line, named, agent.number, severity=severity)
            agent, has_blank, has_other = line, False, False


def _unseparated(records: Sequence[Group]) -> Iterator[Problem]:
    for above, below in pairwise(records):
        last = max((it.number for it in above.rules), default=0)
        blanks = (it.number for it in above.without if it.kind is LineKind.BLANK)
        if not any(it > last for it in blanks):
            yield kinds.NO_BLANK.at(below.agents[0])


def _second_defaults(records: Sequence[Group]) -> Iterator[Problem]:
    defaults = [it.agents[0] for it in records if EVERYBODY in it.names]
    for line in defaults[1:]:
        yield kinds.SECOND_DEFAULT.at(line, defaults[0].number)


def _not_inherited(records: Sequence[Group]) -> Iterator[Problem]:
    """Yield a problem for each record whose robots the rules for every robot do not bind,
    unless the record or those rules speak of the whole site.
    """
    defaults = [it for it in records if EVERYBODY in it.names]
    rules = [line for group in defaults for line in _closing(group)]
    if not rules or any(it.value in _WHOLE for it in rules):
        return
    paths = Beginnings(it.value for it in rules)
    numbers = lines_text([it.number for it in rules])
    for group in records:
        own = [it.value for it in _closing(group)]
        if not own or EVERYBODY in group.names or any(it in _WHOLE for it in own):
            continue
        if not all(map(Beginnings(own).cover, paths.texts)):
            yield kinds.NOT_INHERITED.at(group.agents[0], group.names[0], numbers)


def _unreached(records: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each name whose robot obeys an earlier record with other rules."""
    names = [it.names for it in records]
    rules = [
        {(it.field.lower(), it.value) for it in _rules(group)} for group in records
    ]
    for place, group in enumerate(records):
        for agent, name in (
            (it, name) for it in group.agents for name in it.said or ()
        ):
            # Past the cache: the name may be as long as a file.
            robot = robot_names.__wrapped__(name)
            taken = dialect.choose(names, robot)
            # No robot has the name of a problem with names.
            if name == EVERYBODY or name.lower() not in robot or place in taken:
                continue
            taker = records[taken[0]]
            if rules[taken[0]] != rules[place]:
                also = (it for it in taker.names if it.lower() in name.lower())
                named = next(also, taker.names[0])
                yield kinds.UNREACHED.at(agent, name, taker.agents[0].number, named)


def _ignored_allows(group: Group) -> Iterator[Problem]:
    """Yield a problem for each Allow line that would allow what a Disallow line covers."""
    closed = Beginnings(it.value for it in _closing(group))
    for line in filter(_allows, group.without):
        is_wide = "*" in line.value and closed.meet(line.value)
        if line.value and (is_wide or closed.cover(line.value)):
            yield kinds.ALLOW.at(line)


def _literal_wildcards(group: Group, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each path with a wildcard, unless a plain rule covers it."""
    plain = Beginnings(it.value for it in _closing(group) if not has_wildcard(it.value))
    for line in _rules(group):
        for path in dialect.paths(line.value):
            if path[:1] in ("/", "*") and has_wildcard(path) and not plain.cover(path):
                at = len(before_wildcard(path))
                column = line.value_column + line.value.index(path) + at
                yield kinds.WILDCARD.at(line, path[at], path, column=column)


def _rule_problems(
    group: Group, dialect: Dialect, *, has_allow: bool
) -> Iterator[Problem]:
    """Yield the problems with rules without effect next to other rules of *group*.

    If the file *has_allow*, a rule that a shorter one covers may matter, also to robots of
    another dialect.
    """
    rules, closing = _rules(group), _closing(group)
    for line in rules:
        # Ours O21
        if closing and not line.value and not _allows(line):
            yield _no_effect(line, closing[0], _CONTRADICTS, WARNING)
    spelling_of = normal_spelling if dialect.has_wildcards else canonical
    spelled = [
        (spelling_of(it.value), it)
        for it in rules
        if it.value.startswith("/") and not (has_wildcard(it.value) or " " in it.value)
    ]
    above: list[tuple[str, Line]] = []
    for spelling, line in sorted(spelled, key=lambda it: (it[0], it[1].number)):
        while above and not spelling.startswith(above[-1][0]):
            above.pop()
        if above:
            shorter, other = above[-1]
            is_same = shorter == spelling
            if _allows(line) == _allows(other):
                if is_same or not has_allow:
                    yield _no_effect(line, other, _COVERS)
                    continue
            # Ours X1: the first rule that covers a URL decides.
            elif other.number < line.number and not dialect.has_wildcards:
                yield _no_effect(line, other, _BEATS)
        above.append((spelling, line))


def _no_effect(line: Line, other: Line, how: str, severity: str = "") -> Problem:
    rule = f"{other.field}: {other.value}"
    opens = how == _BEATS
    if opens:
        severity = WARNING
    return kinds.NO_EFFECT.at(
        line, other.number, rule, how, severity=severity, opens=opens
    )


def _rules_together(records: Sequence[Group]) -> Iterator[list[Line]]:
    """Yield the rules that a robot obeys together, for each robot that is named."""
    places: dict[str, dict[int, None]] = {}
    for place, group in enumerate(records):
        for name in group.names:
            places.setdefault(name.lower(), {})[place] = None
    count = 0
    for together in dict.fromkeys(map(tuple, places.values())):
        rules = [line for place in together for line in _rules(records[place])]
        count += len(rules)
        if count > MAX_RULES:
            return
        yield rules


def _beaten(rules: Sequence[Line]) -> Iterator[Problem]:
    """Yield a problem for each Disallow line that an Allow line beats for every URL."""
    # RFC 9309 2.2.2: the most octets decide, and Allow wins a tie.
    longest: dict[str, Line] = {}
    for line in sorted(filter(_allows, rules), key=lambda it: len(it.value)):
        longest[_covered(line)] = line
    for line in rules:
        other = longest.get(_covered(line))
        is_rule = bool(line.value) and not _allows(line)
        if is_rule and other and len(other.value) >= len(line.value):
            yield _no_effect(line, other, _BEATS)


def _covered(line: Line) -> str:
    """Return the value of a rule without the wildcards at its end, which mean nothing."""
    return normal_spelling(line.value.rstrip("*") or "/")


class Beginnings:
    """The beginnings of paths up to their first wildcard, without those that a shorter one
    covers.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.texts: list[str] = []
        for text in sorted(canonical(before_wildcard(it)) for it in paths):
            if not (self.texts and text.startswith(self.texts[-1])):
                self.texts.append(text)

    def cover(self, path: str) -> bool:
        """Return whether *path* begins with one of the beginnings."""
        text = canonical(before_wildcard(path))
        place = bisect_left(self.texts, text)
        near = self.texts[max(place - 1, 0) : place + 1]
        return any(map(text.startswith, near))

    def meet(self, path: str) -> bool:
        """Return whether one of the beginnings begins with *path* up to its wildcard."""
        text = canonical(before_wildcard(path))
        place = bisect_left(self.texts, text)
        return any(it.startswith(text) for it in self.texts[place : place + 1])
