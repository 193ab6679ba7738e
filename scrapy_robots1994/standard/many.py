"""Many rules: a long list of prefixes, asked in time that hardly grows with it."""

from bisect import bisect_right
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter

# More rules than this are worth an index, which takes as much memory as they do.
_LONG = 1_000
# The index goes by so many characters at most, and leaves out so many rules at most.
_WIDTH, _SHORT = 8, 8


class Many:
    """A list that `prefix_free` made, of too many rules to try one after the other.

    Very long lists get an index of how their rules begin, with the first question.
    """

    __slots__ = ("_pages", "_rules", "_short", "_width")

    def __init__(self, rules: tuple[str, ...]) -> None:
        """Take *rules* as they are; ask `cover`."""
        self._rules = rules
        # How many characters the index goes by: 0 when there is none, None before it
        # is made.
        self._width = None if len(rules) > _LONG else 0
        self._short: tuple[str, ...] = ()
        self._pages: dict[str, tuple[str, ...]] = {}

    def cover(self, url: str, start: int) -> bool:
        """Whether *url* from *start* on begins with one of the rules."""
        width = self._width
        if width is None:
            width = self._indexed()
        rules = self._rules
        if width:
            page = self._pages.get(url[start : start + width])
            if page is None:
                # What no page is about is mostly what no rule is about.
                return bool(self._short) and url.startswith(self._short, start)
            rules = page
        target = url[start:]
        return target.startswith(rules[bisect_right(rules, target) - 1])

    def _indexed(self) -> int:
        """Make the index, and return how many characters it goes by."""
        shortest = nsmallest(_SHORT + 1, map(len, self._rules))
        width = min(shortest[-1], _WIDTH)
        short = tuple(rule for rule in self._rules if len(rule) < width)
        long = [rule for rule in self._rules if len(rule) >= width]
        beginnings = groupby(long, itemgetter(slice(width)))
        self._pages = {beginning: tuple(rules) for beginning, rules in beginnings}
        self._short = short
        # Last, for whoever finds it goes by the others.
        self._width = width
        return width
