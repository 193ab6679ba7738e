"""The `Ours` list, O16 to O26: bytes, percent-encoding, values, limits, URLs."""

from __future__ import annotations

import pytest

from scrapy_robots1994.parser import LineKind, Reason
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser.asking import HOST, allowed, clauses, closed, kinds

FILE = closed("/caf\u00e9")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_ours_o16_one_mark_is_stripped(encoding: str) -> None:
    """The first line counts behind a byte order mark, which is reported."""
    body = FILE.encode(encoding)

    assert RobotsTxt.parse(body).text == FILE
    assert clauses(body) == ["O16"]


def test_ours_o16_big_endian_needs_its_mark_too() -> None:
    """UTF-16 is decoded when its mark says so, and only then."""
    body = FILE.encode("utf-16-be")

    assert RobotsTxt.parse(b"\xfe\xff" + body).text == FILE
    assert RobotsTxt.parse(body).records == ()


@pytest.mark.parametrize("body", ["\ufeff" * 2 + FILE, b"\xef\xbb\xbf" * 2 + b"x: y"])
def test_ours_o16_a_second_mark_is_text(body: str | bytes) -> None:
    """Only one mark is left out; the next makes an unknown field."""
    assert kinds(body)[0] is LineKind.UNKNOWN


def test_ours_o17_undecodable_byte_stays_in_the_rule() -> None:
    """A stray byte is not dropped: that would make a known field of an unknown one."""
    body = b"User-agent: *\nDis\xffallow: /x\n"

    assert allowed(body, "/x")
    assert clauses(body) == ["O3", "F6", "O17"]


def test_ours_o17_a_replacement_character_of_the_author_is_text() -> None:
    """What was replaced is reported, not what only looks so."""
    assert clauses("# \ufffd") == []


def test_ours_o17_lone_surrogates_of_a_str_are_replaced() -> None:
    """A str that no bytes can say parses, too."""
    assert not allowed("User-agent: *\nDisallow: /x # \ud800", "/x")


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/a%3cd", "/a%3Cd.html"),
        ("/%7ejoe", "/~joe/"),
        ("/~joe", "/%7Ejoe/"),
        ("/caf\u00e9", "/caf%C3%A9"),
        ("/caf%c3%a9", "/caf\u00e9"),
        ("/a%2fb", "/a%2Fb"),
        ("/a%4", "/a%41"),
        ("/a%", "/a%zz"),
        ("/a%2", "/a%2Fb"),
        ("/%41%", "/A%"),
    ],
)
def test_ours_o18_two_spellings_of_one_resource(rule: str, path: str) -> None:
    """Forbidden if the literal prefix matches, or the decoded one."""
    assert not allowed(closed(rule), path)


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/a/b", "/a%2fb"),
        ("/a%2Fb", "/a/b"),
        ("/a%2541", "/a%41"),
        ("/caf\u00e9", "/caf%E9"),
        ("/%e9", "/\u00e9"),
        ("/a%2f", "/a\u0100"),
    ],
)
def test_ours_o18_other_resources_stay_open(rule: str, path: str) -> None:
    """`%2F` is no slash, decoding is done once, and bytes are not characters."""
    assert allowed(closed(rule), path)


def test_ours_o19_an_absolute_url_is_compared_with_the_whole_url() -> None:
    """A value may be a URL; scheme, host and default port compare as origins do."""
    body = closed("HTTP://A.example:80/x")

    assert not allowed(body, "http://a.example/x/y")
    assert allowed(body, "https://a.example/x/y")
    assert allowed(body, "http://a.example/y")
    assert clauses(body) == ["O19"]


@pytest.mark.parametrize("rule", ["http://a.ex", "http://A", "http://a.example/%7e"])
def test_ours_o19_a_partial_or_encoded_url_counts(rule: str) -> None:
    """A URL starts with a part of its host, and with any spelling of its path."""
    assert not allowed(closed(rule), "http://a.example/~x")
    assert not allowed(closed(rule), "http://a.example/%7Ex")


