"""Marks on items: a spider middleware marks an item, and an item pipeline drops the item.

A spider middleware should not drop an item itself, because Scrapy would neither count the
dropped item nor send the signal `item_dropped`.
"""

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem


class Mark(NamedTuple):
    """The reason to drop an item: the exception to raise, and the key of the stat that
    counts the dropped item.
    """

    dropped: DropItem
    stat: str


class ItemMarks:
    """The items of one crawl that must be dropped, with the reasons."""

    def __init__(self) -> None:
        # Each key is the `id` of an item, because items need not be hashable. Each value
        # contains a reference to the item, so that Python does not assign the `id` to
        # another object. Each value is a list, because a callback may yield an item several
        # times.
        self._marks: dict[int, list[tuple[Any, dict[str, Mark]]]] = {}

    def mark(self, feature: str, item: Any, dropped: DropItem, stat: str) -> None:
        """Mark *item*, which a callback has yielded, for the feature with the name
        *feature*.

        *dropped* is the exception to raise, and *stat* is the key of the stat to count.
        """
        marks = self._marks.setdefault(id(item), [])
        # A second mark by the same feature means that the item was yielded again. In that
        # case, add a new list entry.
        if not marks or feature in marks[-1][1]:
            marks.append((item, {}))
        marks[-1][1][feature] = Mark(dropped, stat)

    def take(self, item: object) -> Mark | None:
        """Remove the marks of *item* and return the first mark. Return `None` if *item* is
        not marked.

        If *item* was yielded several times, remove only the marks from the last time that
        *item* was yielded.
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
    """Return the item marks of *crawler*. Several features share the item marks."""
    return _marks.setdefault(crawler, ItemMarks())
