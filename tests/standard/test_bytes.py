"""The `Ours` list, O16 to O27: bytes, percent-encoding, values, limits, URLs."""

from __future__ import annotations

from string import printable, whitespace

import pytest

from scrapy_robots1994 import LineKind, Reason, RobotsTxt
from tests.standard.asking import (
    DIALECTS,
    HOST,
    PREFIX_DIALECTS,
    allowed,
    clauses,
    disallowing,
    kinds,
)

FILE = disallowing("/caf\u00e9")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_ours_o16_byte_order_mark_is_removed(encoding: str) -> None:
    """The first line is read as usual; the mark is reported."""
    body = FILE.encode(encoding)

    assert RobotsTxt.parse(body).text == FILE
    assert clauses(body) == ["O16"]


def test_ours_o16_utf_16_is_decoded_only_with_a_byte_order_mark() -> None:
    """Without it a big-endian file has no records."""
    body = FILE.encode("utf-16-be")

    assert RobotsTxt.parse(b"\xfe\xff" + body).text == FILE
    assert RobotsTxt.parse(body).records == ()


@pytest.mark.parametrize("body", ["\ufeff" * 2 + FILE, b"\xef\xbb\xbf" * 2 + b"x: y"])
def test_ours_o16_second_byte_order_mark_is_text(body: str | bytes) -> None:
    """Only the first is removed; the second makes an unknown field."""
    assert kinds(body)[0] is LineKind.UNKNOWN


def test_ours_o17_undecodable_byte_stays_in_the_rule() -> None:
    """Removing it could turn an unknown field into a known one."""
    body = b"User-agent: *\nDis\xffallow: /x\n"

    assert allowed(body, "/x")
    assert clauses(body) == ["O3", "F6", "O17"]


def test_ours_o17_replacement_character_in_the_file_is_text() -> None:
    """Only bytes that could not be decoded are reported."""
    assert clauses("# \ufffd") == []


def test_ours_o17_lone_surrogates_of_a_str_are_replaced() -> None:
    """A str that cannot be encoded is parsed, too."""
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
    """A rule covers a path if either the literal or the decoded prefix matches."""
    assert not allowed(disallowing(rule), path)


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
def test_ours_o18_other_resources_are_allowed(rule: str, path: str) -> None:
    """`%2F` is not a slash, decoding is done once, and bytes are not characters."""
    assert allowed(disallowing(rule), path)


def test_ours_o19_absolute_url_is_compared_with_the_whole_url() -> None:
    """Scheme, host and default port of such a value compare like origins."""
    body = disallowing("HTTP://A.example:80/x")

    assert not allowed(body, "http://a.example/x/y")
    assert allowed(body, "https://a.example/x/y")
    assert allowed(body, "http://a.example/y")
    assert clauses(body) == ["O19"]


@pytest.mark.parametrize("rule", ["http://a.ex", "http://A", "http://a.example/%7e"])
def test_ours_o19_absolute_url_may_be_partial_or_encoded(rule: str) -> None:
    """It may end within the host, and its path may be percent-encoded."""
    assert not allowed(disallowing(rule), "http://a.example/~x")
    assert not allowed(disallowing(rule), "http://a.example/%7Ex")


def test_ours_o19_url_without_a_path_is_a_prefix_as_written() -> None:
    """As written, its port may continue; normalised, it is the whole origin."""
    body = disallowing("http://a.example:80")

    assert not allowed(body, "http://a.example:8080/")
    assert not allowed(body, "http://a.example/")
    assert allowed(body, "http://a.example.net/")
    assert allowed(body, "http://b.example/")


def test_ours_o19_absolute_rule_covers_only_http_urls() -> None:
    """It covers neither a path without an origin nor a URL with another scheme."""
    body = disallowing("http://a.example/")

    assert RobotsTxt.parse(body).allowed("/x", "rex")
    assert allowed(body, "ftp://a.example/x")
    assert not RobotsTxt.parse(body).allowed(f"{HOST}/x", "rex")


@pytest.mark.parametrize("rule", ["x", "*", "help/", "?q", "//x:y", "1://a.example/"])
def test_ours_o20_value_that_is_not_a_path_matches_nothing(rule: str) -> None:
    """It is literal, and reported unless it begins with a slash."""
    body = disallowing(rule)

    assert allowed(body, "/x")
    assert allowed(body, "/help/")
    assert clauses(body) == ([] if rule.startswith("/") else ["O20"])


