"""Questions are made from the file itself, boundedly many and always the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.compare.parsers import ALWAYS, UNKNOWN_ROBOT, questions
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.compare.parsers import Question

BODY = b"User-agent: Foo\nDisallow: /ab/\n\nUser-agent: *\nAllow: /*.gif$\n"


def targets(asked: list[Question]) -> set[str]:
    """Return the paths that are asked for."""
    return {question.url.removeprefix("http://a.test") for question in asked}


def test_each_rule_gives_matching_longer_shorter_and_encoded_urls() -> None:
    """Disallow and Allow alike; `*` and `$` also as what they may stand for."""
    asked = questions("http://a.test", BODY, max_questions=100)

    of_disallow = {"/ab/", "/ab/x", "/ab/x.html", "/ab", "/a%62/"}
    of_allow = {"/*.gif$", "/x.gif", "/x.gifx", "/x.gif/x.html", "/x.gi", "/x.gi%66"}
    assert targets(asked) == {*of_disallow, *of_allow, *ALWAYS}


def test_questions_use_the_named_robots_and_an_unnamed_one() -> None:
    """`*` is no robot; robots that are named to the command take their place."""
    named = questions("http://a.test", BODY, max_questions=100)
    given = questions("http://a.test", BODY, robots=["Bar/1.0"], max_questions=100)

    assert {question.robot for question in named} == {"Foo", UNKNOWN_ROBOT}
    assert {question.robot for question in given} == {"Bar/1.0"}


def test_of_too_many_the_same_part_is_taken_each_time() -> None:
    """Bounded, without repetition, and reproducible."""
    once = questions("http://a.test", BODY, max_questions=7)
    again = questions("http://a.test", BODY, max_questions=7)

    assert once == again
    assert len(set(once)) == 7


def test_questions_for_a_utf_16_file_use_its_text() -> None:
    """Its mark says how its paths are to be read."""
    asked = questions(
        "http://a.test", "Disallow: /caf\u00e9".encode("utf-16"), max_questions=99
    )

    assert "/caf%C3%A9" in targets(asked)


def test_any_bytes_make_questions() -> None:
    """Rubbish has few rules, and raises nothing."""
    for body in (b"", b"\xff\xfeU\x00s", bytes(range(256)), b"Disallow: \xe9\nx\x00"):
        asked = questions("http://a.test", body, max_questions=50)
        assert targets(asked) >= set(ALWAYS)


@pytest.mark.parametrize("name", ["bot", "robot", "spider", "crawler", "a", "web"])
def test_the_robot_the_file_does_not_name_has_no_common_name_in_it(name: str) -> None:
    """Else a record for `bot` would be about it, by the substring rule of 1994 A2."""
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("http://a.test/x", UNKNOWN_ROBOT)
