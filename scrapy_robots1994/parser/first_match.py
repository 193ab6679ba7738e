"""First match: of several rules that cover a URL the first in the file decides, and one
bisect finds it, however many rules there are.

All texts that begin with a rule stand side by side when texts are sorted. So a list of
rules cuts the sorted texts into stretches, in each of which one rule decides.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import maxunicode

from scrapy_robots1994.parser.matching import absolute, spelled

_LAST_LETTER = chr(maxunicode)

# A mark is twice the number of a rule in its record, and one more if it forbids. This
# one, where no rule covers a text, is even and comes after all.
_UNDECIDED = 1 << 62


@dataclass(frozen=True, slots=True)
class Stretches:
    """The marks of the rules that decide: *marks[n]* from *starts[n]* to the next."""

    starts: tuple[str, ...]
    marks: tuple[int, ...]

    def at(self, text: str) -> int:
        """Return the mark of the rule that decides about *text*."""
        return self.marks[bisect_right(self.starts, text) - 1]


@dataclass(frozen=True, slots=True)
class Table:
    """The rules of one record, in the three ways in which they are compared: *paths*
    canonical, *escaped* literal (paths and absolute URLs that hold a `%`), *urls*
    absolute, canonical.
    """

    paths: Stretches
    escaped: Stretches
    urls: Stretches

    def forbids(self, spelling: str, target: str, origin: str | None) -> bool:
        """Whether the first rule that covers *target* in either spelling forbids it."""
        mark = min(self.paths.at(spelling), self.escaped.at(target))
        if origin is not None:
            url = f"{origin}{target}"
            mark = min(mark, self.urls.at(spelled(url)), self.escaped.at(url))
        return bool(mark & 1)

    @property
    def is_by_path(self) -> bool:
        """Whether the canonical path of a URL is enough to decide."""
        return len(self.escaped.starts) == len(self.urls.starts) == 1


def table_of(rules: Iterable[tuple[str, bool]]) -> Table:
    """Return *rules*, each a path or a URL and whether it forbids, as a table."""
    paths: list[tuple[str, int]] = []
    escaped: list[tuple[str, int]] = []
    urls: list[tuple[str, int]] = []
    for number, (value, forbids) in enumerate(rules):
        mark = 2 * number + forbids
        if value.startswith("/"):
            text, alike = value, paths
        else:
            # Ours O19: compared with the whole URL.
            text, alike = absolute(value) or value, urls
        # Ours O18: one spelling for all percent-encodings, and the literal one.
        alike.append((spelled(text), mark))
        if "%" in text:
            escaped.append((text, mark))
    return Table(stretches(paths), stretches(escaped), stretches(urls))


def stretches(rules: Iterable[tuple[str, int]]) -> Stretches:
    """Return the stretches that *rules*, each a text and its mark, make."""
    starts, marks = [""], [_UNDECIDED]
    for start, mark in _starts(rules):
        # Where two begin at once the later counts; what does not change is no start.
        if start == starts[-1]:
            marks[-1] = mark
        else:
            starts.append(start)
            marks.append(mark)
        if len(marks) > 1 and marks[-1] == marks[-2]:
            del starts[-1], marks[-1]
    return Stretches(tuple(starts), tuple(marks))


def _starts(rules: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield in order where another rule than before may begin to decide."""
    around = [("", _UNDECIDED)]
    for text, mark in sorted(rules):
        while not text.startswith(around[-1][0]):
            end = _end(around.pop()[0])
            if end is not None:  # pragma: no branch - no rule is that letter alone
                yield end, around[-1][1]
        # Ours X1: the first matching line in file order decides.
        around.append((text, min(mark, around[-1][1])))
        yield around[-1]
    while len(around) > 1:
        end = _end(around.pop()[0])
        if end is not None:
            yield end, around[-1][1]


def _end(rule: str) -> str | None:
    """Return the first text, in sorted order, after all that begin with *rule*; None
    when there is none.
    """
    rest = rule.rstrip(_LAST_LETTER)
    return rest[:-1] + chr(ord(rest[-1]) + 1) if rest else None


def edges_of(tables: Iterable[Table]) -> tuple[str, ...]:
    """Return where, in sorted order, the paths that a table forbids begin and end, in
    turn.

    A path is forbidden if an odd number of edges sort before it or equal it.
    """
    # Ours X3: each of several records answers for itself; one that forbids is enough.
    changes: dict[str, int] = {}
    for table in tables:
        before = 0
        for start, mark in zip(table.paths.starts, table.paths.marks, strict=True):
            changes[start] = changes.get(start, 0) + (mark & 1) - before
            before = mark & 1
    edges, forbidding = [], 0
    for start in sorted(changes):
        after = forbidding + changes[start]
        if bool(after) is not bool(forbidding):
            edges.append(start)
        forbidding = after
    return tuple(edges)
