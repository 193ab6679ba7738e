"""What one fault is, and what the rows of the outcome table make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.replies import Reply

RULES = b"User-agent: *\nDisallow: /closed\n"
"""The file of every origin whose robots.txt can be had."""

SHORT, LONG = 2.0, 60.0
"""Seconds a request may take: less than a fault that hangs, more than any other."""

Row = Literal["R1", "R1 empty", "R3", "R4", "R5", "R6"]
"""A row of the outcome table; `R1 empty` is a file in which nothing is forbidden."""

CAME = "came"
EXPECTED: dict[Row, tuple[str, str]] = {
    "R1": (CAME, "rule"),
    "R1 empty": (CAME, CAME),
    "R3": ("forbidden", "forbidden"),
    "R4": (CAME, CAME),
    "R5": ("unreachable", "unreachable"),
    "R6": ("cancelled", "cancelled"),
}
"""What becomes of /open and of /closed of an origin: they came, or why not."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One origin whose /robots.txt misbehaves.

    Its host is `{slug}.test`, or the URL in `at`. `replies` go out in turn, the last
    one for ever; `further` scripts other targets of the host. `asked` is how many
    requests the server gets that are not for a page, on all hosts of the fault. One
    that `hangs` ends only by the timeout.
    """

    slug: str
    what: str
    row: Row
    replies: Reply | Sequence[Reply] | None
    asked: int = 1
    at: str = ""
    further: tuple[tuple[str, Reply], ...] = ()
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class PageFault:
    """One origin with a sound robots.txt whose page /open misbehaves.

    `ends` is what becomes of the request: it `came` with the status, was refused for a
    reason, or failed. Whatever it is, /closed of no origin is ever asked for. `asked`
    is how many requests the server gets, those for robots.txt included; 0 where that is
    the client's affair.
    """

    slug: str
    what: str
    ends: str
    reply: Reply
    asked: int = 1
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault: of /open and of /closed, and the requests counted.

    `closed` is empty for a page fault, which asks for /open alone; there `asked` counts
    the pages too.
    """

    slug: str
    open: str
    closed: str
    asked: int
    pages: int


def is_right(fault: Fault | PageFault, outcome: Outcome) -> bool:
    """Whether *outcome* is what the row of *fault* says, requests counted."""
    if isinstance(fault, Fault):
        ends = (outcome.open, outcome.closed)
        return ends == EXPECTED[fault.row] and outcome.asked == fault.asked
    is_counted = fault.asked in (0, outcome.asked)
    return outcome.open == fault.ends and is_counted
