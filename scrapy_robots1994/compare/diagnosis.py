"""Diagnosis: why two parsers differ, and which lines of the file they need for it.

A cause is never guessed: our own parser is set up as the other one in that point, and then gives
its answer. The other parser is not asked again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import (
    ALLOWS,
    FORBIDS,
    Capture,
    Decision,
    Question,
    decider,
    direction_of,
)
from scrapy_robots1994.compare.profiles import PROFILES, Point, Setup
from scrapy_robots1994.parser.body import Body, encoding_of
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import lines_of
from scrapy_robots1994.parser.rules import RobotRules

_MAX_RULES = 64  # of one file, that stay compiled


class ParsedBody:
    """One body, and what parsers make of it, each made once."""

    def __init__(self, body: bytes, dialect: Dialect, reading: str) -> None:
        self.body = body
        self._dialect = dialect
        self._reading = reading
        self.decider = cache(decider)
        """Return what a parser says about a body."""
        self._compiled = lru_cache(_MAX_RULES)(self._compile)

    def _compile(
        self, robot: Question, points: tuple[Point, ...]
    ) -> tuple[RobotRules, Callable[[str], str]]:
        """Return the rules of the robot, and how a URL is spelled."""
        setup = Setup.of(self.body, robot, self._dialect, self._reading)
        for point in points:
            setup = point(setup)
        return setup.rules(), setup.spell

    def answer(self, question: Question, points: tuple[Point, ...] = ()) -> Decision:
        """Return what our parser answers if it is set up otherwise in all *points*."""
        robot = Question("", question.robot, question.others_robot)
        rules, spell = self._compiled(robot, points)
        return ALLOWS if rules.allowed(spell(question.url)) else FORBIDS

    def minimal_lines(
        self, question: Question, points: tuple[Point, ...]
    ) -> tuple[int, ...]:
        """Return the numbers of the lines that make *points* change the answer as they do: without
        any of them they do not.
        """
        mark, encoding = encoding_of(self.body)
        lines = [
            line.raw.encode(encoding, "surrogateescape")
            for line in lines_of(Body(self.body).text, self._dialect)
        ]

        def direction(places: Sequence[int]) -> object:
            body = mark + b"".join(lines[place] for place in sorted(places))
            part = ParsedBody(body, self._dialect, self._reading)
            return direction_of(part.answer(question), part.answer(question, points))

        whole = direction(range(len(lines)))
        found = ddmin(len(lines), lambda places: direction(places) is whole)
        return tuple(place + 1 for place in found)


class Explanation(NamedTuple):
    """Why another parser answers otherwise: the fewest *causes* that explain it together, the
    first of which names it, and what they change in a `Setup`.
    """

    causes: tuple[Cause, ...]
    points: tuple[Point, ...] = ()


class Diagnosis:
    """Why one other parser, by its *name*, differs from ours."""

    def __init__(self, name: str) -> None:
        # A parser that has no profile may be like one that has.
        known = sorted(PROFILES, key=lambda it: it != name)
        self._profiles = [PROFILES[it] for it in known]

    def explain(
        self, capture: Capture, file: ParsedBody, question: Question, theirs: Decision
    ) -> Explanation:
        """Return why the other parser answers *theirs* about *capture*, whose whole file is
        *file*.
        """
        if theirs not in {ALLOWS, FORBIDS}:
            return Explanation((Cause.OTHER,))
        is_status = capture.uniform is not None
        is_other = is_status or capture.others is not None
        if is_other and file.answer(question) == theirs:
            return Explanation((Cause.STATUS if is_status else Cause.SHARED_HOST,))
        for profile in self._profiles:
            if found := _explain(profile, file, question, theirs):
                return found
        return Explanation((Cause.OTHER,))


def _explain(
    profile: Mapping[Cause, Point],
    file: ParsedBody,
    question: Question,
    theirs: Decision,
) -> Explanation | None:
    """Return by which points of *profile* our parser answers *theirs*; None if by none."""
    # In the order of their rows, which says which one names the answer.
    causes = [it for it in Cause if it in profile]

    def explanation(places: Iterable[int]) -> Explanation:
        some = tuple(causes[place] for place in places)
        # Points apply in the order of the profile.
        points = tuple(it for cause, it in profile.items() if cause in some)
        return Explanation(some, points)

    def is_right(places: Iterable[int]) -> bool:
        return file.answer(question, explanation(places).points) == theirs

    for place in range(len(causes)):
        if is_right([place]):
            return explanation([place])
    if not is_right(range(len(causes))):
        return None
    return explanation(ddmin(len(causes), is_right))


def ddmin(count: int, holds: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Return places out of `range(count)` for which *holds*, one-minimal.

    *holds* must be so of all places together. Of the result no single place can be
    left out. Big pieces are tried first, so that a few lines out of thousands are found
    in about as many trials as `count` has binary digits, times a few.
    """
    needed = list(range(count))
    size = count
    while needed and size:
        size = min(size, len(needed))
        is_less = False
        # From the end: what a rule needs before it (its User-agent line) goes last.
        for end in range(len(needed), 0, -size):
            start = max(0, end - size)
            rest = needed[:start] + needed[end:]
            if holds(rest):
                needed, is_less = rest, True
        # One line at a time until nothing more goes: then it is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return tuple(needed)
