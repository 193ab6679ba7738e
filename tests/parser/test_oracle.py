"""The standard in code against the plain second reading of it."""

from __future__ import annotations

from hypothesis import assume, given, settings

from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser import oracle
from tests.parser.strategies import (
    PATHS,
    nearly_right_texts,
    paths,
    readings,
    robots,
)
from tests.support.corpus import corpus_files

SMALL = 2_000
"""Characters up to which the slow reading is quick enough."""


@settings(max_examples=1_000, deadline=None)
@given(nearly_right_texts, paths, robots, readings)
def test_both_readings_of_the_standard_agree(
    text: str, path: str, robot: str | bytes, reading: str
) -> None:
    """No made file, path and robot gets another answer from the plain reading."""
    # Ours O10 reads a whole header, which this plain reading does not; tests/oracle does.
    assume("(" not in text)
    names = list(robot_names(robot))

    answer = RobotsTxt.parse(text, reading=reading).allowed(path, robot)

    cautious = reading == "cautious"
    expected = oracle.allowed(text, path, names, cautious=cautious)
    assert answer is expected


def test_both_readings_agree_on_files_of_the_corpus() -> None:
    """Small files of the corpus get the same answers, in both readings."""
    texts = [RobotsTxt.parse(body).text for _, body in corpus_files()[::6]]
    for text in (text for text in texts if len(text) <= SMALL):
        for reading in ("literal", "cautious"):
            ruling = RobotsTxt.parse(text, reading=reading).rules("googlebot")
            values = {it.value for it in RobotsTxt.parse(text).lines}
            for path in {*PATHS, *(it for it in values if it.startswith("/"))}:
                assert ruling.allowed_url(path) is oracle.allowed(
                    text, path, ["googlebot"], cautious=reading == "cautious"
                )
