"""Problems of records, such as misplaced blank lines and rules without effect."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.kinds import ERROR, Problem, lines_text
from scrapy_robots1994.lint.values import (
    before_wildcard,
    can_match,
    paths_with_columns,
)
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import ALLOW, DISALLOW, IDLE, LineKind
from scrapy_robots1994.parser.reader import Group, Line
from scrapy_robots1994.parser.rfc9309 import normal_spelling, octet_count
from scrapy_robots1994.parser.robot_reading import has_wildcard
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

# Limits quadratic work. In a file with more names than this, no names are compared. Each rule is
# compared with at most this many rules: the first ones of its record.
MAX_COMPARED = 500
MAX_LINES = 500_000

_WHOLE = ("/", "*", "/*")
_FREE = ("", *_WHOLE)
# How one line overrides another
_BEATS = "decides for every URL that this line covers"
_CONTRADICTS = "disallows something, so the empty Disallow has no effect"
_BARE = (*IDLE, LineKind.USER_AGENT)


def record_problems(groups: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems of the records in *groups*, the result of `groups_of`."""
    above, *records = groups
    for line in above.rules:
        yield kinds.ORPHAN.at(line, line.field)
    yield from _robots_problems(records, dialect)
    for group in records:
        yield from _split(group)
        yield from _joined_problems(group)
        yield from _contradictions(group, dialect)
        if not dialect.has_allow:
            yield from _ignored_allows(group)
        elif not dialect.has_wildcards:
            yield from _covered_above(group)
        if not dialect.has_wildcards:
            yield from _literal_wildcards(group, dialect)
    if dialect.has_blank_lines:
        yield from _unseparated(records)
    if not dialect.merges_named:
        yield from _second_defaults(records)
        yield from _unreached(records, dialect)
    else:
        yield from _beaten(records, dialect)


def _rules(group: Group) -> list[Line]:
    return [it for it in group.rules if it.kind is not LineKind.ORPHAN]


def _allows(line: Line) -> bool:
    return line.known is ALLOW


def _closes(line: Line) -> bool:
    return line.value != "" and not _allows(line)


def _closing(group: Group) -> list[Line]:
    return list(filter(_closes, _rules(group)))


def _obeyed(records: Sequence[Group], dialect: Dialect) -> dict[str, tuple[int, ...]]:
    """Map each name, in lower case, to the indexes of the records that a robot of this name
    obeys.
    """
    places: dict[str, dict[int, None]] = {}
    for place, group in enumerate(records):
        for name in group.names:
            places.setdefault(name.lower(), {})[place] = None
    obeyed = {
        name: tuple(them)
        if dialect.merges_named or name == EVERYBODY
        else tuple(them)[:1]
        for name, them in places.items()
    }
    names = [it.names for it in records]
    if dialect.merges_named or sum(map(len, names)) > MAX_COMPARED:
        return obeyed
    for name in places:
        # Bypass the cache, which would keep a name that may be as long as the file.
        robot = robot_names.__wrapped__(name)
        # No robot can have a malformed name, so there is nothing to choose.
        if name in robot:
            obeyed[name] = tuple(dialect.choose(names, robot))
    return obeyed


def _split(group: Group) -> Iterator[Problem]:
    """Yield a problem for each blank line that separates rules of *group* from its names."""
    orphans = (it for it in group.rules if it.kind is LineKind.ORPHAN)
    blanks = (it for it in group.without if it.kind is LineKind.BLANK)
    blank = None
    for line in sorted((*orphans, *blanks)):
        if line.kind is LineKind.BLANK:
            blank = blank or line
        elif blank:
            rules = f"the rule on line {line.number}"
            yield kinds.SPLIT.at(
                blank, group.agents[0].number, rules, column=1, opens=bool(line.value)
            )
            blank = None


