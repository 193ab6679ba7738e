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
    """Each form has its problem in at least one dialect and in at least one position.

    The positions are the beginning of a file, below a User-agent line, below a record, and
    below a rule without a record.
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
    """Each file has its problem. A file that is not a robots.txt (R048) has no other
    problem.
    """
    codes = [it.code for it in RobotsTxt.parse(body).problems]

    assert code in codes
    assert code != "R048" or codes == [code]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("seed", range(FILES))
def test_following_advice_does_what_its_words_promise(seed: int, dialect: str) -> None:
    """In a generated file, each fix has only the effect that it states. After all fixes
    have been applied, no fix is left.
    """
    text, _ = form_file(f"form {seed}")

    found = list(complaints(text.encode("utf-8", "surrogateescape"), dialect))

    assert not found, found[0]


# For each of the following files, an earlier version of lint stated the effect of a fix
# incorrectly.
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
    # In the following file, the last rule belongs to the record only in the dialect
    # rfc9309.
    "User-agent: *\nAllow: /\nAllow: /list-3\n\nDisallow: /*-3$\n",
    # In the following file, the first Disallow line has two paths only in the dialect
    # revisited.
    "User-agent: *\nDisallow: /a b\nDisallow: /a\nDisallow: /a/c\n",
    # In rfc9309, an empty Disallow line would make rex ignore the Allow line of the
    # other names.
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
    """Each fix has only the effect that it states, although two dialects group or rank the
    lines of the file in different ways.
    """
    found = list(complaints(body, dialect))

    assert not found, found[0]


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_following_advice_for_real_files_does_what_its_words_promise(
    dialect: str,
) -> None:
    """In a sample of the corpus, or of similar files, each fix has only the effect that it
    states.
    """
    small = [body for _, body in corpus_files() if len(body) < LONGEST]
    some = random.Random(dialect).sample(small, 12)  # noqa: S311 - the same every time

    found = [it for body in some for it in complaints(body, dialect)]

    assert not found, found[0]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_invisible_characters_inside_a_path_remain_in_the_fix(dialect: str) -> None:
    """The fix preserves an invisible character inside a path. Without the invisible
    character, the rule would cover another path. The paths of a real site contain
    invisible characters.
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
    """If a second record for a robot has no rules, the fix says to join the two records.
    An empty `Disallow:` in the second record would disallow the site to MSNBot in rfc9309
    (www.rwth-aachen.de).
    """
    body = (
        "User-agent: MSNBot\nDisallow: /\n\nUser-agent: msnbot\nCrawl-delay: 9\n\n"
        "User-agent: *\nAllow: /\n"
    )
    assert RobotsTxt.parse(body, dialect="rfc9309").allowed("/", "MSNBot")

    problem, *_ = [it for it in RobotsTxt.parse(body).problems if it.code == "R003"]

    assert problem.fix == (
        'Line 1 begins another record for "msnbot": name this robot in only one of the two '
        "records, and write all its rules there."
    )
    assert not problem.edits


def test_two_fields_on_one_line_close_more_where_a_record_above_gets_the_rules() -> (
    None
):
    """If a record above gets the rules of a lost User-agent field, the problem tightens the
    policy. In the file of a shop, rules for GPTBot became rules for every robot.
    """
    lost = "Sitemap: https://h.test/s.xmlUser-agent: GPTBot\nDisallow: /\n"
    joined = RobotsTxt.parse(f"User-agent: *\nDisallow: /a\n{lost}")
    alone = RobotsTxt.parse(lost)

    assert not joined.allowed("/", "rex")
    (problem,) = [it for it in joined.problems if it.code == "R039"]
    assert (problem.weakens_policy, problem.tightens_policy) == (False, True)
    # `Disallow: /a` is not reported as redundant. If `Disallow: /a` were deleted, moving
    # the lost rule to its own record would allow `/a`.
    assert [it.code for it in joined.problems if it.code == "R023"] == []
    assert "R039" in [it.code for it in alone.weakening_problems("rex")]


