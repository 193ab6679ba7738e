"""The parser agrees with the plain second parser of `oracle.py`."""

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
"""The most characters for which the second parser is fast enough."""


@settings(max_examples=1_000, deadline=None)
@given(nearly_right_texts, paths, robots, readings)
def test_parser_and_oracle_agree_on_generated_files(
    text: str, path: str, robot: str | bytes, reading: str
) -> None:
    """Both give the same answer for every file, path, robot and reading."""
    # Ours O10: names in a whole header, which this parser ignores; tests/oracle has them.
    assume("(" not in text)
    names = list(robot_names(robot))

    answer = RobotsTxt.parse(text, reading=reading).allowed(path, robot)

    cautious = reading == "cautious"
    expected = oracle.allowed(text, path, names, cautious=cautious)
    assert answer is expected


def test_parser_and_oracle_agree_on_the_corpus() -> None:
    """Both give the same answers for its small files, in either reading."""
    texts = [RobotsTxt.parse(body).text for _, body in corpus_files()[::6]]
    for text in (text for text in texts if len(text) <= SMALL):
        for reading in ("literal", "cautious"):
            rules = RobotsTxt.parse(text, reading=reading).rules("googlebot")
            values = {it.value for it in RobotsTxt.parse(text).lines}
            for path in {*PATHS, *(it for it in values if it.startswith("/"))}:
                assert rules.allowed_url(path) is oracle.allowed(
                    text, path, ["googlebot"], cautious=reading == "cautious"
                )
