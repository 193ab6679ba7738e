"""A naive parser of the standard: records, and their answer for a URL and a robot.

Each step cites its clause or decision. Nothing here shares code with the package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.oracle import rfc9309
from tests.oracle.lines import Blank, fields
from tests.oracle.names import longest_match, record_names, robot_names
from tests.oracle.paths import covers, is_robots_txt, spellings

DIALECTS = ("1994", "revisited", "extended", "rfc9309")
READINGS = ("literal", "cautious")


class Answer(NamedTuple):
    """Whether a URL may be requested, and the lines that the verdict may name."""

    allowed: bool
    lines: frozenset[int | None]


NO_RULE = Answer(allowed=True, lines=frozenset([None]))


class Rule(NamedTuple):
    """One path of a Disallow or Allow line."""

    line: int
    allows: bool
    value: str


@dataclass
class Record:
    """User-agent lines with the rules that follow them."""

    names: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    has_rule_line: bool = False


def read_records(body: bytes | str, dialect: str, *, joined: bool) -> list[Record]:
    """Return the records of a file; if *joined*, blank lines do not end them."""
    found: list[Record] = []
    current: Record | None = None
    after_blank = False
    for line in fields(body):
        if isinstance(line, Blank):
            after_blank = True
            if not joined:
                current = None  # F1, O5; RFC 9309 reads joined
        elif line.name == "user-agent":
            if not line.value:
                continue  # O12
            ends = after_blank and dialect != "rfc9309"
            if current is None or current.has_rule_line or ends:
                current = Record()  # O7, K7
                found.append(current)
            after_blank = False
            current.names += record_names(line.value, dialect)
        elif line.name == "disallow" or (
            line.name == "allow" and dialect in ("extended", "rfc9309")
        ):
            if current is None:
                continue  # O4
            current.has_rule_line = True
            # K2: any number of paths on a line. D2, O21: an empty value adds nothing.
            values = (
                re.split("[ \t]+", line.value)
                if dialect == "revisited"
                else [line.value]
            )
            allows = line.name == "allow"
            current.rules += [Rule(line.number, allows, v) for v in values if v]
    return found  # F6: all other fields are ignored


class Reading:
    """One file in one dialect and one reading."""

    def __init__(
        self, body: bytes | str, dialect: str = "1994", reading: str = "literal"
    ) -> None:
        self.dialect = dialect
        if dialect == "rfc9309":
            self.halves = [read_records(body, dialect, joined=True)]
        else:
            self.halves = [read_records(body, dialect, joined=False)]
            if reading == "cautious":
                self.halves.append(read_records(body, dialect, joined=True))

    def answer(self, url: bytes | str, robot: bytes | str) -> Answer:
        """Return the answer for a URL: disallowed if any spelling is, in any half."""
        own = robot_names(robot)
        answers = []
        for records in self.halves:
            for origin, target in spellings(url):  # O27
                answers.append(self._judge(records, own, origin, target))
        refusals = [answer for answer in answers if not answer.allowed]
        return (refusals or answers)[0]

    def _judge(
        self, records: list[Record], own: list[str], origin: str, target: str
    ) -> Answer:
        if is_robots_txt(target):
            return NO_RULE  # O22
        if self.dialect == "rfc9309":
            return most_specific(rfc_rules(records, own), target)
        chosen = self._chosen(records, own)
        judge = first_match if self.dialect == "extended" else shortest
        if judge is shortest:
            # O2: the records for all robots are obeyed together.
            return shortest([r for c in chosen for r in c.rules], origin, target)
        # X3: each record for all robots is a group of its own.
        answers = [first_match(record.rules, origin, target) for record in chosen]
        refusals = [answer for answer in answers if not answer.allowed]
        if not answers:
            return NO_RULE
        lines = [line for answer in refusals or answers for line in answer.lines]
        return Answer(not refusals, frozenset(lines))

    def _chosen(self, records: list[Record], own: list[str]) -> list[Record]:
        """Return the record for a robot, or all default records (A3, O1, O2, O3)."""
        lengths = [
            longest_match([name for name in record.names if name != "*"], own)
            for record in records
        ]
        if any(lengths):
            if self.dialect == "extended":  # §5: the longest name; O1 of equal ones
                return [records[lengths.index(max(lengths))]]
            return [next(r for r, n in zip(records, lengths, strict=True) if n)]
        return [record for record in records if "*" in record.names]


def shortest(rules: list[Rule], origin: str, target: str) -> Answer:
    """D1: any covering rule disallows; the verdict names the first of the shortest."""
    found = [rule for rule in rules if covers(rule.value, origin, target)]
    if not found:
        return NO_RULE
    best = min(found, key=lambda rule: (len(rule.value), rule.line))
    return Answer(allowed=False, lines=frozenset([best.line]))


def first_match(rules: list[Rule], origin: str, target: str) -> Answer:
    """X1: the first rule of the file that covers the URL decides."""
    for rule in rules:
        if covers(rule.value, origin, target):
            return Answer(rule.allows, frozenset([rule.line]))
    return NO_RULE


def rfc_rules(records: list[Record], own: list[str]) -> list[Rule]:
    """Return the rules of all groups of the robot, or of `*` (RFC 9309 §2.2.1, §5.1)."""
    for name in (*own, "*"):
        groups = [record for record in records if name in record.names]
        if groups:
            return [rule for group in groups for rule in group.rules]
    return []


def most_specific(rules: list[Rule], target: str) -> Answer:
    """Apply the matching rule with the most octets; Allow wins a tie (RFC 9309 §2.2.2)."""
    found = [rule for rule in rules if rfc9309.matches(rule.value, target)]
    if not found:
        return NO_RULE
    most = max(rfc9309.octet_count(rule.value) for rule in found)
    best = [rule for rule in found if rfc9309.octet_count(rule.value) == most]
    allows = any(rule.allows for rule in best)
    first = min(rule.line for rule in best if rule.allows == allows)
    return Answer(allows, frozenset([first]))
