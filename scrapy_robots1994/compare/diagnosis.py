"""Find why two parsers differ, and which lines of a file make the parsers differ.

A diagnosis does not guess causes, but tests them. A point (see `profiles`) changes the
input of our parser, so that our parser imitates another parser in one respect. Each point
belongs to a cause. If the changed input makes our parser give the answer of the other
parser, the cause of the point explains the difference. A diagnosis does not call the
other parser again.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import (
    ALLOWS,
    FORBIDS,
    Capture,
    Decision,
    Parse,
    ParsedFile,
    Question,
    direction_of,
    raised,
)
from scrapy_robots1994.compare.profiles import PROFILES, Point, Setup
from scrapy_robots1994.parser.body import Body, encoding_of
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import lines_of
from scrapy_robots1994.parser.rules import RobotRules

ItemT = TypeVar("ItemT")

# `_MAX_RULES` is the maximum number of sets of compiled rules that are cached for each
# file.
_MAX_RULES = 64


class ParsedBody:
    """The bytes of one robots.txt file, with a cache of parse results and a cache of
    compiled rules.
    """

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        self.body = body
        self._dialect = dialect
        self._parsed = cache(self._parse)
        self._compiled = lru_cache(_MAX_RULES)(self._compile)

    def _parse(self, parse: Parse) -> ParsedFile | Decision:
        """Return the body as read by the parser *parse*.

        If the parser raises an exception, return the decision that names the exception. A
        parser can take a long time before it raises the exception, so the decision is
        cached like a parsed file.
        """
        try:
            return parse(self.body)
        except Exception as error:  # noqa: BLE001 - any exception is a decision
            return raised(type(error).__name__)

    def decision(self, parse: Parse, url: str, robot: str) -> Decision:
        """Return the decision of the parser *parse* on whether *robot* may retrieve *url*.

        If the parser raises an exception, the decision names the exception.
        """
        parsed = self._parsed(parse)
        if isinstance(parsed, Decision):
            return parsed
        try:
            return ALLOWS if parsed.allowed(url, robot) else FORBIDS
        except Exception as error:  # noqa: BLE001 - any exception is a decision
            return raised(type(error).__name__)

    def _compile(
        self, robot: Question, points: tuple[Point, ...]
    ) -> tuple[RobotRules, Callable[[str], str]]:
        """Apply *points* to the setup of our parser for *robot*. Return the rules of the
        changed setup, and the function that spells a URL for these rules.
        """
        setup = Setup.of(self.body, robot, self._dialect)
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
        """Return the line numbers (from 1) of a minimal set of lines that cause the
        difference.

        For a file with only the lines of the set, *points* change the answer in the same
        direction as for the whole file. Without one of the lines of the set, *points* do
        not change the answer in this direction.
        """
        mark, encoding = encoding_of(self.body)
        texts = (line.raw for line in lines_of(Body(self.body).text, self._dialect))
        lines = [
            (number, text.encode(encoding, "surrogateescape"))
            for number, text in enumerate(texts, 1)
        ]

        def direction(some: Sequence[tuple[int, bytes]]) -> object:
            body = mark + b"".join(line for _, line in some)
            part = ParsedBody(body, self._dialect)
            return direction_of(part.answer(question), part.answer(question, points))

        whole = direction(lines)
        needed = ddmin(lines, lambda some: direction(some) is whole)
        return tuple(number for number, _ in needed)


class Explanation(NamedTuple):
    """The reasons why the answer of another parser differs from our answer.

    Together, *causes* explain the answer of the other parser. If one of the causes is
    left out, the remaining causes do not explain the answer of the other parser. Reports
    count only the first cause. *points* are the changes to a `Setup` that belong to
    *causes*.
    """

    causes: tuple[Cause, ...]
    points: tuple[Point, ...] = ()


def explain(
    name: str, capture: Capture, file: ParsedBody, question: Question, theirs: Decision
) -> Explanation:
    """Explain why the parser *name* gave the answer *theirs* to *question*. The question is
    about *capture*, and *file* is the file of the capture.
    """
    if theirs not in {ALLOWS, FORBIDS}:
        return Explanation((Cause.OTHER,))
    if capture.uniform is not None and file.answer(question) == theirs:
        return Explanation((Cause.STATUS,))
    # Try all profiles, because a parser without a profile might behave like a parser that
    # has a profile. Begin with the profile of the parser *name*.
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
    """Return, as an `Explanation`, a minimal set of points in *profile* with which our
    parser gives the answer *theirs*.

    Return None if our parser gives the answer *theirs* neither with a single point nor with
    all points together.
    """
    # Try the causes in the order of `Cause`. The first cause that alone explains the answer
    # is returned.
    causes = [it for it in Cause if it in profile]

    def explanation(some: Sequence[Cause]) -> Explanation:
        # Apply the points in the order of the profile.
        points = tuple(it for cause, it in profile.items() if cause in some)
        return Explanation(tuple(some), points)

    def is_right(some: Sequence[Cause]) -> bool:
        return file.answer(question, explanation(some).points) == theirs

    for cause in causes:
        if is_right([cause]):
            return explanation([cause])
    return explanation(ddmin(causes, is_right)) if is_right(causes) else None


def ddmin(
    items: Sequence[ItemT], holds: Callable[[Sequence[ItemT]], bool]
) -> Sequence[ItemT]:
    """Return a one-minimal part of *items* for which *holds* is true.

    *holds* must be true for all items together. One-minimal means that *holds* is false
    if one of the items is left out. The search first tries to remove many items at once.
    If the part contains only a few of n items, the search calls *holds* only a small
    multiple of log2(n) times.
    """
    needed, size = items, len(items)
    while needed and size:
        size = min(size, len(needed))
        is_less = False
        # Start at the end of *items*. A rule needs the User-agent line above it, so the
        # rule must be removed before the User-agent line.
        for end in range(len(needed), 0, -size):
            rest = [*needed[: max(0, end - size)], *needed[end:]]
            if holds(rest):
                needed, is_less = rest, True
        # If *size* is 1, repeat until no item can be removed. Only a part from which no
        # item can be removed is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return needed
