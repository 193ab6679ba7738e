"""RFC 9309: groups by product token, wildcards, longest match, percent-encoding."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import Reason, RobotsTxt

HOST = "https://h.test"


def verdict_line(
    rules: str, target: str, robot: str = "rex"
) -> tuple[bool, int | None]:
    """Return whether the rules of one group allow a target, and the rule that decides.

    Rules are counted from 1.
    """
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}", dialect="rfc9309")
    verdict = robots.verdict(HOST + target, robot)
    assert robots.allowed(HOST + target, robot) is verdict.allowed
    return verdict.allowed, verdict.line and verdict.line - 1


@pytest.mark.parametrize(
    ("rule", "covered", "free"),
    [
        ("/a[1]", ["/a[1]", "/a%5B1%5D", "/a%5b1]x"], ["/a1", "/a%5B2"]),
        ("/a%5B1%5D", ["/a[1]", "/a%5b1%5D"], ["/a"]),
        ("/[", ["/%5Bx"], ["/x"]),
        (
            "/caf\u00e9",
            ["/caf%C3%A9", "/caf%c3%a9/x", "/caf\u00e9"],
            ["/caf%E9", "/caf"],
        ),
        ("/%7Erex", ["/~rex", "/%7erex/x"], ["/rex"]),
        ("/a%2Fb", ["/a%2fb"], ["/a/b"]),
        ("/a/b", ["/a/b"], ["/a%2Fb"]),
        ("/a b", ["/a%20b"], ["/a+b"]),
        ('/"x"', ["/%22x%22"], ["/x"]),
        ("/a%", ["/a%", "/a%25"], ["/a%41"]),
        ("/*.php", ["/x.php", "/a/b.phpx", "/.php?x"], ["/x.ph", "/x.PHP"]),
        ("*.php$", ["/x.php"], ["/x.php?x", "/x.php5"]),
        ("/x$", ["/x"], ["/x/", "/x?y", "/x$"]),
        ("/x$y", ["/x$yz", "/x%24y"], ["/x"]),
        ("/a%2Ab", ["/a*b", "/a%2ab"], ["/aXb"]),
        ("/a*b$", ["/ab", "/axxb", "/abb"], ["/aba", "/a"]),
        ("/**a", ["/a", "/xa"], ["/b"]),
        ("/a*$", ["/a", "/axyz"], ["/b"]),
        ("/?", ["/?x"], ["/x?"]),
        ("/", ["/", "/x", "/?"], []),
        ("*", ["/", "/x"], []),
        ("a", [], ["/a", "/"]),
        ("$", [], ["/"]),
        ("/A", ["/A"], ["/a"]),
    ],
)
def test_rule_covers_targets_in_any_spelling(
    rule: str, covered: list[str], free: list[str]
) -> None:
    """Wildcards of 2.2.3 and percent-encoding of 2.2.2, also of `[` and `]`."""
    for target in covered:
        assert verdict_line(f"Disallow: {rule}\n", target) == (False, 1), target
    for target in free:
        assert verdict_line(f"Disallow: {rule}\n", target) == (True, None), target


@pytest.mark.parametrize(
    ("rules", "target", "expected"),
    [
        ("Disallow: /\nAllow: /a\n", "/ab", (True, 2)),
        ("Allow: /a\nDisallow: /\n", "/ab", (True, 1)),
        ("Disallow: /a\nAllow: /a\n", "/ab", (True, 2)),
        ("Disallow: /a\nDisallow: /a\n", "/ab", (False, 1)),
        ("Allow: /a*c\nDisallow: /abc\n", "/abcd", (True, 1)),
        ("Allow: /a*\nDisallow: /abc\n", "/abcd", (False, 2)),
        ("Allow: /a$\nDisallow: /a\n", "/a", (True, 1)),
        ("Allow: /caf\u00e9\nDisallow: /caf%C3%A9x\n", "/caf\u00e9x", (False, 2)),
        ("Allow: /page\nDisallow: /*.htm\n", "/page.htm", (False, 2)),
        ("Allow: /page\nDisallow: /*.ht\n", "/page.htm", (True, 1)),
        ("Allow: /pages\nDisallow: /*.h\n", "/pages.h", (True, 1)),
        ("Disallow: /a$bc\nAllow: /a*bc*\n", "/a$bcd", (True, 2)),
        ("Disallow: /a%24bc\nAllow: /a*bc*\n", "/a$bcd", (False, 1)),
        ("Disallow:\nAllow:\n", "/", (True, None)),
        ("Disallow: /\n", "/robots.txt", (True, None)),
    ],
)
def test_rule_with_most_octets_decides(
    rules: str, target: str, expected: tuple[bool, int | None]
) -> None:
    """2.2.2: Allow wins a tie; the verdict names the first of equal rules."""
    assert verdict_line(rules, target) == expected


@pytest.mark.parametrize(
    ("text", "robot", "allowed"),
    [
        ("User-agent: rex\nDisallow: /\n", "REX", False),
        ("User-agent: re\nDisallow: /\n", "rex", True),
        ("User-agent: rexbot\nDisallow: /\n", "rex", True),
        ("User-agent: rex/1.0\nDisallow: /\n", "rex", False),
        ("User-agent: rex\n\nDisallow: /\n", "rex", False),
        ("User-agent: rex\nSitemap: /s\nUser-agent: b\nDisallow: /\n", "rex", False),
        ("User-agent: rex\nFoo: x\nDisallow: /\n", "rex", False),
        ("User-agent: rex\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n", "rex", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: rex\nDisallow:\n", "rex", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: rex\n", "rex", True),
        (
            "User-agent: rex\nAllow: /b\nUser-agent: b\nUser-agent: REX\nDisallow: /\n",
            "rex",
            False,
        ),
        ("Disallow: /\nUser-agent: rex\nAllow: /\n", "rex", True),
    ],
)
def test_groups_of_one_token_are_merged(text: str, robot: str, allowed: bool) -> None:
    """2.2.1: whole tokens are compared without case; only a rule ends the names."""
    robots = RobotsTxt.parse(text, dialect="rfc9309")

    assert robots.allowed(f"{HOST}/x", robot) is allowed


def test_first_name_of_the_robot_that_has_a_group_decides() -> None:
    """The name after `compatible;` comes first, then the product tokens in order."""
    text = "User-agent: mozilla\nDisallow: /m\n\nUser-agent: rex\nDisallow: /r\n"
    robots = RobotsTxt.parse(text, dialect="rfc9309")
    header = "Mozilla/5.0 (compatible; Rex/1.0; +http://h.test)"

    assert robots.allowed(f"{HOST}/m", header)
    assert not robots.allowed(f"{HOST}/r", header)
    assert not robots.allowed(f"{HOST}/m", "Mozilla/5.0 (X11) Other/1.0")


def test_delay_and_sitemaps_are_read_as_in_extended() -> None:
    """A crawl delay belongs to its group, a sitemap to the file."""
    text = (
        "Sitemap: https://h.test/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /a\n"
    )
    robots = RobotsTxt.parse(text, dialect="rfc9309")

    assert robots.rules("rex").crawl_delay == 2.5
    assert robots.sitemaps == ("https://h.test/s.xml",)


def test_reading_makes_no_difference() -> None:
    """Blank lines have no meaning, so no rule is an orphan."""
    text = "User-agent: *\nDisallow: /a\n\nDisallow: /b\n"
    verdicts = {
        RobotsTxt.parse(text, dialect="rfc9309", reading=reading).verdict("/b", "rex")
        for reading in ("literal", "cautious")
    }

    assert [verdict.reason for verdict in verdicts] == [Reason.RULE]


def test_hostile_pattern_is_matched_without_backtracking() -> None:
    """5.1: linear in the length of the URL; tried in each way it would take years."""
    robots = RobotsTxt.parse(
        f"User-agent: *\nDisallow: /{'*a' * 40}*b$\n", dialect="rfc9309"
    )

    assert robots.allowed(f"{HOST}/{'a' * 8_000}", "rex")
    assert not robots.allowed(f"{HOST}/{'a' * 8_000}b", "rex")
