"""Parts of a comparison whose size or order no report on a few files shows."""

from __future__ import annotations

import random
from email.message import Message

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.compare import formats, impact
from scrapy_robots1994.compare.diagnosis import Cause, ddmin
from scrapy_robots1994.compare.impact import (
    MAX_EXAMPLES,
    Change,
    Example,
    SiteImpact,
    Totals,
)
from scrapy_robots1994.compare.parsers import (
    ALWAYS,
    UNKNOWN_ROBOT,
    Capture,
    Direction,
    Question,
    questions,
)
from scrapy_robots1994.compare.transforms import lines_of

NAME = "ProtegoRobotParser"
LAXER, STRICTER = Direction.LAXER, Direction.STRICTER
BODY = b"User-agent: Foo\nDisallow: /ab/\n\nUser-agent: *\nAllow: /*.gif$\n"


@given(st.integers(1, 60), st.data())
def test_ddmin_finds_the_needed_set(count: int, data: st.DataObject) -> None:
    """Places that are only needed together are found, and no others."""
    needed = data.draw(st.sets(st.integers(0, count - 1), max_size=5))

    found = ddmin(count, lambda subset: needed <= set(subset))

    assert set(found) == needed


@given(
    st.binary(max_size=200)
    | st.text("Uu:-# \r\n*/aDi\xff", max_size=80).map(lambda it: it.encode("latin-1"))
)
def test_joined_lines_are_the_body(body: bytes) -> None:
    """But for UTF-16 that ends within a character, which is completed."""
    lines = lines_of(body)

    if lines.encoding == "utf-8":
        assert lines.body == body
    assert lines.only(range(len(lines.lines))).body == lines.body


def targets(made: list[Question]) -> set[str]:
    """Return the paths of the questions."""
    return {question.url.removeprefix("http://a.test") for question in made}


def test_questions_are_at_the_edges_of_each_rule() -> None:
    """Each rule gives matching, longer, shorter and encoded URLs, for each robot."""
    made = questions("http://a.test", BODY, max_questions=1_000)

    assert {"/ab/", "/ab", "/ab/x", "/ab/x.html", "/a%62/"} <= targets(made)
    assert {"/x.gif", "/x.gifx", *ALWAYS} <= targets(made)
    assert {question.robot for question in made} == {"Foo", UNKNOWN_ROBOT}


def test_sample_of_too_many_questions_is_reproducible() -> None:
    """It has the maximum number of questions, without repetition."""
    once, again = (questions("http://a.test", BODY, max_questions=7) for _ in "12")

    assert once == again
    assert len(set(once)) == 7


def test_any_bytes_make_questions() -> None:
    """A file is decoded by its byte order mark; bytes without rules raise nothing."""
    coded = "Disallow: /caf\u00e9".encode("utf-16")
    assert "/caf%C3%A9" in targets(questions("http://a.test", coded, max_questions=99))
    for body in (b"", b"\xff\xfeU\x00s", bytes(range(256)), b"Disallow: \xe9\nx\x00"):
        made = questions("http://a.test", body, max_questions=50)
        assert targets(made) >= set(ALWAYS)


@pytest.mark.parametrize("name", ["bot", "robot", "spider", "crawler", "a", "web"])
def test_unknown_robot_contains_no_common_name(name: str) -> None:
    """Otherwise a record for `bot` would apply to it, as 1994 A2 compares substrings."""
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("http://a.test/x", UNKNOWN_ROBOT)


def site_of(number: int) -> SiteImpact:
    """Return a site with one closed URL, and with an opened one if *number* is odd."""
    capture = Capture(f"http://{number}.test", b"x")
    site = SiteImpact.of(capture)
    for way in (LAXER, STRICTER)[: 1 + number % 2]:
        site.counts[NAME, way] = 1
        site.causes[NAME, way, Cause.ALLOW] = 1
        question = Question(f"http://{number}.test/", "me")
        site.keep((NAME, way), Example(question, "allows"), capture)
    return site


def added(numbers: range) -> Totals:
    """Return the totals of the sites with these numbers."""
    found = Totals()
    for number in numbers:
        found.add_site(site_of(number))
    return found


def test_totals_of_parts_are_the_totals_of_the_whole() -> None:
    """Counts, sites and examples are equal for any order and any parts."""
    whole = added(range(1000))
    parts = [added(range(start, start + 100)) for start in range(0, 1000, 100)]
    random.Random(4).shuffle(parts)  # noqa: S311 - any order will do

    together = Totals()
    for part in parts:
        together.add(part)

    assert together.counts == whole.counts
    assert together.causes == whole.causes
    assert together.changes() == whole.changes()
    assert together.sites == whole.sites


def test_sites_beyond_the_limit_are_counted_and_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The selection of listed sites does not depend on the order."""
    monkeypatch.setattr(impact, "MAX_SITES", 50)
    forward, backward = added(range(500)), Totals()
    for number in reversed(range(500)):
        backward.add_site(site_of(number))
    for found in (forward, backward):
        found.trim()

    assert len(forward.sites) == 50
    assert forward.unlisted_sites == 450
    assert set(forward.sites) == set(backward.sites)
    changes = forward.changes()
    assert changes[NAME, None, Change.CLOSED] == 250
    assert changes[NAME, None, Change.BOTH] == 250


def test_decisions_about_one_site_are_added_up() -> None:
    """Decisions that come one by one, as in a crawl, are counted as one site."""
    found = Totals()
    for number in range(9):
        capture = Capture("http://a.test", b"x")
        site = SiteImpact.of(capture)
        site.counts[NAME, LAXER] = 1
        question = Question(f"http://a.test/{number % 5}", "me")
        site.keep((NAME, LAXER), Example(question, "allows"), capture)
        found.add_site(site, captures=number == 0)

    (site,) = found.sites.values()
    examples = site.examples[NAME, LAXER]
    assert found.captures == 1
    assert site.count(NAME, LAXER) == 9
    assert len(examples) == len({it.question for it in examples}) == MAX_EXAMPLES


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("https://docs.test/", "https://docs.test/{}.html"),
        ("https://docs.test/en/latest", "https://docs.test/en/latest/{}.html"),
        ("https://git.test/x/docs/index.rst", "https://git.test/x/docs/{}.rst"),
        ("https://github.example/OWNER/docs/index.rst", None),
        ("", None),
    ],
)
def test_address_of_the_documentation_comes_from_the_package_metadata(
    monkeypatch: pytest.MonkeyPatch, address: str, page: str | None
) -> None:
    """The address in pyproject.toml may be a placeholder, a site or a repository."""
    published = Message()
    published["Project-URL"] = "Homepage, https://home.test"
    if address:
        published["Project-URL"] = f"Documentation, {address}"
    monkeypatch.setattr(formats, "metadata", lambda _: published)

    assert formats.documentation() == page
