"""The names of a robot, taken from its User-Agent header."""

from __future__ import annotations

import pytest

from scrapy_robots1994.parser.user_agent import robot_names

HEADERS = [
    ("Rex", ["rex"]),
    ("  My Robot ", ["my robot"]),
    ("", []),
    (" \t", []),
    ("Rex/1.0", ["rex"]),
    ("/1.0", []),
    ("Rex/1.0 libwww/3.1", ["rex", "libwww"]),
    ("Rex/1.0 Rex/2.0", ["rex"]),
    (
        "Lycos_Spider_(Rex)/1.0 libwww/3.1",
        ["lycos_spider_(rex)", "libwww", "lycos_spider_"],
    ),
    ("Lycos_Spider_(Rex)", ["lycos_spider_(rex)"]),
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


@pytest.mark.parametrize(("robot", "names"), HEADERS)
def test_ours_o09_names_of_a_header(robot: str, names: list[str]) -> None:
    """They are the product tokens and the name after `compatible;`, or the bare name."""
    assert list(robot_names(robot)) == names


@pytest.mark.parametrize("robot", [b"Caf\xc3\xa9/1", b"Caf\xe9/1", "Caf\u00e9/1"])
def test_ours_o09_header_may_be_bytes(robot: str | bytes) -> None:
    """Bytes are decoded as UTF-8, or else as Latin-1."""
    assert robot_names(robot) == ("caf\u00e9",)
