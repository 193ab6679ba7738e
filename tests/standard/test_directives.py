"""The terms of robots meta tags and X-Robots-Tag headers, and other meta tags."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_robots1994 import Directives, page_directives


def directives_of(
    tags: Iterable[tuple[str, str]],
    headers: Iterable[str] = (),
    robot: str = "Rover/1.0 (+http://h)",
) -> Directives:
    metas = "".join(
        f'<meta name="{escape(name)}" content="{escape(content)}">'
        for name, content in tags
    )
    response = HtmlResponse(
        "http://h/",
        headers={"X-Robots-Tag": [it.encode("utf-8", "replace") for it in headers]},
        body=f"<html><head>{metas}</head></html>".encode("utf-8", "replace"),
        encoding="utf-8",
    )
    return page_directives(response, robot)


def by_tags(*contents: str, name: str = "robots") -> tuple[bool, bool]:
    """Return (index, follow) of a page that has a meta tag *name* with each of *contents*."""
    made = directives_of([(name, content) for content in contents])
    return made.index, made.follow


def by_headers(*headers: str) -> tuple[bool, bool]:
    made = directives_of((), headers)
    return made.index, made.follow


TERMS = [
    ("ALL", True, True),
    ("NONE", False, False),
    ("INDEX", True, True),
    # P10: NOINDEX says nothing about links, because Koster's FAQ mentions only the page.
    ("NOINDEX", False, True),
    ("FOLLOW", True, True),
    ("NOFOLLOW", True, False),
    ("noindex,nofollow", False, False),
    ("\tNoIndex\f,\n follow ", False, True),
    ("", True, True),
    (",,", True, True),
    ("noindex nofollow", True, True),
    ("no index", True, True),
    ("noarchive, noodp, nofollow", True, False),
    # P3: ALL overrides all other terms. P4: of two contradictory terms, the more restrictive one
    # applies.
    ("noindex, all, nofollow", True, True),
    ("none, ALL", True, True),
    ("follow, nofollow", True, False),
]


@pytest.mark.parametrize(("content", "index", "follow"), TERMS)
def test_pages_p1_p3_p4_p10_terms_of_one_tag_or_header(
    content: str, index: bool, follow: bool
) -> None:
    """Commas separate terms, and case is ignored. Only six terms have an effect."""
    assert by_tags(content) == (index, follow)
    assert by_headers(content.replace("\n", "")) == (index, follow)


HEADERS = [
    # P3: ALL overrides only terms for the same name.
    (["none", "ALL"], True, True),
    (["all", "noindex"], True, True),
    (["all", "rover: noindex"], False, True),
    (["rover: noindex", "all"], True, True),
    (["rover: all, noindex, nofollow"], True, True),
    (["rover: noindex, other: all, rover: nofollow"], False, False),
    (["rover: noindex, other: none, rover: all"], True, True),
    (["noindex, rover: all"], False, True),
    (["other: all, none"], True, True),
    (["noindex, other: all"], False, True),
    (["*: none, rover: all"], False, False),
    # P4: of two contradictory terms, the more restrictive one applies.
    (["index", "noindex"], False, True),
    # P6: terms after a name and a colon are only for the robot of that name. `max-snippet:` and
    # `unavailable_after:` are not names.
    (["ROVER : NOINDEX, NOFOLLOW"], False, False),
    (["nofollow, other: noindex"], True, False),
    (["other: none, robots: nofollow"], True, False),
    (["other: none, *: noindex"], False, True),
    (["other: noarchive, none"], True, True),
    (["unavailable_after: Wed, 25 Jun 2010 15:00:00 GMT, noindex"], False, True),
    (["max-snippet: 5, nofollow"], True, False),
    (["max-image-preview: none, max-video-preview: -1, noindex"], False, True),
    (["other/2.1: noindex, nofollow"], True, True),
    (["rover/2.1: noindex, nofollow"], False, False),
    (["nofollow, another robot: noindex, none"], True, False),
    (["another robot: noai, none"], True, True),
    (["unavailable_after: 25/06/2010 15:00, nofollow"], True, False),
    (["rover:"], True, True),
    ([": noindex"], True, True),
    # P6: terms in the next header are for the same robot, up to the next name.
    (["other: noindex", "nofollow"], True, True),
    (["other: noindex", "rover: nofollow"], True, False),
    (["noindex", "other: nofollow", "all"], False, True),
    (["all, other: none", "rover: nofollow", "noindex"], False, False),
    (["unavailable_after: 25 Jun 2010 15:00:00 GMT", "noindex"], False, True),
]


@pytest.mark.parametrize(("headers", "index", "follow"), HEADERS)
def test_pages_p3_p4_p6_header_lines_are_for_the_robots_they_name(
    headers: list[str], index: bool, follow: bool
) -> None:
    """Several X-Robots-Tag headers mean the same as one with all their terms (RFC 9110 5.3)."""
    assert by_headers(*headers) == (index, follow)
    assert by_headers(", ".join(headers)) == (index, follow)


def test_pages_p3_p4_terms_of_several_tags_and_headers() -> None:
    """ALL in a tag does not override other tags or headers. The most restrictive term applies."""
    assert by_tags("index", "noindex") == (False, True)
    assert by_tags("all", "noindex", "nofollow") == (False, False)
    assert not directives_of([("robots", "all"), ("rover", "noindex")]).index
    assert not directives_of([("robots", "all")], ["noindex"]).index


NAMES = dict.fromkeys(("robots", " ROBOTS\n", "rover", "ROVER"), True)
NAMES |= dict.fromkeys(("other", "rov", "rover2", "", "description"), False)


@pytest.mark.parametrize(("name", "is_ours"), NAMES.items())
def test_pages_p5_meta_name_must_equal_the_robots_name(
    name: str, is_ours: bool
) -> None:
    assert by_tags("none", name=name) == (not is_ours, not is_ours)


def test_pages_p6_name_may_have_several_words() -> None:
    """Ours O9."""
    terms = ["other: all, my company bot: noarchive, noindex"]
    assert not directives_of((), terms, "My Company Bot/1.0").index


@pytest.mark.parametrize(
    "content", ["noindex nofollow", "noindex-nofollow", "NoIndex | follow", "no index"]
)
def test_pages_p1_terms_without_a_comma_are_not_understood(content: str) -> None:
    made = directives_of([("robots", f"{content}, {content}")])
    header = directives_of((), [content])

    assert (made.index, made.follow) == (True, True)
    assert [it.term for it in made.not_understood] == [content.lower()]
    assert made.not_understood[0].where == "meta tag robots"
    assert header.not_understood[0].where == "header X-Robots-Tag"
    (escaped,) = directives_of([("robots", "no\x1bindex")]).not_understood
    assert str(escaped) == r'"no\x1bindex" in the meta tag robots'


def test_pages_p1_other_terms_are_not_reported() -> None:
    """A term is reported only if it is unknown, but one of its words is known."""
    terms = (
        "noindex, follow",
        "noarchive",
        "noai, noimageai",
        "max-image-preview:large",
        "indexifembedded",
    )
    for content in terms:
        assert directives_of([("robots", content)], [content]).not_understood == ()


def test_directives_of_the_meta_page_are_read() -> None:
    """The values of all KEYWORDS tags are joined. For other tags, the first usable value counts."""
    made = directives_of(
        [
            ("KEYWORDS", "Robot exclusion,  standard\n1994 ,,"),
            ("keywords", "crawler"),
            ("Description", " "),
            ("Description", "What robots\n may read."),
            ("Description", "Another."),
            ("DOCUMENT-STATE", "Dynamic"),
            ("url", "relative.html"),
            ("url", "http://not.example/ this"),
            ("URL", " HTTP://main.example/a "),
            ("URL", "http://second.example/a"),
        ]
    )

    assert made.keywords == ("Robot exclusion", "standard 1994", "crawler")
    assert made.description == "What robots may read."
    assert made.document_state == "dynamic"
    assert made.url == "HTTP://main.example/a"
    assert (made.index, made.follow) == (True, True)
    for state in ("static", "STATIC", "", "sometimes"):
        assert directives_of([("document-state", state)]) == Directives()


def test_pages_each_directive_has_its_source() -> None:
    made = directives_of([("ROVER", "x, NONE")], ["nofollow"])

    assert str(made.noindex) == '"none" in the meta tag rover'
    assert made.nofollow == made.noindex
    header = directives_of((), ["nofollow"]).nofollow
    assert str(header) == '"nofollow" in the header X-Robots-Tag'


@given(
    st.lists(st.tuples(st.text(), st.text()), max_size=4),
    st.lists(st.text(), max_size=4),
    st.text(),
)
def test_pages_any_text_is_accepted(
    tags: list[tuple[str, str]], headers: list[str], robot: str
) -> None:
    made = directives_of(tags, headers, robot)

    assert made.index is (made.noindex is None)
    assert "\n" not in f"{made.noindex} {made.nofollow}"
