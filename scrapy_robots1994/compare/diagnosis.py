"""Find why two parsers differ, and which lines of a file make the parsers differ.

A cause is never guessed. A point (see `profiles`) changes the input of our own parser to
imitate the other parser in one respect. Each point belongs to a cause. If our parser then
gives the answer of the other parser, this cause explains the difference. A diagnosis does
not call the other parser again.
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

# `_MAX_RULES` is the maximum number of sets of compiled rules that are cached for each
# file.
_MAX_RULES = 64


class ParsedBody:
    """One body, with a cache of deciders and a cache of compiled rules."""

    def __init__(self, body: bytes, dialect: Dialect, reading: str) -> None:
        self.body = body
        self._dialect = dialect
        self._reading = reading
        self.decider = cache(decider)
        """Return the cached result of `parsers.decider`."""
        self._compiled = lru_cache(_MAX_RULES)(self._compile)

    def _compile(
        self, robot: Question, points: tuple[Point, ...]
    ) -> tuple[RobotRules, Callable[[str], str]]:
        """Apply *points* to the setup of our parser for *robot*. Return the rules of the
        changed setup, and the function that spells a URL for these rules.
        """
        setup = Setup.of(self.body, robot, self._dialect, self._reading)
        for point in points:
            setup = point(setup)
        return setup.rules(), setup.spell

    def answer(self, question: Question, points: tuple[Point, ...] = ()) -> Decision:
        """Return the answer of our parser to *question* after *points* have changed the
        setup.
        """
        robot = Question("", question.robot, question.others_robot)
        rules, spell = self._compiled(robot, points)
        return ALLOWS if rules.allowed(spell(question.url)) else FORBIDS

    def minimal_lines(
        self, question: Question, points: tuple[Point, ...]
    ) -> tuple[int, ...]:
        """Return the numbers (from 1) of a minimal set of lines that cause the difference.

        In the whole file, *points* change the answer to *question* in one direction. In a
        file with only the lines of the set, the direction is the same. If any line of the
        set is removed, the direction is different.
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
    """The reasons why the answer of another parser differs from our answer.

    Together, *causes* explain the answer. If any cause is left out, the remaining causes do
    not explain the answer. Reports count only the first cause. *points* are the changes to
    a `Setup` that belong to *causes*.
    """

    causes: tuple[Cause, ...]
    points: tuple[Point, ...] = ()


def explain(
    name: str, capture: Capture, file: ParsedBody, question: Question, theirs: Decision
) -> Explanation:
    """Explain *theirs*, the answer of the parser *name* to *question* about *capture*.
    *file* is the file that the other parser read.
    """
    if theirs not in {ALLOWS, FORBIDS}:
        return Explanation((Cause.OTHER,))
    is_status = capture.uniform is not None
    is_other = is_status or capture.others is not None
    if is_other and file.answer(question) == theirs:
        return Explanation((Cause.STATUS if is_status else Cause.SHARED_HOST,))
    # Try all profiles, because a parser without a profile may behave like a parser that has
    # a profile. Begin with the profile of the parser *name*.
    for known in sorted(PROFILES, key=lambda it: it != name):
        if found := _explained_by(PROFILES[known], file, question, theirs):
            return found
    return Explanation((Cause.OTHER,))


def _explained_by(
    profile: Mapping[Cause, Point],
    file: ParsedBody,
    question: Question,
    theirs: Decision,
) -> Explanation | None:
    """Return a minimal set of points in *profile* with which our parser gives the answer
    *theirs*. The set is returned as an `Explanation`.

    Return None if our parser gives the answer *theirs* neither with a single point nor with
    all points together.
    """
    # Try the causes in the order of `Cause`. The first cause that alone explains the answer
    # is returned.
    causes = [it for it in Cause if it in profile]

    def explanation(places: Iterable[int]) -> Explanation:
        some = tuple(causes[place] for place in places)
        # Apply the points in the order of the profile.
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
    """Return a one-minimal set of places in `range(count)` for which *holds* is true.

    *holds* must be true for all places together. One-minimal means that *holds* is false if
    any single place is left out. The search first tries to remove large sets of places.
    Therefore the search for a few lines among thousands takes only a small multiple of
    log2(*count*) calls to *holds*.
    """
    needed = list(range(count))
    size = count
    while needed and size:
        size = min(size, len(needed))
        is_less = False
        # Start at the end. A rule needs the User-agent line above the rule, so the rule
        # must be removed before the User-agent line.
        for end in range(len(needed), 0, -size):
            start = max(0, end - size)
            rest = needed[:start] + needed[end:]
            if holds(rest):
                needed, is_less = rest, True
        # If *size* is 1, repeat until no place can be removed. Only a set from which no
        # place can be removed is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return tuple(needed)
