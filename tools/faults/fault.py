"""The kinds of faults, and their outcomes by the rows of the outcome table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.replies import Reply

RULES = b"User-agent: *\nDisallow: /closed\n"
"""The file of every origin whose robots.txt can be fetched."""

SHORT, LONG = 2.0, 60.0
"""Seconds that a request may take: less than a hanging fault, more than any other."""

Row = Literal["R1", "R1 empty", "R3", "R4", "R5", "R7"]
"""A row of the outcome table; `R1 empty` is a file that disallows nothing."""

FETCHED = "fetched"
EXPECTED: dict[Row, tuple[str, str]] = {
    "R1": (FETCHED, "rule"),
    "R1 empty": (FETCHED, FETCHED),
    "R3": ("forbidden", "forbidden"),
    "R4": (FETCHED, FETCHED),
    "R5": ("unreachable", "unreachable"),
    "R7": ("failed", "failed"),
}
"""The outcomes of /open and /closed of an origin: fetched, or why not."""


FINAL = {
    "endless-line", "endless-nul", "status-999", "status-600", "bomb-line",
    "codings-100", "compress", "century", "retry-date", "chain-6", "chain-30",
    "loop", "loop-fragment", "loop-2", "to-file", "to-data", "to-ftp", "to-script",
    "to-nonsense", "to-empty", "loop-cookie", "to-nowhere", "to-300", "to-304",
}  # fmt: skip
"""Faults of R5 that are not retried (§3.1)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One origin whose /robots.txt misbehaves.

    Its host is `{slug}.test`, or the URL in `at`. `replies` are sent in turn, the last
    one repeatedly; `further` scripts other targets of the host. `requested` is how many
    requests one fetch takes, on all hosts of the fault. A fault
    that `hangs` ends only with the timeout.
    """

    slug: str
    what: str
    row: Row
    replies: Reply | Sequence[Reply] | None
    requested: int = 1
    at: str = ""
    further: tuple[tuple[str, Reply], ...] = ()
    hangs: bool = False

    @property
    def requests(self) -> int:
        """Return how many requests the server gets that are not for a page.

        With RETRY_TIMES = 1 a fetch is retried once; by R7 its page is, too.
        """
        is_redirect = self.slug.startswith("s3") and self.slug[1:].isdigit()
        if self.slug in FINAL or is_redirect:
            return self.requested
        return {"R5": 2, "R7": 4}.get(self.row, 1) * self.requested


@dataclass(frozen=True, slots=True)
class PageFault:
    """One origin with a valid robots.txt whose page /open misbehaves.

    `ends` is the outcome of the request: it was `fetched` with the status, was refused
    for a reason, or failed. In each case, no /closed is ever requested. `requested` is
    how many requests the server gets, those for robots.txt included; 0 where that is up
    to the HTTP client.
    """

    slug: str
    what: str
    ends: str
    reply: Reply
    requested: int = 1
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one fault: of /open and of /closed, with the request count.

    `closed` is empty for a page fault, which requests only /open; there `requested` counts
    the pages too.
    """

    slug: str
    open: str
    closed: str
    requested: int
    pages: int


def is_right(fault: Fault | PageFault, outcome: Outcome) -> bool:
    """Return whether *outcome* is that of the row of *fault*, including its requests."""
    if isinstance(fault, Fault):
        ends = (outcome.open, outcome.closed)
        return ends == EXPECTED[fault.row] and outcome.requested == fault.requests
    is_counted = fault.requested in (0, outcome.requested)
    return outcome.open == fault.ends and is_counted
