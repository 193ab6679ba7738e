"""The rules of one robot (`RuleColumns`), and the rule table of a dialect in which rules are
prefixes. The table finds the rule that decides whether a URL is allowed.

`parser/rfc9309.py` contains the table for the dialect in which the longest rule
decides. Each rule has a number, which is the index of the rule in `RuleColumns`.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import contains, eq
from typing import Protocol

from scrapy_robots1994.parser.reader import with_pauses
from scrapy_robots1994.parser.spellings import (
    canonical,
    has_cut_escape,
    is_absolute,
    url_forms,
)

NO_RULE = -1
"""The return value of `decide` if no rule decides."""

# Clients remove spaces and control characters from the beginning of a URL.
_BEFORE_A_URL = "".join(map(chr, range(0x21)))

# A form that is compared as written begins with this prefix. No other form of a rule or URL
# begins with this prefix.
_AS_WRITTEN = "%"

# The maximum number of strings that are stored as a tuple. A short tuple takes little
# memory, and access to a tuple is faster than access to `Texts`.
_FEW = 64

SPLIT, ALLOW = 1, 2
"""Two flags. The kind of a rule is the sum of the flags that apply to the rule. `SPLIT`
means that only the cautious reading obeys the rule. `ALLOW` means that the rule is an
Allow. If different rules decide for several records, or for several spellings of a URL, the
rule with the smallest kind takes precedence.
"""


@dataclass(slots=True)
class RuleColumns:
    """The rules that a robot obeys, stored in columns and sorted by value. Rules without a
    value are omitted.

    The number of a rule is its index in the columns, starting at 0. *values* are the paths as
    written, and *lines* are the line numbers of the rules. *kinds* contains the kind of
    each rule, which is the sum of the flags `SPLIT` and `ALLOW` that apply to the rule.
    *kinds* is empty if every rule is a Disallow that both readings obey. *first_lines*
    contains the number of the first line of each record that the robot obeys. *names*
    contains the names in each record that the robot obeys. *is_plain* is `True` if each
    value is an ASCII path without an escape. *has_wildcards* is `True` if a value contains
    `*` or `$`. *allows* is `True` if a rule is an Allow.

    A rule table that is compiled from the columns replaces *values* with an object that
    takes less memory.
    """

    values: Sequence[str]
    lines: Sequence[int]
    kinds: bytes
    first_lines: Sequence[int]
    names: tuple[tuple[str, ...], ...]
    is_plain: bool
    has_wildcards: bool
    allows: bool

    def kind(self, number: int) -> int:
        """Return the kind of the rule with this *number*."""
        return self.kinds[number] if self.kinds else 0

    def record(self, number: int) -> int:
        """Return the index of the record that contains the rule with this *number*. The
        first record has the index 0.
        """
        return bisect_right(self.first_lines, self.lines[number]) - 1


class Texts(Sequence[str]):
    """Many strings, stored as one string. Each separate `str` object would take about 50
    bytes more.
    """

    __slots__ = ("all", "ends")

    def __init__(self, texts: Sequence[str]) -> None:
        """Join and store *texts*."""
        self.all = "".join(texts)
        self.ends = array("I", accumulate(map(len, texts), initial=0))

    def __len__(self) -> int:
        """Return the number of strings."""
        return len(self.ends) - 1

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        """Return the string with the index *place*."""
        ends = self.ends
        return self.all[ends[place] : ends[place + 1]]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the strings, in order."""
        return map(
            self.all.__getitem__, map(slice, self.ends, islice(self.ends, 1, None))
        )


def stored_texts(texts: Sequence[str]) -> Sequence[str]:
    """Return *texts* as a sequence that takes little memory."""
    return tuple(texts) if len(texts) <= _FEW else Texts(texts)


class RuleTable(Protocol):
    """The compiled rules of one robot."""

    def permit(self, target: str) -> bool | None:
        """Return whether the rules permit a URL with this *target*, which must be in its
        normal spelling. Return None if only `decide` can find the answer.
        """

    def spelling(self, target: str) -> str:
        """Return the normal spelling of *target*. Targets that the rules do not distinguish
        have the same normal spelling.
        """

    def decide(self, head: str, target: str, spelling: str) -> int:
        """Return the number of the rule that decides whether a URL is allowed, or `NO_RULE`
        if no rule decides.

        *head* is the scheme and authority of the URL, and can be empty. *target* is the
        path and query of the URL. *spelling* is the result of the method `spelling` for
        *target*.
        """


