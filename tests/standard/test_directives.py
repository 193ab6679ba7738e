"""The terms of the ROBOTS meta tag and of X-Robots-Tag: P1 to P6."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_robots1994 import Directives, page_directives

ROVER = "Rover/1.0 (+http://h)"
NO_DIRECTIVES = Directives()


def directives_of(
    tags: Iterable[tuple[str, str]], headers: Iterable[str] = (), robot: str = ROVER
) -> Directives:
    """Return what a page with these meta tags and X-Robots-Tag lines says to *robot*."""
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
    """Return whether to index and to follow a page with these meta tags."""
    made = directives_of([(name, content) for content in contents])
    return made.index, made.follow


def by_headers(*headers: str) -> tuple[bool, bool]:
    """Return whether to index and to follow a page with these X-Robots-Tag lines."""
    made = directives_of((), headers)
    return made.index, made.follow


@pytest.mark.parametrize(
    ("content", "index", "follow"),
    [
        ("ALL", True, True),
        ("NONE", False, False),
        ("INDEX", True, True),
        ("NOINDEX", False, True),
        ("FOLLOW", True, True),
        ("NOFOLLOW", True, False),
        ("noindex,nofollow", False, False),
        ("\tNoIndex ,\n follow ", False, True),
        ("", True, True),
        (",,", True, True),
        ("noindex nofollow", True, True),
        ("no index", True, True),
        ("noarchive, noodp, nofollow", True, False),
    ],
)
def test_pages_p1_terms_are_comma_separated_and_without_case(
    content: str, index: bool, follow: bool
) -> None:
    """There are six terms; any other has no effect."""
    assert by_tags(content) == (index, follow)
    assert by_headers(content.replace("\n", "")) == (index, follow)


def test_pages_p2_missing_means_index_and_follow() -> None:
    """Without a tag or header a page may be indexed and its links followed."""
    assert directives_of(()) == NO_DIRECTIVES
    assert NO_DIRECTIVES.index
    assert NO_DIRECTIVES.follow


@pytest.mark.parametrize(
    ("headers", "index", "follow"),
    [
        (["all, none"], True, True),
        (["none", "ALL"], True, True),
        (["all", "noindex"], True, True),
        (["all, rover: noindex"], False, True),
        (["all", "rover: noindex"], False, True),
        (["rover: noindex", "all"], True, True),
        (["rover: all, noindex, nofollow"], True, True),
        (["rover: noindex, other: all, rover: nofollow"], False, False),
        (["rover: noindex, other: none, rover: all"], True, True),
        (["noindex, rover: all"], False, True),
        (["other: all, none"], True, True),
        (["noindex, other: all"], False, True),
        (["*: none, rover: all"], False, False),
    ],
)
def test_pages_p3_all_overrides_within_its_own_name_group(
    headers: list[str], index: bool, follow: bool
) -> None:
    """It does not override terms for the robot under another name."""
    assert by_headers(*headers) == (index, follow)


def test_pages_p3_all_overrides_within_its_own_tag() -> None:
    """It does not override the terms of other tags."""
    assert by_tags("noindex, all, nofollow") == (True, True)
    assert by_tags("none, ALL") == (True, True)
    both = [("robots", "all"), ("rover", "noindex")]
    assert not directives_of(both).index


def test_pages_p4_restrictive_one_of_two_contradicting_terms_applies() -> None:
    """The terms may be in one tag, in several, or in a tag and a header."""
    assert by_tags("follow, nofollow") == (True, False)
    assert by_tags("index", "noindex") == (False, True)
    assert by_tags("all", "noindex", "nofollow") == (False, False)
    assert by_headers("index", "noindex") == (False, True)
    assert not directives_of([("robots", "all")], ["noindex"]).index


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [
        ("robots", True),
        (" ROBOTS\n", True),
        ("rover", True),
        ("ROVER", True),
        ("other", False),
        ("rov", False),
        ("rover2", False),
        ("", False),
        ("description", False),
    ],
)
def test_pages_p5_meta_name_must_equal_the_robots_name(
    name: str, is_ours: bool
) -> None:
    """Names are compared as a whole, without case; `robots` addresses every robot."""
    assert by_tags("none", name=name) == (not is_ours, not is_ours)


@pytest.mark.parametrize(
    ("header", "index", "follow"),
    [
        ("rover: noindex", False, True),
        ("ROVER : NOINDEX, NOFOLLOW", False, False),
        ("other: noindex, nofollow", True, True),
        ("nofollow, other: noindex", True, False),
        ("other: noindex, rover: nofollow", True, False),
        ("other: none, robots: nofollow", True, False),
        ("other: none, *: noindex", False, True),
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT, noindex", False, True),
        ("unavailable_after: Wed, 25 Jun 2010 15:00:00 GMT, noindex", False, True),
        ("max-snippet: 5, nofollow", True, False),
        ("other/2.1: noindex, nofollow", True, True),
        ("rover/2.1: noindex, nofollow", False, False),
        ("nofollow, another robot: noindex, none", True, False),
        ("unavailable_after: 25/06/2010 15:00, nofollow", True, False),
        ("rover:", True, True),
        (": noindex", True, True),
    ],
)
def test_pages_p6_name_before_a_colon_limits_the_terms_after_it(
    header: str, index: bool, follow: bool
) -> None:
    """It does so up to the next name; a term with a value is not a name."""
    assert by_headers(header) == (index, follow)


@pytest.mark.parametrize(
    "lines",
    [
        ["other: noindex", "nofollow"],
        ["noindex", "other: nofollow", "all"],
        ["all, other: none", "rover: nofollow", "noindex"],
        ["unavailable_after: 25 Jun 2010 15:00:00 GMT", "noindex"],
    ],
)
def test_pages_p6_several_header_lines_equal_one_joined_line(lines: list[str]) -> None:
    """RFC 9110, section 5.3: a name limits the terms in the next line, too."""
    assert by_headers(*lines) == by_headers(", ".join(lines))


def test_pages_p6_name_limits_the_terms_of_the_next_line_too() -> None:
    """The next line may also begin with another name."""
    assert by_headers("other: noindex", "nofollow") == (True, True)
    assert by_headers("other: noindex", "rover: nofollow") == (True, False)


def test_pages_p6_name_may_have_several_words() -> None:
    """O9: one name of `My Company Bot/1.0` is `My Company Bot`."""
    made = directives_of((), ["my company bot: noindex"], "My Company Bot/1.0")
    assert not made.index


def test_pages_p10_noindex_does_not_affect_links() -> None:
    """Koster's FAQ speaks of the page only."""
    assert by_tags("noindex") == (False, True)
    assert by_headers("noindex") == (False, True)


