"""The names of a robot, and the names in the value of a User-agent line."""

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
    ("Rex (by (the (way)) Max/1) Mia/2", ["max", "mia", "rex"]),
    ("Rex/1 (never closed Max/2", ["never closed max", "max", "rex"]),
    ("(Max) Rex", ["rex"]),
    ("Rex (a) (compatible; Max) b", ["max", "rex", "b"]),
    ("M/5.0 (compatible; Rex/1.0; +http://a.example/)", ["rex", "m"]),
    ("M/5.0 (Linux; COMPATIBLE;Rex,x)", ["rex,x", "rex", "m"]),
    ("M/5.0 (incompatible; Rex)", ["m"]),
    ("M/5.0 (compatible;)", ["m"]),
    ("M/5.0 (compatible; Rex (x))", ["rex", "m"]),
    ("M/5.0(compatible; Rex/2.0; +http://a.example/)", ["rex", "m"]),
    ("My Company Bot/1.0 (+http://x)", ["bot", "my company bot"]),
    ("Rex 2.0 (+http://x)", ["rex 2.0", "rex"]),
    (
        "Mozilla/5.0 (Windows NT 5.1) Rex BETA v1.2 (a@b.test)",
        ["rex beta v1.2", "rex beta"],
    ),
    ("My Bot v1.1/beta (http://x)", ["my bot v1.1/beta", "my bot"]),
    # The names in the following headers are parts of comments.
    (
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
            "Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://apple.test/go/applebot)"
        ),
        ["applebot"],
    ),
    ("Mozilla/5.0 (X11; Linux x86_64; Rex/1.0; +http://a.test/) Gecko/1", ["rex"]),
    (
        "Mozilla/5.0 (compatible; Yahoo! Slurp; http://a.test)",
        ["yahoo! slurp", "slurp"],
    ),
    (
        "Mozilla/5.0 (compatible; My Company Bot/1.0; +http://a.test)",
        ["my company bot", "my", "bot"],
    ),
    (
        "Mozilla/5.0 (Windows NT 6.1; rv:38.0) Gecko/20100101 Firefox/38.0 (IndeedBot 1.1)",
        ["indeedbot"],
    ),
    (
        "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0; BingPreview/1.0b)",
        ["bingpreview"],
    ),
    ("Mozilla/5.0 (a; compatible; Rex/1; Max/v2.0; Mia/x)", ["rex", "max"]),
    ("Mozilla/5.0 (compatible; Ask Jeeves/Teoma; +http://a.test)", ["ask"]),
    ("Mozilla/5.0 (KHTML, like Gecko); compatible; Rex/1.0; +http://a.test", ["rex"]),
    (
        "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3; Rex/1.0) Max/1",
        ["rex", "max"],
    ),
    ("Rex/1.0 (max@a.test/1.0; www.mia.test/1.0; http://m/2.0) Gecko/1", ["rex"]),
    ("Mozilla/5.0 (X11) Safari/9 My Rex (+http://a.test)", ["my rex"]),
    ("008/0.83 (http://a.test)", ["008"]),
    # The header of a browser does not contain the name of a robot.
    (
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/124.0.0.0 Mobile Safari/537.36"
        ),
        [],
    ),
    (
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/124.0.0.0 Safari/537.36 Edg/124.0.0.0"
        ),
        [],
    ),
    (
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
            "like Gecko) CriOS/123.0.6312.52 Mobile/15E148 Safari/604.1"
        ),
        [],
    ),
    ("Mozilla/5.0 (Windows NT 6.1; Trident/7.0; .NET CLR 3.5; rv:11.0) like Gecko", []),
]


ALL_NAMES = {name for _, names in HEADERS for name in names}


@pytest.mark.parametrize(("robot", "names"), HEADERS)
def test_ours_o09_names_of_a_header(robot: str, names: list[str]) -> None:
    """A robot has the names in its product tokens and comments, or its bare name.

    The test uses the dialect of RFC 9309, in which whole names are compared. Therefore a
    record applies only to robots that have exactly the name of the record.
    """
    for name in ALL_NAMES:
        if "/" not in name and "(" not in name:
            body = disallowing("/", name)
            assert allowed(body, "/", robot, dialect="rfc9309") is (name not in names)
    for first, second in pairwise(names):
        # The group for the first of the robot's names decides.
        body = f"{disallowing('/', second)}\n{disallowing('', first)}"
        assert allowed(body, "/", robot, dialect="rfc9309")


