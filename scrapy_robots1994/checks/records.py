"""Problems of records: where they end too early, and rules and names without effect."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from scrapy_robots1994.checks import kinds
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_robots1994.checks.kinds import Match
    from scrapy_robots1994.parser.dialects import Dialect
    from scrapy_robots1994.parser.records import Record, Rule

# So many names are compared with each other; of more, only equal ones are found.
_NAMES_COMPARED = 500


class Surroundings(NamedTuple):
    """Lines around records: the numbers of the blank ones, of Allow and of Crawl-delay
    lines that the dialect does not have, and of lines with two fields.
    """

    blanks: Sequence[int]
    ignored_allows: Sequence[int]
    ignored_delays: Sequence[int]
    two_fields: frozenset[int]


def boundary_matches(
    records: Iterable[Record], around: Surroundings
) -> Iterator[Match]:
    """Yield where records end too early, or without a sign.

    Where a blank line parts a record, that is the one problem; the record without a
    rule and the Disallow lines without a record only follow from it.
    """
    blanks = around.blanks
    previous = None
    for record in records:
        orphans = record.orphans
        if orphans and not record.rules:
            yield _split(record, blanks)
            # To delete that blank line joins the rules below it, up to the next one.
            joined = bisect_right(blanks, orphans[0].line)
            orphans = orphans[
                bisect_right(
                    orphans, joined, key=lambda it: bisect_right(blanks, it.line)
                ) :
            ]
        for rule in orphans:
            # Ours O4
            field = "Allow" if rule.allows else "Disallow"
            yield kinds.ORPHAN.at(rule.line, 1, field)._replace(
                is_harmless=rule.allows,
                fix=kinds.ORPHAN_BELOW_FIX.format(record.first_line),
            )
        if not (record.rules or record.orphans or _is_two_fields(record, around)):
            # Ours O3, against 1994 D3.
            allows = _has_between(around.ignored_allows, record, blanks)
            check = kinds.ALLOW_ONLY if allows else kinds.WITHOUT_RULES
            # Who writes a delay alone means to close nothing.
            has_delay = record.delays or _has_between(
                around.ignored_delays, record, blanks
            )
            yield check.at(record.first_line, 1, ", ".join(record.names))._replace(
                is_harmless=bool(has_delay)
            )
        between = bisect_right(blanks, record.first_line)
        if previous == between:
            # Ours O7
            yield kinds.NO_BLANK.at(record.first_line, 1)
        end = record.orphans[-1].line if record.orphans else record.last_line
        previous = bisect_right(blanks, end)


def _split(record: Record, blanks: Sequence[int]) -> Match:
    """Return the match of the blank line that parts *record* from all its rules."""
    # Ours O5: the blank line is the boundary that F1 makes it.
    first = bisect_right(blanks, record.last_line)
    rule = record.orphans[0]
    found = kinds.SPLIT.at(blanks[first], 1, str(rule.line))
    if bisect_right(blanks, rule.line) - first == 1:
        return found
    return found._replace(
        fix="Delete the blank lines, or write a `#` into each of them."
    )


def _is_two_fields(record: Record, around: Surroundings) -> bool:
    """Whether a rule of *record* likely is in the value of one of its names."""
    return any(agent.line in around.two_fields for agent in record.agents)


def _has_between(numbers: Sequence[int], record: Record, blanks: Sequence[int]) -> bool:
    """Whether one of *numbers* is between the first line of *record* and its end."""
    after = bisect_right(numbers, record.first_line)
    end = bisect_right(blanks, record.first_line)
    return after < len(numbers) and (end == len(blanks) or numbers[after] < blanks[end])


def default_matches(records: Iterable[Record]) -> Iterator[Match]:
    """Yield the records for every robot after the first one."""
    first = None
    for record in records:
        if record.is_default and first is not None:
            # 1994 A3: there may be one.
            line = next(it.line for it in record.agents if it.name == EVERYBODY)
            yield kinds.SECOND_DEFAULT.at(line, 1, str(first))
        elif record.is_default:
            first = record.first_line


class _Ancestor(NamedTuple):
    """A rule whose spelling begins those after it in order, and the first in the file
    of it and its own ancestors.
    """

    spelling: str
    position: int
    rule: Rule


def rule_matches(record: Record, dialect: Dialect) -> Iterator[Match]:
    """Yield the rules of *record* that change nothing."""
    if any(rule.value for rule in record.rules):
        for rule in record.rules:
            if not (rule.value or rule.allows):
                # Ours O21
                yield kinds.ADDS_NOTHING.at(rule.line, 1)
    has_allow = any(rule.allows for rule in record.rules)
    if dialect.has_wildcards and has_allow:
        # RFC 9309 2.2.2: the longest rule decides, so a shorter one hides none.
        return
    spelled = [
        (canonical(rule.value), position, rule)
        for position, rule in enumerate(record.rules)
        if rule.value.startswith("/") and not _is_pattern(rule, dialect)
    ]
    ancestors: list[_Ancestor] = []
    for spelling, position, rule in sorted(spelled):
        while ancestors and not spelling.startswith(ancestors[-1].spelling):
            ancestors.pop()
        first = ancestors[-1] if ancestors else None
        if first is not None and (first.position < position or not has_allow):
            # 1994 D1, Ours O18: what starts with this value starts with that one.
            # Ours X1: of several rules the first in the file decides.
            yield _without_effect(
                rule, first.rule, is_same=spelling == canonical(first.rule.value)
            )
        if first is None or (has_allow and position < first.position):
            ancestors.append(_Ancestor(spelling, position, rule))
        elif first is not None:
            ancestors.append(first._replace(spelling=spelling))


def _is_pattern(rule: Rule, dialect: Dialect) -> bool:
    """Whether a wildcard makes *rule* more than a prefix."""
    return dialect.has_wildcards and ("*" in rule.value or rule.value.endswith("$"))


def _without_effect(rule: Rule, first: Rule, *, is_same: bool) -> Match:
    """Return the match of *rule*, about whose URLs *first* decides."""
    if rule.allows and not first.allows:
        return kinds.ALLOW_WITHOUT_EFFECT.at(rule.line, 1, str(first.line), str(first))
    if first.allows and not rule.allows:
        return kinds.DISALLOW_WITHOUT_EFFECT.at(
            rule.line, 1, str(first.line), str(first)
        )
    if is_same:
        return kinds.DUPLICATE.at(rule.line, 1, str(first.line))
    return kinds.SHADOWED.at(rule.line, 1, str(first.line), str(first))


def name_matches(records: Sequence[Record], dialect: Dialect) -> Iterator[Match]:
    """Yield the names of records that no robot of that name ever comes to."""
    named = [record.names for record in records]
    if sum(map(len, named)) > _NAMES_COMPARED:
        yield from _equal_names(records, dialect)
        return
    for position, record in enumerate(records):
        for agent in record.agents:
            if agent.name == EVERYBODY:
                continue
            # Ours O1: as a robot of that name chooses.
            chosen = dialect.choose(named, robot_names(agent.name))
            if chosen and position not in chosen:
                yield from _unreached(
                    record, agent.line, agent.name, records[chosen[0]]
                )


def _equal_names(records: Sequence[Record], dialect: Dialect) -> Iterator[Match]:
    """Yield the names that an earlier record has too, where the first one decides."""
    if len(dialect.choose([("a",), ("a",)], ("a",))) > 1:
        return
    first: dict[str, Record] = {}
    for record in records:
        for agent in record.agents:
            taker = first.setdefault(agent.name.lower(), record)
            if taker is not record and agent.name != EVERYBODY:
                yield from _unreached(record, agent.line, agent.name, taker)


def _unreached(record: Record, line: int, name: str, taker: Record) -> Iterator[Match]:
    """Yield the match of *name*, whose robot obeys *taker*, unless nothing changes."""
    if {str(rule) for rule in record.rules} != {str(rule) for rule in taker.rules}:
        whose = next(
            (it for it in taker.agents if it.name.lower() in name.lower()),
            taker.agents[0],
        )
        yield kinds.UNREACHED.at(line, 1, name, str(whose.line), whose.name)
