"""Causes and copies of exceptions, and the seconds between retries."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from scrapy_robots1994.policy.fetch_result import (
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
    copy_of,
    retry_pause,
)
from scrapy_robots1994.policy.outcomes import outcome_of


class Described(Exception):  # noqa: N818 - as Twisted's ConnectError
    """An exception whose first parameter is not in its `args`."""

    def __init__(self, number: object = None, text: str = "") -> None:
        super().__init__(text)
        self.number = number


@pytest.mark.parametrize(
    "error",
    [OSError(errno.EMFILE, "Too many open files"), Described(111, "refused")],
    ids=repr,
)
def test_copy_of_an_error_is_equal_and_has_the_error_as_cause(
    error: Exception,
) -> None:
    """The copy has the class, the arguments and the attributes of the error, but no
    traceback.
    """
    try:
        raise error
    except type(error):
        made = copy_of(error)

    assert made is not error
    assert type(made) is type(error)
    assert (made.args, str(made), vars(made)) == (error.args, str(error), vars(error))
    assert getattr(made, "errno", None) == getattr(error, "errno", None)
    assert made.__cause__ is error
    assert made.__traceback__ is None


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (FetchError("reset", "by peer"), [1, 4]),
        (LocalFault(OSError(errno.EMFILE, "files"), may_pass=True), [1, 4]),
        (LocalFault(ValueError("a bug"), is_bug=True), []),
        (RobotsResponse(503, retry_after=0.0), [1, 1, 1]),
        (RobotsResponse(503), [1, 4, 15]),
        (RobotsResponse(429, retry_after=2.0), [2, 2, 2]),
        (RobotsResponse(503, retry_after=30.0), [30, 30, 30]),
    ],
    ids=str,
)
def test_pauses_between_retries_have_jitter(
    result: FetchResult, expected: list[int]
) -> None:
    """Jitter adds at most 25% to each pause, so that not all origins are retried at the
    same time.
    """
    for retries, seconds in enumerate(expected):
        drawn = {retry_pause(result, retries) for _ in range(20)}
        assert len(drawn) > 1
        assert all(it is not None and seconds <= it <= 1.25 * seconds for it in drawn)
    assert retry_pause(result, len(expected)) is None


def test_refusal_through_a_proxy_is_asked_for_once_more() -> None:
    """A 403 answer that came through a proxy is retried once, but not twice (3.1,
    retries). If retries are disabled, the 403 answer is not retried.
    """
    refused = RobotsResponse(403, via_proxy=True)

    assert 1 <= (retry_pause(refused, 0) or 0) <= 1.25
    assert 1 <= (retry_pause(refused, 1) or 0) <= 1.25
    assert retry_pause(refused, 1, was_refused=True) is None
    assert retry_pause(refused, 0, 0) is None
    assert retry_pause(RobotsResponse(403), 0) is None


def test_reference_has_the_statuses_that_count_through_a_proxy() -> None:
    """The reference lists the statuses that count as the answer of the origin, even if
    the answer came through a proxy (3.1, retries). A shared store gets answers with the
    listed statuses.
    """
    page = Path(__file__).parents[2] / "docs" / "standard" / "retrieval.rst"
    trusted = [
        status
        for status in range(300, 600)
        if outcome_of(status, via_proxy=True).row.is_trusted
    ]
    statuses = " and ".join(map(str, trusted))

    assert f":ref:`R1 <r1>`, {statuses} only" in page.read_text("utf-8")
