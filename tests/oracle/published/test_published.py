"""`rfc9309` gives the published answers of google/robotstxt and Protego, except as listed in
`otherwise.json`.
"""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_robots1994 import LineKind, RobotsTxt
from tests.oracle.published.cases import (
    Expectation,
    decided_otherwise,
    expectations,
)

EXPECTATIONS = expectations()
OTHERWISE = decided_otherwise()
# google/robotstxt also counts rules above the first User-agent line.
FIELDS = (LineKind.USER_AGENT, LineKind.ALLOW, LineKind.DISALLOW, LineKind.ORPHAN)


def ours(row: Expectation) -> Any:
    robots = RobotsTxt.parse(row.body, dialect="rfc9309")
    read = [line.number for line in robots.lines if line.kind in FIELDS]
    match row.kind:
        case "allowed":
            return robots.allowed(row.url, row.robot)
        case "crawl_delay":
            return robots.rules(row.robot).crawl_delay
        case "sitemaps":
            return list(robots.sitemaps)
        case "directives":
            return len(read)
        case _:
            return read[-1]


def identity(row: Expectation) -> str:
    return ascii(row.name)[1:100]


@pytest.mark.parametrize("row", EXPECTATIONS, ids=identity)
def test_published_answer_is_ours_or_decided_otherwise(row: Expectation) -> None:
    """If our answer is the published one, the question must not be in `otherwise.json`."""
    why_not = OTHERWISE.get(row.name)
    if why_not is None:
        assert ours(row) == row.expected
    else:
        assert ours(row) != row.expected, f"{why_not} Yet the answer is the same."


def test_every_listed_question_is_published() -> None:
    assert set(OTHERWISE) <= {row.name for row in EXPECTATIONS}
