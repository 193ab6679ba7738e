"""The terms of the ROBOTS meta tag and of X-Robots-Tag: P1 to P7."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots1994.directives import (
    NO_DIRECTIVES,
    Directives,
    directives_of,
    is_wide,
    words_occur,
)
from scrapy_robots1994.parser.names import names_of

OURS = names_of("Rover/1.0 (+http://h)")


def told(*contents: str, name: str = "robots") -> tuple[bool, bool]:
    """Whether to index and to follow a page of these meta tags."""
    made = directives_of([(name, content) for content in contents], (), OURS)
    return made.index, made.follow


def sent(*headers: str) -> tuple[bool, bool]:
    """Whether to index and to follow a page of these X-Robots-Tag lines."""
    made = directives_of((), headers, OURS)
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
    """The six terms; what is none of them counts for nothing and is never guessed."""
    assert told(content) == (index, follow)
    assert sent(content.replace("\n", "")) == (index, follow)


def test_pages_p2_missing_means_index_and_follow() -> None:
    """No tag, no header, no term."""
    assert directives_of((), (), OURS) is NO_DIRECTIVES
    assert Directives() == NO_DIRECTIVES
    assert NO_DIRECTIVES.index
    assert NO_DIRECTIVES.follow


def test_pages_p3_all_overrides_what_stands_beside_it() -> None:
    """In the same tag or header line."""
    assert told("noindex, all, nofollow") == (True, True)
    assert told("none, ALL") == (True, True)
    assert sent("all, none") == (True, True)


def test_pages_p4_the_forbidding_one_of_two_that_contradict() -> None:
    """In one tag, in several, and between tag and header."""
    assert told("follow, nofollow") == (True, False)
    assert told("index", "noindex") == (False, True)
    assert told("all", "noindex", "nofollow") == (False, False)
    assert sent("all", "none") == (False, False)
    assert not directives_of([("robots", "all")], ["noindex"], OURS).index


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
def test_pages_p5_a_meta_name_equal_to_ours(name: str, is_ours: bool) -> None:
    """Equal without case, not a part of it; everybody is `robots`."""
    assert told("none", name=name) == (not is_ours, not is_ours)


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
        ("rover:", True, True),
        (": noindex", True, True),
    ],
)
def test_pages_p6_a_name_before_a_colon_limits_what_follows(
    header: str, index: bool, follow: bool
) -> None:
    """Up to the next name; a term with a value is no name."""
    assert sent(header) == (index, follow)


def test_pages_p6_each_header_line_begins_anew() -> None:
    """A name of one line does not limit the next."""
    assert sent("other: noindex", "nofollow") == (True, False)


def test_pages_who_said_it_is_told() -> None:
    """The term and where it stands, safe to print."""
    made = directives_of([("ROVER", "x, NONE")], ["nofollow"], OURS)

    assert str(made.noindex) == '"none" in the meta tag rover'
    assert made.nofollow == made.noindex
    header = directives_of((), ["nofollow"], OURS).nofollow
    assert str(header) == '"nofollow" in the header X-Robots-Tag'


@pytest.mark.parametrize(
    ("body", "occur"),
    [
        (b'<META NAME="ROBOTS" CONTENT="NoIndex">', True),
        (b"<meta name=rover content=none>", True),
        (b'<meta name="robots" content="index,follow">', False),
        (b'<meta name="other" content="noindex">', False),
        (b'<a rel="nofollow">', False),
        (b"", False),
    ],
)
def test_pages_p7_a_page_without_the_words_needs_no_second_look(
    body: bytes, occur: bool
) -> None:
    """A name that is ours and a term that forbids, both somewhere, in any case."""
    assert words_occur(body, OURS) is occur


def test_pages_wide_encodings_are_told_apart() -> None:
    """UTF-16 and UTF-32 write a NUL beside each letter of ASCII."""
    assert is_wide("<html>".encode("utf-16"))
    assert is_wide("<html>".encode("utf-32-be"))
    assert not is_wide("<html>é".encode())


@given(
    st.lists(st.tuples(st.text(), st.text()), max_size=4),
    st.lists(st.text(), max_size=4),
    st.text(),
)
def test_pages_any_text_is_read(
    tags: list[tuple[str, str]], headers: list[str], robot: str
) -> None:
    """Nothing that a page can say raises, and what is said prints."""
    made = directives_of(tags, headers, names_of(robot))

    assert made.index is (made.noindex is None)
    assert "\n" not in f"{made.noindex} {made.nofollow}"
