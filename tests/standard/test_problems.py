"""Each kind of problem: files that have the problem, and its place, message and fix."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import codes

STAR = "User-agent: *\n"

PLACES: list[tuple[str | bytes, str]] = [
    ("  Disallow: /", "R011:1:1 R001!:1:3"),
    ("User-agent: a\n \n\nDisallow: /", "R002!:2:1"),
    ("User-agent: a\n\n# x\nDisallow: /\nDisallow: /y", "R002!:2:1"),
    ("# x\nUser-agent: a", "R003!:2:1"),
    (" User-agent: # a", "R004!:1:2"),
    ("User-agent: a\nDisallow:  x", "R005!:2:12"),
    ("\thello", "R006:1:2"),
    ("User-agent: a\nDisallow:\nUser-agent: b\nDisallow:", "R007:3:1"),
    ("User-agent: a\n\nDisallow: /\nUser-agent: b\nDisallow: /", "R002!:2:1 R007:4:1"),
    (STAR + "Disallow:\n\nUser-agent: b\nUser-agent: *\nDisallow:", "R008:5:1"),
    ("User-agent: a\nDisallow:\nDisallow: /\nDisallow:", "R009:2:1 R009:4:1"),
    (" Fields: /", "R010:1:2"),
    ("User-agent : a\n Disallow: /", "R011:1:1 R011:2:1"),
    ("\ufeff", "R012:1:1"),
    (b"# x\n# a\xff\xff", "R013:2:4"),
    (STAR.encode() + b"Disallow: /caf\xe9", "R013:2:15"),
    (STAR + "Disallow: /*.php", "R015!:2:12"),
    (STAR + "Disallow: /x.php$", "R015!:2:17"),
    (STAR + "Disallow: /cash$/x", ""),
    (STAR + "Disallow: /\nAllow: /a", "R016:3:1"),
    (STAR + "Disallow: /\nCRAWL-delay: 5", "R017:3:1"),
    (STAR + "Disallow: /\nSitemap : https://x/y", "R018:3:1"),
    (STAR + "Disallow: /\nClean-param: s", "R019:3:1"),
    (STAR + "Disallow: /\n Disalow: /a", "R020!:3:2"),
    (STAR + "Disallow: /\nDisallow /a", "R021!:3:1"),
    (STAR + "Disallow: /\nUser agent rex", "R021!:3:1"),
    (STAR + "Disallow: /\nDisallow=/a", "R021!:3:1"),
    (STAR + "Disallow: /\nDisallow", "R006:3:1"),
    (STAR + "Disallow: /a\nDisallow: /%61", "R022:3:1"),
    (STAR + "Disallow: /a/b\nDisallow: /a", "R023:2:1"),
    (STAR + "Disallow: /a\nDisallow: /b\nDisallow:", "R009:4:1"),
    ("User-agent: bot\nDisallow: /\n\nUser-agent: GoogleBot\nDisallow: /a", "R024:4:1"),
    ("User-agent: a\nUser-agent: A\nDisallow: /", ""),
    ("\n <!DOCTYPE html>\n<p>a: b</p>\nno colon", "R025:2:2"),
    (STAR + "Allow: /", "R026:1:1"),
    (STAR + "Disallow: /\rDisallow: ", "R027:2:11 R009:3:1"),
    ("#\r#", "R027:1:1"),
    ("\r#", "R027:1:1"),
    (STAR + "Disallow: /a\u200bb", "R028:2:11"),
    ("User-agent: a, b\nDisallow: /", "R029!:1:14"),
    ("User-agent: abot bbot\nDisallow: /", "R029!:1:13"),
    ("User-agent: a/1, b/2\nDisallow: /", "R029!:1:16"),
    ('User-agent: "*"\nDisallow: /', "R042!:1:13"),
    (STAR + "Disallow: /#!/a", "R041:2:12"),
    ("User-agent: * Disallow: /", "R039!:1:15"),
    (STAR + "Disallow: /x Disallow: /y", "R039!:2:14"),
    (STAR + "Disallow: /x;Disallow:/y", "R039!:2:14"),
    (STAR + "Disallow: /x\\nDisallow:/y", "R039!:2:15"),
    (STAR + "Disallow: /x:y,z;*", "R015!:2:18"),
    (STAR + "Disallow: /x\u200b", "R038!:2:13"),
    (STAR + "Disallow: /\n\xa0Disallow: /x", "R038!:3:1"),
    (STAR + "Disallow: /\nDisallow\uff1a/x", "R038!:3:9"),
    (STAR + "Disallow: /\nDis\u0430llow: /x", "R038!:3:4"),
    (STAR + "Disallow: /\n\u0417\u0430\u043f\u0440\u0435\u0442: /x", "R010:3:1"),
    ("User-agent: *\xa0\nDisallow: /", "R038!:1:14"),
    (STAR + "Disallow: /x\n\n\nDisallow: y", "R001!:5:1 R005!:5:11"),
    ("User-agent: a*\nDisallow: /", "R030!:1:14"),
    ("User-agent: a/1.0\nDisallow: /", "R031:1:14"),
    (STAR + "Disallow: /a#b", "R032:2:13"),
    (STAR + "Disallow: /a # b", ""),
    (STAR + "Disallow: /a #b", ""),
    (STAR + "Disallow: /a# b", "R032:2:13"),
    (STAR + "Disallow: http://x/a", "R033:2:11"),
    (STAR + "Disallow: /a  /b", "R034!:2:13"),
    ("Disallow: /", "R001!:1:1"),
    ("# x\nSitemap: /\nDisallow: /", "R018:2:1 R001!:3:1"),
    ("# x\rDisallow: /", "R027:1:3 R001!:2:1"),
    (
        "User-agent: a\nDisallow: /\n\n#\nHost: x\nAllow: /\nDisallow: /b",
        "R019:5:1 R016:6:1 R001!:7:1",
    ),
    (STAR + "\nDisallow: /", "R002!:2:1"),
    (
        STAR + "Crawl-delay: 5\n \t\nSitemap: /\nDisallow: /",
        "R017:2:1 R002!:3:1 R018:4:1",
    ),
    (STAR + "# x\nSitemap: /\n\nUser-agent: b\nDisallow: /", "R003:1:1 R018:3:1"),
    (STAR + "User-agent:\nDisallow: /", "R004!:2:1"),
    (STAR + "Disallow: *", "R005!:2:11"),
    ("Disalow: /", "R020!:1:1"),
    ("<html>\nDisallow: /", "R025:1:1 R001!:2:1"),
    ("User-agent: rex*\nDisallow: /", "R030!:1:16"),
    ("Allow: /", ""),
    (STAR + "Allow: a\nDisallow: /", ""),
    (STAR + "Allow: /\nDisallow: /a", ""),
    (STAR + "Allow: /a\nDisallow: /a", "R016:2:1"),
    (STAR + "Disallow: /\nAllow: /a\nAllow: /b", "R016:3:1"),
    (STAR + "Disallow: /x\nAllow: /y", ""),
    (STAR + "Disallow: /x\nAllow: /*y", "R016:3:1"),
    (STAR + "Allow: /\nDisallow: /x/*", "R015!:3:14"),
    (STAR + "Allow: /x\nDisallow: /*x", "R015!:3:12"),
    ((STAR + "Disallow: /\n").encode("utf-16-le"), "R040!:1:1"),
    ("<!-- robots -->\nUser-agent: *\nDisallow: a\n", "R006:1:1 R025:1:1 R005!:3:11"),
]
"""Each row contains a file and its problems as code, line and column. `!` marks a problem
that weakens the policy.
"""

IN_DIALECTS = [
    (STAR + "Disallow: /\nAllow: /a\n", "R036:3:1", "extended"),
    (STAR + "Allow: /a\nDisallow: /\n", "", "extended"),
    (STAR + "Allow: /\nDisallow: /a\n", "R037!:3:1", "extended"),
    (STAR + "Allow: a\nDisallow: /\n", "R005:2:8", "extended"),
    (STAR + "Disallow: /a\nAllow: /b\nDisallow: /a/c\n", "", "extended"),
    (STAR + "Disallow: /a\nAllow: /b\nDisallow: /a\n", "R022:4:1", "extended"),
    (STAR + "Disallow: /a\nDisallow: /a/c\n", "R023:3:1", "extended"),
    (STAR + "Disallow: /a\nAllow: /a\n", "R036:3:1", "extended"),
    ("User-agent: a b\nDisallow: /a /b\n", "", "revisited"),
    (STAR + "Disallow: /x\n\n  Disallow: /a /b\n", "R011:4:1 R001!:4:3", "revisited"),
    (STAR + "Disallow: https://h.test/a\n", "R005!:2:11", "rfc9309"),
    (STAR + "Disallow: *captcha*\n", "", "rfc9309"),
    (STAR + "Allow: /a/b\nDisallow: /a\nCrawl-delay: soon\n", "R035:4:1", "extended"),
]


@pytest.mark.parametrize(
    ("body", "expected", "dialect"), [*((*row, "1994") for row in PLACES), *IN_DIALECTS]
)
def test_problem_has_code_line_and_column(
    body: str | bytes, expected: str, dialect: str
) -> None:
    """Each file in the table has exactly the expected problems."""
    problems = RobotsTxt.parse(body, dialect=dialect).problems

    found = [
        f"{it.code}{'!' * it.weakens_policy}:{it.line}:{it.column}" for it in problems
    ]
    assert found == expected.split()


MISSPELT = [
    ("Disalow", "Disallow"),
    ("dissallow", "Disallow"),
    ("Diasllow", "Disallow"),
    ("Disallows", "Disallow"),
    ("Disalliw", "Disallow"),
    ("Usir-agent", "User-agent"),
    ("Dillow", None),
    ("Useragent", "User-agent"),
    ("User agent", "User-agent"),
    ("USER_AGNET", "User-agent"),
    ("Sitemap", None),
    ("Host", None),
    ("", None),
    ("<p>User-agent", None),
    ("Disallow" * 9, None),
    ("Disallow" + 16 * "-", "Disallow"),
    ("Disallow" + 17 * "-", None),
]


@pytest.mark.parametrize(("field", "meant"), MISSPELT)
def test_misspelt_field_is_distinguished_from_another_field(
    field: str, meant: str | None
) -> None:
    """A field name with one mistake is reported as misspelt. Any other unknown field name
    is not reported as misspelt.
    """
    problems = RobotsTxt.parse(f"{STAR}Disallow: /a\n{field}: /").problems

    found = [it.message.endswith(f'was "{meant}" meant?') for it in problems]
    assert found == [meant is not None]
    assert ("R020" in codes(f"{STAR}Disallow: /a\n{field}: /")) is (meant is not None)


EXTENSIONS = "Cache-delay Clean-param Comment Content-signal Content-usage Host"
EXTENSIONS += " Index-page NoFollow Noindex Request-rate Robot-version Visit-time"


@pytest.mark.parametrize("field", EXTENSIONS.split())
def test_field_of_a_known_extension_is_not_reported_as_unknown(field: str) -> None:
    """A field of a known extension is reported as an extension, not as a misspelling."""
    problems = RobotsTxt.parse(f"{STAR}Disallow: /\n{field}: x").problems

    assert [it.code for it in problems] == ["R019"]


def test_problem_as_text_is_printable() -> None:
    """The text of a problem contains escapes in place of control characters."""
    problem = RobotsTxt.parse("\x1b[31m: x").problems[0]

    assert str(problem) == (
        r'1:1: info R010 (F6): the field "\x1b[31m" is unknown and ignored'
    )


MESSAGES = [
    ("User-agent: a\n\n\nDisallow: /", "from line 4 on"),
    ("User-agent: *\nDisallow:\n\nUser-agent: *\nDisallow:", "of line 1;"),
    ("User-agent: a\nDisallow: /\nDisallow: /", "line 2 of the same record"),
    ("User-agent: a\nDisallow: /a/b\nDisallow: /a", 'line 3, "Disallow: /a", already'),
    (
        "User-agent: bot\nDisallow:\n\nUser-agent: mybot\nDisallow: /",
        'named "mybot" obeys the record of line 1, for "bot",',
    ),
    ("User-agent: a\rDisallow: /", "ends 1 line(s)"),
    ("User-agent: a\nUser-agent: b", 'for "a, b" has no'),
    ("Disalow: /", '"Disalow" is unknown and ignored; was "Disallow" meant?'),
    ("User agent: a\nuser agent a", 'was "User-agent:" meant?'),
    (
        "User-agent: *\u00a0\nDisallow: /",
        "because of a no-break space (U+00A0), this line",
    ),
]


@pytest.mark.parametrize(("body", "text"), MESSAGES)
def test_message_names_what_the_problem_is_about(body: str, text: str) -> None:
    """The message of a problem names another line, a robot, or the field that was
    probably meant.
    """
    assert any(text in it.message for it in RobotsTxt.parse(body).problems)


def test_quoted_text_is_cut_to_sixty_characters() -> None:
    """The message of a problem quotes at most 60 characters of a long line."""
    (problem,) = RobotsTxt.parse("x" * 99).problems

    assert f'"{"x" * 59}…"' in problem.message


@pytest.mark.parametrize("dialect", ["extended", "rfc9309"])
def test_crawl_delay_without_hyphen_is_misspelt_where_the_dialect_has_it(
    dialect: str,
) -> None:
    """In a dialect with Crawl-delay, the field `Crawl delay` is reported as misspelt, and
    not as a field of other dialects.
    """
    body = f"{STAR}Disallow: /\nCrawl delay: 5"
    (problem,) = RobotsTxt.parse(body, dialect=dialect).problems

    assert "not a field of this dialect" not in problem.message
    assert "Crawl-delay" in problem.message
    assert not problem.weakens_policy
