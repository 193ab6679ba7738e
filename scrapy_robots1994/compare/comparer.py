"""Comparing: ours and others, asked the same about the same; what came of it as counts,
samples and explained findings.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.diagnosis import Diagnosis, Readings
from scrapy_robots1994.compare.disagreement import Disagreement, Totals, rank
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Direction,
    Parser,
    Question,
    direction_of,
    opinion,
)
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement, explained.

    *verdict* is ours as a sentence, *theirs* the other's opinion as a verb. *text* are
    all lines of the file, *guilty* the numbers (from 1) of those that are needed for
    the two to differ: none where the status alone does it.
    """

    parser: str
    direction: Direction
    cause: Cause
    label: str
    question: Question
    verdict: str
    theirs: str
    text: tuple[str, ...]
    guilty: tuple[int, ...]


class Comparer:
    """Ours and the parsers it is compared with."""

    def __init__(
        self, ours: Parser, others: Sequence[Parser], *, dialect: str, reading: str
    ) -> None:
        self._ours = ours
        self._others = {other.name: other for other in others}
        self._diagnoses = {other.name: Diagnosis(ours, other) for other in others}
        self._dialect = dialect
        self._reading = reading

    def compare(
        self, capture: Capture, asked: Sequence[Question], samples: int
    ) -> Totals:
        """Return what the parsers say to *asked*, each disagreement with its cause.

        At most *samples* disagreements of each kind are kept.
        """
        totals = Totals(samples, captures=1)
        readings = Readings(capture.body, self._dialect)
        ours_read = readings.by(self._ours)
        ours = [capture.by_status(it) or opinion(ours_read, it) for it in asked]
        for name, other in self._others.items():
            read = readings.by(other)
            theirs = [opinion(read, question) for question in asked]
            directions = list(map(direction_of, ours, theirs))
            found = Counter(directions)
            totals.counts.update({(name, way): n for way, n in found.items()})
            if found.keys() <= {Direction.AGREE}:
                continue
            for question, said, way in zip(asked, theirs, directions, strict=True):
                if way is not Direction.AGREE:
                    cause = self._cause(name, capture, readings, question, said)
                    totals.causes[name, way, cause] += 1
                    place = rank(capture.label, question)
                    if totals.wants((name, way, cause), place):
                        kept = disagreement(name, way, cause, capture, question, said)
                        totals.keep(place, kept)
        return totals

    def _cause(
        self,
        name: str,
        capture: Capture,
        readings: Readings,
        question: Question,
        theirs: Decision,
    ) -> Cause:
        """Return why parser *name* says *theirs* to *question* and we do not."""
        if capture.blanket is not None:
            by_file = opinion(readings.by(self._ours), question)
            if by_file == theirs:
                return Cause.STATUS
        return self._diagnoses[name].cause(readings, question)

    def explain(self, found: Disagreement) -> Finding:
        """Return *found* with its cause, the lines that are needed for it and our
        verdict.
        """
        capture, question = found.capture, found.question
        cause = found.cause
        if cause is None:
            readings = Readings(capture.body, self._dialect)
            said = opinion(readings.by(self._others[found.parser]), question)
            cause = self._cause(found.parser, capture, readings, question, said)
        guilty: tuple[int, ...] = ()
        if cause is not Cause.STATUS:
            guilty = self._diagnoses[found.parser].needed(capture.body, question)
        robots = RobotsTxt.parse(
            capture.body, dialect=self._dialect, reading=self._reading
        )
        is_blanket = capture.blanket is not None and capture.by_status(question)
        verdict = robots.verdict(question.url, question.robot)
        return Finding(
            parser=found.parser,
            direction=found.direction,
            cause=cause,
            label=found.label,
            question=question,
            verdict=str(capture.blanket if is_blanket else verdict),
            theirs=found.theirs,
            text=tuple(line.text for line in robots.lines),
            guilty=tuple(place + 1 for place in guilty),
        )


def disagreement(  # noqa: PLR0913, PLR0917 - each is one side of a disagreement
    parser: str,
    direction: Direction,
    cause: Cause | None,
    capture: Capture,
    question: Question,
    theirs: Decision,
) -> Disagreement:
    """Return one disagreement with its file packed."""
    return Disagreement(
        parser=parser,
        direction=direction,
        cause=cause,
        label=capture.label,
        question=question,
        theirs=str(theirs),
        packed=_packed(capture.body),
        blanket=capture.blanket,
    )


@lru_cache(maxsize=4)
def _packed(body: bytes) -> bytes:
    """Return *body* compressed; samples of one file share it."""
    return zlib.compress(body)
