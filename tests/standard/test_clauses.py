"""The 1994 text: at least one test for each clause and for each of its consequences."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import LineKind, Origin, Reason, RobotsTxt
from tests.standard.asking import allowed, disallowing, kinds


def test_1994_m1_policy_is_at_robots_txt() -> None:
    """The file of an origin has the path /robots.txt."""
    origin = Origin.of("http://a.example/deep/page?q")

    assert origin is not None
    assert origin.robots_url == "http://a.example/robots.txt"


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\r", "\n\r\n\r"])
def test_1994_f1_blank_lines_separate_records(gap: str) -> None:
    """One or more blank lines separate two records."""
    body = f"User-agent: a\nDisallow: /a\n{gap}User-agent: b\nDisallow: /b\n"

    names = [record.names for record in RobotsTxt.parse(body).records]

    assert names == [("a",), ("b",)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_1994_f2_line_ends_with_cr_crlf_or_nl(end: str) -> None:
    """CR, CR NL and NL are equivalent."""
    body = f"User-agent: *{end}Disallow: /a{end}Disallow: /b"

    assert [line.number for line in RobotsTxt.parse(body).lines] == [1, 2, 3]
    assert not allowed(body, "/b")


@pytest.mark.parametrize("character", "\v\f\x1c\x1d\x1e\x85\u2028\u2029")
def test_1994_f2_nothing_else_ends_a_line(character: str) -> None:
    """Other line ends of `str.splitlines()` are part of the value."""
    body = disallowing(f"/a{character}b")

    assert len(RobotsTxt.parse(body).lines) == 2
    assert allowed(body, "/a")
    assert not allowed(body, f"/a{character}b")


def test_1994_f2_nl_cr_is_two_line_ends() -> None:
    """NL CR ends a line and adds a blank one."""
    assert kinds("User-agent: *\n\rDisallow: /")[1] is LineKind.BLANK


@pytest.mark.parametrize("line", ["Disallow:/x", "Disallow: /x", "Disallow:  /x \t"])
def test_1994_f3_space_around_the_value_is_optional(line: str) -> None:
    """Spaces and tabs around the value do not belong to it."""
    robots = RobotsTxt.parse(f"User-agent: *\n{line}")

    assert robots.lines[1].value == "/x"
    assert not allowed(robots.text, "/x")


def test_1994_f3_nothing_else_is_stripped_from_a_value() -> None:
    """Any other character at either end of a value belongs to it."""
    ends = [chr(code) for code in range(128) if chr(code) not in " \t\r\n#"]
    values = [f"{end}/x{end}" for end in ends]

    records = RobotsTxt.parse("".join(f"{disallowing(it)}\n" for it in values)).records

    assert [record.rules[0].value for record in records] == values


@pytest.mark.parametrize("field", ["disallow", "DISALLOW", "DisAllow"])
def test_1994_f4_field_names_compare_without_case(field: str) -> None:
    """A field name may be in any case."""
    assert not allowed(f"uSER-aGENT: *\n{field}: /x", "/x")


@pytest.mark.parametrize("field", ["Di\u017fallow", "D\u0131sallow"])
def test_1994_f4_only_ascii_letters_compare_without_case(field: str) -> None:
    """A letter that only Unicode folds to an ASCII one makes another field."""
    assert allowed(f"User-agent: *\n{field}: /x", "/x")


def test_1994_f5_comment_is_removed_with_the_space_before_it() -> None:
    """The rest of the line from `#` is not part of the value either."""
    line = RobotsTxt.parse("User-agent: * \t# all: of them").lines[0]

    assert (line.value, line.comment) == ("*", "# all: of them")


@pytest.mark.parametrize("comment", ["#", "# x", " \t# x", "#Disallow: /y"])
def test_1994_f5_comment_line_does_not_end_a_record(comment: str) -> None:
    """A line with only a comment is ignored."""
    body = f"User-agent: *\n{comment}\nDisallow: /x\n{comment}\nDisallow: /z"

    assert not allowed(body, "/x")
    assert not allowed(body, "/z")
    assert allowed(body, "/y")


@pytest.mark.parametrize(
    "line", ["Allow: /", "Crawl-delay: 1", "Sitemap: http://x/", "Disallowed: /y", ":x"]
)
def test_1994_f6_other_fields_are_ignored_anywhere(line: str) -> None:
    """An unknown field has no effect and does not separate the lines around it."""
    body = f"{line}\nUser-agent: a\n{line}\nUser-agent: rex\n{line}\nDisallow: /x\n"

    record = RobotsTxt.parse(body).records[0]

    assert record.names == ("a", "rex")
    assert not allowed(body, "/x")
    assert allowed(body, "/y")


@pytest.mark.parametrize("field", ["Disalow", "Useragent", "User agent", "User_agent"])
def test_1994_f6_misspelt_field_is_unknown(field: str) -> None:
    """The parser does not guess which field was meant."""
    assert kinds(f"{field}: *") == [LineKind.UNKNOWN]


def test_1994_a1_several_names_share_one_policy() -> None:
    """The Disallow lines of a record apply to all its User-agent lines."""
    body = "User-agent: a\nUser-agent: b\nDisallow: /x"

    assert not allowed(body, "/x", "a")
    assert not allowed(body, "/x", "b")
    assert allowed(body, "/x", "c")


@pytest.mark.parametrize("value", ["rex", "REX", "Re", "t-rex"])
def test_1994_a2_substring_of_the_name_without_case(value: str) -> None:
    """A record applies if its value is part of the robot's name."""
    assert not allowed(disallowing("/", value), "/", "T-Rex/2.0")


