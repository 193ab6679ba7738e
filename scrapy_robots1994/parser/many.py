"""Many rules: a long list of prefixes, asked in time that hardly grows with it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from scrapy_robots1994.parser.matching import prefix_free

# More rules than this are worth an index, which takes memory of its own.
_LONG = 1_000
# More characters than this tell beginnings apart no better.
_WIDTH = 8


class Many:
    """Too many rules to try one after the other, for whoever asks twice.

    The first question tries them all: mostly there is no second one that would be worth
    a sort. The second one has them sorted, and a very long list gets an index of how
    its rules begin: a text whose first *width* characters are none of *pages* is
    covered by no rule. *width* is None until then, and 0 where there is no index.
    """

    __slots__ = ("_was_asked", "pages", "rules", "width")

    def __init__(self, rules: Sequence[str]) -> None:
        """Take *rules* as they come."""
        self.rules = tuple(rules)
        self._was_asked = False
        self.width: int | None = None
        self.pages: dict[str, tuple[str, ...]] = {}

    def cover(self, url: str, start: int) -> bool:
        """Whether *url* from *start* on begins with one of the rules."""
        width = self.width
        if width is None:
            if not self._was_asked:
                self._was_asked = True
                return url.startswith(self.rules, start)
            self.prepare()
            width = self.width
        target = url[start:]
        rules = self.pages.get(target[:width], ()) if width else self.rules
        # Of no rules none is the last that sorts before the target.
        return bool(rules) and target.startswith(rules[bisect_right(rules, target) - 1])

    def prepare(self) -> None:
        """Sort them now, if they are not, and index them where that is worth it."""
        if self.width is not None:
            return
        rules = self.rules = prefix_free(self.rules)
        width = min(*map(len, rules), _WIDTH) if len(rules) > _LONG else 0
        if width:
            beginnings = groupby(rules, itemgetter(slice(width)))
            self.pages = {beginning: tuple(page) for beginning, page in beginnings}
        # Last: until then another thread that asks sorts them, too.
        self.width = width
