"""The questions that two parsers are asked, and the lines that make their answers differ."""

from __future__ import annotations

import pytest
from protego import Protego

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.compare.questions import (
    MAX_QUESTIONS,
    UNKNOWN_ROBOT,
    Question,
    questions,
)
from scrapy_robots1994.compare.rows import ALLOWS, MAX_ROWS, Row, Site, Way, compare
from scrapy_robots1994.compare.why import MAX_BYTES, Lines, ddmin
from tests.support.corpus import generated_files

URL = "http://h.test"


class Other:
    """Protego with the interface of Scrapy's parsers."""

    def __init__(self, body: bytes) -> None:
        self._rules = Protego.parse(body.decode("utf-8", "ignore"))

    def allowed(self, url: str, robot: str, /) -> bool:
        return bool(self._rules.can_fetch(url, robot))


def test_ddmin_leaves_no_item_that_can_go() -> None:
    """Item 2 can be removed only after item 1."""
    found = ddmin(range(3), lambda some: 0 in some and (1 not in some or 2 in some))

    assert [*found] == [0]


def test_questions_are_for_each_named_robot_and_one_that_is_not_named() -> None:
    asked = questions(URL, b"User-agent: rex\nUser-agent: *\nDisallow: /x\n")

    assert {it.robot for it in asked} == {"rex", UNKNOWN_ROBOT}


def test_no_letter_of_an_escape_is_encoded_again() -> None:
    asked = questions(URL, b"User-agent: *\nDisallow: /x%4C\n")

    assert asked[-1].url == f"{URL}/%78%4C"


def test_sample_of_many_questions_is_repeatable() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % it for it in range(2_000))
    asked, again = questions(URL, body), questions(URL, body)

    assert len(asked) == MAX_QUESTIONS
    assert asked == again


def test_all_questions_of_a_user_are_asked() -> None:
    urls = [f"{URL}/{number}" for number in range(2 * MAX_QUESTIONS)]

    asked = questions(URL, b"User-agent: *\nDisallow: /1\n", ["rex"], urls)
    assert [it.url for it in asked] == urls


def test_only_a_file_up_to_the_limit_is_searched_for_causes() -> None:
    rule = b"User-agent: *\nDisallow: /*x\n"
    for size, cause in ((MAX_BYTES, "wildcard"), (MAX_BYTES + 1, "unsought")):
        robots = RobotsTxt.parse(rule.ljust(size, b"#"))
        site = Site("h", robots, {"other": Other}, "1994", keeps=1)
        result = compare(site, [Question(f"{URL}/{it}x", "rex") for it in "abc"])

        assert [it.cause for it in result.rows] == [cause]
        assert result.parsers["other"]["stricter"] == 3


@pytest.mark.parametrize(
    ("field", "cause"),
    [
        ("Crawl-delay", "joined-records"),
        ("Noindex", "joined-records"),
        ("Disalow", "misspelt-field"),
    ],
)
def test_cause_is_a_misspelt_field_only_if_no_known_field_is_written(
    field: str, cause: str
) -> None:
    body = f"User-agent: rex\n{field}: 5\nUser-agent: max\nDisallow: /x\n"
    site = Site("h", RobotsTxt.parse(body), {"other": Other}, "1994")
    asked = [Question(f"{URL}/x", "rex")]

    assert [it.cause for it in compare(site, asked).rows] == [cause]


def differs(row: Row, part: bytes) -> bool:
    """Whether both parsers give the answers in *row* if the file is only *part*."""
    ours = RobotsTxt.parse(part).allowed(row.url, row.robot)
    theirs = Other(part).allowed(row.url, row.robot)
    return ours == (row.way is Way.STRICTER) != theirs == (row.says == ALLOWS)


def test_named_lines_make_the_difference_and_none_can_be_left_out() -> None:
    causes = set()
    for _, body in generated_files()[:60]:
        site = Site("h", RobotsTxt.parse(body), {"other": Other}, "1994")
        lines = Lines(body)
        rows = compare(site, questions(URL, body, ["mybot"])).rows
        assert len(rows) <= MAX_ROWS
        for row in rows:
            assert differs(row, body)
            assert differs(row, lines.part(row.lines))
            for gone in row.lines:
                rest = lines.part(it for it in row.lines if it != gone)
                assert not differs(row, rest)
            causes.add(row.cause)
    assert "wildcard" in causes
    assert "other" not in causes
