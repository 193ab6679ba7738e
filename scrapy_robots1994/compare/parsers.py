"""Parsers, including ours: the captures that they read, the direction in which another parser
differs from ours, and the questions about a file by which parsers are compared.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol, TypeAlias
from urllib.parse import quote

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Line, Verdict
from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.fields import FIELD_NAMED, Role
from scrapy_robots1994.policy.outcomes import TEXT, AnswerGroup, group_of_verdict
from scrapy_robots1994.robotstxt import RobotsTxt

ROBOTS_TXT = "/robots.txt"

# A name that neither contains a common name, such as `bot`, nor is part of one: a record may
# address a robot by any part of its name.
UNKNOWN_ROBOT = "qxzvwk"
ALWAYS = ("/", ROBOTS_TXT, "/some/page.html?a=b")

# The characters that a crawler sends unescaped, besides letters and digits.
_SENT = "/?&=%;:@+$,!*'()~[]"


@dataclass(frozen=True, slots=True)
class Question:
    """May *robot* (bare name or whole header) retrieve *url*?

    *others_robot* is the name for the other parsers, if their name differs from *robot*.
    """

    url: str
    robot: str
    others_robot: str = ""

    @property
    def robots(self) -> str:
        """The names, for a report."""
        other = f" (for the other parser: {self.others_robot})"
        return self.robot + (other if self.others_robot else "")


class ParsedFile(Protocol):
    """One robots.txt as one parser read it; `allowed` may raise."""

    def allowed(self, url: str, robot: str, /) -> bool:
        """Return whether *robot* may retrieve *url*."""


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser by its name; *parse* takes the bytes of a file and may raise."""

    name: str
    parse: Callable[[bytes], ParsedFile]
    is_ours: bool = False


Decision: TypeAlias = str
"""The answer of a parser to a question: `ALLOWS`, `FORBIDS`, or what `raised` returns."""

ALLOWS: Decision = "allows"
FORBIDS: Decision = "forbids"


def raised(name: str) -> Decision:
    """Return the decision of a parser that raised an exception with this *name*."""
    return f"raises {name}"


Decider: TypeAlias = Callable[[Question], Decision]
"""Returns the decision of one parser about one file for a question. Never raises."""


class Direction(Enum):
    """Whether another parser agrees with ours about one question, is stricter or laxer, or raised
    an exception.
    """

    AGREE = "agree"
    STRICTER = "stricter"
    LAXER = "laxer"
    RAISED = "raised"


DISAGREEING = (Direction.STRICTER, Direction.LAXER, Direction.RAISED)


def direction_of(ours: Decision, theirs: Decision) -> Direction:
    """Return the direction in which the decision *theirs* differs from *ours*: `STRICTER` if only
    the other parser forbids, `LAXER` if only ours does.
    """
    if ours == theirs:
        return Direction.AGREE
    if not {ours, theirs} <= {ALLOWS, FORBIDS}:
        return Direction.RAISED
    return Direction.LAXER if theirs == ALLOWS else Direction.STRICTER


def decider(parser: Parser, body: bytes) -> Decider:
    """Return the decider of *parser* for *body*. If the parser raises an exception for the file,
    that exception is its decision about every question.
    """
    try:
        parsed = parser.parse(body)
    except Exception as error:  # noqa: BLE001 - any parser, any bytes: a column value
        refusal = raised(type(error).__name__)
        return lambda _: refusal

    def decide(question: Question) -> Decision:
        is_other = question.others_robot and not parser.is_ours
        robot = question.others_robot if is_other else question.robot
        try:
            is_allowed = bool(parsed.allowed(question.url, robot))
        except Exception as error:  # noqa: BLE001 - any parser, any URL: a column value
            return raised(type(error).__name__)
        return ALLOWS if is_allowed else FORBIDS

    return decide


