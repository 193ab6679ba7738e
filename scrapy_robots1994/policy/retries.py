"""When a failed fetch of robots.txt is tried again (§3.1 of the standard)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.policy.fetch_result import FetchError, LocalFault, RobotsResponse
from scrapy_robots1994.policy.outcome import is_temporary

if TYPE_CHECKING:
    from scrapy_robots1994.policy.fetch_result import FetchResult

NETWORK_PAUSES = (1.0, 4.0)
"""Seconds before each retry of a network failure, and of a fault of ours (R7)."""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""Seconds before each retry of a status of R5."""

MAX_RETRY_AFTER = 30.0
"""Seconds of a Retry-After that requests wait for; a longer one ends the retries."""

JITTER = 0.25
"""Part of a pause by which it is drawn longer, so that origins spread."""


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The pauses between the fetches of one origin while requests wait.

    *times* is the largest number of retries: Scrapy's `RETRY_TIMES`, or 0 where
    `RETRY_ENABLED` is off. Whatever it is, the pauses above are all there are, so a
    dead origin costs a bounded number of fetches.
    """

    times: int = len(STATUS_PAUSES)

    def pause(self, result: FetchResult, retries: int) -> float | None:
        """Return the seconds until the next fetch, after *retries* of them.

        `None` means that *result* stands.
        """
        pauses, retry_after = _pauses(result)
        if retries >= min(self.times, len(pauses)):
            return None
        if retry_after is None:
            pause = pauses[retries]
        elif retry_after <= MAX_RETRY_AFTER:
            pause = retry_after
        else:
            return None
        return pause * (1 + JITTER * random.random())  # noqa: S311 - spreads load


def _pauses(result: FetchResult) -> tuple[tuple[float, ...], float | None]:
    """Return the pauses that *result* is worth, and the server's Retry-After."""
    match result:
        case FetchError(is_final=False) | LocalFault():
            return NETWORK_PAUSES, None
        case RobotsResponse() if is_temporary(result.status):
            return STATUS_PAUSES, result.retry_after
        case _:
            return (), None