def test_1994_a2_version_is_not_compared() -> None:
    """A record does not apply if its value is only in the robot's version."""
    assert allowed(disallowing("/", "2.0"), "/", "T-Rex/2.0")


def test_1994_a3_default_record_is_for_robots_without_their_own() -> None:
    """A robot with a record of its own does not obey `*`, above or below it."""
    body = f"{disallowing('/')}\n{disallowing('/x', 'rex')}\n{disallowing('/')}"

    assert allowed(body, "/y", "rex")
    assert not allowed(body, "/y", "other")


def test_1994_a3_asterisk_inside_a_name_is_literal() -> None:
    """`r*x` applies only to a robot whose name contains `r*x`."""
    assert allowed(disallowing("/", "r*x"), "/", "rex")
    assert not allowed(disallowing("/", "r*x"), "/", "r*x")
    assert allowed(disallowing("/", "rex*"), "/", "rex")


@pytest.mark.parametrize("path", ["/help.html", "/help/x", "/help", "/helpless?x"])
def test_1994_d1_path_covers_every_url_that_begins_with_it(path: str) -> None:
    """A file, a directory and a query may follow."""
    assert not allowed(disallowing("/help"), path)


def test_1994_d1_directory_covers_only_its_contents() -> None:
    """`/help/` covers neither `/help.html` nor `/help`."""
    assert not allowed(disallowing("/help/"), "/help/x")
    assert allowed(disallowing("/help/"), "/help.html")
    assert allowed(disallowing("/help/"), "/help")


@pytest.mark.parametrize("rule", ["/*.php", "/x$", "*", "/a*b"])
def test_1994_d1_path_is_literal(rule: str) -> None:
    """`*` and `$` in a value have no special meaning."""
    assert allowed(disallowing(rule), "/x")
    assert allowed(disallowing(rule), "/axb/x.php")
    if rule.startswith("/"):
        assert not allowed(disallowing(rule), rule)


def test_1994_d1_query_belongs_to_the_url() -> None:
    """A value may include the beginning of a query string."""
    assert not allowed(disallowing("/s?q="), "/s?q=1")
    assert allowed(disallowing("/s?q="), "/s?p=1")
    assert not allowed(disallowing("/"), "http://a.example?q")


def test_1994_d1_paths_compare_with_case() -> None:
    """`/Help` is not `/help`."""
    assert allowed(disallowing("/Help"), "/help")


def test_1994_d1_line_may_have_any_length() -> None:
    """A long value is compared to its last character."""
    path = "/" + "x" * 100_000

    assert not allowed(disallowing(path + "y"), path + "yz")
    assert allowed(disallowing(path + "y"), path + "z")


def test_1994_d2_empty_value_allows_everything() -> None:
    """A record with an empty Disallow allows its robots everything."""
    body = f"{disallowing('', 'rex')}\n{disallowing('/')}"

    verdict = RobotsTxt.parse(body).verdict("http://a.example/x", "rex")

    assert (verdict.allowed, verdict.reason) == (True, Reason.NO_RULE)


def test_1994_d3_record_without_disallow_is_reported() -> None:
    """A record must have a Disallow line."""
    problems = RobotsTxt.parse("User-agent: rex\n").problems

    assert [(it.line, it.weakens_policy) for it in problems] == [(1, True)]


@pytest.mark.parametrize("body", ["", "\n\n", "# nothing\n", b"", "\ufeff"])
def test_1994_e1_empty_file_permits_every_robot(body: str | bytes) -> None:
    """A file without a record is like no file."""
    verdict = RobotsTxt.parse(body).verdict("http://a.example/", "rex")

    assert (verdict.allowed, verdict.reason) == (True, Reason.EMPTY)
