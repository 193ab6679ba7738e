"""The results that `fast_scan` must return, computed from lines and records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.parser.body import decode
from scrapy_robots1994.parser.dialects import CAUTIOUS, DIALECTS
from scrapy_robots1994.parser.records import (
    Record,
    RobotRecords,
    RuleSources,
    applied,
    read_records,
)
from scrapy_robots1994.parser.tokens import read_lines
from scrapy_robots1994.parser.user_agent import robot_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_robots1994.parser.dialects import Dialect
    from scrapy_robots1994.parser.records import Rule
    from scrapy_robots1994.robotstxt import RobotsTxt


def robot_records(
    text: bytes, dialect: Dialect, reading: str, names: Sequence[str]
) -> RobotRecords:
    """Return the rules and delays of *text* for a robot with these *names*."""
    records = tuple(read_records(read_lines(decode(text), dialect), dialect))
    obeyed = applied(records, dialect, names)
    result = RobotRecords()
    for record in obeyed:
        rules = obeyed_rules(record, reading)
        delays = record.delays
        if reading == CAUTIOUS:
            delays += record.orphan_delays
        result.add(
            [rule.value for rule in rules],
            [rule.allows for rule in rules] if dialect.has_allow else [],
            sum(rule in record.orphans for rule in rules),
            [delay.seconds for delay in delays],
        )
    return result


def obeyed_records(robots: RobotsTxt, robot: str | bytes) -> tuple[Record, ...]:
    """Return the records of *robots* that apply to *robot*."""
    return applied(robots.records, DIALECTS[robots.dialect], robot_names(robot))


def obeyed_rules(record: Record, reading: str) -> list[Rule]:
    """Return the rules of *record* that have a value."""
    orphans = record.orphans if reading == CAUTIOUS else ()
    return [rule for rule in (*record.rules, *orphans) if rule.value]


def rule_sources(
    text: bytes, dialect: Dialect, reading: str, names: Sequence[str]
) -> RuleSources:
    """Return the lines of *text* that `robot_records` takes its rules from."""
    records = tuple(read_records(read_lines(decode(text), dialect), dialect))
    sources = (
        (
            record.names,
            record.first_line,
            [(rule.line, rule.value) for rule in obeyed_rules(record, reading)],
        )
        for record in applied(records, dialect, names)
    )
    return RuleSources.of(sources, has_any=bool(records))
