"""The 1994 text, one test or more for each clause and each thing that follows."""

from __future__ import annotations

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import LineKind, Reason
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser.asking import allowed, closed, kinds


def test_1994_m1_the_policy_is_at_robots_txt() -> None:
    """The file of an origin is at its local URL /robots.txt."""
    origin = Origin.of("http://a.example/deep/page?q")

    assert origin is not None
    assert origin.robots_url == "http://a.example/robots.txt"


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\r", "\n\r\n\r"])
def test_1994_f1_blank_lines_separate_records(gap: str) -> None:
    """One blank line or more parts two records."""
    body = f"User-agent: a\nDisallow: /a\n{gap}User-agent: b\nDisallow: /b\n"

    names = [record.names for record in RobotsTxt.parse(body).records]

    assert names == [("a",), ("b",)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_1994_f2_three_ends_of_line(end: str) -> None:
    """CR, CR NL and NL end a line, each as well as the others."""
    body = f"User-agent: *{end}Disallow: /a{end}Disallow: /b"

    assert [line.number for line in RobotsTxt.parse(body).lines] == [1, 2, 3]
    assert not allowed(body, "/b")


@pytest.mark.parametrize("character", "\v\f\x1c\x1d\x1e\x85\u2028\u2029")
def test_1994_f2_nothing_else_ends_a_line(character: str) -> None:
    """What Python calls a line end is part of the value."""
    body = closed(f"/a{character}b")

    assert len(RobotsTxt.parse(body).lines) == 2
    assert allowed(body, "/a")
    assert not allowed(body, f"/a{character}b")


def test_1994_f2_nl_cr_is_two_line_ends() -> None:
    """NL CR is a line end and a blank line, not a line end of its own kind."""
    assert kinds("User-agent: *\n\rDisallow: /")[1] is LineKind.BLANK


@pytest.mark.parametrize("line", ["Disallow:/x", "Disallow: /x", "Disallow:  /x \t"])
def test_1994_f3_space_around_the_value_is_optional(line: str) -> None:
    """The value is what stands between the space after the colon and the end."""
    robots = RobotsTxt.parse(f"User-agent: *\n{line}")

    assert robots.lines[1].value == "/x"
    assert not allowed(robots.text, "/x")


def test_1994_f3_nothing_else_is_taken_off_a_value() -> None:
    """Any other character at either end of a value belongs to it."""
    ends = [chr(code) for code in range(128) if chr(code) not in " \t\r\n#"]
    values = [f"{end}/x{end}" for end in ends]

    records = RobotsTxt.parse("".join(f"{closed(it)}\n" for it in values)).records

    assert [record.rules[0].value for record in records] == values


@pytest.mark.parametrize("field", ["disallow", "DISALLOW", "DisAllow"])
def test_1994_f4_field_names_compare_without_case(field: str) -> None:
    """A field name counts in any case."""
    assert not allowed(f"uSER-aGENT: *\n{field}: /x", "/x")


@pytest.mark.parametrize("field", ["Di\u017fallow", "D\u0131sallow"])
def test_1994_f4_case_is_that_of_ascii(field: str) -> None:
    """A letter that only Unicode folds to an ASCII one makes another field."""
    assert allowed(f"User-agent: *\n{field}: /x", "/x")


def test_1994_f5_a_comment_goes_with_the_space_before_it() -> None:
    """`#`, the space before it and the rest of the line are discarded."""
    line = RobotsTxt.parse("User-agent: * \t# all: of them").lines[0]

    assert (line.value, line.comment) == ("*", "# all: of them")


@pytest.mark.parametrize("comment", ["#", "# x", " \t# x", "#Disallow: /y"])
def test_1994_f5_a_comment_line_is_no_boundary(comment: str) -> None:
    """A line that holds only a comment vanishes."""
    body = f"User-agent: *\n{comment}\nDisallow: /x\n{comment}\nDisallow: /z"

    assert not allowed(body, "/x")
    assert not allowed(body, "/z")
    assert allowed(body, "/y")


@pytest.mark.parametrize(
    "line", ["Allow: /", "Crawl-delay: 1", "Sitemap: http://x/", "Disallowed: /y", ":x"]
)
def test_1994_f6_other_fields_are_ignored_anywhere(line: str) -> None:
    """An unknown field neither counts nor parts what stands around it."""
    body = f"{line}\nUser-agent: a\n{line}\nUser-agent: rex\n{line}\nDisallow: /x\n"

    record = RobotsTxt.parse(body).records[0]

    assert record.names == ("a", "rex")
    assert not allowed(body, "/x")
    assert allowed(body, "/y")


@pytest.mark.parametrize("field", ["Disalow", "Useragent", "User agent", "User_agent"])
def test_1994_f6_a_misspelt_field_is_unknown(field: str) -> None:
    """Nothing that is nearly a field name is taken for it."""
    assert kinds(f"{field}: *") == [LineKind.UNKNOWN]


def test_1994_a1_several_names_share_one_policy() -> None:
    """All User-agent lines of a record get its Disallow lines."""
    body = "User-agent: a\nUser-agent: b\nDisallow: /x"

    assert not allowed(body, "/x", "a")
    assert not allowed(body, "/x", "b")
    assert allowed(body, "/x", "c")


@pytest.mark.parametrize("value", ["rex", "REX", "Re", "t-rex"])
def test_1994_a2_substring_of_the_name_without_case(value: str) -> None:
    """A value that is part of the robot's name speaks to the robot."""
    assert not allowed(closed("/", value), "/", "T-Rex/2.0")


def test_1994_a2_the_version_is_not_compared() -> None:
    """A value that is only in the version does not speak to the robot."""
    assert allowed(closed("/", "2.0"), "/", "T-Rex/2.0")


def test_1994_a3_the_default_is_for_robots_no_record_names() -> None:
    """A robot that a record names does not obey `*`, wherever that stands."""
    body = f"{closed('/')}\n{closed('/x', 'rex')}\n{closed('/')}"

    assert allowed(body, "/y", "rex")
    assert not allowed(body, "/y", "other")


def test_1994_a3_a_star_inside_a_name_is_a_letter() -> None:
    """`foo*bar` is the name of nobody but `foo*bar`."""
    assert allowed(closed("/", "r*x"), "/", "rex")
    assert not allowed(closed("/", "r*x"), "/", "r*x")
    assert allowed(closed("/", "rex*"), "/", "rex")


@pytest.mark.parametrize("path", ["/help.html", "/help/x", "/help", "/helpless?x"])
def test_1994_d1_a_path_covers_what_starts_with_it(path: str) -> None:
    """A value covers every URL that begins with it."""
    assert not allowed(closed("/help"), path)


def test_1994_d1_a_folder_does_not_cover_its_sibling() -> None:
    """`/help/` covers what is inside, and not `/help.html`."""
    assert not allowed(closed("/help/"), "/help/x")
    assert allowed(closed("/help/"), "/help.html")
    assert allowed(closed("/help/"), "/help")


@pytest.mark.parametrize("rule", ["/*.php", "/x$", "*", "/a*b"])
def test_1994_d1_a_path_is_literal(rule: str) -> None:
    """`*` and `$` in a value stand for themselves."""
    assert allowed(closed(rule), "/x")
    assert allowed(closed(rule), "/axb/x.php")
    if rule.startswith("/"):
        assert not allowed(closed(rule), rule)


def test_1994_d1_the_query_belongs_to_the_url() -> None:
    """A value may reach into the query string."""
    assert not allowed(closed("/s?q="), "/s?q=1")
    assert allowed(closed("/s?q="), "/s?p=1")
    assert not allowed(closed("/"), "http://a.example?q")


def test_1994_d1_paths_compare_with_case() -> None:
    """`/Help` is not `/help`."""
    assert allowed(closed("/Help"), "/help")


def test_1994_d1_a_line_may_have_any_length() -> None:
    """A long value counts to its last character."""
    path = "/" + "x" * 100_000

    assert not allowed(closed(path + "y"), path + "yz")
    assert allowed(closed(path + "y"), path + "z")


def test_1994_d2_an_empty_value_allows_everything() -> None:
    """A record with an empty Disallow opens the site to its robots."""
    body = f"{closed('', 'rex')}\n{closed('/')}"

    verdict = RobotsTxt.parse(body).verdict("http://a.example/x", "rex")

    assert (verdict.allowed, verdict.reason) == (True, Reason.NO_RULE)


def test_1994_d3_a_record_without_disallow_is_reported() -> None:
    """A record needs a Disallow line; one that has none is a problem."""
    problems = RobotsTxt.parse("User-agent: rex\n").problems

    assert [(it.line, it.weakens_policy) for it in problems] == [(1, True)]


@pytest.mark.parametrize("body", ["", "\n\n", "# nothing\n", b"", "\ufeff"])
def test_1994_e1_empty_file_permits_every_robot(body: str | bytes) -> None:
    """A file without a record is as good as none."""
    verdict = RobotsTxt.parse(body).verdict("http://a.example/", "rex")

    assert (verdict.allowed, verdict.reason) == (True, Reason.EMPTY)
