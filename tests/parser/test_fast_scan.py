"""The fast way to the rules of a robot, and the way by lines and records: the same."""

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
    """Hold the records of the fast way against those of the slow one."""
    asked = text, DIALECTS[dialect], reading, robot_names(robot)

    assert fast_scan.robot_records(*asked) == records_read.robot_records(*asked)
    assert fast_scan.rule_sources(*asked) == records_read.rule_sources(*asked)


@settings(max_examples=1_000, deadline=None)
@given(any_field_texts, dialects, readings, robots)
@example("User-agent:*\n User-agent:rex\nDisallow:/", "1994", "literal", "rex")
@example("user-agent: *\r\rDisallow: /a\r", "1994", "cautious", "rex")
def test_the_same_records_from_any_text(
    text: str, dialect: str, reading: str, robot: str | bytes
) -> None:
    """Names, values, lines, orphans and delays."""
    check(text.encode("utf-8", "surrogatepass"), dialect, reading, robot)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_records_from_the_corpus(dialect: str, reading: str) -> None:
    """On real files, too: for robots they name, and for one they do not."""
    for _, body in corpus_files()[::12]:
        file = RobotsTxt.parse(body, dialect=dialect)
        named = [name for it in file.records[:5] for name in it.names[:2]]
        for robot in ("nobody", "googlebot", *named):
            check(file._body.utf8, dialect, reading, robot)
