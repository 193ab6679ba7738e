"""The rules of one file for one robot, compiled for lookup.

The rules are sorted by `Dialect.order`. In each table, the first rule that covers a URL decides.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from sys import maxsize
from typing import NamedTuple, Protocol

from scrapy_robots1994.origin import head_and_target
from scrapy_robots1994.parser.body import Body, decode
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Line, with_pauses
from scrapy_robots1994.parser.rfc9309 import (
    MAX_WORK,
    Pattern,
    normal_spelling,
    spellings_of_rule,
)
from scrapy_robots1994.parser.robot_reading import Ignored, RobotReading
from scrapy_robots1994.parser.spellings import (
    as_sent,
    canonical,
    has_cut_escape,
    spellings_of,
    url_forms,
)
from scrapy_robots1994.parser.user_agent import EVERYBODY
from scrapy_robots1994.parser.verdict import (
    Reason,
    RecordReference,
    StrictestRefusal,
    Verdict,
)

ROBOTS_TXT = "/robots.txt"

NO_RULE = maxsize
"""Stands for "no rule". The number of a rule is twice its place in the order, plus one for an Allow
line. Odd numbers, such as `NO_RULE`, allow a URL.
"""

# Returned instead of the number of a rule if a URL is not compared with all rules. These values
# are smaller than any rule's number.
_ITSELF = -1
_TOO_MUCH_WORK, _TOO_MANY_SPELLINGS = -2, -4
_UNCOMPARED = {
    _TOO_MUCH_WORK: Reason.WILDCARDS,
    _TOO_MANY_SPELLINGS: Reason.SPELLINGS,
}

# The estimated work of a lookup in one table, in character comparisons
_TABLE_WORK = 2_000

# A URL that matches this pattern and contains no `/.` has only one spelling (Ours O26, O27), which
# `canonical` and `normal_spelling` do not change.
_PLAIN_URL = re.compile(
    r"https?://[^/?#\\]+(/(?!/)[A-Za-z0-9._~:/?@!&'()+,=-]*)(?<!\?)(?:#.*)?", re.DOTALL
)
# Clients remove spaces and control characters from the beginning of a URL.
_BEFORE_A_URL = "".join(map(chr, range(0x21)))
# Marks a text that is compared as sent. Other texts begin with `/`, `=` or a letter.
_AS_SENT = "%"

# The names of a single record for `*`, shared by all files
_DEFAULT: tuple[tuple[str, ...], ...] = ((EVERYBODY,),)
# Shared by all files without wildcards
_NO_PATTERNS: dict[Pattern, int] = {}
_ALLOW = LineKind.ALLOW

# 1994 E1: a file without records allows every URL.
_EMPTY = Verdict(allowed=True, reason=Reason.EMPTY)
_NO_RECORD = Verdict(allowed=True, reason=Reason.NO_RECORD)
_ROBOTS_TXT_ITSELF = Verdict(allowed=True, reason=Reason.ROBOTS_TXT)


class Rules(Protocol):
    """The rules of one origin for one robot."""

    @property
    def crawl_delay(self) -> float | None:
        """The seconds between two requests from the robot, or None."""

    @property
    def ignored(self) -> Ignored | None:
        """What the dialect ignores or takes literally in the robot's records, or None."""

    def allowed(self, url: str, /) -> bool:
        """Whether the robot may retrieve *url*. Never raises."""

    def verdict(self, url: str, /) -> Verdict:
        """Return the verdict on *url*. Never raises."""


