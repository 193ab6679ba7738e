"""The rule table of a dialect in which rules are prefixes. The table finds the rule that
decides whether a URL is allowed.

`parser/rfc9309.py` contains the table for the dialect in which the longest rule decides.
Each rule has a number, which is its place in `RuleColumns`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import contains, eq
from sys import maxsize
from typing import Protocol

from scrapy_robots1994.parser.columns import (
    small_array,
    stored_texts,
)
from scrapy_robots1994.parser.pauses import with_pauses
from scrapy_robots1994.parser.robot_reading import RuleColumns
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


class RuleTable(Protocol):
    """The compiled rules of one robot."""

    rules: RuleColumns

    def spelling(self, target: str) -> str:
        """Return the normal spelling of *target*. Targets that the rules do not distinguish
        have the same normal spelling.
        """

    def permit(self, target: str) -> bool | None:
        """Return whether the rules permit a URL with this *target*, which must be in its
        normal spelling. Return None if only `decide` can find the answer.
        """

    def decide(self, head: str, target: str, spelling: str) -> int:
        """Return the number of the rule that decides whether a URL is allowed, or `NO_RULE`
        if no rule decides.

        *head* is the scheme and authority of the URL, and may be empty. *target* is the
        path and query of the URL. *spelling* is the result of the method `spelling` for
        *target*.
        """


class Prefixes:
    """Sorted strings, each with the number of a rule. The methods find the strings that are
    prefixes of a given text.

    Let L be the last string that does not sort after the given text. Each stored string
    that is a prefix of the given text is also a prefix of L, or equals L.
    """

    __slots__ = ("_numbers", "_outer", "_texts")

    def __init__(self, texts: Sequence[str], numbers: Sequence[int] = ()) -> None:
        """Store *texts*, which must be sorted. *numbers* contains the number of each text.
        If *numbers* is empty, the number of a text is its place.
        """
        self._texts = stored_texts(texts)
        self._numbers = numbers
        # For each text, `_outer` contains the result of `_outer_places`. If `_outer` is
        # empty, no text is a prefix of another text.
        self._outer: Sequence[int] = ()
        # If no text is contained in the next text, no text is a prefix of another text.
        # Checking only adjacent texts is faster than computing all places.
        if any(map(contains, islice(texts, 1, None), texts)):
            self._outer = small_array(_outer_places(texts), len(texts))

    def _longest(self, text: str) -> int:
        """Return the place, from 1, of the longest stored text that is a prefix of *text*,
        or 0 if no stored text is a prefix. If several stored texts are equal, return the
        place of the last of the equal texts.
        """
        texts, outer = self._texts, self._outer
        place = bisect_right(texts, text)
        while place and not text.startswith(texts[place - 1]):
            place = outer[place - 1] if outer else 0
        return place

    def _numbers_at(self, place: int) -> tuple[int, Sequence[int]]:
        """Return the place, from 0, of the first text that equals the text at *place*. Also
        return the numbers of all texts from the first equal text to the text at *place*.
        *place* is counted from 1.
        """
        first = bisect_left(self._texts, self._texts[place - 1], 0, place)
        return first, self._numbers[first:place] or range(first, place)

    def longest(self, text: str) -> Sequence[int]:
        """Return the numbers of the longest stored text that is a prefix of *text*. If
        several stored texts are equal, return the numbers of all equal texts.
        """
        place = self._longest(text)
        return self._numbers_at(place)[1] if place else ()

    def covering(self, text: str) -> list[int]:
        """Return the numbers of all stored texts that are prefixes of *text*."""
        found: list[int] = []
        place = self._longest(text)
        while place:
            first, numbers = self._numbers_at(place)
            found += numbers
            place = self._outer[first] if self._outer else 0
        return found


def _outer_places(texts: Sequence[str]) -> list[int]:
    """Return, for each text, the place of the longest of *texts* that is a proper prefix of
    the text. Places are counted from 1. If *texts* contains no proper prefix of the text,
    the place is 0.
    """
    places: list[int] = []
    # `place` is the place of `text` counted from 0. Therefore `place` is also the place of
    # the preceding text counted from 1.
    for place, text in enumerate(texts):
        outer = place
        while outer and not text.startswith(texts[outer - 1]):
            outer = places[outer - 1]
        if outer and texts[outer - 1] == text:
            outer = places[outer - 1]
        places.append(outer)
    return places


# The rank of an Allow that only the cautious reading obeys. An Allow with this rank never
# decides.
_NO_REASON = 3


class PrefixTable(Prefixes):
    """The rule table of a dialect in which a rule covers each target or URL that begins
    with the value of the rule.

    If *is_first* is true, each record decides with its first rule that covers the URL. If
    *is_first* is false, every rule disallows, and the shortest rule that covers the URL
    decides.
    """

    __slots__ = ("_has_cut", "_has_urls", "_is_first", "rules")

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
                # any other value without a leading slash does not cover any URL.
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
        # Sort places and not pairs. Sorting pairs would take four times as long, and would
        # block all other threads.
        order = sorted(range(len(texts)), key=texts.__getitem__)
        kept = self._without_equal((texts[it], numbers[it]) for it in order)
        super().__init__(
            [text for text, _ in kept],
            small_array([number for _, number in kept], len(rules.values)),
        )
        rules.values = stored_texts(rules.values)

    def _without_equal(self, pairs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """Return *pairs* without the pairs that can never decide because another pair with
        the same text takes precedence. A pair is a text and the number of a rule. A file
        may repeat a rule many times, and the table must remain small.
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
        return rules.is_split(number), len(rules.values[number]), rules.lines[number]

    spelling = staticmethod(canonical)

    def permit(self, target: str) -> bool | None:
        """Return whether the rules permit a URL with this *target*, or None if only
        `decide` can find the answer.
        """
        if self._has_urls:
            return None
        if not self._longest(target):
            return True
        return None if self.rules.allows else False

    def decide(self, head: str, target: str, spelling: str) -> int:
        """Return the number of the rule that decides whether a URL is allowed."""
        forms = [spelling]
        if self._has_cut:
            forms.append(_AS_WRITTEN + target)
        if self._has_urls and head:
            url = head.lstrip(_BEFORE_A_URL) + target
            forms += url_forms(url, canonical)
            if self._has_cut:
                forms += [_AS_WRITTEN + it for it in url_forms(url, str)]
        found = [number for form in forms for number in self.covering(form)]
        return self._first_of(found) if found else NO_RULE

    def _first_of(self, numbers: list[int]) -> int:
        """Return the number of the rule that decides. *numbers* are the numbers of all
        rules that cover the URL.
        """
        rules = self.rules
        if not self._is_first:
            return min(numbers, key=self._rank)
        found, least, end = NO_RULE, _NO_REASON, 0
        lines, starts = rules.lines, (*rules.first_lines, maxsize)
        # Ours X1 (order): the first rule in the file that covers a URL decides. Ours X3
        # (several records): if the robot obeys several records for every robot, each record
        # decides independently.
        for number in sorted(numbers, key=lines.__getitem__):
            if lines[number] < end:
                continue
            end = starts[bisect_right(starts, lines[number])]
            # Ours O2 (several records for `*`): a URL is disallowed if any of the records
            # disallows the URL.
            rank = 2 * (not rules.disallows(number)) + rules.is_split(number)
            if rank < least:
                found, least = number, rank
            if not least:
                break
        return found


def _repeated_records(rules: RuleColumns) -> set[int]:
    """Return the places of the records that have the same rules as an earlier record."""
    said: list[list[object]] = [[] for _ in rules.first_lines]
    if len(said) > 1:
        for number in sorted(range(len(rules.values)), key=rules.lines.__getitem__):
            kind = rules.disallows(number), rules.is_split(number)
            said[rules.record(number)].append((kind, canonical(rules.values[number])))
    first: dict[tuple[object, ...], int] = {}
    places = [first.setdefault(tuple(it), place) for place, it in enumerate(said)]
    return {place for place, it in enumerate(places) if it != place}
