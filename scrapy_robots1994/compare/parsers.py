"""Parsers, ours among them: what they read, and how one differs from ours."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.parser import Verdict

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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a parser says to a question: yes, no, or the name of what it raised."""

    allowed: bool | None
    raised: str = ""

    def __str__(self) -> str:
        """Return the opinion as a verb: `allows`, `forbids`, `raises KeyError`."""
        if self.allowed is None:
            return f"raises {self.raised}"
        return "allows" if self.allowed else "forbids"


ALLOWS = Decision(allowed=True)
FORBIDS = Decision(allowed=False)


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
    if theirs.allowed is None or ours.allowed is None:
        return Direction.RAISED
    return Direction.LAXER if theirs.allowed else Direction.STRICTER


@dataclass(frozen=True, slots=True)
class UnparsedFile:
    """A file at which a parser raised: to every question it raises the same."""

    error: Exception

    def allowed(self, _url: str, _robot: str) -> bool:
        """Raise what the parser raised at the file."""
        raise self.error


def read(parser: Parser, body: bytes) -> ParsedFile:
    """Return *body* as *parser* reads it; `UnparsedFile` when it raises."""
    try:
        return parser.parse(body)
    except Exception as error:  # noqa: BLE001 - any parser, any bytes: a column value
        return UnparsedFile(error)


def decision_by(reading: ParsedFile, question: Question) -> Decision:
    """Return what *reading* says to *question*, whatever it does."""
    try:
        is_allowed = reading.allowed(question.url, question.robot)
    except Exception as error:  # noqa: BLE001 - any parser, any URL: a column value
        return Decision(None, type(error).__name__)
    return ALLOWS if is_allowed else FORBIDS


def decision_of(parser: Parser, body: bytes, question: Question) -> Decision:
    """Return what *parser* says to *question* about *body*."""
    return decision_by(read(parser, body), question)


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


def our_parser(**options: str | int | None) -> Parser:
    """Return our own parser; *options* are those of `RobotsTxt.parse`."""

    def read_ours(body: bytes) -> ParsedFile:
        return RobotsTxt.parse(body, **options)  # type: ignore[arg-type]  # its own names

    return Parser("scrapy_robots1994", read_ours)
