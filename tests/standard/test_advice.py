"""Tests of the fixes that lint suggests for real files. A fix must not cause harm."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import disallowing
from tests.standard.table import unescaped

STAR = "User-agent: *\n"


def fixes(text: str, code: str, dialect: str = "1994") -> list[str]:
    """Return the fixes of all problems with *code*, in order."""
    problems = RobotsTxt.parse(text, dialect=dialect).problems
    return [problem.fix for problem in problems if problem.code == code]


FIXES = r"""
freshdesk.com | */demo-thank-you | R005 | 1994 cannot express a wildcard. Name the directories…
nbcdfw.com          | *                  | R005 | Write `Disallow: /`, if the rule…the whole site.
typingmaster.com | error_redir.asp | R005 | Write `Disallow: /error_redir.asp`, if the path begins…
ml.com | ml.com/dwealth | R005 | Write `Disallow: /dwealth`, if the path begins with the host…
westjet.com         | xnet.westjet.com/  | R005 | Write `Disallow: /xnet.westjet.com/`, if the path…
wildcard inside     | /*.php$            | R015 | Keep the line…add rules without wildcards…
wildcard in a query | /*?                | R015 | Keep the line…add rules without wildcards…
home page alone     | /$                 | R015 | Keep the line…add rules without wildcards…
whole site | /* | R015 | Keep this line…Add `Disallow: /`…for the whole site.
any folder | /*/ | R015 | Keep the line…add rules without wildcards…
wildcard at the end | /a*                | R015 | Keep this line…Add `Disallow: /a`…
end | /a$ | R015 | Keep this line…Add `Disallow: /a` for other robots, if…for all such paths.
dollar before a star | /$*/b/* | R015 | Keep the line…add rules without wildcards…
folder of any name  | /a/*/b | R015 | Keep this line…Add `Disallow: /a/`…for all such paths.
wildcard, and Allow | {U}*{D}/a*\nAllow: /ab\n | R015 | Keep this line…Add `Disallow: /a`…
warwick.ac.uk | # x{D}/a \n{D}/b | R001 | No line of the file names a robot. Write `User-agent: *`…
gap | #\n{U}*{D}/a?\n\n#{D}/b | R001 | Delete the blank lines above this rule…the record of line 2.
gap below the name  | {U}a\n\n{D}/       | R002 | Delete the blank lines…
HTML above records  | <!-- ours -->\n{U}*{D}/a\n | R025 | Delete the lines of HTML…
HTML instead        | <!DOCTYPE html>\n<p>Not found</p>\n | R025 | …404…
asterisk in a name  | {U}rex*{D}/        | R030 | …every robot whose name contains this name.
asterisk in a name  | {U}rex*{D}/        | R030 | …that name. | rfc9309
techtarget.com      | {U}bot{D}/a\n\n{U}Bot{D}/b | R024 | Make one record of the two.
techtarget.com      | {U}bot{D}/a\n\n{U}Bot{D}/b | R024 | Make one record of the two. | extended
some site | https://h.test/a | R005 | Write `Disallow: /a`, if the URL has…of that host. | rfc9309
whole site | https://h.test/ | R005 | If the URL has…, `Disallow: /` covers all… | rfc9309
whole site | https://h.test | R033 | If the URL has…, `Disallow: /` covers all…that host.
query | ?a= | R005 | Write `Disallow: /?a=`, if the path begins…
query | ?a= | R005 | Write `Disallow: /*?a=`: it covers every page…such a query. | rfc9309
ending | .php$ | R005 | Write `Disallow: /*.php$`: it covers every page…such an ending. | rfc9309
regular expression | .*/a.*/b | R005 | Write `Disallow: */a*/b`…any characters. | rfc9309
quotes              | "/a"               | R005 | Write `Disallow: /a`: the characters around…
path of a shell     | ./a                | R005 | Write `Disallow: /a`: the characters around…
another colon       | {U}*\nDisallow:: /a\n | R005 | Write `Disallow: /a`: the characters around…
"""
"""A row contains the site or a keyword, the file, the code of the problem, and the fix. A
row ends with the dialect if the dialect is not 1994.

