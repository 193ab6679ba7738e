"""The outcome table: HTTP status of /robots.txt → what it means for the origin.

All of it is ours: 1994 says only that the file is at /robots.txt (M1) and that an empty
one is as good as none (E1). The ids R1-R6 are rows of the table in the README.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from scrapy_robots1994.policy.fetch_result import FetchError

if TYPE_CHECKING:
    from scrapy_robots1994.policy.fetch_result import RobotsResponse


class Outcome(enum.Enum):
    """What an answer means; the value is the word that stats and logs use."""

    PARSED = "parsed"  # R1: the body is the policy
    RENEWED = "renewed"  # R1: the body we hold is still the policy
    FORBIDDEN = "forbidden"  # R3: the file exists and is kept from us
    ABSENT = "absent"  # R4: there is no file
    UNREACHABLE = "unreachable"  # R5: not known


# A status that has a row of its own, whatever its class says.
_BY_STATUS = {
    401: Outcome.FORBIDDEN,  # Ours R3
    403: Outcome.FORBIDDEN,  # Ours R3
    429: Outcome.UNREACHABLE,  # Ours R5: asked too often is not "no file"
}

# Any other status, by its first digit.
_BY_CLASS = {
    1: Outcome.UNREACHABLE,  # Ours R5: no final answer
    2: Outcome.PARSED,  # Ours R1
    3: Outcome.UNREACHABLE,  # Ours R2: what is left of redirects is as R5
    4: Outcome.ABSENT,  # Ours R4
    5: Outcome.UNREACHABLE,  # Ours R5
}

OUTCOMES: dict[int, Outcome] = {
    status: _BY_STATUS.get(status, _BY_CLASS[status // 100])
    for status in range(100, 600)
}
"""Outcome of every status a server may send (RFC 9110, section 15)."""


def outcome_of(status: int) -> Outcome:
    """Outcome of *status*; one outside 100-599 tells nothing, so R5."""
    return OUTCOMES.get(status, Outcome.UNREACHABLE)


def meaning_of(answer: RobotsResponse | FetchError) -> Outcome:
    """Outcome of *answer*: of its status, of a 304 that was asked for, of silence."""
    if isinstance(answer, FetchError):
        return Outcome.UNREACHABLE  # Ours R5
    if answer.not_modified:
        return Outcome.RENEWED  # Ours R1: asked for, so not what is left of a redirect
    return outcome_of(answer.status)
