"""Each kind of problem in all its forms. The fix of each problem is applied and checked."""

from __future__ import annotations

import random

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.advice import complaints, fixed
from tests.standard.asking import DIALECTS
from tests.standard.lint_forms import FORMS, WHOLE, filled, form_file
from tests.support.corpus import corpus_files

FILES = 60
LONGEST = 3_000
ABOVE = ("", "User-agent: zz\n", "User-agent: zz\nDisallow: /zz\n", "Disallow: /zz\n\n")


@pytest.mark.parametrize(
    ("code", "form"), [(code, form) for code, forms in FORMS.items() for form in forms]
)
def test_form_has_its_problem(code: str, form: str) -> None:
    """The problem is reported in some dialect, below a record, below a name, or at the
    beginning.
    """
    text = filled(form, random.Random(repr(form)))  # noqa: S311 - the same file every time

    bodies = [(above + text).encode("utf-8", "surrogateescape") for above in ABOVE]
    found = {
        it.code
        for body in bodies
        for dialect in DIALECTS
        for it in RobotsTxt.parse(body, dialect=dialect).problems
    }

    assert code in found


@pytest.mark.parametrize(
    ("code", "body"),
    [(code, body) for code, bodies in WHOLE.items() for body in bodies],
)
def test_whole_file_has_its_problem(code: str, body: bytes) -> None:
    """A file that is not a robots.txt has one problem, whatever its lines are."""
    codes = [it.code for it in RobotsTxt.parse(body).problems]

    assert code in codes
    assert code != "R048" or codes == [code]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("seed", range(FILES))
def test_following_advice_does_what_its_words_promise(seed: int, dialect: str) -> None:
    """The files are generated, and all dialects are tried. The advice comes to an end."""
    text, _ = form_file(f"form {seed}")

    found = list(complaints(text.encode("utf-8", "surrogateescape"), dialect))

    assert not found, found[0]


