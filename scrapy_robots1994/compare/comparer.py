"""Count the questions that another parser answers differently from our parser, and explain
the differences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from cachetools import LRUCache, cached

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.diagnosis import ParsedBody, explain
from scrapy_robots1994.compare.impact import (
    CHANGING,
    VARIANTS,
    Example,
    SiteImpact,
    Stratum,
    Variant,
)
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Direction,
    Parse,
    Question,
    direction_of,
)
from scrapy_robots1994.parser.dialects import grammars_of
from scrapy_robots1994.robotstxt import RobotsTxt

_PARSE = {it: partial(RobotsTxt.parse, dialect=it.dialect) for it in VARIANTS}
"""Our parser in each dialect."""

CACHED_BYTES = 1_000_000
"""The maximum total size, in bytes, of the files that are cached in parsed form."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The task of asking the parsers *questions* about *capture*, and of comparing the
    answers.

    If *diagnose* is true, the task also includes finding the causes of each difference. A
    parser whose name is in *decided* is not asked, because its decision on each question is
    known.
    """

    capture: Capture
    questions: tuple[Question, ...]
    diagnose: bool = True
    decided: Mapping[str, Decision] = field(default_factory=dict)


class Comparer:
    """Compares our parser, in one dialect, with each parser of *others*.

    *others* maps the name of each parser to the parser. *ours* is the dialect of our
    parser.
    """

    def __init__(self, others: Mapping[str, Parse], ours: Variant) -> None:
        self._others = others
        self._ours = ours
        files = LRUCache[Any, ParsedBody](CACHED_BYTES, lambda it: len(it.body) + 1)
        dialect = grammars_of(ours.dialect)[0]
        # A file that is larger than the whole cache is not cached.
        self._file_of = cached(files)(partial(ParsedBody, dialect=dialect))

    def compare(self, name: str, task: Comparison) -> SiteImpact:
        """Ask the parser *name* the questions of *task*, and return how its decisions
        differ from our decisions.
        """
        capture = task.capture
        file = self._file_of(capture.body)
        site, known = SiteImpact.of(capture), task.decided.get(name)
        differing: list[tuple[Question, Decision, Direction]] = []
        for asked in task.questions:
            said = known or self._ask(name, file, asked)
            uniform = capture.by_status(asked)
            ways = {
                variant: direction_of(
                    uniform or file.decision(ours, asked.url, asked.robot), said
                )
                for variant, ours in _PARSE.items()
            }
            site.variants |= {
                (name, way, variant) for variant, way in ways.items() if way in CHANGING
            }
            way = ways[self._ours]
            site.counts[name, way] += 1
            if way is not Direction.AGREE:
                differing.append((asked, said, way))
                site.pack(capture)
                site.keep((name, way), Example(asked, said))
        if task.diagnose:
            # Sort by robot, because the cache of compiled rules is small. The diagnosis
            # compiles the rules for each robot in many setups.
            differing.sort(key=lambda it: it[0].robot)
            for asked, said, way in differing:
                causes = explain(name, capture, file, asked, said).causes
                site.causes[name, way, causes[0]] += 1
        return site

    def explain(self, site: SiteImpact) -> dict[Stratum, list[Example]]:
        """Return the examples of *site* with explanations.

        An explanation consists of the causes, our verdict, and the lines that make the
        parsers differ.
        """
        capture = site.whole_capture
        file = self._file_of(capture.body)
        robots = _PARSE[self._ours](capture.body)

        def explained(name: str, example: Example) -> Example:
            asked, theirs = example.question, example.theirs
            causes, points = explain(name, capture, file, asked, theirs)
            # In a dry run, Scrapy's middleware can decide differently from its parser. No
            # difference between parsers explains a decision that differs from the
            # decision of the parser.
            if theirs != self._ask(name, file, asked):
                causes, points = (Cause.OTHER,), ()
            verdict = capture.uniform or robots.verdict(asked.url, asked.robot)
            lines = file.minimal_lines(asked, points) if points else ()
            return replace(
                example, causes=causes, verdict=str(verdict), needed_lines=lines
            )

        return {
            stratum: [explained(stratum[0], it) for it in examples]
            for stratum, examples in site.examples.items()
        }

    def _ask(self, name: str, file: ParsedBody, asked: Question) -> Decision:
        """Return the decision of the parser *name* on the question *asked* about *file*."""
        robot = asked.others_robot or asked.robot
        return file.decision(self._others[name], asked.url, robot)
