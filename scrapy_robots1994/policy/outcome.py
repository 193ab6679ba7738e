"""The outcome table: HTTP status of /robots.txt → what it means for the origin.

All of it is ours: 1994 says only that the file is at /robots.txt (M1) and that an empty
one is as good as none (E1). The ids R1 to R7 are rows of the table in the
documentation.
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
    RENEWED = "renewed"  # R1: the stored body is still the policy
    FORBIDDEN = "forbidden"  # R3: the file exists, and we may not read it
    ABSENT = "absent"  # R4: there is no file
    UNREACHABLE = "unreachable"  # R5: not known


PROXY_AUTHENTICATION_REQUIRED = 407
"""Ours R7: the word of a proxy, never the origin's; it does not become a policy."""

TEMPORARY = frozenset({408, 421, 425, 429})
"""Ours R5: statuses of class 4 that say "not now", and not "no file"."""

# A status that has a row of its own, whatever its class says.
_BY_STATUS = {
    401: Outcome.FORBIDDEN,  # Ours R3
    403: Outcome.FORBIDDEN,  # Ours R3
    PROXY_AUTHENTICATION_REQUIRED: Outcome.UNREACHABLE,
    **dict.fromkeys(TEMPORARY, Outcome.UNREACHABLE),
}

# Any other status, by its first digit.
_BY_CLASS = {
    1: Outcome.UNREACHABLE,  # Ours R5: no final answer
    2: Outcome.PARSED,  # Ours R1
    3: Outcome.UNREACHABLE,  # Ours R2: a redirect without target is as R5
    4: Outcome.ABSENT,  # Ours R4
    5: Outcome.UNREACHABLE,  # Ours R5
}

OUTCOMES: dict[int, Outcome] = {
    status: _BY_STATUS.get(status, _BY_CLASS[status // 100])
    for status in range(100, 600)
}
"""Outcome of every status a server may send (RFC 9110, section 15)."""


def is_temporary(status: int) -> bool:
    """Whether *status* is one of R5 that is worth a retry."""
    return status in TEMPORARY or status // 100 == 5  # noqa: PLR2004 - the class


def outcome_of(status: int) -> Outcome:
    """Return the outcome of *status*; one outside 100 to 599 says nothing, so R5."""
    return OUTCOMES.get(status, Outcome.UNREACHABLE)


def outcome_of_result(result: RobotsResponse | FetchError) -> Outcome:
    """Return the outcome of *result*: by its status, a requested 304, or none."""
    if isinstance(result, FetchError):
        return Outcome.UNREACHABLE  # Ours R5
    if result.not_modified:
        return Outcome.RENEWED  # Ours R1: requested, so not a redirect without target
    return outcome_of(result.status)
