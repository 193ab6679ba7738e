"""Comparer: count where our parser and others answer the same questions differently, and
explain why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cachetools import LRUCache

from scrapy_robots1994.compare.diagnosis import Cause, Diagnosis, ParsedVariants
from scrapy_robots1994.compare.impact import CHANGING, VARIANTS, Example, SiteImpact
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Direction,
    Parser,
    Question,
    direction_of,
    our_parser,
)
from scrapy_robots1994.robotstxt import RobotsTxt

CACHED_BYTES = 1_000_000
"""Bytes of the files that stay parsed."""

_NOT_BY_LINES = (Cause.STATUS, Cause.SHARED_HOST)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A request to compare *capture* by *questions*.

    *ours* are our own decisions where a crawl has made them already. Only with
    *diagnose* are causes looked for.
    """

    capture: Capture
    questions: tuple[Question, ...]
    ours: tuple[Decision, ...] | None = None
    diagnose: bool = True


class Comparer:
    """Our parser, in one dialect and reading, and those it is compared with."""

    def __init__(self, others: Sequence[Parser], *, dialect: str, reading: str) -> None:
        self._dialect, self._reading = dialect, reading
        self._ours = our_parser(dialect, reading)
        self._variants = [our_parser(*it) for it in VARIANTS]
        self._diagnoses = {it.name: Diagnosis(self._ours, it) for it in others}
        self._files: LRUCache[bytes, ParsedVariants] = LRUCache(
            CACHED_BYTES, getsizeof=lambda it: len(it.body) + 1
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the other parsers."""
        return tuple(self._diagnoses)

    def compare(self, name: str, task: Comparison) -> SiteImpact:
        """Return how parser *name* and ours differ by the questions of *task*."""
        capture = task.capture
        site = SiteImpact.of(capture)
        reading = self._files_of(capture.others_body).by(self._diagnoses[name].theirs)
        theirs = list(map(reading, task.questions))
        ours = task.ours or self._decisions(self._ours, task)
        directions = list(map(direction_of, ours, theirs))
        site.counts.update((name, way) for way in directions)
        for place, variant in enumerate(self._variants):
            found = map(direction_of, self._decisions(variant, task), theirs)
            for way in CHANGING.intersection(found):
                site.variants[name, way] |= 1 << place
        for question, said, way in zip(task.questions, theirs, directions, strict=True):
            if way is Direction.AGREE:
                continue
            cause = None
            if task.diagnose:
                cause = self._cause(name, capture, question)
                site.causes[name, way, cause] += 1
            site.keep((name, way), Example(question, said, cause), capture)
        return site

    def explain(
        self, name: str, site: SiteImpact
    ) -> dict[tuple[str, Direction], list[Example]]:
        """Return the examples of parser *name* about *site* explained: each with cause
        and verdict, the first of each direction with the lines that it needs.
        """
        capture = site.capture
        robots = RobotsTxt.parse(
            capture.body, dialect=self._dialect, reading=self._reading
        )
        explained = {}
        for stratum, examples in site.examples.items():
            if stratum[0] == name:
                first, *others = (
                    self._explained(name, capture, robots, it) for it in examples
                )
                explained[stratum] = [self._with_lines(name, capture, first), *others]
        return explained

    def _explained(
        self, name: str, capture: Capture, robots: RobotsTxt, example: Example
    ) -> Example:
        """Return *example* with its cause and our verdict."""
        question = example.question
        verdict = capture.uniform or robots.verdict(question.url, question.robot)
        cause = example.cause or self._cause(name, capture, question)
        return replace(example, cause=cause, verdict=str(verdict))

    def _with_lines(self, name: str, capture: Capture, example: Example) -> Example:
        """Return *example* with the lines that it needs, if lines are the cause."""
        if example.cause in _NOT_BY_LINES:
            return example
        places = self._diagnoses[name].minimal_lines(
            capture.others_body, example.question
        )
        return replace(example, needed_lines=tuple(place + 1 for place in places))

    def _files_of(self, body: bytes) -> ParsedVariants:
        """Return *body* as the parsers read it, from the cache where it is small."""
        files = self._files.get(body)
        if files is None:
            files = ParsedVariants(body, self._dialect)
            if len(body) < CACHED_BYTES:
                self._files[body] = files
        return files

    def _decisions(self, ours: Parser, task: Comparison) -> list[Decision]:
        """Return what our parser *ours* answers to the questions of *task*."""
        by_file = self._files_of(task.capture.body).by(ours)
        return [task.capture.by_status(it) or by_file(it) for it in task.questions]

    def _cause(self, name: str, capture: Capture, question: Question) -> Cause:
        """Return why parser *name* answers *question* otherwise than ours."""
        files = self._files_of(capture.others_body)
        diagnosis = self._diagnoses[name]
        is_status = capture.uniform is not None
        if is_status or capture.others is not None:
            ours, theirs = files.by(self._ours), files.by(diagnosis.theirs)
            if ours(question) == theirs(question):
                return Cause.STATUS if is_status else Cause.SHARED_HOST
        return diagnosis.cause(files, question)
