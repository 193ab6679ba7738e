"""The rules of one file for one robot (`RobotRules`), with which any URL can be checked.

The subclass `PrefixRules` (`parser/prefix_rules.py`) is for dialects in which rules are
prefixes. The subclass `LongestRules` (`parser/rfc9309.py`) is for the dialect in which the
longest rule decides.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from operator import contains, itemgetter
from typing import Protocol, TypeVar

from scrapy_robots1994.origin import head_of, target_behind
from scrapy_robots1994.parser.body import Body, decode
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import Line
from scrapy_robots1994.parser.robot_reading import Ignored, RobotReading
from scrapy_robots1994.parser.spellings import spellings_of
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names
from scrapy_robots1994.parser.verdict import (
    Reason,
    RecordReference,
    StrictestRefusal,
    Verdict,
)

ROBOTS_TXT = "/robots.txt"

ALLOW = 1
"""The kind of a rule that is an Allow; the kind of other rules is 0. If different rules
decide for several records, or for several spellings of a URL, the rule with the smallest
kind takes precedence.
"""

NO_RULE, BEYOND = -1, -2
"""The return values of `RobotRules.decide` if no rule decides. The value is `BEYOND` if the
URL needs too many comparisons.
"""

# `_decision` returns `_ITSELF` as the number for the URL of robots.txt itself, and
# `_UNCOMPARED` for a URL with too many spellings.
_ITSELF, _UNCOMPARED = -3, -4
_TOO_MUCH = {BEYOND: Reason.WILDCARDS, _UNCOMPARED: Reason.SPELLINGS}

# A URL that matches this pattern and contains no dot segment has only one spelling,
# whichever client sends the URL. The pattern follows from Ours O18 (percent-encodings), O26
# (fragments) and O27 (spellings), and from RFC 9309 2.2.2. Clients can change a `;`, two
# slashes at the start of the path, and a `?` at the end. Therefore, the pattern does not
# match a URL with any of these three parts.
_PLAIN_URL = re.compile(
    r"https?://[^/?#\\]+(/(?!/)[A-Za-z0-9._~:/?@!&'()+,=-]*)(?<!\?)(?:#.*)?", re.DOTALL
)

# The maximum number of strings that are stored as a tuple. A short tuple takes little
# memory, and access to a tuple is faster than access to `Texts`.
_FEW = 64

# Most robots obey only one record, whose only name is `*`, so all files share this tuple.
_DEFAULT: tuple[tuple[str, ...], ...] = ((EVERYBODY,),)

# Access items of a named tuple by index, which is faster than access by name.
NUMBER, VALUE = map(itemgetter, map(Line._fields.index, ("number", "value")))

# 1994 E1 (empty file): an empty file has the same meaning as a missing file.
_EMPTY = Verdict(allowed=True, reason=Reason.EMPTY)
_NO_RECORD = Verdict(allowed=True, reason=Reason.NO_RECORD)
_ROBOTS_TXT_ITSELF = Verdict(allowed=True, reason=Reason.ROBOTS_TXT)

K = TypeVar("K")


class Rules(Protocol):
    """The rules of one origin for one robot, with which any URL can be checked.

    `RobotRules` contains the rules of a file. `UniformRules` represents a policy without a
    file, and gives the same answer for every URL.
    """

    @property
    def crawl_delay(self) -> float | None:
        """The number of seconds that the robot should wait between two requests, or None if
        no delay applies.
        """

    @property
    def ignored(self) -> Ignored | None:
        """What the dialect ignores or takes literally in the records of the robot, or None
        if there is no such line.
        """

    def allowed(self, url: str, /) -> bool:
        """Return whether the robot may retrieve *url*. Never raises."""

    def verdict(self, url: str, /) -> Verdict:
        """Return whether the robot may retrieve *url*, and the reason. Never raises."""


class Texts:
    """Many strings, stored as one string. Each separate `str` object would take about 50
    bytes more. *firsts* contains every `_FEW`-th string, which makes `search` faster.
    """

    __slots__ = ("all", "ends", "firsts")

    def __init__(self, texts: Sequence[str]) -> None:
        """Join and store *texts*."""
        self.all = "".join(texts)
        self.ends = array("I", accumulate(map(len, texts), initial=0))
        self.firsts = tuple(texts[::_FEW])

    def __len__(self) -> int:
        """Return the number of strings."""
        return len(self.ends) - 1

    def __getitem__(self, place: int) -> str:
        """Return the string with the index *place*."""
        ends = self.ends
        return self.all[ends[place] : ends[place + 1]]

    def search(self, text: str) -> int:
        """Return the number of strings that do not sort after *text*. The strings must be
        sorted.
        """
        end = bisect_right(self.firsts, text) * _FEW
        return bisect_right(self, text, max(end - _FEW, 0), min(end, len(self)))


def _stored_texts(texts: Sequence[str]) -> "tuple[str, ...] | Texts":
    """Return *texts* as a sequence that takes little memory."""
    return tuple(texts) if len(texts) <= _FEW else Texts(texts)


def _stored_numbers(numbers: Sequence[int]) -> Sequence[int]:
    """Return *numbers*, which are not negative, as a sequence that takes little memory."""
    try:
        return bytes(numbers)
    except ValueError:
        # A number is too large for a byte.
        return array("I", numbers)


def kind_of(line: Line) -> int:
    """Return the kind of the rule *line*."""
    return ALLOW if line.row is not None and line.row.allows else 0


class RobotRules:
    """The rules of one robots.txt for one robot, with which any URL can be checked.

    `allowed` and `verdict` never raise, and always give the same answer for the same URL.
    A `RobotRules` object never changes, so several threads may share the
    object.
    """

    # The rules are stored in columns. The number of a rule is its index in `_kinds`,
    # `_values` and `_lines`. `_values` contains the paths as written, and `_lines` contains
    # line numbers. `_kinds` is empty if the kind of each rule is 0. `_texts` contains the
    # strings that are compared with the beginning of a target, in sorted order. The number
    # of a rule with a string is the index of the string. `_texts` and `_values` may be one
    # object.
    #
    # For each string, `_outer` contains the position of the last earlier string that is a
    # prefix of the string or equals the string. Positions are counted from 1. The position
    # is 0 if there is no such string. `_outer` is empty if each position is 0.
    #
    # `_is_whole` is `True` if `_texts` alone show which targets the rules cover, and
    # `_allows` is `True` if a rule is an Allow. `_first_lines` contains the number of the
    # first line of each record that the robot obeys, and `_names` contains its names.
    __slots__ = (
        "_allows",
        "_body",
        "_dialect",
        "_first_lines",
        "_has_any",
        "_is_whole",
        "_kinds",
        "_lines",
        "_names",
        "_outer",
        "_texts",
        "_values",
        "crawl_delay",
        "ignored",
        "names",
        "robot",
    )

    def __init__(
        self, reading: RobotReading, body: Body, dialect: Dialect, robot: str | bytes
    ) -> None:
        """Compile the rules in *reading*, which is the result of a parse of *body* for
        *robot*. *robot* is a bare name or a whole User-Agent header.
        """
        self.robot = robot
        self.names = robot_names(robot)
        self.crawl_delay = reading.crawl_delay
        self.ignored = reading.ignored
        self._body = body
        self._dialect = dialect
        self._has_any = reading.has_any
        self._first_lines = _stored_numbers(reading.first_lines)
        names = tuple(reading.names)
        self._names = _DEFAULT if names == _DEFAULT else names
        rules = sorted(reading.rules, key=VALUE)
        values = list(map(VALUE, rules))
        self._is_whole = True
        texts, rules = self._compile(values, rules)
        values = list(map(VALUE, rules))
        self._texts = _stored_texts(texts)
        self._values = self._texts if values == texts else _stored_texts(values)
        self._lines = _stored_numbers(list(map(NUMBER, rules)))
        kinds = bytes(map(kind_of, rules)) if dialect.has_allow else b""
        self._kinds = kinds if any(kinds) else b""
        self._allows = max(kinds, default=0) >= ALLOW
        self._outer: Sequence[int] = ()
        # If no text is contained in the next text, no text is a prefix of another text.
        # Checking only adjacent texts is faster than calling `_outer_places`.
        if any(map(contains, islice(texts, 1, None), texts)):
            self._outer = _stored_numbers(_outer_places(texts))

    def _compile(
        self, values: list[str], rules: list[Line]
    ) -> tuple[list[str], list[Line]]:
        """Return the strings for `_texts`, and the rule with each string. Further rules may
        follow. *rules* contains a line for each path. *values* are the paths, in sorted
        order.
        """
        raise NotImplementedError

    def spelling(self, target: str) -> str:
        """Return the normal spelling of *target*. Targets that the rules do not distinguish
        have the same normal spelling.
        """
        raise NotImplementedError

    def decide(self, head: str, target: str, spelling: str, *, share: int) -> int:
        """Return the number of the rule that decides whether a URL is allowed, or `NO_RULE`
        if no rule decides.

        *head* is the scheme and authority of the URL, and can be empty. *target* is the
        path and query of the URL. *spelling* is the result of the method `spelling` for
        *target*. *share* spellings of one URL together may take `MAX_WORK`.
        """
        raise NotImplementedError

    def rank(self, kind: int, value: str, line: int) -> tuple[bool, int, int]:
        """Return the rank of a rule, from its *kind*, its path as written (*value*) and its
        line number. Among the rules that cover a URL, the rule with the smallest rank
        decides.
        """
        raise NotImplementedError

    def _kind(self, number: int) -> int:
        """Return the kind of the rule with this *number*."""
        return self._kinds[number] if self._kinds else 0

    def first_of(self, numbers: Iterable[int]) -> int:
        """Return the number with the smallest rank among *numbers*, which are the numbers
        of rules.
        """
        values, lines = self._values, self._lines
        return min(
            numbers, key=lambda it: self.rank(self._kind(it), values[it], lines[it])
        )

    def _rank_of(self, rule: Line) -> tuple[bool, int, int]:
        """Return the rank of *rule*."""
        return self.rank(kind_of(rule), rule.value, rule.number)

    def _without_equal(self, rules: Iterable[tuple[K, Line]]) -> dict[K, Line]:
        """Return the rule with the smallest rank for each key. The stored rules must take
        little memory, even if a file repeats a rule many times.
        """
        least: dict[K, Line] = {}
        for key, rule in rules:
            known = least.setdefault(key, rule)
            if known is not rule and self._rank_of(rule) < self._rank_of(known):
                least[key] = rule
        return least

    def _record(self, line: int) -> int:
        """Return the index of the record that contains line number *line*. The first record
        has the index 0.
        """
        return bisect_right(self._first_lines, line) - 1

    def _longest(self, text: str) -> int:
        """Return the position, from 1, of the longest string in `_texts` that is a prefix of
        *text*, or 0 if there is none.
        """
        # Let L be the last string that does not sort after `text`. Each string that is a
        # prefix of `text` is also a prefix of L, or equals L.
        texts, outer = self._texts, self._outer
        place = (
            bisect_right(texts, text)
            if isinstance(texts, tuple)
            else texts.search(text)
        )
        while place and not text.startswith(texts[place - 1]):
            # Skip the strings that equal this string, because the records of a file may
            # repeat a rule many times.
            place = (
                outer[bisect_left(texts, texts[place - 1], 0, place)] if outer else 0
            )
        return place

    def covering(self, text: str) -> list[int]:
        """Return the numbers of the rules whose strings in `_texts` are prefixes of *text*.
        The numbers are in the order of the strings, from the longest to the shortest.
        """
        found: list[int] = []
        place = self._longest(text)
        while place:
            found.append(place - 1)
            place = self._outer[place - 1] if self._outer else 0
        return found

    def allowed(self, url: str | bytes) -> bool:
        """Return whether the robot may retrieve *url*, which is an absolute URL or a path."""
        text = url if isinstance(url, str) else decode(url)
        # Fast path: a crawl calls `allowed` for every request, and most URLs are plain.
        plain = _PLAIN_URL.fullmatch(text)
        if plain and "/." not in text and self._is_whole:
            target = plain[1]
            if not self._longest(target):
                return True
            if not self._allows:
                # Ours O22 (robots.txt itself): a robots.txt may always be retrieved.
                return target == ROBOTS_TXT
        return self._decision(text)[0] >= ALLOW

    def verdict(self, url: str | bytes) -> Verdict:
        """Return whether the robot may retrieve *url*, an absolute URL or a path, and the
        reason.
        """
        kind, number, spelling = self._decision(url)
        if number == _ITSELF:
            return _ROBOTS_TXT_ITSELF
        if number in _TOO_MUCH:
            # Ours O27, O28: what cannot be compared with all rules is disallowed.
            return Verdict(
                allowed=False,
                reason=_TOO_MUCH[number],
                spelling=spelling,
                dialect=self._dialect.name,
            )
        if not self._names:
            return _NO_RECORD if self._has_any else _EMPTY
        # If no rule decides, the verdict refers to the first record that the robot obeys.
        record = 0 if number == NO_RULE else self._record(self._lines[number])
        source = RecordReference(
            self._first_lines[record], self._names[record], self._body, self._dialect
        )
        if number == NO_RULE:
            return Verdict(
                allowed=True,
                reason=Reason.NO_RULE,
                source=source,
                dialect=self._dialect.name,
            )
        return Verdict(
            allowed=kind >= ALLOW,
            reason=Reason.RULE,
            line=self._lines[number],
            rule=self._values[number],
            spelling=spelling,
            source=source,
            dialect=self._dialect.name,
        )

    def _decision(self, url: str | bytes) -> tuple[int, int, str | None]:
        """Return the kind and the number of the rule that decides whether *url* is allowed.
        Also return the spelling of the target that the rule covers, or None if the rule
        covers the target as written.

        If no rule decides, the number is negative, and the kind is `ALLOW` if *url* is
        allowed and 0 if it is disallowed.
        """
        text = url if isinstance(url, str) else decode(url)
        plain = None if "/." in text else _PLAIN_URL.fullmatch(text)
        is_cut = False
        if plain:
            head, target = text[: plain.start(1)], plain[1]
            targets = [target]
        else:
            head = head_of(text)
            target = target_behind(len(head), text)
            targets, is_cut = spellings_of(target)
        decision = ALLOW, NO_RULE, target
        for each in targets:
            # The target of a plain URL is its own normal spelling.
            spelling = each if plain else self.spelling(each)
            # Ours O22: robots.txt itself may always be retrieved.
            is_itself = spelling == ROBOTS_TXT
            number = _ITSELF
            if not is_itself:
                number = self.decide(head, each, spelling, share=len(targets))
            kind = self._kind(number) if number >= 0 else ALLOW * (number != BEYOND)
            # Ours O27: a URL is disallowed if at least one of its spellings is disallowed.
            if each == target or kind < min(decision[0], ALLOW):
                decision = kind, number, each
        kind, number, covered = decision
        if is_cut and kind >= ALLOW and self._lines:
            # Ours O27: not all spellings were compared.
            return 0, _UNCOMPARED, None
        return kind, number, None if covered == target else covered


class StrictestRules:
    """The rules of one robots.txt for one robot in the dialect "strictest": a URL is
    disallowed if *main* or *other* disallows it.
    """

    __slots__ = ("_main", "_other")

    ignored = None
    """None: what 1994 ignores, rfc9309 obeys, but for Allow, which would open paths."""

    def __init__(self, main: RobotRules, other: RobotRules) -> None:
        self._main = main
        self._other = other

    @property
    def crawl_delay(self) -> float | None:
        """The longer of the two delays, in seconds, or None."""
        delays = (self._main.crawl_delay, self._other.crawl_delay)
        return max((it for it in delays if it is not None), default=None)

    def allowed(self, url: str | bytes) -> bool:
        """Return whether both dialects allow *url*. Never raises."""
        return self._main.allowed(url) and self._other.allowed(url)

    def verdict(self, url: str | bytes) -> Verdict:
        """Return the refusal of *url*, that of *main* if both refuse. Never raises."""
        verdict = self._main.verdict(url)
        if verdict.allowed:
            other = self._other.verdict(url)
            return verdict if other.allowed else StrictestRefusal.of(other)
        return StrictestRefusal.of(verdict)


def _outer_places(texts: Sequence[str]) -> list[int]:
    """Return `RobotRules._outer` for *texts*, which must be sorted."""
    places: list[int] = []
    # `place` is the index of `text`, counted from 0. Therefore `place` is also the
    # position of the preceding text, counted from 1.
    for place, text in enumerate(texts):
        outer = place
        while outer and not text.startswith(texts[outer - 1]):
            outer = places[outer - 1]
        places.append(outer)
    return places
