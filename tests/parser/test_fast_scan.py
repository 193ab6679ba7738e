"""`fast_scan` returns the same rules as reading lines and records."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings

from scrapy_robots1994.parser import fast_scan
from scrapy_robots1994.parser.dialects import DIALECTS, READINGS
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser import records_read
from tests.parser.strategies import any_field_texts, dialects, readings, robots
from tests.support.corpus import corpus_files


def check(text: bytes, dialect: str, reading: str, robot: str | bytes) -> None:
    """Check that `fast_scan` and `records_read` return the same."""
    arguments = text, DIALECTS[dialect], reading, robot_names(robot)

    assert fast_scan.robot_records(*arguments) == records_read.robot_records(*arguments)
    assert fast_scan.rule_sources(*arguments) == records_read.rule_sources(*arguments)


@settings(max_examples=1_000, deadline=None)
@given(any_field_texts, dialects, readings, robots)
@example("User-agent:*\n User-agent:rex\nDisallow:/", "1994", "literal", "rex")
@example("user-agent: *\r\rDisallow: /a\r", "1994", "cautious", "rex")
def test_fast_scan_agrees_on_generated_files(
    text: str, dialect: str, reading: str, robot: str | bytes
) -> None:
    """Values, lines, orphans and delays are equal."""
    check(text.encode("utf-8", "surrogatepass"), dialect, reading, robot)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_fast_scan_agrees_on_the_corpus(dialect: str, reading: str) -> None:
    """They are equal for robots that a real file names and for one that it does not."""
    for _, body in corpus_files()[::12]:
        file = RobotsTxt.parse(body, dialect=dialect)
        named = [name for it in file.records[:5] for name in it.names[:2]]
        for robot in ("nobody", "googlebot", *named):
            check(file._body.utf8, dialect, reading, robot)