class Prefixes:
    """Sorted strings, each with the number of a rule in *rules*. The methods find the
    strings that are prefixes of a given text.

    Let L be the last string that does not sort after the given text. Each stored string
    that is a prefix of the given text is also a prefix of L, or equals L.
    """

    __slots__ = ("_is_whole", "_numbers", "_outer", "_texts", "rules")

    rules: RuleColumns

    def __init__(
        self,
        texts: Sequence[str],
        numbers: Sequence[int] = (),
        *,
        is_whole: bool = True,
    ) -> None:
        """Store *texts*, which must be sorted. *numbers* contains the number of the
        rule for each text. If *numbers* is empty, the number of each rule is the index
        of its text. *is_whole* is `False` if *texts* alone do not show which targets
        the rules cover. For example, a rule may be an absolute URL, or contain a
        wildcard.
        """
        self._is_whole = is_whole
        self._texts = stored_texts(texts)
        self._numbers = numbers
        # For each text, `_outer` contains the result of `_outer_places`. If `_outer` is
        # empty, no text is a prefix of another text.
        self._outer: Sequence[int] = ()
        # If no text is contained in the next text, no text is a prefix of another text.
        # Checking only adjacent texts is faster than calling `_outer_places`.
        if any(map(contains, islice(texts, 1, None), texts)):
            self._outer = array("I", _outer_places(texts))

    def permit(self, target: str) -> bool | None:
        """Return whether the rules permit a URL with this *target*, or None if only
        `decide` can find the answer.
        """
        if not self._is_whole:
            return None
        texts, outer = self._texts, self._outer
        place = bisect_right(texts, target)
        while place and not target.startswith(texts[place - 1]):
            # Skip the texts that equal this text, because the records of a file may repeat
            # a rule many times.
            place = (
                outer[bisect_left(texts, texts[place - 1], 0, place)] if outer else 0
            )
        if not place:
            return True
        return None if self.rules.allows else False

    def covering(self, text: str) -> list[int]:
        """Return the numbers of the rules whose stored texts are prefixes of *text*. The
        numbers are in the order of the texts, from the longest text to the shortest.
        """
        found: list[int] = []
        texts, numbers, outer = self._texts, self._numbers, self._outer
        place = bisect_right(texts, text)
        while place:
            place -= 1
            if text.startswith(texts[place]):
                found.append(numbers[place] if numbers else place)
            elif outer:
                place = bisect_left(texts, texts[place], 0, place)
            place = outer[place] if outer else 0
        return found


def _outer_places(texts: Sequence[str]) -> list[int]:
    """For each text T in *texts*, return the position of the last earlier text that is
    a prefix of T or equals T. Positions are counted from 1. The position is 0 if no
    earlier text is a prefix of T or equals T. *texts* must be sorted.
    """
    places: list[int] = []
    # `place` is the index of `text`, counted from 0. Therefore `place` is also the
    # position of the preceding text, counted from 1.
    for place, text in enumerate(texts):
        outer = place
        while outer and not text.startswith(texts[outer - 1]):
            outer = places[outer - 1]
        places.append(outer)
    return places


