"""The rules in a dialect in which a rule covers each target or URL that begins with the
value of the rule (`PrefixRules`).
"""

from collections.abc import Iterable
from operator import eq, itemgetter

from scrapy_robots1994.parser.reader import Line, with_pauses
from scrapy_robots1994.parser.rules import (
    NO_RULE,
    NUMBER,
    RobotRules,
    kind_of,
)
from scrapy_robots1994.parser.spellings import canonical, has_cut_escape, url_forms

# Clients remove spaces and control characters from the beginning of a URL.
_BEFORE_A_URL = "".join(map(chr, range(0x21)))

# A form that is compared as written begins with this prefix. No other form of a rule or URL
# begins with this prefix.
_AS_WRITTEN = "%"


class PrefixRules(RobotRules):
    """Rules that are prefixes.

    In a dialect with Allow, each record decides with its first rule that covers the URL. In
    a dialect without Allow, the shortest rule that covers the URL decides.
    """

    __slots__ = ("_has_cut",)

    def _compile(
        self, values: list[str], rules: list[Line]
    ) -> tuple[list[str], list[Line]]:
        """Return the texts that are compared with targets and URLs, in sorted order, and the
        rule for each text.
        """
        self._has_cut = False
        text = "\n".join(["", *values])
        is_path = text.count("\n/") == len(values)
        is_plain = is_path and "%" not in text and text.isascii()
        if is_plain and not any(map(eq, values, values[1:])):
            return values, rules
        # Ours X3 (several records): each record decides independently.
        has_several = self._dialect.has_allow and len(self._first_lines) > 1
        if has_several:
            rules = self._without_repeated(rules)
        found: list[tuple[str, Line]] = []
        for rule in with_pauses(rules):
            value = rule.value
            # For speed, do not call a function for an ordinary path.
            if value[0] == "/" and "%" not in value and value.isascii():
                found.append((value, rule))
            else:
                found += [(text, rule) for text in self._texts_of(value)]
        found.sort(key=itemgetter(0))
        texts, kept = [text for text, _ in found], [rule for _, rule in found]
        if len(set(texts)) < len(texts):
            least = self._without_equal(
                ((text, has_several and self._record(rule.number)), rule)
                for text, rule in with_pauses(found)
            )
            texts, kept = [text for text, _ in least], list(least.values())
        return texts, kept

    def _without_repeated(self, rules: Iterable[Line]) -> list[Line]:
        """Return *rules* without the records that have the same rules as an earlier record.
        The stored rules must take little memory, even if a file repeats a record many times.
        """
        records: dict[int, list[Line]] = {}
        for rule in sorted(rules, key=NUMBER):
            records.setdefault(self._record(rule.number), []).append(rule)
        distinct: dict[object, list[Line]] = {}
        for record in records.values():
            key = tuple([(kind_of(it), canonical(it.value)) for it in record])
            distinct.setdefault(key, record)
        return [rule for record in distinct.values() for rule in record]

    def _texts_of(self, value: str) -> list[str]:
        """Return the texts with which a rule is compared. *value* is the path of the rule,
        as written.
        """
        is_path = value[0] == "/"
        # Ours O18 (percent-encodings): all percent-encodings of a path have the same
        # canonical spelling. Ours O19 (whole URLs): a rule may be an absolute URL. Ours O20
        # (no slash): any other value without a leading slash covers no URL.
        texts = [canonical(value)] if is_path else url_forms(value, canonical)
        if texts and not is_path:
            self._is_whole = False
        # Ours O18: a rule that ends within an escape also covers the URLs that begin with
        # the rule as written.
        if has_cut_escape(value):
            self._has_cut = True
            written = [value] if is_path else url_forms(value, str)
            texts += [_AS_WRITTEN + it for it in written]
        return texts

    def rank(self, _kind: int, value: str, line: int) -> tuple[bool, int, int]:
        """Return the rank of a rule. In a dialect with Allow, only ranks of rules in one
        record can be compared.
        """
        if self._dialect.has_allow:
            # Ours X1 (order): the first rule in the file that covers a URL decides.
            return False, 0, line
        return False, len(value), line

    def spelling(self, target: str) -> str:
        """Return the canonical spelling of *target*."""
        return canonical(target)

    def decide(self, head: str, target: str, spelling: str, **_: int) -> int:
        """Return the number of the rule that decides whether a URL is allowed, or `NO_RULE`
        if no rule decides.
        """
        found = self.covering(spelling)
        if self._has_cut:
            found += self.covering(_AS_WRITTEN + target)
        if not self._is_whole and head:
            url = head.lstrip(_BEFORE_A_URL) + target
            forms = url_forms(url, canonical)
            if self._has_cut:
                forms += [_AS_WRITTEN + it for it in url_forms(url, str)]
            for form in forms:
                found += self.covering(form)
        return self._deciding(found) if found else NO_RULE

    def _deciding(self, numbers: list[int]) -> int:
        """Return the number of the rule that decides, or `NO_RULE`. *numbers* are the
        numbers of all rules that cover the URL.
        """
        if not self._dialect.has_allow:
            return self.first_of(numbers)
        # Ours X1 (order): the first rule in the file that covers a URL decides. Ours X3
        # (several records): if the robot obeys several records for `*`, each record decides
        # independently.
        firsts: dict[int, int] = {}
        for number in sorted(numbers, key=self._lines.__getitem__):
            firsts.setdefault(self._record(self._lines[number]), number)
        # Ours O2 (several records for `*`): a URL is disallowed if at least one of the
        # records disallows the URL.
        return min(firsts.values(), key=self._kind)
