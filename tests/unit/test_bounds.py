"""Tests that each bound of the package has an effect.

Each constant that bounds something has a test in this module or in
`test_bounds_of_crawls`, or is listed in `ELSEWHERE`. Most tests give a constant a small
value, so that the test is short. The first test fails if a constant has no test.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import Headers, HtmlResponse, Response

from scrapy_robots1994 import RobotsTxt, page_directives, page_usage
from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.lint_report import Report, as_annotations
from scrapy_robots1994.compare.diagnosis import ParsedBody
from scrapy_robots1994.compare.parsers import Question
from scrapy_robots1994.crawl.requests import redirect_of
from scrapy_robots1994.crawl.store import GuardedStore
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.policy.answer import Answer, freshness_lifetime
from scrapy_robots1994.stores.codec import decode, encode
from scrapy_robots1994.stores.url import StoreUrl
from tests.crawl import test_evidence, test_outcomes, test_waiting
from tests.standard import test_decisions
from tests.support.crawler import idle_crawler
from tests.unit import (
    bounds,
    test_bounds_of_crawls,
)
from tests.unit.bounds import bound
from tests.unit.samples import NOW, SITE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ELSEWHERE: dict[str, object] = {
    "commands.evidence.MAX_LINE_BYTES": test_evidence.test_odd_lines_are_differences,
    "commands.evidence.MAX_PARSED": test_evidence.test_changed_evidence_is_found,
    "crawl.features.evidence.MAX_RULE": test_evidence.test_changed_evidence_is_found,
    "crawl.waiting.MAX_OF_ORIGIN": (
        test_waiting.test_scheduler_is_not_starved_while_waiting_requests_leave
    ),
    "parser.spellings._MAX_SPELLINGS": (
        test_decisions.test_ours_o27_url_with_too_many_spellings_is_disallowed
    ),
    "parser.spellings._MAX_CHARACTERS": (
        test_decisions.test_ours_o27_url_with_too_many_spellings_is_disallowed
    ),
    "crawl.fetch.MAX_FETCHES": test_waiting.test_number_of_parallel_fetches_is_limited,
    "crawl.fetch.MAX_REDIRECTS": test_outcomes.test_ours_each_answer_means_what_its_row_says,
    "crawl.fetch.MAX_RETRY_AFTER": test_outcomes.test_ours_each_answer_means_what_its_row_says,
    "crawl.requests.MAX_BODY_BYTES": test_outcomes.test_ours_each_answer_means_what_its_row_says,
}
"""A mapping from the path of a constant to the test of the constant in another module."""

URL = "http://h.example/"


@pytest.fixture
def shrink(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], None]:
    """Return a function that gives a constant a small value until the test ends."""
    return lambda path, value: bounds.shrink(path, value, monkeypatch.setattr)


def test_each_constant_has_a_test() -> None:
    """Each constant that bounds something has a test, and each tested constant exists.

    A new constant needs a row in `ELSEWHERE`, or a test with the decorator
    `@bound("its.PATH")`.
    """
    assert test_bounds_of_crawls.__name__
    tested = bounds.BOUNDED | {*ELSEWHERE}
    found = {*bounds.constants()}

    assert found - tested == set(), "these have no test"
    assert tested - found == set(), "these are gone: remove or rename their tests"


# The following bounds limit the work for a file or a page.


@bound("parser.usage.MAX_NOT_UNDERSTOOD")
def test_values_that_are_not_understood_are_reported_up_to_the_bound(
    shrink: Any,
) -> None:
    """If a file or a page has too many values that are not understood, only the first
    values are reported. Each statement that is understood still has an effect.
    """
    shrink("parser.usage.MAX_NOT_UNDERSTOOD", 3)
    lines = "Content-Usage: train-ai=x\n" * 9
    robots = RobotsTxt.parse(f"User-agent: *\n{lines}Content-Usage: search=n\n")
    usage = robots.usage("/", "me")
    page = HtmlResponse(
        URL,
        headers={"TDM-Reservation": "a, b, c, d, e, 1", "Content-Usage": "search=?"},
    )

    assert len(usage.not_understood) == 3
    assert usage["search"].value == "disallow"
    assert len(page_usage(page, "me").not_understood) == 3


@bound("parser.usage.MAX_WORK")
def test_url_that_needs_too_much_work_gets_each_disallow(shrink: Any) -> None:
    """If the matching of a URL needs too much work, O28 (bounded matching) applies. If
    a URL was not compared with all paths, each purpose that the file disallows for at
    least one path is disallowed for the URL.
    """
    text = "User-agent: *\nContent-Usage: /*a*b search=n, train-ai=y\n"
    assert RobotsTxt.parse(text).usage("/x", "me")["search"].value == "unstated"
    shrink("parser.usage.MAX_WORK", 100)
    usage = RobotsTxt.parse(text).usage("/x", "me")

    assert usage["search"].value == "disallow"
    assert usage["train-ai"].value == "unstated"


@bound("parser.spellings._MAX_SPELLINGS")
def test_url_with_more_spellings_than_the_bound_is_disallowed(shrink: Any) -> None:
    """Ours O27: at least four spellings are compared."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /x\n")
    url = "/%2e/a;b?"
    assert robots.allowed(url, "rex")

    shrink("parser.spellings._MAX_SPELLINGS", 2)

    assert robots.verdict(url, "rex").reason == "spellings"
    assert robots.allowed("/a?", "rex")