class PrefixTable(Prefixes):
    """The rule table of a dialect in which a rule covers each target or URL that begins
    with the value of the rule.

    If *is_first* is true, each record decides with its first rule that covers the URL. If
    *is_first* is false, every rule disallows, and the shortest rule that covers the URL
    decides.
    """

    __slots__ = ("_has_cut", "_has_urls", "_is_first")

    def __init__(self, rules: RuleColumns, *, is_first: bool) -> None:
        """Compile *rules*."""
        self._is_first = is_first
        self._has_cut = self._has_urls = False
        self.rules = rules
        if rules.is_plain and not any(map(eq, rules.values, rules.values[1:])):
            super().__init__(rules.values)
            rules.values = self._texts
            return
        texts: list[str] = []
        numbers: list[int] = []
        for number, value in enumerate(with_pauses(rules.values)):
            if value[0] == "/":
                # Ours O18 (percent-encodings): all percent-encodings of a path have the
                # same canonical spelling.
                texts.append(canonical(value))
                numbers.append(number)
            elif is_absolute(value):
                # Ours O19 (whole URLs): a rule may be an absolute URL. Ours O20 (no slash):
                # any other value without a leading slash covers no URL.
                self._has_urls = True
                forms = url_forms(value, canonical)
                texts += forms
                numbers += [number] * len(forms)
            # Ours O18: a rule that ends within an escape also covers the URLs that begin with
            # the rule as written.
            if has_cut_escape(value):
                self._has_cut = True
                written = [value] if value[0] == "/" else url_forms(value, str)
                texts += [_AS_WRITTEN + it for it in written]
                numbers += [number] * len(written)
        # Sort indexes and not pairs. Sorting pairs would take four times as long, and
        # would block all other threads.
        order = sorted(range(len(texts)), key=texts.__getitem__)
        kept = self._without_equal((texts[it], numbers[it]) for it in order)
        super().__init__(
            [text for text, _ in kept],
            array("I", [number for _, number in kept]),
            is_whole=not self._has_urls,
        )
        rules.values = stored_texts(rules.values)

    def _without_equal(self, pairs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """Return *pairs* without the pairs that can never decide. A pair is a text and the
        number of a rule. A pair can never decide if another pair with the same text takes
        precedence. The table must remain small, even if a file repeats a rule many times.
        """
        rules, least = self.rules, dict[tuple[str, int], int]()
        # Ours X3 (several records): each record decides independently. Omit each record
        # that has the same rules as an earlier record.
        repeated = _repeated_records(rules) if self._is_first else ()
        for text, number in with_pauses(pairs):
            record = rules.record(number) if self._is_first else 0
            if record not in repeated:
                known = least.setdefault((text, record), number)
                if known != number and self._rank(number) < self._rank(known):
                    least[text, record] = number
        return [(text, number) for (text, _), number in least.items()]

    def _rank(self, number: int) -> tuple[bool, int, int]:
        """Return the rank of the rule with this *number*. Among the rules that cover a URL,
        the rule with the smallest rank decides. If `_is_first` is true, only ranks of rules
        in the same record can be compared.
        """
        rules = self.rules
        if self._is_first:
            # Ours X1 (order): the first rule in the file that covers a URL decides.
            return False, 0, rules.lines[number]
        # Ours O5 (readings): a rule that the literal reading obeys takes precedence over a
        # rule that only the cautious reading obeys.
        return rules.kind(number) > 0, len(rules.values[number]), rules.lines[number]

    spelling = staticmethod(canonical)

    def decide(self, head: str, target: str, spelling: str) -> int:
        """Return the number of the rule that decides whether a URL is allowed, or `NO_RULE`
        if no rule decides.
        """
        found = self.covering(spelling)
        if self._has_cut:
            found += self.covering(_AS_WRITTEN + target)
        if self._has_urls and head:
            url = head.lstrip(_BEFORE_A_URL) + target
            forms = url_forms(url, canonical)
            if self._has_cut:
                forms += [_AS_WRITTEN + it for it in url_forms(url, str)]
            for form in forms:
                found += self.covering(form)
        return self._first_of(found) if found else NO_RULE

    def _first_of(self, numbers: list[int]) -> int:
        """Return the number of the rule that decides. *numbers* are the numbers of all
        rules that cover the URL.
        """
        rules = self.rules
        if not self._is_first:
            return min(numbers, key=self._rank)
        # Ours X1 (order): the first rule in the file that covers a URL decides. Ours X3
        # (several records): if the robot obeys several records for `*`, each record decides
        # independently.
        firsts: dict[int, int] = {}
        for number in sorted(numbers, key=rules.lines.__getitem__):
            firsts.setdefault(rules.record(number), number)
        # Ours O2 (several records for `*`): a URL is disallowed if at least one of the
        # records disallows the URL.
        number = min(firsts.values(), key=rules.kind)
        # An Allow that only the cautious reading obeys never decides.
        return NO_RULE if rules.kind(number) == ALLOW + SPLIT else number


def _repeated_records(rules: RuleColumns) -> set[int]:
    """Return the indexes of the records that have the same rules as an earlier record."""
    said: list[list[object]] = [[] for _ in rules.first_lines]
    if len(said) > 1:
        for number in sorted(range(len(rules.values)), key=rules.lines.__getitem__):
            rule = rules.kind(number), canonical(rules.values[number])
            said[rules.record(number)].append(rule)
    first: dict[tuple[object, ...], int] = {}
    places = [first.setdefault(tuple(it), place) for place, it in enumerate(said)]
    return {place for place, it in enumerate(places) if it != place}
