"""`weakening_problems()`: problems that allow more than the author of the file probably
meant.
"""

from __future__ import annotations

import re

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.oracle.generator import Generator
from tests.standard.asking import DIALECTS, codes, disallowing

CLOSED = "User-agent: *\nDisallow: /\n"
STAR = "User-agent: *\n"


def weakening_codes(body: str, robot: str = "rex", **how: str) -> list[str]:
    """Return the codes of the problems that weaken the policy for *robot*."""
    robots = RobotsTxt.parse(body, **how)  # type: ignore[arg-type]  # all are strings
    return [it.code for it in robots.weakening_problems(robot)]


@pytest.mark.parametrize("dialect", ["extended", "rfc9309"])
@pytest.mark.parametrize("line", ["Alow: /a", "Allow /a", "All\u043ew: /a", "Alow /a"])
def test_misspelt_allow_is_reported_and_weakens_nothing(
    line: str, dialect: str
) -> None:
    """A misspelt Allow line is reported, but does not weaken the policy. The URLs that the
    author meant to allow stay disallowed.
    """
    robots = RobotsTxt.parse(CLOSED + line, dialect=dialect)

    assert [(it.line, it.weakens_policy) for it in robots.problems] == [(3, False)]
    assert robots.weakening_problems("rex") == ()


@pytest.mark.parametrize("dialect", ["1994", "revisited", "extended"])
@pytest.mark.parametrize("path", ["/*.pdf$", "/a*", "/a$"])
def test_wildcard_in_a_disallow_of_our_record_weakens_the_policy(
    path: str, dialect: str
) -> None:
    """If a dialect reads wildcards literally, a wildcard in a Disallow line weakens the
    policy. The author meant to disallow more URLs than the line disallows. Only rules
    in the record of the robot count.
    """
    body = f"{disallowing(path, 'rex')}\n{disallowing(path, 'max')}"
    robots = RobotsTxt.parse(body, dialect=dialect)

    assert [it.line for it in robots.weakening_problems("rex")] == [2]
    assert [it.line for it in robots.weakening_problems("max")] == [5]
    assert robots.weakening_problems("other") == ()


def test_wildcard_weakens_nothing_where_it_has_its_meaning() -> None:
    """A wildcard does not weaken the policy in RFC 9309, which obeys wildcards. In a
    dialect without wildcards, a wildcard in an Allow line does not weaken the policy.
    In a dialect with wildcards, the line would only allow more URLs.
    """
    assert weakening_codes(f"{STAR}Disallow: /*.pdf$\n", dialect="rfc9309") == []
    for dialect in ("1994", "extended"):
        body = f"{STAR}Allow: /*.pdf$\nDisallow: /\n"
        assert weakening_codes(body, dialect=dialect) == []


@pytest.mark.parametrize("nul", ["\x00", "\x00\x00", "\x00 \x00 \x00"])
@pytest.mark.parametrize("place", ["# {}\n", "User-agent: m{}x\nDisallow: /\n\n"])
def test_single_nul_bytes_do_not_make_a_file_utf_16(nul: str, place: str) -> None:
    """A few NUL bytes do not make a file UTF-16. A NUL is an ordinary character (O25,
    control characters), and problems of the other lines are reported.
    """
    filler = "# as long as a short file is, so that few of its bytes are NUL\n"
    body = place.format(nul) + filler + CLOSED + "Disalow: /b\nhello\n"

    assert "R040" not in codes(body)
    assert {"R020", "R006"} <= set(codes(body))
    assert weakening_codes(body) == ["R020"]


def test_weakening_problems_are_those_of_the_given_robot() -> None:
    """A problem in the record of another robot is not listed."""
    body = "User-agent: a\n\nDisallow: /a\n\nUser-agent: b\nDisallow: b\n"

    for robot, expected in (("a", ["R002"]), ("b", ["R005"]), ("c", [])):
        assert weakening_codes(body, robot=robot) == expected


