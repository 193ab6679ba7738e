"""Comparer: ask our parser and others the same questions, and count and explain where
they disagree.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.diagnosis import Diagnosis, ParsedVariants
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Direction,
    Parser,
    Question,
    decision_by,
    direction_of,
)
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_robots1994.parser import Verdict

Stratum: TypeAlias = "tuple[str, Direction, Cause | None]"
"""Parser, direction and cause (None: not looked for yet): samples are drawn in each."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One question that *parser* answers otherwise than we do.

    *theirs* is its opinion in a word. *packed* is the file, compressed; *uniform* our
    verdict where the status decided.
    """

    parser: str
    direction: Direction
    cause: Cause | None
    label: str
    question: Question
    theirs: str
    packed: bytes
    uniform: Verdict | None = None

    @property
    def stratum(self) -> Stratum:
        """The stratum it is drawn from."""
        return self.parser, self.direction, self.cause

    @property
    def capture(self) -> Capture:
        """What was found at the origin."""
        return Capture(self.label, zlib.decompress(self.packed), self.uniform)


def rank(label: str, question: Question) -> bytes:
    """Return what orders questions as if at random, in every process the same.

    The first of them by rank are a uniform sample of all different ones, however they
    came and were put together.
    """
    text = f"{label}\n{question.robot}\n{question.url}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


Ranked: TypeAlias = "tuple[bytes, Disagreement]"


@dataclass(slots=True)
class Totals:
    """Exact counts, and samples of at most *most* disagreements in each stratum."""

    most: int
    captures: int = 0
    skipped: int = 0
    counts: Counter[tuple[str, Direction]] = field(default_factory=Counter)
    causes: Counter[tuple[str, Direction, Cause]] = field(default_factory=Counter)
    samples: dict[Stratum, list[Ranked]] = field(default_factory=dict)

    def wants(self, stratum: Stratum, place: bytes) -> bool:
        """Whether a disagreement of that rank belongs to the sample, as it is now."""
        held = self.samples.get(stratum, [])
        if any(place == other for other, _ in held):
            return False
        return len(held) < self.most or place < held[-1][0]

    def keep(self, place: bytes, disagreement: Disagreement) -> None:
        """Take a disagreement that is wanted; one with a later rank may have to go."""
        held = self.samples.setdefault(disagreement.stratum, [])
        held.append((place, disagreement))
        held.sort(key=_place)
        del held[self.most :]

    def add(self, other: Totals) -> None:
        """Take over what *other* counted and sampled."""
        self.captures += other.captures
        self.skipped += other.skipped
        self.counts.update(other.counts)
        self.causes.update(other.causes)
        for stratum, theirs in other.samples.items():
            held = self.samples.get(stratum, [])
            both = dict(merge(held, theirs, key=_place))
            self.samples[stratum] = list(islice(both.items(), self.most))

    def sampled(self) -> Iterable[Disagreement]:
        """Yield all samples, stratum by stratum, in an order that does not vary."""
        for stratum in sorted(self.samples, key=_order):
            yield from (disagreement for _, disagreement in self.samples[stratum])


def _place(ranked: Ranked) -> bytes:
    """Return the rank."""
    return ranked[0]


def _order(stratum: Stratum) -> tuple[str, str, str]:
    """Return what strata are sorted by."""
    parser, direction, cause = stratum
    return parser, direction.value, cause.value if cause else ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One disagreement, explained.

    *verdict* is ours as a sentence, *theirs* the other's opinion as a verb. *text* are
    all lines of the file, *needed* the numbers (from 1) of those that are needed for
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
    needed_lines: tuple[int, ...]


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
        readings = ParsedVariants(capture.body, self._dialect)
        ours_read = readings.by(self._ours)
        ours = [capture.by_status(it) or decision_by(ours_read, it) for it in asked]
        for name, other in self._others.items():
            read = readings.by(other)
            theirs = [decision_by(read, question) for question in asked]
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
        readings: ParsedVariants,
        question: Question,
        theirs: Decision,
    ) -> Cause:
        """Return why parser *name* says *theirs* to *question* and we do not."""
        if capture.uniform is not None:
            by_file = decision_by(readings.by(self._ours), question)
            if by_file == theirs:
                return Cause.STATUS
        return self._diagnoses[name].cause(readings, question)

    def explain(self, found: Disagreement) -> Explanation:
        """Return *found* with its cause, the lines that are needed for it and our
        verdict.
        """
        capture, question = found.capture, found.question
        cause = found.cause
        if cause is None:
            readings = ParsedVariants(capture.body, self._dialect)
            said = decision_by(readings.by(self._others[found.parser]), question)
            cause = self._cause(found.parser, capture, readings, question, said)
        needed: tuple[int, ...] = ()
        if cause is not Cause.STATUS:
            needed = self._diagnoses[found.parser].minimal_lines(capture.body, question)
        robots = RobotsTxt.parse(
            capture.body, dialect=self._dialect, reading=self._reading
        )
        is_uniform = capture.uniform is not None and capture.by_status(question)
        verdict = robots.verdict(question.url, question.robot)
        return Explanation(
            parser=found.parser,
            direction=found.direction,
            cause=cause,
            label=found.label,
            question=question,
            verdict=str(capture.uniform if is_uniform else verdict),
            theirs=found.theirs,
            text=tuple(line.text for line in robots.lines),
            needed_lines=tuple(place + 1 for place in needed),
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
        uniform=capture.uniform,
    )


@lru_cache(maxsize=4)
def _packed(body: bytes) -> bytes:
    """Return *body* compressed; samples of one file share it."""
    return zlib.compress(body)