class _Table(NamedTuple):
    """Rules, indexed for lookup."""

    prefixes: dict[str, int]
    """Maps each prefix to the number of the first rule that has it. A rule may have several
    prefixes. The rule covers a URL if one of the URL's texts begins with one of its prefixes.
    """
    seconds: str
    """The second characters of the prefixes."""
    lengths: tuple[Sequence[int], ...]
    """For each character of `seconds`, the lengths of the prefixes with that second character, in
    ascending order. The last entry is for all other characters. If a prefix has only one character,
    its length, 1, is in every entry.
    """
    patterns: dict[Pattern, int]
    """Maps each pattern to the number of the first rule that has it, sorted by these numbers."""

    @classmethod
    def of(cls, prefixes: dict[str, int], patterns: dict[Pattern, int]) -> "_Table":
        found: dict[str, list[int]] = {}
        for second, length in sorted({(text[1:2], len(text)) for text in prefixes}):
            found.setdefault(second, []).append(length)
        single = found.pop("", [])
        lengths = [_stored(single + it) for it in (*found.values(), [])]
        return cls(prefixes, "".join(found), tuple(lengths), patterns or _NO_PATTERNS)

    def first(self, texts: Sequence[str], maximum: int) -> int:
        """Return the number of the first rule that covers a URL with these *texts*.

        Patterns are compared only with the first text. If these comparisons take more than
        *maximum* work, return `_TOO_MUCH_WORK`.
        """
        # Ours O22
        if texts[0] == ROBOTS_TXT:
            return _ITSELF
        find, number = self.prefixes.get, NO_RULE
        for text in texts:
            size = len(text)
            # For most URLs, `seconds.find` returns -1, the index of the entry for all other
            # characters.
            for length in self.lengths[self.seconds.find(text[1:2])]:
                if length > size:
                    break
                other = find(text[:length])
                if other is not None and other < number:
                    number = other
        return self._wildcard(texts[0], number, maximum) if self.patterns else number

    def _wildcard(self, spelling: str, number: int, maximum: int) -> int:
        """Return the number of the first pattern that covers *spelling*, or *number* if no pattern
        with a smaller number does.
        """
        work = 0
        for pattern, other in self.patterns.items():
            if other > number:
                break
            if spelling.startswith(pattern.first):
                # Ours O28
                work += pattern.work(spelling)
                if work > maximum:
                    return _TOO_MUCH_WORK
                if pattern.covers(spelling):
                    return other
        return number


class _Tables(NamedTuple):
    """The tables of all records that apply to a robot. Each table decides independently, and any
    can disallow a URL (Ours O2, X3).
    """

    tables: list[_Table]

    def first(self, texts: Sequence[str], maximum: int) -> int:
        """Return the smallest number with which a table disallows a URL with these *texts*. If no
        table disallows the URL, return the smallest number that a table gives.
        """
        if len(self.tables) * _TABLE_WORK > maximum and texts[0] != ROBOTS_TXT:
            return _TOO_MUCH_WORK
        numbers = [it.first(texts, maximum) for it in self.tables]
        refusing = [it for it in numbers if it % 2 == 0]
        return min(refusing or numbers)


