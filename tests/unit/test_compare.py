"""Why two parsers differ: the reported lines must make the difference."""

from __future__ import annotations

from protego import Protego

from scrapy_robots1994.compare.questions import UNKNOWN_ROBOT, Question, questions
from scrapy_robots1994.compare.rows import ALLOWS, FORBIDS, File, Reading, compare
from scrapy_robots1994.compare.why import Lines, ddmin
from tests.support.corpus import generated_files

URL = "http://h.test"


class Other:
    """Protego with the interface of Scrapy's parsers."""

    def __init__(self, body: bytes) -> None:
        """Decode *body* as Scrapy does."""
        self._rules = Protego.parse(body.decode("utf-8", "ignore"))

    def allowed(self, url: str, robot: str, /) -> bool:
        return bool(self._rules.can_fetch(url, robot))


def test_ddmin_leaves_no_item_that_can_go() -> None:
    """Item 2 is needed only with item 1, so it goes when 1 has gone."""
    found = ddmin(range(3), lambda some: 0 in some and (1 not in some or 2 in some))

    assert [*found] == [0]


def test_questions_are_for_each_named_robot_and_one_that_is_not_named() -> None:
    asked, _ = questions(URL, b"User-agent: rex\nUser-agent: *\nDisallow: /x\n")

    assert {it.robot for it in asked} == {"rex", UNKNOWN_ROBOT}


def test_both_parsers_decide_on_the_named_lines_as_on_the_file() -> None:
    """Checked with the real parsers, for each difference of generated files."""
    causes = set()
    for _, body in generated_files()[:60]:
        asked, _ = questions(URL, body, ["mybot"])
        found = compare(File("h", body), {"other": Other}, asked, "1994")
        for row in found.rows:
            question = Question(row.url, row.robot)
            ours = FORBIDS if row.says == ALLOWS else ALLOWS
            for part in (body, Lines(body).part(row.lines)):
                reading = Reading(part, {"other": Other})
                assert reading.theirs("other", question) == row.says
                rules = reading.ours("1994").rules(row.robot)
                assert rules.allowed(row.url) == (ours == ALLOWS)
            causes.add(row.cause)
    assert "wildcard" in causes
    assert "other" not in causes
