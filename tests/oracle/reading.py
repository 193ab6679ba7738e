"""A naive parser that decides whether a robot may request a URL.

It shares no code with the package. Ids such as F4 or O15 are explained in
`docs/standard/1994.rst`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from tests.oracle import rfc9309
from tests.oracle.lines import Blank, Field, fields
from tests.oracle.names import longest_match, record_names, robot_names
from tests.oracle.paths import (
    ABSOLUTE,
    as_text,
    covers,
    is_robots_txt,
    spellings,
)

DIALECTS = ("1994", "revisited", "extended", "rfc9309")
GROUPED = ("rfc9309",)
"""These dialects allow wildcards, compare whole product tokens, and ignore blank lines."""
WITH_ALLOW = ("extended", *GROUPED)
WITH_DELAY = ("extended", *GROUPED)


class Answer(NamedTuple):
    allowed: bool
    reason: str
    line: int | None = None
    rule: str | None = None
    spelling: str | None = None


class Rule(NamedTuple):
    line: int
    allows: bool
    value: str


@dataclass
class Record:
    """The User-agent lines of a record, and the rules and delays below them."""

    names: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    delays: list[tuple[float, list[str]]] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    """The names in the current run of User-agent lines. A delay ends a run."""
    ends_run: bool = False
    has_rule_line: bool = False


class Records:
    def __init__(self, body: bytes | str, dialect: str) -> None:
        self.found: list[Record] = []
        self._dialect = dialect
        self._current: Record | None = None
        for line in fields(body):
            if not isinstance(line, Blank):
                self._add(line)
            elif dialect not in GROUPED:
                self._current = None  # F1, O5

    def _add(self, line: Field) -> None:
        record, dialect = self._current, self._dialect
        if line.name == "user-agent":
            self._add_agent(line.value)
        elif record is None:
            return  # O4
        elif line.name == "disallow" or (
            line.name == "allow" and dialect in WITH_ALLOW
        ):
            self._add_rule(record, line.number, line.name, line.value)
        elif line.name == "crawl-delay" and dialect in WITH_DELAY:
            # X4: a delay is a finite decimal number.
            is_number = re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", line.value)
            if is_number and float(line.value) != float("inf"):
                record.delays.append((float(line.value), record.run))
                record.ends_run = True
        # F6: other fields are ignored.

    def _add_agent(self, value: str) -> None:
        names = record_names(value, self._dialect)
        if not names:
            return  # O12
        if self._current is None or self._current.has_rule_line:
            self._current = Record()  # A record begins (F1, O7, X2, K7).
            self.found.append(self._current)
        if self._current.ends_run:
            self._current.run, self._current.ends_run = [], False
        self._current.run += names
        self._current.names += names

    def _add_rule(self, record: Record, number: int, name: str, value: str) -> None:
        record.has_rule_line = True
        # K2: a line may contain any number of paths. D2, O21: an empty value adds no rule.
        is_list = self._dialect == "revisited"
        values = [it for it in re.split("[ \t]+", value) if it] if is_list else [value]
        for it in filter(None, values):
            record.rules.append(Rule(number, name == "allow", it))


class Reading:
    def __init__(self, body: bytes | str, dialect: str = "1994") -> None:
        self.dialect = dialect
        self.records = Records(body, dialect).found

    def crawl_delay(self, robot: bytes | str) -> float | None:
        """Return the longest delay of the records that *robot* obeys (X5)."""
        own = robot_names(robot)
        obeyed = self._chosen(own)
        delays = [delay for it in obeyed for delay in it.delays]
        if self.dialect in GROUPED:
            # A delay applies to the names in the run of User-agent lines above it.
            by = named_by([it.names for it in obeyed], own)
            delays = [it for it in delays if by & set(it[1])]
        return max((seconds for seconds, _ in delays), default=None)

    def answer(self, url: bytes | str, robot: bytes | str) -> Answer:
        """One disallowed spelling is enough to disallow *url* (O27)."""
        own = robot_names(robot)
        text = as_text(url)
        as_sent, has_more = spellings(text)
        answers = []
        chosen = self._chosen(own)
        for number, (origin, target) in enumerate(as_sent):  # O27
            answer = self._judge(chosen, origin, target)
            if number and not answer.allowed:
                answer = answer._replace(spelling=target)
            answers.append(answer)
        refusals = [answer for answer in answers if not answer.allowed]
        rules = [rule.value for record in chosen for rule in record.rules]
        if has_more and not refusals and any(map(self._can_cover, rules)):
            return Answer(allowed=False, reason="spellings")
        return (refusals or answers)[0]

    def _can_cover(self, value: str) -> bool:
        """O19, O20"""
        if self.dialect in GROUPED:
            return value.startswith(("/", "*"))
        return value.startswith("/") or ABSOLUTE.fullmatch(value) is not None

    def _judge(self, chosen: list[Record], origin: str, target: str) -> Answer:
        if is_robots_txt(target):
            return Answer(allowed=True, reason="robots.txt-itself")  # O22
        if not chosen:
            return Answer(allowed=True, reason="no-record" if self.records else "empty")
        for rule in self._decisions(chosen, origin, target):
            return Answer(rule.allows, "rule", rule.line, rule.value)
        return Answer(allowed=True, reason="no-rule")

    def _decisions(self, chosen: list[Record], origin: str, target: str) -> list[Rule]:
        """Return the candidate rules. The first one decides."""
        if self.dialect in GROUPED:
            return most_specific(
                [it for record in chosen for it in record.rules], target
            )
        found = [
            [it for it in record.rules if covers(it.value, origin, target)]
            for record in chosen
        ]
        if self.dialect != "extended":
            # O2: all records for `*` are obeyed. D1: any rule that covers the URL disallows it. The
            # shortest such rule is reported, or the first one of several equally short rules.
            return sorted(chain(*found), key=lambda it: (len(it.value), it.line))
        # X1: in each record, the first rule that covers the URL decides. X3: a URL is disallowed if
        # one of the records for `*` disallows it.
        return sorted((it[0] for it in found if it), key=lambda it: it.allows)

    def _chosen(self, own: list[str]) -> list[Record]:
        """Return the records for a robot with the names *own* (A3, O1 to O3)."""
        records = self.records
        if self.dialect in GROUPED:
            # RFC 9309 2.2.1: groups with equal product tokens are merged.
            by = named_by([record.names for record in records], own)
            return [record for record in records if by & set(record.names)]
        lengths = [
            longest_match([name for name in record.names if name != "*"], own)
            for record in records
        ]
        if any(lengths):
            # X3: in `extended`, the record with the longest matching name applies. O1: in other
            # dialects, and for equally long names, the first record applies.
            wanted = max(lengths)
            if self.dialect != "extended":
                wanted = next(filter(None, lengths))
            return [records[lengths.index(wanted)]]
        return [record for record in records if "*" in record.names]


def named_by(records: list[list[str]], own: list[str]) -> set[str]:
    """Return the longest of the robot's *own* names for which there is a record, or else `*`.

    *own* is in order of length, the longest name first.
    """
    named = {name for names in records for name in names}
    lengths = [len(name) for name in own if name in named and name != "*"]
    return {it for it in own if len(it) in lengths[:1]} or {"*"}


def most_specific(rules: list[Rule], target: str) -> list[Rule]:
    """Return the matching rules, the one with the most octets first.

    Of equally long rules, Allow comes first (RFC 9309 2.2.2).
    """
    found = [it for it in rules if rfc9309.matches(it.value, target)]
    return sorted(
        found, key=lambda it: (-rfc9309.octet_count(it.value), not it.allows, it.line)
    )
