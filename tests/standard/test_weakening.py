"""`weakening_problems()`: what opens the site against what its author likely meant."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import DIALECTS

STAR = "User-agent: *\nDisallow: /\n"

LATER_ALLOW = pytest.mark.xfail(
    reason="weakening: an ignored Allow closes more, it opens nothing", strict=True
)
LATER_WILDCARD = pytest.mark.xfail(
    reason="say what 1994 opens: `*` and `$` in a Disallow weaken the policy",
    strict=True,
)


@LATER_ALLOW
@pytest.mark.parametrize("dialect", ["extended", "rfc9309"])
@pytest.mark.parametrize("line", ["Alow: /a", "Allow /a", "All\u043ew: /a", "Alow /a"])
def test_misspelt_allow_is_reported_and_weakens_nothing(
    line: str, dialect: str
) -> None:
    """The author meant to open what stays closed."""
    robots = RobotsTxt.parse(STAR + line, dialect=dialect)

    assert [(it.line, it.weakens_policy) for it in robots.problems] == [(3, False)]
    assert robots.weakening_problems("rex") == ()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("line", ["Disalow: /a", "Disallow /a", "Dis\u0430llow: /a"])
def test_misspelt_disallow_weakens_the_policy(line: str, dialect: str) -> None:
    """The author meant to close what stays open."""
    (problem,) = RobotsTxt.parse(STAR + line, dialect=dialect).weakening_problems("rex")

    assert (problem.line, problem.weakens_policy) == (3, True)


@LATER_WILDCARD
@pytest.mark.parametrize("dialect", ["1994", "revisited", "extended"])
@pytest.mark.parametrize("path", ["/*.pdf$", "/a*", "/a$"])
def test_wildcard_in_a_disallow_of_our_record_weakens_the_policy(
    path: str, dialect: str
) -> None:
    """The author meant to close what the literal path leaves open."""
    body = f"User-agent: rex\nDisallow: {path}\n\nUser-agent: max\nDisallow: {path}\n"
    robots = RobotsTxt.parse(body, dialect=dialect)

    assert [it.line for it in robots.weakening_problems("rex")] == [2]
    assert [it.line for it in robots.weakening_problems("max")] == [5]
    assert robots.weakening_problems("other") == ()


def test_wildcard_weakens_nothing_where_it_has_its_meaning() -> None:
    """RFC 9309 obeys it; and in an Allow it would open more."""
    pattern = "User-agent: *\nDisallow: /*.pdf$\n"
    allow = "User-agent: *\nAllow: /*.pdf$\nDisallow: /\n"

    assert RobotsTxt.parse(pattern, dialect="rfc9309").weakening_problems("rex") == ()
    for dialect in ("1994", "extended"):
        assert RobotsTxt.parse(allow, dialect=dialect).weakening_problems("rex") == ()


@pytest.mark.parametrize("nul", ["\x00", "\x00\x00", "\x00 \x00 \x00"])
@pytest.mark.parametrize("place", ["# {}\n", "User-agent: m{}x\nDisallow: /\n\n"])
def test_single_nul_bytes_do_not_make_a_file_utf_16(nul: str, place: str) -> None:
    """Ours O25: a NUL is an ordinary character, and the other lines are reported."""
    filler = "# as long as a short file is, so that few of its bytes are NUL\n"
    body = place.format(nul) + filler + STAR + "Disalow: /b\nhello\n"
    codes = [it.code for it in RobotsTxt.parse(body).problems]

    assert "R040" not in codes
    assert {"R020", "R006"} <= set(codes)
    assert [it.code for it in RobotsTxt.parse(body).weakening_problems("rex")] == [
        "R020"
    ]