The rule `/` covers the whole site, so a fix suggests `/` only if the author possibly
meant the whole site. For a file with records, no fix suggests a 404, because a 404
would allow the URLs that the records disallow.
"""


@pytest.mark.parametrize("row", FIXES.strip().splitlines())
def test_fix_says_what_to_write(row: str) -> None:
    """The suggested fix equals the fix in the row, where `…` stands for any words. A file
    without a line end is the value of a Disallow line.
    """
    _, file, code, fix, *dialect = map(str.strip, row.split(" | "))
    text = unescaped(file)
    text = text if "\n" in text else disallowing(text)
    suggested = fixes(text, code, *dialect)

    first, *inner, last = fix.split("…") if "…" in fix else (fix, fix)
    assert suggested
    for it in suggested:
        assert it.startswith(first)
        assert it.endswith(last)
        assert all(part in it for part in inner)


@pytest.mark.parametrize("dialect", ["1994", "rfc9309"])
def test_fix_of_rules_of_a_file_whose_user_agents_are_wrong(dialect: str) -> None:
    """The fix of each rule names the wrong User-agent line above the rule."""
    text = "User agent: *\nDisallow: /x\n\nUser-agnt: b\nDisallow: /y\n"

    assert fixes(text, "R001", dialect) == [
        f"Correct the name of the field in line {number}: it is probably User-agent."
        for number in (1, 4)
    ]
    for wrong in ("User-agent:", "User-agent: /", "User-agent *"):
        (fix,) = fixes(f"{wrong}\nDisallow: /x\n", "R001", dialect)
        assert fix.startswith("Correct line 1,")


def test_lines_that_end_with_a_written_line_end_are_parted() -> None:
    """If a file has a backslash and an `n` instead of a line end, the fix splits the
    line. Some programs write a backslash and an `n` at the end of each line.
    """
    robots = RobotsTxt.parse("User-agent: *\\nDisallow: /a\\n")

    (problem,) = robots.problems
    assert problem.edits == {1: ("User-agent: *", "Disallow: /a")}


def test_new_line_has_control_characters_percent_encoded() -> None:
    """The fix replaces a control character in a path with its percent-encoding. Deleting
    the control character would change the path.
    """
    robots = RobotsTxt.parse(disallowing("/a\x07b"))

    (problem,) = robots.problems
    assert (problem.code, problem.edits) == ("R028", {2: ("Disallow: /a%07b",)})


def test_fix_of_rules_below_a_misspelt_user_agent_is_to_correct_the_field() -> None:
    """For rules below a misspelt User-agent field, the fix is to correct the field. If
    the blank line above the rules were deleted, the rules would disallow the site to
    another robot.
    """
    text = "User-agent: x\n\nUser-agnt: y\nDisallow: /\n"

    for above, code in (("", "R002"), ("Disallow: /a\n", "R001")):
        (fix,) = fixes(text.replace("\n", f"\n{above}", 1), code)
        line = 3 + bool(above)
        where = f"Correct the name of the field in line {line}"
        assert fix == f"{where}: it is probably User-agent."


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_record_with_only_a_delay_does_not_weaken_the_policy(dialect: str) -> None:
    """A record with only a crawl delay is not reported as weakening the policy. The author
    of the file of www.planetware.com wanted only pauses.
    """
    text = "User-agent: msnbot\nCrawl-delay: 2\nUser-agent: Slurp\nCrawl-delay: 4\n"
    robots = RobotsTxt.parse(text, dialect=dialect)

    assert robots.weakening_problems("msnbot") == ()
    assert not any(problem.weakens_policy for problem in robots.problems)
    meant = RobotsTxt.parse("User-agent: msnbot\n", dialect=dialect)
    assert [it.code for it in meant.weakening_problems("msnbot")] == ["R003"]


LISTS = [
    ("/b a", [("R005", 14, "Write `Disallow: /b /a`, if the path begins")]),
    ("* /b", [("R005", 11, "Write `Disallow: / /b`, if the rule is meant")]),
    (
        "/a* /b",
        [("R015", 13, "Keep this line for robots of RFC 9309. Add `Disallow: /a`")],
    ),
    (
        "/b /a$",
        [("R015", 16, "Keep this line for robots of RFC 9309. Add `Disallow: /a`")],
    ),
    ("/b /$", [("R015", 15, "Keep the line for robots of RFC 9309")]),
    (
        "/b http://h/",
        [("R033", 14, "If the URL has the host of this site, `Disallow: /b /`")],
    ),
    ("/a /a/b", [("R023", 1, "Delete `/a/b` from this line, and keep")]),
    ("/a /a", [("R022", 1, "Delete `/a` from this line, and keep")]),
]


@pytest.mark.parametrize(("value", "expected"), LISTS)
def test_fix_of_one_path_of_a_list_preserves_the_others(
    value: str, expected: list[tuple[str, int, str]]
) -> None:
    """Revisited K2 (lists of paths): the fix changes one path, and never deletes the whole
    line.
    """
    body = f"{STAR}Disallow: {value}\n"
    problems = RobotsTxt.parse(body, dialect="revisited").problems

    assert [(it.code, it.column) for it in problems] == [it[:2] for it in expected]
    for problem, (_, _, fix) in zip(problems, expected, strict=True):
        assert problem.fix.startswith(fix)
        assert "elete the line" not in problem.fix


def test_longer_rule_is_not_redundant_if_the_file_allows() -> None:
    """The longer of two rules is not reported as redundant if the file has an Allow line.
    Without the longer rule, the Allow line of the merged group would decide (RFC 9309
    2.2.1).
    """
    body = "User-agent: rex\nDisallow: /a/b\nDisallow: /\nUser-agent: rex\nAllow: /a\n"

    assert not RobotsTxt.parse(body, dialect="rfc9309").allowed("/a/b", "rex")
    assert fixes(body, "R023", "rfc9309") == []
    assert len(fixes(body.replace("Allow: /a\n", ""), "R023", "rfc9309")) == 1


def test_fix_of_two_default_records_disallows_what_both_did() -> None:
    """For two default records, the fix says to put the lines of one record above the
    lines of the other record. In the extended dialect, a rule below an Allow line could
    have no effect.
    """
    first, second = "Allow: /a\nDisallow: /b\n", "Disallow: /a/x\n"
    (fix,) = fixes(f"{STAR}{first}\n{STAR}{second}", "R008", "extended")

    assert fix.endswith("above the others.")
    merged = RobotsTxt.parse(f"{STAR}{second}{first}", dialect="extended")
    assert not merged.allowed("/a/x", "rex")


@pytest.mark.parametrize("dialect", ["1994", "rfc9309"])
@pytest.mark.parametrize(
    ("short", "long", "url"),
    [
        # Ours O18 (percent-encodings) decodes both paths. RFC 9309 2.2.2 does not decode
        # reserved characters.
        ("/%21/", "/!/a", "/!/a"),
        ("/*+*", "/*%2B*", "/x%2B"),
        # In the dialect of 1994, `$` is an ordinary character. In RFC 9309, `$` is the
        # end of the URL.
        ("/a$", "/a$/b", "/a$/b"),
    ],
)
def test_rule_that_is_redundant_in_one_dialect_alone_is_not_reported(
    dialect: str, short: str, long: str, url: str
) -> None:
    """If a rule is redundant in only one of two dialects, the rule is reported in neither
    dialect. In the dialect in which the rule is not redundant, a file without the rule
    would allow paths that the rule disallows.
    """
    body = f"{STAR}Disallow: {short}\nDisallow: {long}\n"

    assert not RobotsTxt.parse(body, dialect="rfc9309").allowed(url, "rex")
    alone = RobotsTxt.parse(f"{STAR}Disallow: {short}\n", dialect="rfc9309")
    assert alone.allowed(url, "rex")
    assert fixes(body, "R023", dialect) == fixes(body, "R022", dialect) == []


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_fix_of_a_name_with_a_comment_is_to_write_the_name_alone(dialect: str) -> None:
    """For a name with a comment, the fix is to write the name alone. Merging the record
    with the default record would disallow the whole site to every robot (www.ajc.com).
    """
    agent = "User-agent: MauiBot (crawler.feedback+wc@gmail.com)\n"
    body = f"{disallowing('/a')}\n{agent}Disallow: /\n"
    robots = RobotsTxt.parse(body, dialect=dialect)

    (problem,) = robots.problems

    assert (problem.code, problem.fix[:20]) == ("R042", "Write the name alone")
    assert robots.weakening_problems("MauiBot/1.0") == (problem,)
    assert robots.weakening_problems("rex") == ()


@pytest.mark.parametrize(
    ("field", "more"), [("Allow", ": /"), ("Crawl-delay", ": 5\nSitemap: x")]
)
def test_names_separated_only_by_an_ignored_field_share_their_rules(
    field: str, more: str
) -> None:
    """An ignored field between two names does not separate the names, so the rules
    apply to both robots. A blank line separates the names. The author of the file of
    www.parts-express.com wanted to allow all URLs to Googlebot.
    """
    body = f"User-agent: Googlebot\n{field}{more}\nUser-agent: Yandex\nDisallow: /\n"
    robots = RobotsTxt.parse(body)
    line = robots.records[0].agents[1].line

    assert not robots.allowed("/", "Googlebot")
    (problem,) = [it for it in robots.problems if it.code == "R007"]
    assert problem.message == (
        f"User-agent after {field}, without a blank line, shares its rules with line 1"
    )
    assert (problem.line, problem.fix) == (
        line,
        "Put a blank line before the User-agent line.",
    )
    fixed = body.replace("User-agent: Yandex", "\nUser-agent: Yandex")
    assert RobotsTxt.parse(fixed).allowed("/", "Googlebot")


@pytest.mark.parametrize(
    ("body", "dialect", "codes"),
    [
        # The misspelling is reported instead of the shared rules.
        ("User-agent: a\nDisalow: /\nUser-agent: b\nDisallow: /", "1994", ["R020"]),
        (
            "User-agent: a\n\xa0Disallow: /\nUser-agent: b\nDisallow: /",
            "1994",
            ["R038"],
        ),
        # The following file has no rules that the two names could share.
        ("User-agent: a\nHost: x\nUser-agent: b\nDisallow:", "1994", ["R019"]),
        # In the extended dialect, the second User-agent line begins a record.
        ("User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /", "extended", ["R007"]),
    ],
)
def test_shared_rules_are_not_reported_if_another_problem_is_the_cause(
    body: str, dialect: str, codes: list[str]
) -> None:
    """Shared rules are not reported if a misspelt field is the cause, or if a blank line
    would not change any answer.
    """
    problems = RobotsTxt.parse(body, dialect=dialect).problems

    assert [it.code for it in problems] == codes
    assert not any("shares" in it.message for it in problems)


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_empty_record_that_is_merged_does_not_weaken_the_policy(dialect: str) -> None:
    """A second record with only a sitemap is merged with the first record, and does not
    weaken the policy (www.elsevier.com).
    """
    is_rfc = dialect == "rfc9309"
    name, fix = ("Rex", []) if is_rfc else ("*", ["Make one record of the two."])
    text = f"{disallowing('/a', name)}\nUser-agent: {name.lower()}\nSitemap: x\n"
    robots = RobotsTxt.parse(text, dialect=dialect)

    assert not robots.allowed("/a", "rex")
    assert robots.weakening_problems("rex") == ()
    assert fixes(text, "R003", dialect) == []
    assert fixes(text, "R008", dialect) == fix