@pytest.mark.parametrize("dialect", ["1994", "revisited", "extended"])
@pytest.mark.parametrize(
    ("rule", "path", "answer"),
    [
        ("/search%20x", "/search%20x", False),
        ("/search%20x", "/search x", False),
        ("/search%20x", "/search%2520x", True),
        ("/search%2520x", "/search%20x", True),
        ("/search%2520x", "/search%2520x", False),
        ("/caf\u00e9", "/caf%C3%A9", False),
        ("/caf\u00e9", "/caf%E9", True),
        ("/a%4", "/a%41", False),
    ],
)
def test_ours_o19_each_spelling_of_a_url_is_compared_with_its_like(
    rule: str, path: str, answer: bool, dialect: str
) -> None:
    """O18 holds for absolute URLs as for paths: never one side decoded alone."""
    for value in (rule, HOST + rule):
        assert allowed(closed(value), path, dialect=dialect) is answer


@pytest.mark.parametrize("dialect", ["1994", "extended"])
def test_ours_o19_a_host_with_an_escape_has_two_spellings_too(dialect: str) -> None:
    """It is no name, but a URL may hold it; verdict and short answer agree."""
    body = closed("http://a%62.example/x")

    assert not allowed(body, "http://a%62.example/%78", dialect=dialect)
    assert not allowed(body, "http://ab.example/x", dialect=dialect)
    assert allowed(body, "http://a%2562.example/x", dialect=dialect)


def test_ours_o19_a_url_without_a_path_is_also_the_beginning_of_one() -> None:
    """As written its host or port may go on; normalised it is the whole origin."""
    body = closed("http://a.example:80")

    assert not allowed(body, "http://a.example:8080/")
    assert not allowed(body, "http://a.example/")
    assert allowed(body, "http://a.example.net/")
    assert allowed(body, "http://b.example/")


def test_ours_o19_without_an_origin_there_is_no_whole_url() -> None:
    """A path alone, or a URL that is not http, starts with no absolute URL."""
    body = closed("http://a.example/")

    assert RobotsTxt.parse(body).allowed("/x", "rex")
    assert allowed(body, "ftp://a.example/x")
    assert not RobotsTxt.parse(body).allowed(f"{HOST}/x", "rex")


@pytest.mark.parametrize("rule", ["x", "*", "help/", "?q", "//x:y", "1://a.example/"])
def test_ours_o20_a_value_without_slash_matches_nothing(rule: str) -> None:
    """It is literal, and reported unless it begins with a slash."""
    body = closed(rule)

    assert allowed(body, "/x")
    assert allowed(body, "/help/")
    assert clauses(body) == ([] if rule.startswith("/") else ["O20"])


def test_ours_o21_empty_disallow_among_others_has_no_effect() -> None:
    """The others stand, and the contradiction is reported."""
    body = "User-agent: *\nDisallow: /x\nDisallow:\n"

    assert not allowed(body, "/x")
    assert clauses(body) == ["O21"]


@pytest.mark.parametrize("path", ["/robots.txt", "/robots.txt#x", "/%72obots%2etxt"])
def test_ours_o22_the_file_itself_is_always_allowed(path: str) -> None:
    """No rule closes /robots.txt, in no spelling, on no origin."""
    body = "User-agent: *\nDisallow: /\nDisallow: http://a.example/"

    verdict = RobotsTxt.parse(body).verdict(HOST + path, "rex")

    assert allowed(body, path)
    assert (verdict.allowed, verdict.reason) == (True, Reason.ROBOTS_TXT)


def test_ours_o22_the_file_with_a_fragment_is_the_file() -> None:
    """Also for a ruling that knows the origin of the URL already."""
    ruling = RobotsTxt.parse(closed("/")).rules("rex")

    assert not ruling.allowed_url(f"{HOST}/x")
    assert ruling.allowed_url(f"{HOST}/robots.txt#x")


