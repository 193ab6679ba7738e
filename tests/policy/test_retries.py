"""When a failed fetch is tried again (§3.1)."""

from __future__ import annotations

from itertools import count

import pytest

from scrapy_robots1994.policy import (
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
)
from scrapy_robots1994.policy.fetch_result import retry_pause

RESET = FetchError("reset", "by peer")
LOOP = FetchError("redirect loop", "back again", is_final=True)
FAULT = LocalFault(OSError(24, "Too many open files"))


def pauses(result: FetchResult, times: int = 100) -> list[float]:
    """Return the pauses, with jitter, until *result* is no longer retried."""
    drawn: list[float] = []
    for retries in count():
        pause = retry_pause(result, retries, times)
        if pause is None:
            return drawn
        drawn.append(pause)
    raise AssertionError


def nominal(drawn: list[float]) -> list[float]:
    """Return *drawn* without the jitter, which adds at most a quarter to each."""
    known = [1.0, 2.0, 4.0, 15.0, 30.0]
    return [
        max(each for each in known if each <= pause <= 1.25 * each) for pause in drawn
    ]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (RESET, [1, 4]),
        (FAULT, [1, 4]),
        (RobotsResponse(503), [1, 4, 15]),
        (RobotsResponse(408), [1, 4, 15]),
        (RobotsResponse(421), [1, 4, 15]),
        (RobotsResponse(425), [1, 4, 15]),
        (RobotsResponse(429), [1, 4, 15]),
        (RobotsResponse(429, retry_after=2.0), [2, 2, 2]),
        (RobotsResponse(503, retry_after=30.0), [30, 30, 30]),
        (RobotsResponse(503, retry_after=31.0), []),
        (LOOP, []),
        (Cancelled("closing"), []),
        (RobotsResponse(200), []),
        (RobotsResponse(304), []),
        (RobotsResponse(403), []),
        (RobotsResponse(404), []),
        (RobotsResponse(999), []),
    ],
    ids=str,
)
def test_each_result_has_its_pauses(result: FetchResult, expected: list[int]) -> None:
    """However large RETRY_TIMES is, no result is retried more than three times."""
    assert nominal(pauses(result)) == expected


@pytest.mark.parametrize("result", [RESET, FAULT, RobotsResponse(503)], ids=str)
@pytest.mark.parametrize("times", [0, 1, 2])
def test_retry_times_is_the_upper_limit(result: FetchResult, times: int) -> None:
    """With 0, which RETRY_ENABLED = False means too, nothing is retried."""
    assert len(pauses(result, times)) == times


def test_retry_after_of_zero_retries_at_once() -> None:
    """The number of these retries is bounded like that of others."""
    assert pauses(RobotsResponse(503, retry_after=0.0)) == [0, 0, 0]


def test_pauses_have_jitter() -> None:
    """Origins that fail at the same time are not all retried at the same time."""
    drawn = {retry_pause(RESET, 0) for _ in range(50)}

    assert len(drawn) > 1
