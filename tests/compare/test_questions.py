"""Questions come from the file itself; they are limited in number and reproducible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.compare.parsers import ALWAYS, UNKNOWN_ROBOT, questions
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.compare.parsers import Question

BODY = b"User-agent: Foo\nDisallow: /ab/\n\nUser-agent: *\nAllow: /*.gif$\n"


def targets(asked: list[Question]) -> set[str]:
    """Return the paths of *asked*."""
    return {question.url.removeprefix("http://a.test") for question in asked}


def test_each_rule_gives_matching_longer_shorter_and_encoded_urls() -> None:
    """This holds for Disallow and Allow, with `*` and `$` as they are and filled in."""
    asked = questions("http://a.test", BODY, max_questions=100)

    of_disallow = {"/ab/", "/ab/x", "/ab/x.html", "/ab", "/a%62/"}
    of_allow = {"/*.gif$", "/x.gif", "/x.gifx", "/x.gif/x.html", "/x.gi", "/x.gi%66"}
    assert targets(asked) == {*of_disallow, *of_allow, *ALWAYS}


def test_questions_use_the_named_robots_and_an_unnamed_one() -> None:
    """`*` is not a robot; robots passed to the command replace those of the file."""
    named = questions("http://a.test", BODY, max_questions=100)
    given = questions("http://a.test", BODY, robots=["Bar/1.0"], max_questions=100)

    assert {question.robot for question in named} == {"Foo", UNKNOWN_ROBOT}
    assert {question.robot for question in given} == {"Bar/1.0"}


def test_sample_of_too_many_questions_is_reproducible() -> None:
    """It has the maximum number of questions, without repetition."""
    once = questions("http://a.test", BODY, max_questions=7)
    again = questions("http://a.test", BODY, max_questions=7)

    assert once == again
    assert len(set(once)) == 7


def test_questions_for_a_utf_16_file_use_its_text() -> None:
    """The file is decoded by its byte order mark."""
    asked = questions(
        "http://a.test", "Disallow: /caf\u00e9".encode("utf-16"), max_questions=99
    )

    assert "/caf%C3%A9" in targets(asked)


def test_any_bytes_make_questions() -> None:
    """Bytes without rules raise nothing and make the constant questions."""
    for body in (b"", b"\xff\xfeU\x00s", bytes(range(256)), b"Disallow: \xe9\nx\x00"):
        asked = questions("http://a.test", body, max_questions=50)
        assert targets(asked) >= set(ALWAYS)


@pytest.mark.parametrize("name", ["bot", "robot", "spider", "crawler", "a", "web"])
def test_unknown_robot_contains_no_common_name(name: str) -> None:
    """Otherwise a record for `bot` would apply to it, as 1994 A2 compares substrings."""
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("http://a.test/x", UNKNOWN_ROBOT)
