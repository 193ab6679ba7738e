"""Variants: one file without one cause, kept while the questions about it last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.compare import paths
from scrapy_robots1994.compare import transforms as shapes
from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.lines import Lines, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_robots1994.compare.parsers import Question


def _same(question: Question) -> Question | None:
    """Return *question* as it is: the cause lies in the file alone."""
    return question


@dataclass(frozen=True, slots=True)
class Transform:
    """How a cause is taken out of a file, and out of a question about it.

    *question* gives None where the question has nothing to do with the cause.
    *by_robot* says that the file becomes another one for each robot.
    """

    files: Callable[[Lines, str], Iterator[Lines]]
    question: Callable[[Question], Question | None] = _same
    by_robot: bool = False


# The order counts: of several that make two parsers agree, the first names the cause.
REMEDIES: dict[Cause, Transform] = {
    Cause.ITSELF: Transform(paths.without_itself, paths.rename),
    Cause.LONGEST_MATCH: Transform(paths.without_order),
    Cause.ALLOW: Transform(paths.without_allow),
    Cause.WILDCARD: Transform(paths.without_wildcards, paths.tame),
    Cause.SPLIT_RECORD: Transform(shapes.without_splits),
    Cause.MERGED_RECORDS: Transform(shapes.without_merging),
    Cause.AGENT: Transform(shapes.without_names, shapes.call, by_robot=True),
    Cause.SEVERAL_DEFAULTS: Transform(shapes.without_several_defaults),
    Cause.PERCENT: Transform(paths.without_spellings, paths.spell),
    Cause.ENCODING: Transform(paths.without_encoding),
}


class Variants:
    """The variants of one file, each made once."""

    def __init__(self, body: bytes, dialect: str) -> None:
        self._body = body
        self._lines = lines_of(body, dialect)
        self._made: dict[tuple[Cause, str], tuple[bytes, ...]] = {}

    def without(
        self, cause: Cause, question: Question
    ) -> Iterator[tuple[bytes, Question]]:
        """Yield the file and the question without *cause*, as often as there are ways.

        What has nothing of the cause in it is left out.
        """
        remedy = REMEDIES[cause]
        asked = remedy.question(question)
        if asked is None:
            return
        for body in self._bodies(cause, question.robot if remedy.by_robot else ""):
            if body != self._body or asked != question:
                yield body, asked

    def _bodies(self, cause: Cause, robot: str) -> tuple[bytes, ...]:
        """Return the file without *cause*, in all ways."""
        known = self._made.get((cause, robot))
        if known is None:
            files = REMEDIES[cause].files(self._lines, robot)
            known = tuple(dict.fromkeys(lines.body for lines in files))
            self._made[cause, robot] = known
        return known