# Each of these files once had a fix with another effect than promised.
HARD = (
    "User-agent: *\nDisallow: /a\nAllow: /a/\nDisallow: /a/b\n",
    "User-agent: rex\nAllow: /a\n\xa0Disallow: /b\nUser-agent: max\nDisallow: /c\n",
    "User-agent: rex\nAllow: /a\nDisalow: /b\nUser-agent: max\nDisallow: /c\n",
    "User-agent: *\nAllow: /a\nDisallow:\nUser-agent: max\nDisallow: /b\n",
    "User-agent: rex\nAllow: /a\nUser-agent: *\nDisallow: /b\n",
    "User-agent: *\nDisallow: /a\n\n\nDisallow: /\nSitemap: x\nUser-agent: rex\n",
    (
        "User-agent: *\nHost: x\nUser-agent: rex\nDisallow: /d\nAllow: /t\n\n"
        "User-agent: *\nDisallow: /t\n"
    ),
    "User-agent: rexbot\nAllow: /t\nUser-agent: rex\n\nUser-agent: rexbot\nDisallow: /c\n",
    "User-agent: max\nDisallow: /a/*/b$\nAllow: /a/c\n",
    "User-agent: LinkScan/8.1a Unix\nDisallow: /\n",
    "User-agent: *\nDisallow: /$*/b/*\n",
    "disallow: /*\ndisallow: /b*\n\nUser-agent: rex\nDisallow: /q\n",
    # Only in rfc9309 is the last rule a part of the record.
    "User-agent: *\nAllow: /\nAllow: /list-3\n\nDisallow: /*-3$\n",
    # Only in revisited does the line above have two paths.
    "User-agent: *\nDisallow: /a b\nDisallow: /a\nDisallow: /a/c\n",
    # In rfc9309, an empty Disallow would make rex ignore the Allow of the other names.
    (
        "User-agent: rex\nDisallow: /\n\nUser-agent: rex\nCrawl-delay: 5\n\n"
        "User-agent: *\nAllow: /\n"
    ),
    (
        "User-agent: rex\nCrawl-delay: 5\n\nUser-agent: *\nAllow: /\n\n"
        "User-agent: Rex\nDisallow: /\n"
    ),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("body", HARD)
def test_following_advice_for_hard_files_does_what_its_words_promise(
    body: str, dialect: str
) -> None:
    """In these files, two dialects group or rank the lines in different ways."""
    found = list(complaints(body, dialect))

    assert not found, found[0]


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_following_advice_for_real_files_does_what_its_words_promise(
    dialect: str,
) -> None:
    """The files are a sample of the corpus, or of files like it."""
    small = [body for _, body in corpus_files() if len(body) < LONGEST]
    some = random.Random(dialect).sample(small, 12)  # noqa: S311 - the same every time

    found = [it for body in some for it in complaints(body, dialect)]

    assert not found, found[0]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_invisible_characters_inside_a_path_remain_in_the_fix(dialect: str) -> None:
    """The site of a city has such paths. Without the character, the rule is for another
    path.
    """
    inside = "/hill-s%E2%80%8Btreet"
    for rule in (
        "Disallow: /hill-s\u200btreet\u200b",
        "Disallow: \u200b/hill-s\u200btreet",
        "Disallow\u200b: /hill-s\u200btreet",
    ):
        robots = RobotsTxt.parse(f"User-agent: *\n{rule}\n", dialect=dialect)
        (problem,) = [it for it in robots.problems if it.code == "R038"]
        text, _ = fixed(robots, problem)

        for read_in in DIALECTS:
            followed = RobotsTxt.parse(text, dialect=read_in)
            assert not followed.allowed(f"{inside}%E2%80%8B", "rex")
            assert not followed.allowed(inside, "rex")
            assert followed.allowed("/hill-street", "rex")
        assert "R038" not in [it.code for it in RobotsTxt.parse(text).problems]


def test_record_without_rules_for_a_name_of_another_record_is_to_be_joined() -> None:
    """www.rwth-aachen.de: an empty `Disallow:` would close the site to MSNBot in rfc9309."""
    body = (
        "User-agent: MSNBot\nDisallow: /\n\nUser-agent: msnbot\nCrawl-delay: 9\n\n"
        "User-agent: *\nAllow: /\n"
    )
    assert RobotsTxt.parse(body, dialect="rfc9309").allowed("/", "MSNBot")

    problem, *_ = [it for it in RobotsTxt.parse(body).problems if it.code == "R003"]

    assert problem.fix == (
        'Line 1 begins another record for "msnbot": name it in one of the two alone, with all '
        "its rules."
    )
    assert not problem.edits


def test_two_fields_on_one_line_close_more_where_a_record_above_gets_the_rules() -> (
    None
):
    """In the file of a shop, rules that were meant for GPTBot are for every robot."""
    lost = "Sitemap: https://h.test/s.xmlUser-agent: GPTBot\nDisallow: /\n"
    joined = RobotsTxt.parse(f"User-agent: *\nDisallow: /a\n{lost}")
    alone = RobotsTxt.parse(lost)

    assert not joined.allowed("/", "rex")
    (problem,) = [it for it in joined.problems if it.code == "R039"]
    assert (problem.weakens_policy, problem.tightens_policy) == (False, True)
    # The lost rule covers this rule. Deleting this one would allow its URLs once the lost
    # rule is moved.
    assert [it.code for it in joined.problems if it.code == "R023"] == []
    assert "R039" in [it.code for it in alone.weakening_problems("rex")]


@pytest.mark.parametrize("between", ["\n", "Crawl-delay: 10\n", "Sitemap: x\n\n"])
def test_names_that_share_a_group_over_a_blank_line_are_reported(between: str) -> None:
    """RFC 9309: 5% of modern files join records in this way, and disallow the site to each
    robot.
    """
    body = f"User-agent: *\n{between}User-agent: SemrushBot\nDisallow: /\n"
    robots = RobotsTxt.parse(body, dialect="rfc9309")

    (problem,) = [it for it in robots.problems if it.code == "R043"]

    assert (problem.severity, problem.tightens_policy) == ("error", True)
    assert "shares its rules with line 1" in problem.message
    assert [it.code for it in robots.policy_problems("rex")] == ["R043"]
    assert robots.policy_problems("SemrushBot") == ()
    milder = RobotsTxt.parse(body.replace(": /\n", ": /x\n"), dialect="rfc9309")
    assert [it.severity for it in milder.problems if it.code == "R043"] == ["warning"]


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
@pytest.mark.parametrize(
    "line", ["Crawl-delay: 5", "Content-Signal: ai-train=no", "X: y"]
)
def test_record_that_closes_nothing_on_purpose_is_no_error(
    line: str, dialect: str
) -> None:
    """The problem neither weakens nor tightens the policy."""
    robots = RobotsTxt.parse(f"User-agent: *\n{line}\n", dialect=dialect)

    (problem,) = [it for it in robots.problems if it.code == "R003"]

    assert problem.severity == "info"
    assert not problem.weakens_policy
    assert not problem.tightens_policy
    assert robots.policy_problems("rex") == ()


@pytest.mark.parametrize("path", ["/*{{url}}", "/a/{{ id }}/b", "/${x}", "/users/{id}"])
def test_template_behind_a_slash_is_a_path_that_is_meant(path: str) -> None:
    """Real files disallow such paths, which were linked to by mistake."""
    body = f"User-agent: *\nDisallow: {path}\n"

    for dialect in DIALECTS:
        problems = RobotsTxt.parse(body, dialect=dialect).problems
        assert "R046" not in [it.code for it in problems]


@pytest.mark.parametrize(
    "name",
    [
        "Mozilla/4.0 (compatible; MSIE 4.0; Windows NT)",
        "NetZippy+(http://h.test/x.asp)",
        "https://h.test",
        "+Baiduspider/2.0;++http://h.test/search/spider.html",
    ],
)
def test_advice_about_a_header_as_a_name_changes_nothing(name: str) -> None:
    """`User-agent: Mozilla` would be for every robot whose header says that it is like a
    browser.
    """
    for dialect in DIALECTS:
        problems = RobotsTxt.parse(
            f"User-agent: {name}\nDisallow: /\n", dialect=dialect
        ).problems

        assert {it.effect.name for it in problems if it.edits} <= {"SAME"}


def test_name_of_several_words_is_one_name_in_1994() -> None:
    """The fix `User-agent: Bot` would disallow the site to Googlebot."""
    body = "User-agent: Echobot Bot\nDisallow: /\n"

    assert RobotsTxt.parse(body).problems == ()
    (problem,) = RobotsTxt.parse(body, dialect="rfc9309").problems
    assert (problem.code, "no spaces" in problem.message) == ("R045", True)


def test_list_of_names_with_a_star_weakens_the_policy_for_each_of_them() -> None:
    """No robot has the name `* GPTBot`."""
    robots = RobotsTxt.parse("User-agent: * GPTBot\nDisallow: /\n")

    for robot in ("GPTBot", "rex"):
        assert [it.code for it in robots.weakening_problems(robot)] == ["R029"]
