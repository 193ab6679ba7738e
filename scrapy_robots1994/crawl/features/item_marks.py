"""Marks on items: a spider middleware marks an item, and an item pipeline drops it.

A spider middleware should not drop an item itself: Scrapy would neither count the dropped
item nor send a signal.
"""

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem


class Mark(NamedTuple):
    """Why an item is to be dropped: the exception to raise, and the key of the stat that
    counts the dropped item.
    """

    dropped: DropItem
    stat: str


class ItemMarks:
    """The items of one crawl that are to be dropped, and why."""

    def __init__(self) -> None:
        # The key is the `id` of an item, because items need not be hashable. Each value has
        # a reference to the item, so that Python does not use its `id` again. A value is a
        # list, because a callback may yield an item several times.
        self._marks: dict[int, list[tuple[Any, dict[str, Mark]]]] = {}

    def mark(self, feature: str, item: Any, dropped: DropItem, stat: str) -> None:
        """Mark *item*, which a callback has yielded, for *feature*."""
        marks = self._marks.setdefault(id(item), [])
        # A second mark by the same feature means that the item was yielded again.
        if not marks or feature in marks[-1][1]:
            marks.append((item, {}))
        marks[-1][1][feature] = Mark(dropped, stat)

    def take(self, item: object) -> Mark | None:
        """Forget the marks from one time that *item* was yielded, and return the first of
        these marks; `None` if *item* is not marked.
        """
        marks = self._marks.get(id(item))
        if marks is None:
            return None
        _, reasons = marks.pop()
        if not marks:
            del self._marks[id(item)]
        return next(iter(reasons.values()))


_marks: "WeakKeyDictionary[Crawler, ItemMarks]" = WeakKeyDictionary()


def marks_of(crawler: Crawler) -> ItemMarks:
    """Return the marks of the items of *crawler*, which several features share."""
    return _marks.setdefault(crawler, ItemMarks())
