"""Which rule decides about a URL, where rules are prefixes.

`parser/rfc9309.py` has the table for the dialect whose longest rule decides. A table numbers
the rules in the order of the file, from 0, and `decide` returns the number of one of them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from scrapy_robots1994.parser.reader import Rules
from scrapy_robots1994.parser.spellings import (
    canonical,
    has_cut_escape,
    is_absolute,
    url_forms,
)

NO_RULE = -1
"""What `decide` returns if no rule decides."""

# What clients leave out in front of a URL: space and control characters.
_BEFORE_A_URL = "".join(map(chr, range(0x21)))

# So many prefixes are tried in one call, which is quicker than a look-up for each length.
_FEW = 64


class RuleTable(Protocol):
    """The rules of one robot, ready for questions."""

    def spelling(self, target: str) -> str:
        """Return the one spelling of all targets that the rules do not distinguish."""

    def permit(self, target: str) -> bool | None:
        """Return whether the rules permit a URL with this *target*, which has one spelling; None
        if `decide` has to be called for it.
        """

    def decide(self, head: str, target: str, spelling: str) -> int:
        """Return the number of the rule that decides about a URL: its *head* is scheme and
        authority, perhaps empty, its *target* path and query, with their *spelling*.
        """

    def parts(self) -> Iterable[object]:
        """Return the objects that take memory; some may be those of the rules."""


class Prefixes:
    """Texts with numbers: which of them begin a given text.

    A few are tried in one call; of many, those of one length are found by one look-up.
    """

    __slots__ = ("_by_text", "_lengths", "_numbers", "_texts")

    def __init__(self, texts: Sequence[str], numbers: Sequence[int]) -> None:
        """Take *texts*, each with the number at its place in *numbers*."""
        self._texts: tuple[str, ...] = ()
        self._numbers: Sequence[int] = ()
        self._by_text: dict[str, int | list[int]] = {}
        self._lengths: Sequence[int] = ()
        if len(texts) <= _FEW:
            self._texts, self._numbers = tuple(texts), numbers
            return
        self._by_text |= zip(texts, numbers, strict=True)
        if len(self._by_text) < len(texts):
            # Some are equal.
            by_text: dict[str, list[int]] = {}
            for text, number in zip(texts, numbers, strict=True):
                by_text.setdefault(text, []).append(number)
            for text, all_numbers in by_text.items():
                if len(all_numbers) > 1:
                    self._by_text[text] = all_numbers
        self._lengths = tuple(sorted(set(map(len, self._by_text))))

    def cover(self, text: str) -> bool:
        """Return whether any of the texts begins *text*."""
        if self._texts:
            return text.startswith(self._texts)
        by_text, size = self._by_text, len(text)
        for length in self._lengths:
            if length > size:
                return False
            if text[:length] in by_text:
                return True
        return False

    def covering(self, text: str) -> list[int]:
        """Return the numbers of the texts that begin *text*."""
        if self._texts:
            if not text.startswith(self._texts):
                return []
            pairs = zip(self._texts, self._numbers, strict=True)
            return [number for it, number in pairs if text.startswith(it)]
        found: list[int] = []
        by_text, size = self._by_text, len(text)
        for length in self._lengths:
            if length > size:
                break
            numbers = by_text.get(text[:length])
            if isinstance(numbers, list):
                found += numbers
            elif numbers is not None:
                found.append(numbers)
        return found

    def parts(self) -> Iterable[object]:
        """Return the objects that take memory."""
        own = (self, self._texts, self._numbers, self._by_text, self._lengths)
        return (*own, *self._texts, *self._by_text)


class PrefixTable:
    """The rules of a dialect in which a rule is a prefix of what it covers.

    *is_first* says that the first rule in the file that covers a URL decides, in each record
    by itself; else any rule disallows, and the verdict names the shortest.
    """

    __slots__ = ("_cut", "_has_urls", "_is_first", "_prefixes", "_rules")

    def __init__(self, rules: Rules, *, is_first: bool) -> None:
        """Compile *rules*."""
        self._rules, self._is_first = rules, is_first
        self._cut: Prefixes | None = None
        self._has_urls = False
        if rules.is_plain:
            self._prefixes = Prefixes(rules.values, range(len(rules.values)))
            return
        # Ours O18: one spelling for all percent-encodings.
        self._prefixes = _prefixes(rules.values, canonical)
        # Ours O18: a rule whose last escape is cut short covers what begins with it as
        # written, too.
        cut = [it if has_cut_escape(it) else "" for it in rules.values]
        if any(cut):
            self._cut = _prefixes(cut, str)
        # Ours O19: a rule may be an absolute URL.
        self._has_urls = any(is_absolute(it) for it in rules.values if it[0] != "/")

    spelling = staticmethod(canonical)

    def permit(self, target: str) -> bool | None:
        """Return whether the rules permit a URL with this *target*; None if unknown."""
        if self._has_urls:
            return None
        if not self._prefixes.cover(target):
            return True
        return None if self._rules.allows else False

    def decide(self, head: str, target: str, spelling: str) -> int:
        """Return the number of the rule that decides about a URL."""
        found = self._prefixes.covering(spelling)
        if self._cut is not None:
            found += self._cut.covering(target)
        if self._has_urls and head:
            url = head.lstrip(_BEFORE_A_URL) + target
            for form in url_forms(url, canonical):
                found += self._prefixes.covering(form)
            if self._cut is not None:
                for form in url_forms(url, str):
                    found += self._cut.covering(form)
        return self._first_of(found) if found else NO_RULE

    def _first_of(self, numbers: list[int]) -> int:
        """Return which of the rules with these *numbers*, which cover a URL, decides."""
        rules = self._rules
        if not self._is_first:
            # Ours O5: what the literal reading disallows comes before what only the
            # cautious one does.
            return min(
                numbers, key=lambda it: (rules.is_split(it), len(rules.values[it]), it)
            )
        if len(rules.first_lines) > 1:
            # Ours X3: of several records for every robot, each answers for itself.
            first: dict[int, int] = {}
            for number in sorted(numbers):
                first.setdefault(rules.record(number), number)
            numbers = list(first.values())
        else:
            # Ours X1: the first rule in the file that covers a URL decides.
            numbers = [min(numbers)]
        # Ours O2: what one of the records disallows is disallowed.
        number = min(
            numbers, key=lambda it: (not rules.disallows(it), rules.is_split(it), it)
        )
        # An Allow that only the cautious reading obeys is no reason.
        is_reason = rules.disallows(number) or not rules.is_split(number)
        return number if is_reason else NO_RULE

    def parts(self) -> Iterable[object]:
        """Return the objects that take memory; some may be those of the rules."""
        cut = () if self._cut is None else self._cut.parts()
        return (self, *self._prefixes.parts(), *cut)


def _prefixes(values: Iterable[str], spelling: Callable[[str], str]) -> Prefixes:
    """Return what the rules with these *values*, numbered from 0, cover in a *spelling*."""
    texts: list[str] = []
    numbers: list[int] = []
    for number, value in enumerate(values):
        if value.startswith("/"):
            texts.append(spelling(value))
            numbers.append(number)
        else:
            # Ours O20: any other value without a leading slash covers nothing.
            forms = url_forms(value, spelling)
            texts += forms
            numbers += [number] * len(forms)
    return Prefixes(texts, numbers)
