"""The parsers, captures, questions and directions of a comparison.

A capture contains the file that the parsers read. A direction says how the decision of
another parser compares with our decision.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias
from urllib.parse import quote

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Line, Verdict
from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.fields import ALLOW, DISALLOW, USER_AGENT
from scrapy_robots1994.policy.outcomes import TEXT, AnswerGroup, group_of_verdict
from scrapy_robots1994.robotstxt import RobotsTxt

ROBOTS_TXT = "/robots.txt"

# `UNKNOWN_ROBOT` is the name of a robot that no file is likely to name. The name does not
# contain a common word such as `bot`. A record for `bot` applies to every robot whose name
# contains `bot`.
UNKNOWN_ROBOT = "qxzvwk"
ALWAYS = ("/", ROBOTS_TXT, "/some/page.html?a=b")

# `_SENT` contains the characters that crawlers send unescaped, in addition to letters,
# digits and `_.-~`.
_SENT = "/?&=%;:@+$,!*'()~[]"


@dataclass(frozen=True, slots=True)
class Question:
    """The question of whether *robot* may retrieve *url*.

    *robot* is a bare name or a whole User-Agent header. If *others_robot* is not empty, the
    other parsers are asked about *others_robot* instead of *robot*.
    """

    url: str
    robot: str
    others_robot: str = ""

    @property
    def robots(self) -> str:
        """The text that a report shows as the name of the robot."""
        other = f" (for the other parser: {self.others_robot})"
        return self.robot + (other if self.others_robot else "")


class ParsedFile(Protocol):
    """One robots.txt, parsed by one parser. `allowed` may raise any exception."""

    def allowed(self, url: str, robot: str, /) -> bool:
        """Return whether *robot* may retrieve *url*."""


Parse: TypeAlias = Callable[[bytes], ParsedFile]
"""A parser. The function parses the bytes of a file, and may raise any exception."""

Decision: TypeAlias = str
"""The answer of a parser to a question: `ALLOWS`, `FORBIDS`, or a result of `raised`."""

ALLOWS: Decision = "allows"
FORBIDS: Decision = "forbids"


def raised(name: str) -> Decision:
    """Return the decision of a parser that raised an exception. *name* is the name of the
    class of the exception.
    """
    return f"raises {name}"


class Direction(Enum):
    """The difference between the decision of another parser and our decision on one
    question.

    The other parser agrees, is stricter, or is laxer. `RAISED` means that the decisions
    differ, and that at least one of the two parsers raised an exception.
    """

    AGREE = "agree"
    STRICTER = "stricter"
    LAXER = "laxer"
    RAISED = "raised"


DISAGREEING = (Direction.STRICTER, Direction.LAXER, Direction.RAISED)


def direction_of(ours: Decision, theirs: Decision) -> Direction:
    """Return the direction in which the decision *theirs* differs from *ours*.

    The direction is `STRICTER` if only the other parser disallows the URL, and `LAXER` if
    only our parser disallows the URL.
    """
    if ours == theirs:
        return Direction.AGREE
    if not {ours, theirs} <= {ALLOWS, FORBIDS}:
        return Direction.RAISED
    return Direction.LAXER if theirs == ALLOWS else Direction.STRICTER


@dataclass(frozen=True, slots=True)
class Capture:
    """The answer of one origin to GET /robots.txt, or one file.

    *label* is the origin, or the name of the file. *body* is the file that all parsers
    read.

    *uniform* is our verdict on every URL, or None if the file decides. *status* is the HTTP
    status of the answer, or None if the file decides or the origin did not answer.
    """

    label: str
    body: bytes
    uniform: Verdict | None = None
    status: int | None = None

    @property
    def basis(self) -> AnswerGroup:
        """The kind of answer on which our verdicts are based, such as a file, a status, or
        no answer.
        """
        if self.uniform is None:
            return TEXT
        return group_of_verdict(self.uniform.reason, self.status)

    def by_status(self, question: Question) -> Decision | None:
        """Return our decision on *question*, or None if the file decides."""
        if self.uniform is None:
            return None
        # Ours O22 (robots.txt itself): a robot may always retrieve robots.txt.
        is_open = self.uniform.allowed or target_of(question.url) == ROBOTS_TXT
        return ALLOWS if is_open else FORBIDS


def obeyed_body(robots: RobotsTxt) -> bytes:
    """Return the bytes that all parsers read for the file *robots*."""
    # Ours O24 (size limit): only the whole lines of a truncated file are obeyed. Ours O17
    # (undecodable bytes): `encode` restores the bytes that could not be decoded.
    return encode(robots.text) if robots.is_truncated else robots.body


def questions(
    origin: str, body: bytes, *, robots: Iterable[str] = (), max_questions: int
) -> list[Question]:
    """Return at most *max_questions* questions about *body*.

    The questions combine each robot with each path of `ALWAYS`, and with each path that
    the rules suggest. If *robots* is empty, ask about each robot that the file names, and
    about one robot that it does not name. If there are more than *max_questions*
    questions, return a random sample. Equal arguments always lead to the same sample.
    """
    lines = RobotsTxt.parse(body).lines
    named = dict.fromkeys(_shown(it.value) for it in lines if it.known is USER_AGENT)
    names = tuple(robots) or (*(it for it in named if it.strip("*")), UNKNOWN_ROBOT)
    targets = tuple(dict.fromkeys([*ALWAYS, *_targets(lines)]))
    places: Sequence[int] = range(len(targets) * len(names))
    if len(places) > max_questions:
        dice = random.Random(len(body))  # noqa: S311 - a repeatable sample
        places = sorted(dice.sample(places, max_questions))
    return [
        Question(origin + targets[place // len(names)], names[place % len(names)])
        for place in places
    ]


def _targets(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the paths to ask about.

    The paths are made from each rule, and from each value that another parser might read
    as a rule.
    """
    for line in lines:
        value = _shown(line.value)
        if value.startswith("/") and line.known is not USER_AGENT:
            yield from _around(value)
        elif value and line.known in (DISALLOW, ALLOW):
            yield from _around(f"/{value}")


def _around(path: str) -> Iterator[str]:
    """Yield the *path* of a rule, a second path, and four variants of the second path.

    The second path matches the wildcards of the rule. Two variants are longer than the
    second path, and one variant is shorter. In the last variant, one more letter is
    percent-encoded.
    """
    sent = quote(path, safe=_SENT, errors="replace")
    # To match the wildcards, replace each `*`, and remove a `$` at the end.
    met = sent.replace("*", "x").removesuffix("$")
    yield sent
    yield met
    yield f"{met}x"
    yield f"{met.rstrip('/')}/x.html"
    yield met[:-1] or "/"
    yield _encoded_otherwise(met)


def _encoded_otherwise(path: str) -> str:
    """Return *path* with its last unescaped letter percent-encoded."""
    for place in range(len(path) - 1, 0, -1):
        if path[place].isalpha() and "%" not in path[max(0, place - 2) : place]:
            return f"{path[:place]}%{ord(path[place]):02X}{path[place + 1 :]}"
    return path


def _shown(value: str) -> str:
    """Return *value*, which is a name or a path. Replace bytes that are not UTF-8 with
    U+FFFD.
    """
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
