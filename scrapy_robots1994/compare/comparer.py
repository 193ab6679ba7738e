"""Comparer: count where our parser and others answer the same questions differently, and
explain why.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.diagnosis import Diagnosis, ParsedVariants
from scrapy_robots1994.compare.impact import CHANGING, VARIANTS, Example, SiteImpact
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Direction,
    Parser,
    Question,
    decision_by,
    direction_of,
    our_parser,
)
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CACHED_BYTES = 1_000_000
"""Bytes of the files that stay parsed."""

EXPLAINED = 1
"""Examples of each site, parser and direction whose needed lines are looked for."""


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
    """Our parser and those it is compared with."""

    def __init__(
        self, ours: Parser, others: Sequence[Parser], *, dialect: str, reading: str
    ) -> None:
        self._ours = ours
        self._others = {other.name: other for other in others}
        self._diagnoses = {other.name: Diagnosis(ours, other) for other in others}
        self._dialect = dialect
        self._reading = reading
        # Each needs a name of its own: files are cached by it.
        self._variants = [
            replace(our_parser(**it._asdict()), name="/".join(it)) for it in VARIANTS
        ]
        self._files: LRUCache[bytes, ParsedVariants] = LRUCache(
            CACHED_BYTES, getsizeof=lambda it: len(it.body) + 1
        )

    @classmethod
    def with_options(cls, others: Sequence[Parser], **options: Any) -> Comparer:
        """Return a comparer of *others* with our parser by these options of ours."""
        return cls(our_parser(**options), others, **options)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the other parsers."""
        return tuple(self._others)

    def compare(self, name: str, task: Comparison) -> SiteImpact:
        """Return how parser *name* and ours differ by the questions of *task*."""
        capture = task.capture
        site = SiteImpact.of(capture)
        files = self._files_of(capture.others_body).by(self._others[name])
        theirs = [decision_by(files, it) for it in task.questions]
        ours = task.ours or self._ours_of(capture, task.questions, self._ours)
        directions = list(map(direction_of, ours, theirs))
        found = Counter(directions)
        site.counts.update({(name, way): number for way, number in found.items()})
        self._try_variants(site, name, task, theirs)
        if found.keys() <= {Direction.AGREE}:
            return site
        for question, said, way in zip(task.questions, theirs, directions, strict=True):
            if way is Direction.AGREE:
                continue
            cause = None
            if task.diagnose:
                cause = self._cause(name, capture, question, said)
                site.causes[name, way, cause] += 1
            example = Example(question, str(said), cause)
            site.keep((name, way), example, capture.others_body)
        return site

    def explain(self, name: str, site: SiteImpact) -> SiteImpact:
        """Return the examples of parser *name* about *site* explained."""
        capture = site.capture
        robots = RobotsTxt.parse(
            capture.body, dialect=self._dialect, reading=self._reading
        )
        found = SiteImpact.of(capture)
        for (parser, way), examples in site.examples.items():
            if parser == name:
                explained = self._explained(name, capture, robots, examples)
                found.examples[parser, way] = explained
        return found

    def _explained(
        self, name: str, capture: Capture, robots: RobotsTxt, examples: list[Example]
    ) -> list[Example]:
        """Return *examples* with cause and verdict, and the first with its lines."""
        explained = []
        files = self._files_of(capture.others_body)
        for place, example in enumerate(examples):
            question, cause = example.question, example.cause
            if cause is None:
                theirs = decision_by(files.by(self._others[name]), question)
                cause = self._cause(name, capture, question, theirs)
            needed: tuple[int, ...] = ()
            if place < EXPLAINED and cause not in _NOT_BY_LINES:
                needed = self._diagnoses[name].minimal_lines(files.body, question)
            verdict = capture.uniform or robots.verdict(question.url, question.robot)
            explained.append(
                replace(
                    example,
                    cause=cause,
                    verdict=str(verdict),
                    needed_lines=tuple(place + 1 for place in needed),
                )
            )
        return explained

    def _files_of(self, body: bytes) -> ParsedVariants:
        """Return *body* as the parsers read it, from the cache where it is small."""
        files = self._files.get(body)
        if files is None:
            files = ParsedVariants(body, self._dialect)
            if len(body) < CACHED_BYTES:
                self._files[body] = files
        return files

    def _ours_of(
        self, capture: Capture, questions: Iterable[Question], parser: Parser
    ) -> list[Decision]:
        """Return what our *parser* decides about *capture*."""
        parsed = self._files_of(capture.body).by(parser)
        return [capture.by_status(it) or decision_by(parsed, it) for it in questions]

    def _try_variants(
        self, site: SiteImpact, name: str, task: Comparison, theirs: list[Decision]
    ) -> None:
        """Note for each variant of ours whether it opens or closes part of *site*."""
        site.opened[name] = site.closed[name] = 0
        for place, variant in enumerate(self._variants):
            ours = self._ours_of(task.capture, task.questions, variant)
            found = set(map(direction_of, ours, theirs))
            opens, closes = (way in found for way in CHANGING)
            site.opened[name] |= opens << place
            site.closed[name] |= closes << place

    def _cause(
        self, name: str, capture: Capture, question: Question, theirs: Decision
    ) -> Cause:
        """Return why parser *name* decides *theirs* and we do not."""
        files = self._files_of(capture.others_body)
        if capture.uniform is not None or capture.others is not None:
            by_file = decision_by(files.by(self._ours), question)
            if by_file == theirs:
                is_status = capture.uniform is not None
                return Cause.STATUS if is_status else Cause.SHARED_HOST
        return self._diagnoses[name].cause(files, question)
