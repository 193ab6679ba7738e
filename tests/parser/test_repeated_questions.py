"""Rules that have answered a question, and caches in general, change no answer."""

from __future__ import annotations

import pytest

from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.standard.asking import HOST

PATHS = ["/", "/a", "/a/b", "/a/b/c", "/b", "/b/c", "/c", "/d", "/%61", "/%62", "/a#x"]
PATHS += ["/robots.txt", "/robots.txt#x", "/robots.txt?a", "/d#/a", "/\u00e4"]

FILES = {
    "paths": "Disallow: /a\nDisallow: /b/c\nDisallow: /d\n",
    "everything": "Disallow: /\n",
    "a URL": f"Disallow: {HOST}/b\n",
    "a URL in another spelling": "Disallow: HTTP://A.Example:80/b\n",
    "a URL elsewhere": "Disallow: http://b.example/\n",
    "both": f"Disallow: /d\nDisallow: {HOST}/a/b\nDisallow: /%61/x\n",
    "two records": f"Disallow: /a\n\nUser-agent: *\nDisallow: {HOST}/b\n",
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("rules", FILES.values(), ids=list(FILES))
def test_repeated_question_gets_the_same_verdict(rules: str, dialect: str) -> None:
    """URLs of several origins, in any order, compared with a newly parsed file."""
    body = f"User-agent: *\n{rules}"
    robots = RobotsTxt.parse(body, dialect=dialect)
    compiled = robots.rules("rex")
    urls = [host + path for path in PATHS for host in (HOST, "http://b.example", "")]

    for url in [*urls, *reversed(urls), *sorted(urls)]:
        expected = RobotsTxt.parse(body, dialect=dialect).verdict(url, "rex").allowed
        assert compiled.allowed_url(url) is expected, url
        assert compiled.allowed_url(url.encode()) is expected, url


def test_allow_line_does_not_override_a_split_record_in_the_cautious_reading() -> None:
    """Ours O5, X3: rules after a blank line disallow, whatever another record allows."""
    body = "User-agent: *\n\nDisallow: /x\nUser-agent: *\nAllow: /x\n"
    literal = RobotsTxt.parse(body, dialect="extended")
    cautious = literal.read_as("cautious")

    assert literal.allowed("/x", "rex")
    assert str(literal.verdict("/x", "rex")).startswith("allowed by line 5")
    assert not cautious.allowed("/x", "rex")
    assert str(cautious.verdict("/x", "rex")).startswith("disallowed by line 3")


@pytest.mark.parametrize("start", ["\n ", "\r\n\t", " ", "# x\n ", "\n\n  "])
def test_first_record_may_be_indented_or_preceded_by_other_lines(start: str) -> None:
    """Blank lines, comments and spaces before it do not matter."""
    body = f"{start}User-agent: rex\nDisallow: /\n"

    assert not RobotsTxt.parse(body).allowed("/x", "rex")


@pytest.mark.parametrize("start", ["#", "# ", "x", "Not-", "\v", "\u00a0", "*: "])
def test_text_before_a_field_makes_another_field_or_a_comment(start: str) -> None:
    """Only spaces and tabs may precede a field name on its line."""
    for above in ("", "\n", "Sitemap: /\n"):
        body = f"{above}{start}User-agent: rex\nDisallow: /\n"

        assert RobotsTxt.parse(body).allowed("/x", "rex")


@pytest.mark.parametrize("end", ["\\q", "?q", "#q", ":80", ""])
@pytest.mark.parametrize("robot", ["rex", "other"])
def test_backslash_query_and_fragment_end_the_authority(end: str, robot: str) -> None:
    """A slash after them is not the beginning of the path."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /a\n")
    url = f"http://h.test{end}/abc"
    expected = robots.verdict(url, robot).allowed
    assert robots.allowed("http://other.test/x", robot)

    assert robots.allowed(url, robot) is (end not in ("", ":80"))
    assert robots.allowed(url, robot) is expected
    assert robots.verdict(url, robot).allowed is expected
