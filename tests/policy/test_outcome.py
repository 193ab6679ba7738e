"""The outcome table: what each HTTP status of /robots.txt means."""

from __future__ import annotations

import pytest

from scrapy_robots1994.policy import (
    Outcome,
    RobotsResponse,
)
from scrapy_robots1994.policy.outcomes import outcome_of
from tests.policy.samples import TIMEOUT


def expected(status: int) -> str:
    """Return the outcome of *status* by R1 to R5, written independently of the package."""
    if 200 <= status <= 299:
        return "parsed"
    if status in {401, 403}:
        return "forbidden"
    if 400 <= status <= 499 and status not in {407, 408, 421, 425, 429}:
        return "absent"
    return "unreachable"


@pytest.mark.parametrize("status", range(100, 600))
def test_ours_each_status_means_what_its_row_says(status: int) -> None:
    """Every status from 100 to 599 has the outcome of its row in the table."""
    assert outcome_of(status).value == expected(status)


@pytest.mark.parametrize("status", [-1, 0, 99, 600, 999, 200_404])
def test_ours_r5_status_out_of_range_is_unreachable(status: int) -> None:
    """A status that no server may send leaves the policy unknown."""
    assert outcome_of(status) is Outcome.UNREACHABLE


def test_ours_r5_missing_answer_is_unreachable() -> None:
    """A timeout has the same outcome as a 503."""
    assert TIMEOUT.outcome is Outcome.UNREACHABLE


def test_response_is_by_default_neither_truncated_nor_a_304() -> None:
    """The defaults describe a complete body."""
    answer = RobotsResponse(200, b"Disallow: /")

    assert not answer.is_truncated
    assert not answer.not_modified