@pytest.mark.parametrize(
    "content", ["noindex nofollow", "noindex;nofollow", "NoIndex | follow", "no index"]
)
def test_pages_p1_terms_without_a_comma_are_not_understood(content: str) -> None:
    """They have no effect, and are returned so that they can be logged."""
    made = directives_of([("robots", content)])
    header = directives_of((), [content])

    assert (made.index, made.follow) == (True, True)
    assert [it.term for it in made.not_understood] == [content.lower()]
    assert made.not_understood[0].where == "meta tag robots"
    assert header.not_understood[0].where == "header X-Robots-Tag"


@pytest.mark.parametrize(
    "content",
    ["noarchive", "max-image-preview:large, noodp", "indexifembedded", "", "none"],
)
def test_pages_p1_other_terms_are_not_reported(content: str) -> None:
    """They are ignored (P1) if they contain none of the six terms."""
    assert directives_of([("robots", content)]).not_understood == ()
    assert directives_of((), [content]).not_understood == ()


def test_directives_of_the_meta_page_are_read() -> None:
    """Names are in any case; KEYWORDS are joined, of other tags the first one counts."""
    made = directives_of(
        [
            ("KEYWORDS", "Robot exclusion,  standard\n1994 ,,"),
            ("keywords", "crawler"),
            ("Description", " "),
            ("Description", "What robots\n may read."),
            ("Description", "Another."),
            ("DOCUMENT-STATE", "Dynamic"),
            ("url", "relative.html"),
            ("URL", " http://main.example/a "),
        ],
    )

    assert made.keywords == ("Robot exclusion", "standard 1994", "crawler")
    assert made.description == "What robots may read."
    assert made.document_state == "dynamic"
    assert made.url == "http://main.example/a"
    assert (made.index, made.follow) == (True, True)


@pytest.mark.parametrize("state", ["static", "STATIC", "", "sometimes"])
def test_document_is_static_unless_the_page_says_dynamic(state: str) -> None:
    """Static is the default of DOCUMENT-STATE."""
    made = directives_of([("document-state", state)])
    assert made == NO_DIRECTIVES


def test_pages_each_directive_has_its_source() -> None:
    """The source names the term and its place."""
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
    """No text raises, and each result is printed on one line."""
    made = directives_of(tags, headers, robot)

    assert made.index is (made.noindex is None)
    assert "\n" not in f"{made.noindex} {made.nofollow}"