def test_allow_line_without_a_record_does_not_weaken_the_policy() -> None:
    """A dialect with Allow reports an Allow line above all records (X2, Allow lines;
    O4, lines above all records). An Allow line above all records does not weaken the
    policy, because a parser that ignores an Allow line does not allow more URLs.
    """
    body = f"Allow: /\n\n{CLOSED}"
    (problem,) = RobotsTxt.parse(body, dialect="extended").problems

    assert weakening_codes(body) == weakening_codes(body, dialect="extended") == []
    assert problem.code == "R001"


NAMES = (
    *("* Disallow: /", "*Disallow: /", "*, Disallow: /", "* \\\\n Disallow: /", "**"),
    *("mybot Disallow: /", "*\u00a0", "\u200b*", "\uff0a", ": *", "*;", '"*"', "`*`"),
    *("(*)", ".*", "*,", "my*bot", "a*, mybot"),
)


@pytest.mark.parametrize("name", NAMES)
def test_malformed_name_weakens_the_policy_for_the_robot_it_meant(name: str) -> None:
    """A record with a malformed name does not apply to the robot that the author meant, so
    the robot may retrieve the site.
    """
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("/", "mybot")
    assert len(robots.weakening_problems("mybot")) == 1


@pytest.mark.parametrize(
    "line",
    ["User-agent\uff1a *", "User\u00adagent: *", "User\u2010agent: *", "User-agent; *"],
)
def test_malformed_field_weakens_the_policy_for_every_robot(line: str) -> None:
    """A malformed User-agent field is reported. The rules below the field are also
    reported, because these rules belong to no record.
    """
    robots = RobotsTxt.parse(f"{line}\nDisallow: /\n")

    first, second = robots.weakening_problems("mybot")

    assert robots.allowed("/", "mybot")
    assert first.code in ("R038", "R021")
    assert (second.code, "User-agent: *" in second.fix) == ("R001", False)


def test_look_alike_letter_in_a_field_weakens_the_policy_for_the_named_robot() -> None:
    """A Cyrillic letter in a field name makes the field unknown, so the line does not
    begin a record.
    """
    body = "User-agent: x\n\nUser-ag\u0435nt: mybot\nDisallow: /\n"
    robots = RobotsTxt.parse(body)

    assert robots.allowed("/", "mybot")
    (problem,) = robots.weakening_problems("mybot")
    assert (problem.code, problem.line) == ("R038", 3)
    assert "cyrillic" in problem.message


def test_line_with_a_no_break_space_does_not_split_a_record() -> None:
    """A line that contains only a no-break space is reported, but the rules below the line
    apply.
    """
    robots = RobotsTxt.parse("User-agent: *\n\u00a0\nDisallow: /\n")

    assert not robots.allowed("/", "mybot")
    assert robots.weakening_problems("mybot") == ()
    (problem,) = robots.problems
    assert "is not read as a blank line" in problem.message


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_weakening_problem_of_a_robot_is_missed(dialect: str) -> None:
    """If all records are for every robot, each problem that weakens the policy is returned
    for the robot.
    """
    count = 0
    for seed in range(300):
        text = RobotsTxt.parse(Generator(f"weakening {seed}").small().body).text
        text = re.sub(r"(?i)(user-agent[ \t]*:)[^\r\n#]*", r"\1 *", text)
        robots = RobotsTxt.parse(text, dialect=dialect)

        weakening = [it for it in robots.problems if it.weakens_policy]

        assert list(robots.weakening_problems("rex")) == weakening, text
        count += len(weakening)
    assert count


def test_thousands_of_lines_or_records_break_no_warning() -> None:
    """In a file with thousands of lines or records, only a part of the file is examined,
    but a problem is still reported.
    """
    records = f"{STAR}Allow: /a\nDisallow: /a\n\n" * 6_000

    assert weakening_codes("\n" * 6_000 + STAR + "\nDisallow: /a\n") == ["R002"]
    assert "R005" in weakening_codes(records + disallowing("b"), dialect="extended")
