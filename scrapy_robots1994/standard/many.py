"""Many rules: a long list of prefixes, asked in time that hardly grows with it."""

from bisect import bisect_right
from itertools import groupby
from operator import itemgetter

# More rules than this are worth an index, which takes memory of its own.
_LONG = 1_000
# More characters than this tell beginnings apart no better.
_WIDTH = 8


class Many:
    """A list that `prefix_free` made, of too many rules to try one after the other.

    With its first question a very long list gets an index of how its rules begin: a
    text whose first *width* characters are none of *pages* is covered by no rule. It
    has no index where *width* is 0 or None.
    """

    __slots__ = ("_rules", "pages", "width")

    def __init__(self, rules: tuple[str, ...]) -> None:
        """Take *rules* as they are; ask `cover`."""
        self._rules = rules
        self.width = None if len(rules) > _LONG else 0
        self.pages: dict[str, tuple[str, ...]] = {}

    def cover(self, url: str, start: int) -> bool:
        """Whether *url* from *start* on begins with one of the rules."""
        width = self.width
        if width is None:
            width = self._indexed()
        target = url[start:]
        rules = self.pages.get(target[:width], ()) if width else self._rules
        # Of no rules none is the last that sorts before the target.
        return bool(rules) and target.startswith(rules[bisect_right(rules, target) - 1])

    def _indexed(self) -> int:
        """Make the index, and return how many characters it goes by."""
        shortest = min(map(len, self._rules))
        width = min(shortest, _WIDTH)
        beginnings = groupby(self._rules, itemgetter(slice(width)))
        self.pages = {beginning: tuple(page) for beginning, page in beginnings}
        # Last, for whoever finds it goes by the pages.
        self.width = width
        return width
