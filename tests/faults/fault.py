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

Row = Literal["R1", "R1 empty", "R3", "R4", "R5", "R7"]
"""A row of the outcome table; `R1 empty` is a file in which nothing is forbidden."""

CAME = "came"
EXPECTED: dict[Row, tuple[str, str]] = {
    "R1": (CAME, "rule"),
    "R1 empty": (CAME, CAME),
    "R3": ("forbidden", "forbidden"),
    "R4": (CAME, CAME),
    "R5": ("unreachable", "unreachable"),
    "R7": ("failed", "failed"),
}
"""What becomes of /open and of /closed of an origin: they came, or why not."""


FINAL = {
    "endless-line", "endless-nul", "status-999", "status-600", "bomb-line",
    "codings-100", "compress", "century", "retry-date", "chain-6", "chain-30",
    "loop", "loop-fragment", "loop-2", "to-file", "to-data", "to-ftp", "to-script",
    "to-nonsense", "to-empty", "loop-cookie", "to-nowhere", "to-300", "to-304",
}  # fmt: skip
"""Faults of R5 that a retry would not end, or that the server wants none of (§3.1)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One origin whose /robots.txt misbehaves.

    Its host is `{slug}.test`, or the URL in `at`. `replies` go out in turn, the last
    one for ever; `further` scripts other targets of the host. `asked` is how many
    requests one fetch is, on all hosts of the fault. One
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

    @property
    def requests(self) -> int:
        """How many requests the server gets that are not for a page.

        With RETRY_TIMES = 1 a fetch is retried once; by R7 its page is, too.
        """
        is_redirect = self.slug.startswith("s3") and self.slug[1:].isdigit()
        if self.slug in FINAL or is_redirect:
            return self.asked
        return {"R5": 2, "R7": 4}.get(self.row, 1) * self.asked


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
        return ends == EXPECTED[fault.row] and outcome.asked == fault.requests
    is_counted = fault.asked in (0, outcome.asked)
    return outcome.open == fault.ends and is_counted
