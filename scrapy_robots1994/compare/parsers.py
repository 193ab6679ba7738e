"""Parsers, ours among them: what they read, and how one differs from ours."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol, TypeAlias

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Verdict
from scrapy_robots1994.parser.dialects import LITERAL
from scrapy_robots1994.robotstxt import RobotsTxt

ROBOTS_TXT = "/robots.txt"


@dataclass(frozen=True, slots=True)
class Question:
    """May *robot* (bare name or whole header) retrieve *url*?"""

    url: str
    robot: str


class ParsedFile(Protocol):
    """One robots.txt as one parser read it; `allowed` may raise."""

    def allowed(self, url: str, robot: str, /) -> bool:
        """Whether *robot* may retrieve *url*."""


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser by its name; *parse* takes the bytes of a file and may raise."""

    name: str
    parse: Callable[[bytes], ParsedFile]


Decision: TypeAlias = str
"""What a parser says to a question: `ALLOWS`, `FORBIDS`, or what it `raised`."""

ALLOWS: Decision = "allows"
FORBIDS: Decision = "forbids"


def raised(name: str) -> Decision:
    """Return the decision of a parser that raised an exception with this *name*."""
    return f"raises {name}"


Reading: TypeAlias = Callable[[Question], Decision]
"""One file as one parser reads it: what it says to each question, whatever it does."""


class Direction(Enum):
    """What another parser is compared with ours, for one question."""

    AGREE = "agree"
    STRICTER = "stricter"
    LAXER = "laxer"
    RAISED = "raised"


DISAGREEING = (Direction.STRICTER, Direction.LAXER, Direction.RAISED)


def direction_of(ours: Decision, theirs: Decision) -> Direction:
    """Return what *theirs* is compared with *ours*: stricter when only it forbids."""
    if ours == theirs:
        return Direction.AGREE
    if not {ours, theirs} <= {ALLOWS, FORBIDS}:
        return Direction.RAISED
    return Direction.LAXER if theirs == ALLOWS else Direction.STRICTER


def read(parser: Parser, body: bytes) -> Reading:
    """Return *body* as *parser* reads it. What it raises at the file is its decision."""
    try:
        parsed = parser.parse(body)
    except Exception as error:  # noqa: BLE001 - any parser, any bytes: a column value
        refusal = raised(type(error).__name__)
        return lambda _: refusal

    def decide(question: Question) -> Decision:
        try:
            is_allowed = parsed.allowed(question.url, question.robot)
        except Exception as error:  # noqa: BLE001 - any parser, any URL: a column value
            return raised(type(error).__name__)
        return ALLOWS if is_allowed else FORBIDS

    return decide


class Basis(Enum):
    """What our verdicts about a site rest on: its file, a status, or no answer."""

    TEXT = "text"
    UNAUTHORIZED = "401"
    FORBIDDEN = "403"
    NOT_FOUND = "404"
    OTHER_STATUS = "4xx"
    SERVER_ERROR = "5xx"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Capture:
    """The answer to GET /robots.txt of one origin.

    *label* is the origin, or the name of the file. *uniform* is our one verdict on all
    URLs where the *status* of the answer decides and not the file, or where no answer
    came (None). *others* is the file that other parsers read, if that is not *body*.
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
    def basis(self) -> Basis:
        """What our verdicts rest on."""
        if self.uniform is None:
            return Basis.TEXT
        if self.status is None:
            return Basis.FAILURE
        word, group = str(self.status), f"{self.status // 100}xx"
        named = {it.value: it for it in Basis}
        return named.get(word) or named.get(group) or Basis.OTHER_STATUS

    def by_status(self, question: Question) -> Decision | None:
        """Return our decision where the status decides; None where the file does."""
        if self.uniform is None:
            return None
        # Ours O22: the file itself may always be read.
        is_open = self.uniform.allowed or target_of(question.url) == ROBOTS_TXT
        return ALLOWS if is_open else FORBIDS


def our_parser(dialect: str = "1994", reading: str = LITERAL) -> Parser:
    """Return our own parser, set up so."""
    parse = partial(RobotsTxt.parse, dialect=dialect, reading=reading)
    return Parser("scrapy_robots1994", parse)