def _obeyed_together(
    records: Sequence[Group], dialect: Dialect, lines: int = 0
) -> Iterator[tuple[str, list[Group]]]:
    """Yield each set of records that a robot obeys together, with the name of one such robot in
    lower case.

    *lines* is the number of further lines that the caller reads for each set. The iterator ends
    early if more than `MAX_LINES` lines would be read in total.
    """
    names: dict[tuple[int, ...], str] = {}
    for name, places in _obeyed(records, dialect).items():
        names.setdefault(places, name)
    count = 0
    for places, name in names.items():
        groups = [records[it] for it in places]
        count += sum((len(it.lines) for it in groups), lines)
        if count > MAX_LINES:
            return
        yield name, groups


def _robots_problems(records: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each robot whose records have no rules, have only Allow lines, or do not
    repeat the rules for `*`.
    """
    defaults = [it for it in records if EVERYBODY in it.names]
    closing = [line for group in defaults for line in _closing(group)]
    rules = [it for it in closing if can_match(it.value, dialect)]
    is_closed = any(it.value in _WHOLE for it in rules)
    closed = Beginnings(it.value for it in rules)
    exceptions = [line for group in defaults for line in group.lines if _allows(line)]
    for name, groups in _obeyed_together(records, dialect, len(rules + exceptions)):
        first, own = groups[0], [line for group in groups for line in _closing(group)]
        lines = [line for group in groups for line in group.lines]
        allowed = {it.value for it in lines if _allows(it)}
        written = next((it for it in first.names if it.lower() == name), None)
        is_bound = not rules or any(EVERYBODY in it.names for it in groups)
        is_meant = is_closed
        if not own:
            # In a dialect without Allow, repeating the rules for `*` would close the paths that
            # these Allow lines are meant to open.
            is_kept = not dialect.has_allow and any(map(closed.cover, allowed))
            is_meant = is_kept or _frees(lines)
        if not own and all(it.kind in _BARE for it in lines):
            yield _without_rules(first, records)
        elif is_bound and allowed and dialect.has_allow and not _frees(lines):
            yield kinds.ONLY_ALLOW.at(first.agents[0], ", ".join(first.names))
        elif written and not (is_bound or is_meant):
            values = {it.value for it in own}
            ends = (it.rstrip("*") for it in values)
            plain = Beginnings(it for it in ends if not has_wildcard(it))
            others = (it for it in rules if it.value not in values)
            missing = [it.number for it in others if not plain.cover(it.value)]
            if missing:
                # Without the Allow lines for `*`, the repeated rules would close more than they do
                # for `*`.
                missing += [it.number for it in exceptions if it.value not in allowed]
                texts = written, lines_text(sorted(missing))
                yield kinds.NOT_INHERITED.at(first.agents[0], *texts)


def _without_rules(group: Group, records: Sequence[Group]) -> Problem:
    first = group.agents[0]
    at = bisect_right(records, first.number, key=lambda it: it.agents[0].number)
    below = records[at : at + 1]
    blank = next((it for it in group.without if it.kind is LineKind.BLANK), None)
    # Few files list `*` with other names. If one of these two records is for `*`, the first may be
    # meant to have no rules.
    is_list = not any(EVERYBODY in it.names for it in (group, *below))
    if blank and below and is_list:
        names = f"the names on line {below[0].agents[0].number}"
        return kinds.SPLIT.at(blank, first.number, names, column=1)
    return kinds.WITHOUT_RULES.at(first, ", ".join(group.names))


def _frees(lines: Iterable[Line]) -> bool:
    return any(
        it.value in _FREE if _allows(it) else it.known is DISALLOW for it in lines
    )


def _joined_problems(group: Group) -> Iterator[Problem]:
    """Yield a problem for each User-agent line of *group* that was probably meant to begin a
    new record.
    """
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
            # Blank lines in a list of names are common, but not if the list contains `*`.
            is_odd = has_blank and EVERYBODY in (*line.said, *agent.said)
            if (has_other or is_odd) and line.said != agent.said:
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


def _unreached(records: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each name whose robot obeys an earlier record with other rules."""
    obeyed = _obeyed(records, dialect)
    rules = [
        {(it.field.lower(), it.value) for it in _rules(group)} for group in records
    ]
    for place, group in enumerate(records):
        named = [(it, name) for it in group.agents for name in it.said or ()]
        for agent, name in named:
            taken = obeyed.get(name.lower(), (place,))
            if place in taken or rules[taken[0]] == rules[place]:
                continue
            taker = records[taken[0]]
            also = [it for it in taker.names if it.lower() in name.lower()]
            longest = max(also, key=len, default=taker.names[0])
            texts = name, taker.agents[0].number, longest
            yield kinds.UNREACHED.at(agent, *texts)


def _ignored_allows(group: Group) -> Iterator[Problem]:
    """Yield a problem for each Allow line whose path a Disallow line covers. Without Disallow
    lines, yield a problem for each Allow line, unless one Allow line allows everything.
    """
    closed = Beginnings(it.value for it in _closing(group))
    is_alone = not _frees(group.lines)
    for line in filter(_allows, group.without):
        if is_alone:
            yield kinds.ALLOW.at(line, "this record disallows nothing")
        elif line.value and closed.cover(line.value):
            yield kinds.ALLOW.at(line, "whatever a Disallow line covers is disallowed")


def _literal_wildcards(group: Group, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each path with a wildcard, unless a rule without one covers it."""
    plain = Beginnings(it.value for it in _closing(group) if not has_wildcard(it.value))
    for line in _rules(group):
        for path, column in paths_with_columns(line, dialect):
            if path[:1] in ("/", "*") and has_wildcard(path) and not plain.cover(path):
                at = len(before_wildcard(path))
                yield kinds.WILDCARD.at(line, path[at], path, column=column + at)


def _contradictions(group: Group, dialect: Dialect) -> Iterator[Problem]:
    closing = [
        it
        for it in _closing(group)
        if any(can_match(path, dialect) for path in dialect.paths(it.value))
    ]
    for line in _rules(group):
        # Ours O21
        if closing and not (line.value or _allows(line)):
            yield _no_effect(line, closing[0], _CONTRADICTS)


def _covered_above(group: Group) -> Iterator[Problem]:
    """Yield a problem for each rule that is overridden by an opposite rule above it."""
    rules = [it for it in _rules(group) if it.value]
    for line in rules:
        # Ours X1
        covering = (
            it for it in rules[:MAX_COMPARED] if line.value.startswith(it.value)
        )
        first = next(covering, line)
        if _allows(first) != _allows(line):
            yield _no_effect(line, first, _BEATS)


def _no_effect(line: Line, other: Line, how: str) -> Problem:
    texts = other.number, f"{other.field}: {other.value}", how
    return kinds.NO_EFFECT.at(line, *texts, opens=how == _BEATS)


def _beaten(records: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each Disallow line that Allow lines override for every URL and robot."""
    robots, beaten = Counter[Line](), dict[Line, list[Line]]()
    for _, groups in _obeyed_together(records, dialect):
        rules = [line for group in groups for line in _rules(group)]
        robots.update(rules)
        # RFC 9309 2.2.2: the longest match wins; on a tie, Allow does.
        allows = sorted(filter(_allows, rules), key=_octets)
        longest = {_covered(it): it for it in allows}
        for line in filter(_closes, rules):
            other = longest.get(_covered(line))
            if other and _octets(other) >= _octets(line):
                beaten.setdefault(line, []).append(other)
    for line, others in beaten.items():
        if len(others) == robots[line]:
            yield _no_effect(line, others[0], _BEATS)


def _octets(line: Line) -> int:
    return octet_count(line.value)


def _covered(line: Line) -> str:
    path = line.value.rstrip("*") or "/"
    # RFC 9309 2.2.3: `*` and a final `$` are special, but `%2A` and `%24` are not.
    end = "$" if line.value.endswith("$") else ""
    return "*".join(map(normal_spelling, path.split("*"))) + end


def _beginning(path: str) -> str:
    return canonical(before_wildcard(path)) or "/"


class Beginnings:
    """Paths up to their first wildcard, without paths that a shorter one covers."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.texts: list[str] = []
        for text in sorted(map(_beginning, paths)):
            if not (self.texts and text.startswith(self.texts[-1])):
                self.texts.append(text)

    def cover(self, path: str) -> bool:
        text = _beginning(path)
        place = bisect_left(self.texts, text)
        near = self.texts[max(place - 1, 0) : place + 1]
        return any(map(text.startswith, near))