def test_name_lost_in_the_first_line_of_a_record_weakens_the_policy() -> None:
    """In the file of this test, the record does not apply to the second robot. The robot
    may retrieve the whole site.
    """
    robots = RobotsTxt.parse("User-agent: GPTBot User-agent: rex\nDisallow: /\n")

    assert robots.allowed("/", "rex")
    (problem,) = [it for it in robots.problems if it.code == "R039"]
    assert (problem.weakens_policy, problem.tightens_policy) == (True, False)
    assert "R039" in [it.code for it in robots.weakening_problems("GPTBot")]


@pytest.mark.parametrize("between", ["\n", "Crawl-delay: 10\n", "Sitemap: x\n\n"])
def test_names_that_share_a_group_over_a_blank_line_are_reported(between: str) -> None:
    """In RFC 9309, two names share a group if no rule is between the names. In the file
    of this test, the rule for SemrushBot disallows the site to every robot. The shared
    group is reported as an error, and occurs in 5% of modern files.
    """
    body = f"User-agent: *\n{between}User-agent: SemrushBot\nDisallow: /\n"
    robots = RobotsTxt.parse(body, dialect="rfc9309")

    (problem,) = [it for it in robots.problems if it.code == "R043"]

    assert (problem.severity, problem.tightens_policy) == ("error", True)
    assert "shares its rules with line 1" in problem.message
    milder = RobotsTxt.parse(body.replace(": /\n", ": /x\n"), dialect="rfc9309")
    assert [it.severity for it in milder.problems if it.code == "R043"] == ["warning"]


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
@pytest.mark.parametrize(
    "line", ["Crawl-delay: 5", "Content-Signal: ai-train=no", "X: y"]
)
def test_record_that_closes_nothing_on_purpose_is_no_error(
    line: str, dialect: str
) -> None:
    """If a record has a field other than User-agent, but no rule, the missing rule is
    reported as `info`. The missing rule neither weakens nor tightens the policy.
    """
    robots = RobotsTxt.parse(f"User-agent: *\n{line}\n", dialect=dialect)

    (problem,) = [it for it in robots.problems if it.code == "R003"]

    assert problem.severity == "info"
    assert not problem.weakens_policy
    assert not problem.tightens_policy


@pytest.mark.parametrize("path", ["/*{{url}}", "/a/{{ id }}/b", "/${x}", "/users/{id}"])
def test_template_behind_a_slash_is_a_path_that_is_meant(path: str) -> None:
    """A template after a slash is not reported. Real files disallow paths with templates,
    because pages link to these paths by mistake.
    """
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
    """If a record has a whole header as its name, no fix changes an answer. For example,
    the name `Mozilla` would address every robot whose header resembles the header of a
    browser.
    """
    for dialect in DIALECTS:
        problems = RobotsTxt.parse(
            f"User-agent: {name}\nDisallow: /\n", dialect=dialect
        ).problems

        assert {it.code for it in problems if it.edits} <= {"R031"}


def test_name_of_several_words_is_one_name_in_1994() -> None:
    """In the dialect of 1994, several words are one name and not a problem. A fix
    `User-agent: Bot` would disallow the site to Googlebot.
    """
    body = "User-agent: Echobot Bot\nDisallow: /\n"

    assert RobotsTxt.parse(body).problems == ()
    (problem,) = RobotsTxt.parse(body, dialect="rfc9309").problems
    assert (problem.code, "no spaces" in problem.message) == ("R045", True)


def test_list_of_names_with_a_star_weakens_the_policy_for_each_of_them() -> None:
    """A record for `* GPTBot` applies to no robot, because no robot has this name. The
    record for `* GPTBot` weakens the policy for GPTBot and for every other robot.
    """
    robots = RobotsTxt.parse("User-agent: * GPTBot\nDisallow: /\n")

    for robot in ("GPTBot", "rex"):
        assert [it.code for it in robots.weakening_problems(robot)] == ["R029"]