WORDS = (
    "mozilla windows nt linux android mac os x like gecko chrome safari mobile build rv"
)


@pytest.mark.parametrize("robot", [robot for robot, _ in HEADERS if "Moz" in robot])
def test_ours_o09_words_of_browsers_and_systems_name_nobody(robot: str) -> None:
    """If the name of a record is a common word in headers of browsers, the record does
    not apply to any robot of the list.
    """
    for name in WORDS.split():
        body = disallowing("/", name)
        assert allowed(body, "/", robot, dialect="rfc9309"), name


@pytest.mark.parametrize("dialect", ["1994", "extended", "revisited"])
def test_ours_o09_part_of_a_name_in_a_comment_is_enough(dialect: str) -> None:
    """A record applies to a robot if the name of the record is a part of one of the
    robot's names (1994 A2, name comparison).
    """
    for robot, names in HEADERS:
        for name in names:
            body = disallowing("/", name[1:] if len(name) > 3 else name)
            assert " " in name or not allowed(body, "/", robot, dialect=dialect), robot


def test_ours_o09_plain_browser_obeys_the_default_record() -> None:
    """The header of a plain browser does not contain the name of a robot, so the default
    record applies.
    """
    body = disallowing("/", "Mozilla") + "\n" + disallowing("/x", "*")
    robot = "Mozilla/5.0 (X11; Linux x86_64; rv:9.0) Gecko/20100101 Firefox/9.0"

    assert allowed(body, "/a", robot)
    assert not allowed(body, "/x", robot)


BROWSER = "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/9"
VALUES = [
    ("Mozilla/5.0 (compatible; MJ12bot/v1.4; http://mj12.test)", ["mj12bot"]),
    ("mozilla/5.0 (COMPATIBLE;MJ12bot)", ["mj12bot"]),
    (f"{BROWSER} Rex/1 Safari/9", ["rex"]),
    ("Rex/2.1 (+http://rex.test/) Max/1", ["rex", "max"]),
    ("My Rex/2.1(+http://rex.test/)", ["my rex"]),
    ("My Rex/2.1 (http://rex.test/; like Max/1)", ["my rex", "like max"]),
    ("Mozilla/5.0 (compatible; My Rex)", ["my rex"]),
    ("Mozilla/5.0 (compatible; My Rex 1.0; Max 2.0)", ["my rex"]),
    (f"{BROWSER} (Rex/0.1; +http://rex.test/) (Max 1.1)", ["rex"]),
    ("Mozilla/5.0 (Linux; Android 10; Rex/1; +http://max.test/1)", ["rex"]),
    ("Rex/1 (x) Max", ["rex"]),
    (BROWSER, []),
    ("Mozilla/5.0", ["mozilla"]),
    ("Rex/1.0", ["rex"]),
    ("Rex (x)", ["rex (x)"]),
    ("rex, max", ["rex, max"]),
]


ROBOTS = (
    *(
        "mj12bot",
        "mozilla",
        "rex",
        "max",
        "chrome",
        "safari",
        "rex, max",
        "my",
        "my rex",
    ),
    *("like max", "like", "android", "linux", "x", "bot"),
)


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
@pytest.mark.parametrize(("value", "names"), VALUES)
def test_ours_o10_header_as_a_value_names_its_robot(
    value: str, names: list[str], dialect: str
) -> None:
    """If a User-agent value is a whole header, the record applies to the robots that the
    header names. Any other value is one name, without its version.
    """
    body = disallowing("/", value)

    for robot in ROBOTS:
        is_named = any(
            name == robot or (name in robot and dialect != "rfc9309") for name in names
        )
        assert allowed(body, "/", robot, dialect=dialect) is not is_named, robot


def test_ours_o10_header_in_a_list_is_one_header() -> None:
    """Revisited K1 (lists of names): the spaces in a header do not separate names."""
    body = disallowing("/", "Mozilla/5.0 (compatible; MJ12bot/v1.4)")

    assert not allowed(body, "/", "MJ12bot/v2", dialect="revisited")
    assert allowed(body, "/", "Mozilla/5.0", dialect="revisited")