@pytest.mark.parametrize("path", ["/robots.txt?x", "/robots.txt.gz", "/Robots.txt"])
def test_ours_o22_what_only_looks_like_the_file_is_not(path: str) -> None:
    """Another target is closed by the rules that cover it."""
    assert not allowed(closed("/"), path)


def test_ours_o23_html_has_no_record() -> None:
    """A page in place of the file is read literally, and opens the site."""
    body = "<html><head><title>404: gone</title>\n<p>\nUser-agents are welcome.</html>"

    assert RobotsTxt.parse(body).records == ()
    assert allowed(body, "/")


@pytest.mark.parametrize(
    ("limit", "kept"), [(0, 0), (5, 0), (14, 1), (15, 1), (26, 1), (27, 2), (99, 3)]
)
def test_ours_o24_whole_lines_within_the_limit(limit: int, kept: int) -> None:
    """The line that the limit cuts is not obeyed, those before it are."""
    body = "User-agent: *\nDisallow: /x\r\nDisallow: /y"

    robots = RobotsTxt.parse(body, limit=limit)

    assert len(robots.lines) == kept
    assert robots.is_truncated is (limit < len(body))
    assert ("O24" in [it.clause for it in robots.problems]) is robots.is_truncated


def test_ours_o24_a_body_that_came_cut_loses_its_last_piece() -> None:
    """The beginning of a line is not taken for the line."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /x", truncated=True)

    assert robots.is_truncated
    assert robots.text == "User-agent: *\n"


@pytest.mark.parametrize("character", "\x00\x01\x08\x1b\x7f")
def test_ours_o25_control_characters_are_ordinary(character: str) -> None:
    """They belong to the value, and are never printed as they are."""
    body = closed(f"/a{character}b")

    verdict = RobotsTxt.parse(body).verdict(f"{HOST}/a{character}bc", "rex")

    assert not verdict.allowed
    assert character not in str(verdict)


def test_ours_o26_the_fragment_is_not_compared() -> None:
    """A fragment neither matches a rule nor keeps one from matching."""
    assert allowed(closed("/a%23b"), "/a#b")
    assert not allowed(closed("/a%23b"), "/a%23b")
    assert not allowed(closed("/a"), "/a#b")
    assert not allowed(closed("/"), "http://a.example#/x")


def test_ours_o19_the_host_of_a_url_in_bytes_is_an_international_one() -> None:
    """It compares as the same URL in text does."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: http://b\u00fccher.test\n")

    for url in ("http://b\u00fccher.test/x", "http://B\u00dcCHER.test:80"):
        assert not robots.allowed(url, "rex")
        assert not robots.allowed(url.encode(), "rex")
    assert robots.allowed(b"http://other.test/x", "rex")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("rule", ["/caf\u00e9", "/caf%C3%A9", "/caf%", "/caf", "/\xff"])
def test_ours_o17_a_url_in_bytes_is_the_url_in_text(rule: str, dialect: str) -> None:
    """Its bytes are compared as they are written, and percent-decoded."""
    robots = RobotsTxt.parse(f"User-agent: *\nDisallow: {rule}\n", dialect=dialect)
    for url in ("http://h.test/caf\u00e9", "/caf\u00e9/x", "http://h.test/caf%C3%A9"):
        verdict = robots.verdict(url, "rex")
        assert robots.verdict(url.encode(), "rex") == verdict
        assert robots.allowed(url.encode(), "rex") is verdict.allowed


def test_ours_o17_a_byte_of_a_url_that_is_not_utf8_is_that_byte() -> None:
    """It equals its percent-encoding, and does not begin with the `%` of it."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /caf%E9\nDisallow: /%\n")

    assert not robots.allowed(b"http://h.test/caf\xe9", "rex")
    assert robots.allowed(b"http://h.test/\xf0", "rex")
    assert robots.allowed(b"http://\xf0.test/a", "rex")