def test_ours_o21_empty_disallow_among_others_has_no_effect() -> None:
    """The other rules apply, and the contradiction is reported."""
    body = "User-agent: *\nDisallow: /x\nDisallow:\n"

    assert not allowed(body, "/x")
    assert clauses(body) == ["O21"]


@pytest.mark.parametrize("path", ["/robots.txt", "/robots.txt#x", "/%72obots%2etxt"])
def test_ours_o22_robots_txt_itself_is_always_allowed(path: str) -> None:
    """No rule disallows /robots.txt, in any spelling."""
    body = "User-agent: *\nDisallow: /\nDisallow: http://a.example/"

    verdict = RobotsTxt.parse(body).verdict(HOST + path, "rex")

    assert allowed(body, path)
    assert (verdict.allowed, verdict.reason) == (True, Reason.ROBOTS_TXT)


@pytest.mark.parametrize("path", ["/robots.txt?x", "/robots.txt.gz", "/Robots.txt"])
def test_ours_o22_similar_path_is_not_robots_txt(path: str) -> None:
    """The rules apply to any other target."""
    assert not allowed(disallowing("/"), path)


def test_ours_o23_html_has_no_record() -> None:
    """An HTML page in place of the file is read literally and disallows nothing."""
    body = "<html><head><title>404: gone</title>\n<p>\nUser-agents are welcome.</html>"

    assert RobotsTxt.parse(body).records == ()
    assert allowed(body, "/")


@pytest.mark.parametrize(
    ("limit", "lines"), [(0, 0), (5, 0), (14, 1), (15, 1), (26, 1), (27, 2), (99, 3)]
)
def test_ours_o24_only_whole_lines_within_the_limit_count(
    limit: int, lines: int
) -> None:
    """The line that the limit cuts is dropped."""
    body = "User-agent: *\nDisallow: /x\r\nDisallow: /y"

    robots = RobotsTxt.parse(body, limit=limit)

    assert len(robots.lines) == lines
    assert robots.is_truncated is (limit < len(body))
    assert ("O24" in [it.clause for it in robots.problems]) is robots.is_truncated


