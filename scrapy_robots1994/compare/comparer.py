"""Count the questions that another parser answers differently from our parser, and explain
the differences.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from cachetools import LRUCache, cached

from scrapy_robots1994.compare.diagnosis import ParsedBody, explain
from scrapy_robots1994.compare.impact import (
    CHANGING,
    VARIANTS,
    Example,
    SiteImpact,
    Stratum,
)
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Direction,
    Parser,
    Question,
    direction_of,
)
from scrapy_robots1994.parser.dialects import dialect_named
from scrapy_robots1994.robotstxt import RobotsTxt

CACHED_BYTES = 1_000_000
"""The maximum total size, in bytes, of the files that are cached in parsed form."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The task to ask the parsers *questions* about *capture*, and to compare the answers.

    If *diagnose* is true, the task also includes finding the causes of each difference.
    """

    capture: Capture
    questions: tuple[Question, ...]
    diagnose: bool = True


class Comparer:
    """Compares our parser, in one dialect and reading, with each parser of *others*."""

    def __init__(self, others: Sequence[Parser], *, dialect: str, reading: str) -> None:
        self._variants = [
            partial(RobotsTxt.parse, dialect=it.dialect, reading=it.reading)
            for it in VARIANTS
        ]
        self._ours = self._variants[VARIANTS.index((dialect, reading))]
        self._others = {it.name: it for it in others}
        files = LRUCache[Any, ParsedBody](CACHED_BYTES, lambda it: len(it.body) + 1)
        # A file that is larger than the whole cache is not cached.
        self._file_of = cached(files)(
            partial(ParsedBody, dialect=dialect_named(dialect), reading=reading)
        )

    def theirs(self, name: str, task: Comparison) -> list[Decision]:
        """Return the decision of the parser *name* on each question of *task*."""
        file = self._file_of(task.capture.others_body)
        decide = file.decider(self._others[name].parse, file.body)
        return [decide(it.url, it.others_robot or it.robot) for it in task.questions]

    def compare(
        self, name: str, task: Comparison, theirs: Sequence[Decision]
    ) -> SiteImpact:
        """Return how the decisions *theirs* differ from the decisions of our parser.

        *theirs* contains the decision of the parser *name* on each question of *task*.
        """
        capture = task.capture
        file = self._file_of(capture.others_body)
        site = SiteImpact.of(capture)
        ours = self._decisions(self._ours, task)
        directions = list(map(direction_of, ours, theirs))
        site.counts.update((name, way) for way in directions)
        for place, variant in enumerate(self._variants):
            found = map(direction_of, self._decisions(variant, task), theirs)
            site.variants |= {(name, it, place) for it in CHANGING.intersection(found)}
        differing = [
            (question, said, way)
            for question, said, way in zip(
                task.questions, theirs, directions, strict=True
            )
            if way is not Direction.AGREE
        ]
        for question, said, way in differing:
            site.pack(capture)
            site.keep((name, way), Example(question, said))
        if task.diagnose:
            # Sort by robot, because the cache of compiled rules is small. The diagnosis
            # compiles the rules for each robot in many setups.
            differing.sort(key=lambda it: it[0].robot)
            for question, said, way in differing:
                causes = explain(name, capture, file, question, said).causes
                site.causes[name, way, causes[0]] += 1
        return site

    def explain(self, site: SiteImpact) -> dict[Stratum, list[Example]]:
        """Return the examples of *site* with explanations.

        An explanation consists of the causes, our verdict, and the lines that make the
        parsers differ.
        """
        capture = site.whole_capture
        file = self._file_of(capture.others_body)
        robots = self._ours(capture.body)

        def explained(name: str, example: Example) -> Example:
            asked, theirs = example.question, example.theirs
            causes, points = explain(name, capture, file, asked, theirs)
            verdict = capture.uniform or robots.verdict(asked.url, asked.robot)
            lines = file.minimal_lines(asked, points) if points else ()
            return replace(
                example, causes=causes, verdict=str(verdict), needed_lines=lines
            )

        return {
            stratum: [explained(stratum[0], it) for it in examples]
            for stratum, examples in site.examples.items()
        }

    def _decisions(
        self, ours: Callable[[bytes], RobotsTxt], task: Comparison
    ) -> list[Decision]:
        """Return the decision of our parser on each question of *task*. *ours* parses the
        file in one dialect and reading.
        """
        body = task.capture.body
        decide = self._file_of(body).decider(ours, body)
        return [
            task.capture.by_status(it) or decide(it.url, it.robot)
            for it in task.questions
        ]