@bound("parser.spellings._MAX_CHARACTERS")
def test_long_url_has_fewer_spellings_than_the_bound() -> None:
    """Ours O27: at least four spellings of a long URL are compared."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /x\n")
    for reason, length in (("no-rule", 1_000), ("spellings", 10_000)):
        url = "/a/../" + "a" * length + ";b?"
        assert robots.verdict(url, "rex").reason == reason
        assert robots.allowed(url[5:], "rex")


@bound("parser.rfc9309.MAX_WORK")
def test_url_that_needs_too_much_work_is_disallowed(shrink: Any) -> None:
    """If the matching of a URL needs too much work, the URL is disallowed, according to
    O28 (bounded matching). The verdict says that there were too many wildcards, and does
    not name a line.
    """
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /*a*b\n", dialect="rfc9309")
    assert robots.allowed("/x", "me")
    shrink("parser.rfc9309.MAX_WORK", 100)
    verdict = robots.verdict("/x", "me")

    assert not verdict.allowed
    assert "more wildcards than can be compared" in str(verdict)
    assert verdict.line is None


@bound("robotstxt._MAX_ROBOTS")
def test_rules_of_few_robots_stay(shrink: Any) -> None:
    """If the bound is two robots, only the rules of the last two robots remain compiled.
    Each robot still gets the right answer. The bound is needed because a crawl can use a
    different User-Agent for each request.
    """
    shrink("robotstxt._MAX_ROBOTS", 2)
    text = "User-agent: r1\nDisallow: /\nContent-Usage: search=n\n"
    robots = RobotsTxt.parse(text)
    names = [f"r{number}" for number in range(5)]
    assert [robots.allowed("/", it) for it in names].count(False) == 1
    assert [robots.usage("/", it)["search"].value for it in names].count(
        "disallow"
    ) == 1

    for with_usage in (False, True):
        kept = [robots.is_read_for(it, with_usage=with_usage) for it in names]
        assert kept == [False] * 3 + [True] * 2
    assert not robots.allowed("/", "r1")


@bound("crawl.features.page.MAX_PAGE_BYTES")
def test_page_is_read_up_to_the_bound(shrink: Any) -> None:
    """A tag of a page has no effect if the tag is beyond the bound. The part of a header
    beyond the bound has no effect either.
    """
    tag = '<meta name="robots" content="noindex">'
    shrink("crawl.features.page.MAX_PAGE_BYTES", 100)
    near, far = (
        HtmlResponse(URL, body=(" " * spaces + tag).encode()) for spaces in (10, 200)
    )
    header = HtmlResponse(URL, headers={"X-Robots-Tag": "all," * 40 + "nofollow"})

    assert not page_directives(near, "me").index
    assert page_directives(far, "me").index
    assert page_directives(header, "me").follow


@bound("parser.usage.MAX_LENGTH")
def test_long_header_is_not_understood(shrink: Any) -> None:
    """A header that exceeds the bound does not state a preference. The whole header is
    reported as not understood.
    """
    response = HtmlResponse(URL, headers={"Content-Usage": "search=n"})
    assert page_usage(response, "me")["search"].value == "disallow"
    shrink("parser.usage.MAX_LENGTH", 7)
    usage = page_usage(response, "me")

    assert usage["search"].value == "unstated"
    assert [it.term for it in usage.not_understood] == ["search=n"]


# The following bounds limit lint.


@bound("lint.characters._LONGEST")
def test_long_word_is_not_taken_for_a_slip() -> None:
    """Lint recognizes a misspelt field name of 24 characters, but not a longer misspelt
    name.
    """
    near, far = (
        RobotsTxt.parse(f"User-agent: *\nDisallow{'_' * marks}: /x\n").problems
        for marks in (24 - 8, 25 - 8)
    )

    assert [it.kind for it in near] == [kinds.MISSPELT]
    assert kinds.MISSPELT not in [it.kind for it in far]


def codes(body: str, dialect: str = "1994") -> list[str]:
    """Return the codes of the problems of a file."""
    return [it.code for it in RobotsTxt.parse(body, dialect=dialect).problems]


@bound("lint.values.MAX_SEARCHED")
def test_second_field_is_looked_for_at_the_beginning_of_a_value(shrink: Any) -> None:
    """Behind the bound, a field is part of the value."""
    shrink("lint.lines.MAX_SEARCHED", 30)

    assert kinds.TWO_FIELDS.code in codes("User-agent: *\nDisallow: /a Disallow: /b\n")
    far = f"User-agent: *\nDisallow: /{'a' * 30} Disallow: /b\n"
    assert kinds.TWO_FIELDS.code not in codes(far)


@bound("lint.records.MAX_NAMES")
def test_of_many_names_none_is_looked_for_in_other_records(shrink: Any) -> None:
    """A file that names so many robots is generated, and in order."""
    body = "User-agent: a\nDisallow: /a\n\nUser-agent: ab\nDisallow: /b\n"
    assert kinds.UNREACHED.code in codes(body)
    shrink("lint.records.MAX_NAMES", 1)

    assert kinds.UNREACHED.code not in codes(body)


@bound("lint.records.MAX_RULES")
def test_of_many_rules_none_is_compared_with_those_of_other_groups(shrink: Any) -> None:
    """Several robots may share many groups."""
    body = "User-agent: a\nDisallow: /\nAllow: /\n"
    assert kinds.NO_EFFECT.code in codes(body, "rfc9309")
    shrink("lint.records.MAX_RULES", 1)

    assert kinds.NO_EFFECT.code not in codes(body, "rfc9309")


@bound("commands.lint_report._MAX_READ")
def test_large_file_is_read_in_the_other_dialect_for_few_robots(shrink: Any) -> None:
    """It is always read for every robot that is not named."""
    robots = RobotsTxt.parse("User-agent: *\nUser-agent: a\nDisallow: /*\n")
    assert Report("x", robots).otherwise["closed"] == ["*", "a"]
    shrink("commands.lint_report._MAX_READ", 1)

    assert Report("x", robots).otherwise["closed"] == ["*"]


@bound("commands.lint_report._MAX_MESSAGE")
def test_message_of_a_workflow_is_cut(shrink: Any) -> None:
    """The place of a long message is complete."""
    shrink("commands.lint_report._MAX_MESSAGE", 30)
    robots = RobotsTxt.parse(f"User-agent: *\nDisalow: /{'x' * 99}\n")
    found = list(as_annotations(Report("x", robots)))

    assert any("line=2" in it for it in found)
    assert all(len(it.rpartition("::")[2]) <= 30 for it in found)


# The following bounds limit how much is read of answers and of the causes of failures.


@bound("policy.answer.MAX_HEADER_BYTES")
def test_headers_are_read_up_to_the_bound(shrink: Any) -> None:
    """A directive that is cut at the bound has no effect. A Location that exceeds the bound
    is unreadable.
    """
    shrink("policy.answer.MAX_HEADER_BYTES", 30)
    listed = Headers({"Cache-Control": ["max-age=60", "public, private, max-age=99"]})
    long, short = (
        Response(URL, 302, {"Location": b"/" + b"x" * length}) for length in (99, 1)
    )

    assert freshness_lifetime(listed, 0.0) == 60
    assert redirect_of(long, URL) == ""
    assert redirect_of(short, URL) == f"{URL}x"


# The following bounds limit stores.


@bound("stores.codec.MAX_HEAD_BYTES")
def test_entry_with_a_long_head_is_a_miss(shrink: Any) -> None:
    """Parsed JSON takes many times as much memory as its text."""
    answer = Answer(urls=(SITE.robots_url,), status=200, fetched_at=NOW)
    entry = encode(answer, 1_000)
    assert decode(entry, SITE, 1_000) is not None
    shrink("stores.codec.MAX_HEAD_BYTES", 10)

    assert decode(entry, SITE, 1_000) is None


@bound("stores.base.MAX_ENTRY_BYTES")
def test_large_entry_is_not_stored(shrink: Any, tmp_path: Path) -> None:
    """It is no failure of the store."""
    shrink("stores.base.MAX_ENTRY_BYTES", 10)
    crawler = idle_crawler({})
    url = StoreUrl.parse(f"sqlite:///{tmp_path / 'robots.db'}")
    store = GuardedStore(crawler, url, 1_000, 1_000)
    answer = Answer(urls=(SITE.robots_url,), status=200, fetched_at=NOW)

    async def put_and_get() -> Answer | None:
        store.put(SITE, answer)
        found = await store.get(SITE)
        await store.close()
        return found

    assert asyncio.run(put_and_get()) is None
    assert store.failures == 0


# The following bounds limit the comparison and the commands.


@bound("compare.diagnosis._MAX_RULES")
def test_rules_of_few_robots_stay_compiled(shrink: Any) -> None:
    """If the bound is two robots, only the rules of the last two robots remain compiled.
    Each robot still gets the right answer. The bound is needed because a report can
    compare thousands of robots.
    """
    shrink("compare.diagnosis._MAX_RULES", 2)
    body = ParsedBody(b"User-agent: r1\nDisallow: /\n", DIALECTS["1994"])
    answers = [body.answer(Question("/", f"r{number}", "")) for number in range(5)]

    assert answers.count(answers[1]) == 1
    assert body._compiled.cache_info().currsize == 2


@bound("commands.terminal.MAX_NAMED")
def test_notes_beyond_the_bound_are_counted(
    shrink: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """If there are too many notes, the first notes are printed, and then the number of
    further notes.
    """
    shrink("commands.terminal.MAX_NAMED", 2)
    terminal.print_notes("not read", map(str, range(5)))

    assert capsys.readouterr().err.splitlines() == [
        "not read: 0",
        "not read: 1",
        "not read: and 3 more",
    ]