def test_ours_o24_incomplete_last_line_of_a_truncated_body_is_dropped() -> None:
    """The beginning of a line could be another rule."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /x", truncated=True)

    assert robots.is_truncated
    assert robots.text == "User-agent: *\n"


@pytest.mark.parametrize("character", "\x00\x01\x08\x1b\x7f")
def test_ours_o25_control_characters_are_ordinary(character: str) -> None:
    """They belong to the value, and are escaped when printed."""
    body = disallowing(f"/a{character}b")

    verdict = RobotsTxt.parse(body).verdict(f"{HOST}/a{character}bc", "rex")

    assert not verdict.allowed
    assert character not in str(verdict)


def test_ours_o26_fragment_is_not_compared() -> None:
    """A fragment neither matches a rule nor prevents a match."""
    assert allowed(disallowing("/a%23b"), "/a#b")
    assert not allowed(disallowing("/a%23b"), "/a%23b")
    assert not allowed(disallowing("/a"), "/a#b")
    assert not allowed(disallowing("/"), "http://a.example#/x")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("rule", ["/caf\u00e9", "/caf%C3%A9", "/caf%", "/caf", "/\xff"])
def test_ours_o17_url_has_the_same_verdict_as_bytes_and_as_str(
    rule: str, dialect: str
) -> None:
    """Bytes are UTF-8, literally and percent-encoded."""
    robots = RobotsTxt.parse(f"User-agent: *\nDisallow: {rule}\n", dialect=dialect)
    for url in ("http://h.test/caf\u00e9", "/caf\u00e9/x", "http://h.test/caf%C3%A9"):
        verdict = robots.verdict(url, "rex")
        assert robots.verdict(url.encode(), "rex") == verdict
        assert robots.allowed(url.encode(), "rex") is verdict.allowed


def test_ours_o17_byte_of_a_url_that_is_not_utf8_equals_its_encoding() -> None:
    """A rule that is a prefix of the percent-encoding does not cover it."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /caf%E9\nDisallow: /%\n")

    assert not robots.allowed(b"http://h.test/caf\xe9", "rex")
    assert robots.allowed(b"http://h.test/\xf0", "rex")
    assert robots.allowed(b"http://\xf0.test/a", "rex")


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("http://h.te", "http://u:p@h.test/x"),
        ("http://h.test", "http://u@h.test.example/x"),
        ("http://h.test:80", "http://u@h.test:8080/"),
        ("http://h.test", "http://u:p@h.test/x"),
        ("http://h.test/x", "http://u:p@h.test/xy"),
        ("http://u:p@h.test/x", "http://h.test/x"),
        ("http://u:p@h.test/x", "http://v:q@h.test/x"),
        ("http://u:p@h.test", "http://h.test/x"),
    ],
)
@pytest.mark.parametrize("dialect", PREFIX_DIALECTS)
def test_ours_o19_user_name_and_password_are_left_out(
    rule: str, url: str, dialect: str
) -> None:
    """A URL with them is judged as the same URL without, and so is a rule."""
    assert not allowed(disallowing(rule), url, dialect=dialect)


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/private", "/a/../private"),
        ("/private", "/a/%2e%2E/private"),
        ("/private", "/a/.%2e/private"),
        ("/private", "/./private"),
        ("/private", "/a/b/../../private/x"),
        ("/private", "/../private"),
        ("/private", "/a\\..\\private"),
        ("/a/", "/x/../a/b/.."),
        ("/a/", "/x/../a/."),
        ("/a", "/a/../b"),
        ("/a/..", "/a/../b"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_ours_o27_url_is_judged_with_and_without_dot_segments(
    rule: str, path: str, dialect: str
) -> None:
    """It is disallowed if one of the two spellings is."""
    assert not allowed(disallowing(rule), path, dialect=dialect)


@pytest.mark.parametrize(
    ("rule", "path"),
    [("/private", "/a?/../private"), ("/private", "/.../private"), ("/b", "/a/..b")],
)
def test_ours_o27_query_and_other_names_have_no_dot_segments(
    rule: str, path: str
) -> None:
    """Only a segment of one or two dots is one."""
    assert allowed(disallowing(rule), path)


@pytest.mark.parametrize(
    "path", ["/pri\tvate", "/\nprivate", "/private\r", "/a/.\t./private"]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_ours_o27_url_is_judged_with_and_without_raw_tabs_and_line_ends(
    path: str, dialect: str
) -> None:
    """Some clients remove them before all else."""
    assert not allowed(disallowing("/private"), path, dialect=dialect)


def test_ours_o27_verdict_names_the_spelling_that_the_rule_covers() -> None:
    """Its sentence says which path the URL means."""
    verdict = RobotsTxt.parse(disallowing("/private")).verdict("/a/../private?q", "rex")

    assert (verdict.line, verdict.spelling) == (2, "/private?q")
    assert str(verdict).endswith('; the URL means "/private?q"')
    assert RobotsTxt.parse(disallowing("/a")).verdict("/a/..", "rex").spelling is None


LAST_LINE_OPEN = b"User-agent: *\nDisallow: /a"


def test_ours_o24_file_as_long_as_the_limit_is_whole() -> None:
    """Its last line is obeyed; of a file one byte longer, it is not."""
    size = len(LAST_LINE_OPEN)
    whole, longer = (RobotsTxt.parse(LAST_LINE_OPEN, limit=size - it) for it in (0, 1))

    assert (whole.is_truncated, whole.allowed("/a", "rex")) == (False, False)
    assert (longer.is_truncated, longer.allowed("/a", "rex")) == (True, True)


@pytest.mark.parametrize("limit", [0, -1])
def test_ours_o24_limit_of_zero_or_less_leaves_an_empty_body(limit: int) -> None:
    """Not even an empty first line stays."""
    robots = RobotsTxt.parse(b"\n" + LAST_LINE_OPEN, limit=limit)

    assert (robots.body, robots.is_truncated) == (b"", True)


def test_ours_o06_visible_character_at_the_end_belongs_to_the_value() -> None:
    """Only spaces, tabs and the line end are removed from names and paths."""
    for letter in set(printable) - set(whitespace) - set("#%/"):
        body = f"User-agent: a{letter}\nDisallow: /b{letter}\n"

        assert not allowed(body, f"/b{letter}", f"a{letter}")
        assert allowed(body, "/b", f"a{letter}"), letter
        assert allowed(body, f"/b{letter}", "a"), letter