@dataclass(frozen=True, slots=True)
class Capture:
    """The answer to GET /robots.txt of one origin.

    *label* is the origin, or the name of the file. *status* is the HTTP status of the answer;
    None if no answer came. *uniform* is our one verdict on all URLs if the status, or the
    missing answer, decides and not the file. *others* is the file that other parsers read, if it
    is not *body*.
    """

    label: str
    body: bytes
    uniform: Verdict | None = None
    status: int | None = None
    others: bytes | None = None

    @property
    def others_body(self) -> bytes:
        """The file that other parsers read."""
        return self.body if self.others is None else self.others

    @property
    def basis(self) -> AnswerGroup:
        """What decides our verdicts: the file, a status, or no answer."""
        if self.uniform is None:
            return TEXT
        return group_of_verdict(self.uniform.reason, self.status)

    def by_status(self, question: Question) -> Decision | None:
        """Return our decision if the status decides; None if the file does."""
        if self.uniform is None:
            return None
        # Ours O22 (robots.txt itself): it may always be retrieved.
        is_open = self.uniform.allowed or target_of(question.url) == ROBOTS_TXT
        return ALLOWS if is_open else FORBIDS


def obeyed_body(robots: RobotsTxt) -> bytes:
    """Return the bytes of *robots* that all parsers read."""
    # Ours O24 (size limit): only the whole lines of a truncated file count. Ours O17
    # (undecodable bytes): `encode` returns such bytes unchanged.
    return encode(robots.text) if robots.is_truncated else robots.body


def our_parser(dialect: str, reading: str) -> Parser:
    """Return our own parser in this *dialect* and *reading*."""
    parse = partial(RobotsTxt.parse, dialect=dialect, reading=reading)
    return Parser("scrapy_robots1994", parse, is_ours=True)


def questions(
    origin: str, body: bytes, *, robots: Iterable[str] = (), max_questions: int
) -> list[Question]:
    """Return at most *max_questions* different questions about *body*.

    They ask for each path that the rules suggest, for each robot. The robots are *robots*, or
    else the robots that the file names and one that the file does not name. If there are too
    many questions, return a random sample, which is the same for each call.
    """
    lines = RobotsTxt.parse(body).lines
    named = dict.fromkeys(_shown(line.value) for line in lines if is_agent(line))
    names = tuple(robots) or (*(it for it in named if it.strip("*")), UNKNOWN_ROBOT)
    targets = tuple(dict.fromkeys([*ALWAYS, *_targets(lines)]))
    places: Sequence[int] = range(len(targets) * len(names))
    if len(places) > max_questions:
        dice = random.Random(len(body))  # noqa: S311 - the same part every time
        places = sorted(dice.sample(places, max_questions))
    return [
        Question(origin + targets[place // len(names)], names[place % len(names)])
        for place in places
    ]


def _targets(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the paths around each rule, and around each value that other parsers may read as a
    rule.
    """
    for line in lines:
        value = _shown(line.value)
        if value.startswith("/") and not is_agent(line):
            yield from _around(value)
        elif value and is_rule(line):
            yield from _around(f"/{value}")


def _around(path: str) -> Iterator[str]:
    """Yield the path of a rule as it is, then one that matches its wildcards, and the latter
    extended, cut, and percent-encoded differently.
    """
    sent = quote(path, safe=_SENT, errors="replace")
    # A path that matches the wildcards, and ends where a `$` says.
    met = sent.replace("*", "x").removesuffix("$")
    yield sent
    yield met
    yield f"{met}x"
    yield f"{met.rstrip('/')}/x.html"
    yield met[:-1] or "/"
    yield _encoded_otherwise(met)


def _encoded_otherwise(path: str) -> str:
    """Return another spelling of *path*: its last letter percent-encoded."""
    for place in range(len(path) - 1, 0, -1):
        if path[place].isalpha() and "%" not in path[max(0, place - 2) : place]:
            return f"{path[:place]}%{ord(path[place]):02X}{path[place + 1 :]}"
    return path


def _shown(value: str) -> str:
    """Return *value*, a name or path, with each byte that is not UTF-8 replaced."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_agent(line: Line) -> bool:
    """Return whether *line* is a User-agent line."""
    return _role(line) is Role.NAMES


def is_rule(line: Line) -> bool:
    """Return whether *line* is a Disallow or Allow line, in any dialect."""
    return _role(line) is Role.RULE


def _role(line: Line) -> Role:
    """Return the role of the field of *line*, even if the dialect does not have the field."""
    known = FIELD_NAMED.get(line.field.lower())
    return known.role if known else Role.NONE
