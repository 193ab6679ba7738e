"""Comparer: count where our parser and others answer the same questions differently, and
explain why.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cachetools import LRUCache, cached

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
from scrapy_robots1994.parser.dialects import dialect_named
from scrapy_robots1994.robotstxt import RobotsTxt

CACHED_BYTES = 1_000_000
"""Bytes of the files that stay parsed."""

# What no line of the file brings about.
_NOT_IN_LINES = (Cause.STATUS, Cause.SHARED_HOST)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A request to compare *capture* by *questions*; only with *diagnose* are causes
    looked for.
    """

    capture: Capture
    questions: tuple[Question, ...]
    diagnose: bool = True


class Comparer:
    """Our parser, in one dialect and reading, and those it is compared with."""

    def __init__(self, others: Sequence[Parser], *, dialect: str, reading: str) -> None:
        self._parse = partial(RobotsTxt.parse, dialect=dialect, reading=reading)
        self._variants = [our_parser(*it) for it in VARIANTS]
        self._ours = self._variants[VARIANTS.index((dialect, reading))]
        self._diagnoses = {it.name: Diagnosis(self._ours, it) for it in others}
        files = LRUCache[Any, ParsedVariants](CACHED_BYTES, lambda it: len(it.body) + 1)
        # What is larger than all of the cache is not stored.
        self._files_of = cached(files)(
            partial(ParsedVariants, dialect=dialect_named(dialect))
        )

    def compare(self, name: str, task: Comparison) -> SiteImpact:
        """Return how parser *name* and ours differ by the questions of *task*."""
        capture, diagnosis = task.capture, self._diagnoses[name]
        files = self._files_of(capture.others_body)
        site = SiteImpact.of(capture)
        theirs = list(map(files.read(diagnosis.theirs, files.body), task.questions))
        ours = self._decisions(self._ours, task)
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
                cause = diagnosis.cause(capture, files, question)
                site.causes[name, way, cause] += 1
            site.keep((name, way), Example(question, said, cause), capture)
        return site

    def explain(
        self, name: str, site: SiteImpact
    ) -> dict[tuple[str, Direction], list[Example]]:
        """Return the examples of parser *name* about *site* explained: each with cause
        and verdict, and those with a cause in the file with the lines that they need.
        """
        capture, diagnosis = site.capture, self._diagnoses[name]
        files = self._files_of(capture.others_body)
        robots = self._parse(capture.body)
        found: dict[tuple[str, Direction], list[Example]] = {}
        for stratum, examples in site.examples.items():
            for example in examples if stratum[0] == name else ():
                asked = example.question
                cause = example.cause or diagnosis.cause(capture, files, asked)
                verdict = capture.uniform or robots.verdict(asked.url, asked.robot)
                places: tuple[int, ...] = ()
                if cause not in _NOT_IN_LINES:
                    places = diagnosis.minimal_lines(files.lines, asked)
                numbers = tuple(place + 1 for place in places)
                found.setdefault(stratum, []).append(
                    Example(asked, example.theirs, cause, str(verdict), numbers)
                )
        return found

    def _decisions(self, ours: Parser, task: Comparison) -> list[Decision]:
        """Return what our parser *ours* answers to the questions of *task*."""
        body = task.capture.body
        by_file = self._files_of(body).read(ours, body)
        return [task.capture.by_status(it) or by_file(it) for it in task.questions]
