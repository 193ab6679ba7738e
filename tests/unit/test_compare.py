"""Parts of a comparison whose size or order is not visible in a report on a few files."""

from __future__ import annotations

from typing import NoReturn

import pytest

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.diagnosis import ddmin
from scrapy_robots1994.compare.impact import Variant
from scrapy_robots1994.compare.parsers import (
    ALLOWS,
    ALWAYS,
    UNKNOWN_ROBOT,
    Capture,
    Direction,
    Question,
    questions,
)

BODY = b"User-agent: Foo\nDisallow: /ab/\n\nUser-agent: *\nAllow: /*.gif$\n"


def test_ddmin_tries_again_what_was_needed_only_because_of_others() -> None:
    """Item 2 is needed only together with item 1. After item 1 was removed, `ddmin` also
    removes item 2.
    """
    found = ddmin(range(3), lambda some: 0 in some and (1 not in some or 2 in some))
    assert found == [0]


def targets(made: list[Question]) -> set[str]:
    """Return the paths of the questions."""
    return {question.url.removeprefix("http://a.test") for question in made}


def test_questions_are_at_the_edges_of_each_rule() -> None:
    """For each rule and each robot, there are questions about a URL that the rule
    covers, and about similar URLs.
    """
    made = questions("http://a.test", BODY, max_questions=1_000)

    assert {"/ab/", "/ab", "/ab/x", "/ab/x.html", "/a%62/"} <= targets(made)
    assert {"/x.gif", "/x.gifx", *ALWAYS} <= targets(made)
    assert {question.robot for question in made} == {"Foo", UNKNOWN_ROBOT}


def test_any_bytes_make_questions() -> None:
    """A file is decoded according to its byte order mark. Bytes without rules do not raise
    an exception.
    """
    coded = "Disallow: /caf\u00e9".encode("utf-16")
    assert "/caf%C3%A9" in targets(questions("http://a.test", coded, max_questions=99))
    for body in (b"", b"\xff\xfeU\x00s", bytes(range(256)), b"Disallow: \xe9\nx\x00"):
        made = questions("http://a.test", body, max_questions=50)
        assert targets(made) >= set(ALWAYS)


@pytest.mark.parametrize(
    ("allows", "cause"), [(True, Cause.SEVERAL_DEFAULTS), (False, Cause.OTHER)]
)
def test_decision_that_is_not_of_the_parser_has_no_cause(
    allows: bool,
    cause: Cause,
) -> None:
    """A known decision is explained only if the parser makes the same decision.

    Otherwise, the cause would be wrong: a parser that obeys only the first record for `*`
    allows the URL, but another cause made the other middleware allow the URL.
    """

    class Parser:
        def allowed(self, *_: str) -> bool:
            return allows

    body = b"User-agent: *\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n"
    name = "PythonRobotParser"
    comparer = Comparer({name: lambda _: Parser()}, Variant("1994"))
    asked = (Question("http://a.test/a", "me"),)
    task = Comparison(Capture("a", body), asked, decided={name: ALLOWS})
    site = comparer.compare(name, task)
    ((example,),) = comparer.explain(site).values()

    assert site.counts == {(name, Direction.LAXER): 1}
    assert example.causes == (cause,)


def test_parser_that_raises_reads_a_file_once() -> None:
    """A parser that cannot read a file raises its exception once, and not for each question.

    If a slow parser raised its exception for each question, the parser would exceed the
    time limit.
    """
    parsed: list[bytes] = []

    def parse(body: bytes) -> NoReturn:
        parsed.append(body)
        raise LookupError

    comparer = Comparer({"Parser": parse}, Variant("1994"))
    asked = tuple(questions("http://a.test", BODY, max_questions=50))
    site = comparer.compare("Parser", Comparison(Capture("a", BODY), asked))

    assert parsed == [BODY]
    assert site.counts["Parser", Direction.RAISED] == len(asked)
