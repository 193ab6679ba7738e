"""The names that a robot answers to, and the names that a User-agent value gives."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.standard.asking import allowed, disallowing

HEADERS = [
    ("Rex", ["rex"]),
    ("  My Robot ", ["my robot"]),
    (" \t", []),
    ("Rex/1.0", ["rex"]),
    ("/1.0", []),
    ("Rex/1.0 libwww/3.1", ["rex", "libwww"]),
    ("Rex/1.0 Rex/2.0", ["rex"]),
    ("Lycos_(Rex)", ["lycos_(rex)"]),
    ("Lycos_(Rex)/1.0 libwww/3.1", ["lycos_(rex)", "libwww", "lycos_"]),
    ("Rex (+http://a.example/rex)", ["rex"]),
    ("Rex (by (the (way)) Max/1) Mia/2", ["rex", "mia"]),
    ("Rex/1 (never closed Max/2", ["rex"]),
    ("(Max) Rex", ["rex"]),
    ("Rex (a) (compatible; Max) b", ["max", "rex", "b"]),
    ("M/5.0 (compatible; Rex/1.0; +http://a.example/)", ["rex", "m"]),
    ("M/5.0 (Linux; COMPATIBLE;Rex,x)", ["rex", "m"]),
    ("M/5.0 (incompatible; Rex)", ["m"]),
    ("M/5.0 (compatible;)", ["m"]),
    ("M/5.0 (compatible; Rex (x))", ["rex", "m"]),
    ("M/5.0(compatible; Rex/2.0; +http://a.example/)", ["rex", "m"]),
    ("My Company Bot/1.0 (+http://x)", ["my", "company", "bot", "my company bot"]),
]


ALL_NAMES = {name for _, names in HEADERS for name in names}


@pytest.mark.parametrize(("robot", "names"), HEADERS)
def test_ours_o09_names_of_a_header(robot: str, names: list[str]) -> None:
    """They are the product tokens and the name after `compatible;`, or the bare name.

    RFC 9309 compares whole names, so that a record speaks to a robot of that very name.
    """
    for name in ALL_NAMES:
        if "/" not in name and "(" not in name:
            body = disallowing("/", name)
            assert allowed(body, "/", robot, dialect="rfc9309") is (name not in names)
    for first, second in pairwise(names):
        # The first of its names that has a group decides.
        body = f"{disallowing('/', second)}\n{disallowing('', first)}"
        assert allowed(body, "/", robot, dialect="rfc9309")


BROWSER = "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/9"
VALUES = [
    ("Mozilla/5.0 (compatible; MJ12bot/v1.4; http://mj12.test)", ["mj12bot"]),
    ("mozilla/5.0 (COMPATIBLE;MJ12bot)", ["mj12bot"]),
    (f"{BROWSER} Rex/1 Safari/9", ["rex"]),
    ("Rex/2.1 (+http://rex.test/) Max/1", ["rex", "max"]),
    (BROWSER, []),
    ("Mozilla/5.0", ["mozilla"]),
    ("Rex/1.0", ["rex"]),
    ("Rex (x)", ["rex (x)"]),
    ("rex, max", ["rex, max"]),
]


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
@pytest.mark.parametrize(("value", "names"), VALUES)
def test_ours_o10_header_as_a_value_names_its_robot(
    value: str, names: list[str], dialect: str
) -> None:
    """Every other value is one name, without its version."""
    body = disallowing("/", value)

    for robot in ("mj12bot", "mozilla", "rex", "max", "chrome", "safari", "rex, max"):
        is_named = any(
            name == robot or (name in robot and dialect != "rfc9309") for name in names
        )
        assert allowed(body, "/", robot, dialect=dialect) is not is_named, robot


def test_ours_o10_header_in_a_list_is_one_header() -> None:
    """Revisited K1: its spaces separate no names."""
    body = disallowing("/", "Mozilla/5.0 (compatible; MJ12bot/v1.4)")

    assert not allowed(body, "/", "MJ12bot/v2", dialect="revisited")
    assert allowed(body, "/", "Mozilla/5.0", dialect="revisited")