class RobotRules:
    """The rules of one robots.txt for one robot. Immutable and thread-safe.

    `allowed` and `verdict` never raise.
    """

    # `_values` and `_lines` are indexed by the place of a rule in the order.
    __slots__ = (
        "_body",
        "_dialect",
        "_first_lines",
        "_has_any",
        "_has_cut_escape",
        "_is_plain",
        "_lines",
        "_names",
        "_table",
        "_values",
        "crawl_delay",
        "ignored",
        "names",
    )

    def __init__(
        self,
        reading: RobotReading,
        body: Body,
        dialect: Dialect,
        names: tuple[str, ...],
    ) -> None:
        """*reading* is what the robot with these *names* obeys in *body*."""
        self.names = names
        self.crawl_delay = reading.crawl_delay
        self.ignored = reading.ignored
        self._body = body
        self._dialect = dialect
        self._has_any = reading.has_any
        self._first_lines = _stored(reading.first_lines)
        of_records = tuple(reading.names)
        self._names = _DEFAULT if of_records == _DEFAULT else of_records
        self._table, kept, beginnings = _compiled(reading, dialect)
        self._values = tuple([it.value for it in kept])
        self._lines = _stored([it.number for it in kept])
        # The first characters of the rules' prefixes decide which forms of a URL are compared.
        self._is_plain = beginnings == {"/"}
        self._has_cut_escape = _AS_SENT in beginnings

    def allowed(self, url: str | bytes) -> bool:
        """Return whether the robot may retrieve *url*, an absolute URL or a path."""
        number, _ = self._decision(url)
        return number % 2 == 1

    def verdict(self, url: str | bytes) -> Verdict:
        """Return the verdict on *url*, an absolute URL or a path."""
        number, spelling = self._decision(url)
        dialect = self._dialect.name
        if number in _UNCOMPARED:
            return Verdict(allowed=False, reason=_UNCOMPARED[number], dialect=dialect)
        if number == _ITSELF:
            return _ROBOTS_TXT_ITSELF
        if not self._names:
            return _NO_RECORD if self._has_any else _EMPTY
        # If no rule decides, the verdict refers to the first record that the robot obeys.
        reason, line, rule, record = Reason.NO_RULE, None, None, 0
        if number != NO_RULE:
            place, reason = number // 2, Reason.RULE
            line, rule = self._lines[place], self._values[place]
            record = bisect_right(self._first_lines, line) - 1
        source = RecordReference(
            self._first_lines[record], self._names[record], self._body, self._dialect
        )
        return Verdict(
            allowed=number % 2 == 1,
            reason=reason,
            line=line,
            rule=rule,
            spelling=spelling,
            source=source,
            dialect=dialect,
        )

    def _decision(self, url: str | bytes) -> tuple[int, str | None]:
        """Return the number of the rule that decides, and the spelling that it covers. The spelling
        is None if the rule covers the target as written.
        """
        text = url if isinstance(url, str) else decode(url)
        if (
            self._is_plain
            and "/." not in text
            and (plain := _PLAIN_URL.fullmatch(text))
        ):
            return self._table.first([plain[1]], MAX_WORK), None
        head, target = head_and_target(text)
        spellings, is_cut = spellings_of(target)
        numbers: list[int] = []
        for spelling in spellings:
            # Ours O28: the limit applies to all spellings together.
            texts = self._texts(head, spelling)
            number = self._table.first(texts, MAX_WORK // len(spellings))
            # Ours O27
            if number % 2 == 0:
                return number, None if spelling == target else spelling
            numbers.append(number)
        return _TOO_MANY_SPELLINGS if is_cut and self._lines else numbers[0], None

    def _texts(self, head: str, target: str) -> list[str]:
        """Return the texts of a URL, to compare with the prefixes and patterns of rules."""
        if self._dialect.has_wildcards:
            return [normal_spelling(target)]
        texts = [canonical(target)]
        if self._has_cut_escape:
            texts.append(_AS_SENT + as_sent(target))
        if not self._is_plain:
            url = head.lstrip(_BEFORE_A_URL) + target
            texts += url_forms(url, canonical)
            if self._has_cut_escape:
                texts += [_AS_SENT + it for it in url_forms(url, as_sent)]
        return texts


class StrictestRules:
    """The rules in the dialect "strictest": a URL is disallowed if *main* or *other* disallows
    it.
    """

    __slots__ = ("_main", "_other", "names")

    ignored = None
    """Always None, because rfc9309 obeys the wildcards and split rules that 1994 ignores, and the
    Allow lines that 1994 ignores could only allow more URLs.
    """

    def __init__(self, main: RobotRules, other: RobotRules) -> None:
        self.names = main.names
        self._main = main
        self._other = other

    @property
    def crawl_delay(self) -> float | None:
        """The longer of the two delays, in seconds, or None."""
        delays = (self._main.crawl_delay, self._other.crawl_delay)
        return max((it for it in delays if it is not None), default=None)

    def allowed(self, url: str | bytes) -> bool:
        return self._main.allowed(url) and self._other.allowed(url)

    def verdict(self, url: str | bytes) -> Verdict:
        """Return the verdict of the dialect that disallows *url*, or of the main one if both agree.
        Never raises.
        """
        verdict = self._main.verdict(url)
        if verdict.allowed:
            other = self._other.verdict(url)
            return verdict if other.allowed else StrictestRefusal.of(other)
        return StrictestRefusal.of(verdict)


def _compiled(
    reading: RobotReading, dialect: Dialect
) -> tuple[_Table | _Tables, list[Line], set[str]]:
    """Return the table or tables for lookup, the rules that can decide (in order), and the first
    characters of their prefixes.
    """
    # Ours X3: any record for `*` can disallow a URL, so each record has its own table, unless the
    # dialect merges records. Without Allow, one table for all records gives the same verdicts.
    are_apart = dialect.has_allow and not dialect.merges_named
    numbers = _table_of_each(reading) if are_apart and reading.first_lines[1:] else {}
    found: dict[int, tuple[dict[str, int], dict[Pattern, int]]] = {0: ({}, {})}
    kept: list[Line] = []
    beginnings = {"/"}
    for rule in with_pauses(sorted(reading.rules, key=dialect.order)):
        table = numbers[rule.number] if numbers else 0
        prefixes, patterns = found.setdefault(table, ({}, {}))
        value, number = rule.value, 2 * len(kept) + (rule.kind is _ALLOW)
        texts: Sequence[str] = (value,)
        if dialect.has_wildcards:
            # RFC 9309 2.2: paths must begin with `/`, but in real files, some begin with `*`.
            if value[0] not in "/*":
                continue
            spellings = spellings_of_rule(value)
            if "*" in value or "$" in value:
                both = [Pattern.of(value, spelling) for spelling in spellings]
                if number in [patterns.setdefault(it, number) for it in both]:
                    kept.append(rule)
                continue
            texts = [spelling(value) for spelling in spellings]
        elif value[0] != "/" or "%" in value or not value.isascii():
            texts = _texts_of(value)
            beginnings.update([text[0] for text in texts])
        # Keep a rule only if it adds a prefix. Otherwise, an earlier rule decides.
        if number in [prefixes.setdefault(text, number) for text in texts]:
            kept.append(rule)
    tables = [_Table.of(*it) for it in found.values()]
    return tables[0] if len(tables) == 1 else _Tables(tables), kept, beginnings


def _table_of_each(reading: RobotReading) -> dict[int, int]:
    """Map the line number of each rule to the number of its table."""
    records: dict[int, list[Line]] = {}
    for rule in reading.rules:
        record = bisect_right(reading.first_lines, rule.number)
        records.setdefault(record, []).append(rule)
    # All records without Allow share one table, and so do records with equal rules.
    numbers: dict[object, int] = {}
    tables: dict[int, int] = {}
    for rules in records.values():
        allows = any(it.kind is _ALLOW for it in rules)
        key = allows and tuple([(it.kind, it.value) for it in rules])
        table = numbers.setdefault(key, len(numbers))
        tables |= {it.number: table for it in rules}
    return tables


def _texts_of(value: str) -> list[str]:
    """Return the prefixes of a rule. The rule covers a URL if one of the URL's texts begins with
    one of these prefixes.
    """
    is_path = value[0] == "/"
    # Ours O18, O19, O20
    texts = [canonical(value)] if is_path else url_forms(value, canonical)
    if has_cut_escape(value):
        # Ours O18: the rule also covers URLs that are sent with this beginning.
        sent = [as_sent(value)] if is_path else url_forms(value, as_sent)
        texts += [_AS_SENT + it for it in sent]
    return texts


def _stored(numbers: Sequence[int]) -> Sequence[int]:
    """Return the non-negative *numbers* in a compact form."""
    try:
        return bytes(numbers)
    except ValueError:
        return array("I", numbers)
