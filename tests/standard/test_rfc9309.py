"""The dialect `rfc9309`: groups, wildcards, longest match, percent-encoding, crawl delays."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.table import Row, check, rows

HOST = "https://h.test"


CLAUSES = rows(
    r"""
2.2.2 percent-encoding     | /a[1] | -/a[1] -/a%5B1%5D -/a%5b1]x +/a1 +/a%5B2
2.2.2 percent-encoding     | /a%5B1%5D                            | -/a[1] -/a%5b1%5D +/a
2.2.2 percent-encoding     | /caf\xe9 | -/caf%C3%A9 -/caf%c3%a9/x -/caf\xe9 +/caf%E9 +/caf
2.2.2 percent-encoding     | /%7Erex                              | -/~rex -/%7erex/x +/rex
2.2.2 percent-encoding     | /a%2Fb                               | -/a%2fb +/a/b
2.2.2 path                 | /a/b                                 | -/a/b +/a%2Fb
2.2.2 percent-encoding     | /a b                                 | -/a%20b +/a+b
2.2.2 percent-encoding     | /a%                                  | -/a% -/a%25 -/a%20b +/a%41
2.2.2 incomplete escape    | /*%e*x                               | -/a%E9bx -/a%ebx +/a%41x
2.2.3 wildcard             | /*.php | -/x.php -/a/b.phpx -/.php?x +/x.ph +/x.PHP
2.2.3 end mark             | *.php$                               | -/x.php +/x.php?x +/x.php5
2.2.3 end mark             | /x$                                  | -/x +/x/ +/x?y +/x$
2.2.2 path                 | /x$y                                 | -/x$yz -/x%24y +/x
2.2.2 percent-encoding     | /a%2Ab                               | -/a*b -/a%2ab +/aXb
2.2.3 end mark             | /a*a$                                | -/aa -/aba -/abaa +/abab +/a
2.2.3 end mark             | /a*b*b$                              | -/abb +/ab
2.2.3 wildcard             | /**a                                 | -/a -/xa +/b
2.2.3 end mark             | /a*$                                 | -/a -/axyz +/b
2.2.2 path                 | /?                                   | -/?x +/x?
2.2.2 path                 | /                                    | -/ -/x -/?
2.2.3 wildcard             | *                                    | -/ -/x
2.2.2 path                 | a                                    | +/a +/
2.2.3 end mark             | $                                    | +/
2.2.2 path                 | /A                                   | -/A +/a
2.2.1 any case             | {U}rex{D}/\n                         | -REX/x
2.2.1 no part of a name    | {U}re{D}/\n                          | +rex/x
2.2.1 no longer name       | {U}rexbot{D}/\n                      | +rex/x
2.2.1 version left out     | {U}rex/1.0{D}/\n                     | -rex/x
2.2.1 blank line inside    | {U}rex\n{D}/\n                       | -rex/x
2.2.1 Sitemap inside       | {U}rex\nSitemap: /s\n{U}b{D}/\n      | -rex/x
2.2.1 unknown field inside | {U}rex\nFoo: x{D}/\n                 | -rex/x
2.2.1 delay inside         | {U}rex\nCrawl-delay: 1\n{U}b{D}/\n   | -rex/x
2.2.1 own before `*`       | {U}*{D}/\n\n{U}rex\nDisallow:\n      | +rex/x
2.2.1 own and empty        | {U}*{D}/\n\n{U}rex\n                 | +rex/x
2.2.1 groups are merged    | {U}rex\nAllow: /b\n{U}b\n{U}REX{D}/\n | -rex/x
2.2.1 rule above groups    | Disallow: /\n{U}rex\nAllow: /\n      | +rex/x
""",
    ("rfc9309",),
)


@pytest.mark.parametrize("row", CLAUSES, ids=str)
def test_rfc9309_clause_decides(row: Row) -> None:
    check(row)


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
        # A final `$` counts as an octet too.
        ("Disallow: /a$\nAllow: /a\n", "/a", (False, 1)),
        ("Allow: /caf\u00e9\nDisallow: /caf%C3%A9x\n", "/caf\u00e9x", (False, 2)),
        ("Allow: /page\nDisallow: /*.htm\n", "/page.htm", (False, 2)),
        ("Allow: /page\nDisallow: /*.ht\n", "/page.htm", (True, 1)),
        ("Disallow: /a$bc\nAllow: /a*bc*\n", "/a$bcd", (True, 2)),
        ("Disallow: /a%24bc\nAllow: /a*bc*\n", "/a$bcd", (False, 1)),
        ("Disallow:\nAllow:\n", "/", (True, None)),
        ("Disallow: /\n", "/robots.txt", (True, None)),
    ],
)
def test_rule_with_most_octets_decides(
    rules: str, target: str, expected: tuple[bool, int | None]
) -> None:
    """Allow wins a tie (2.2.2). The verdict names the first of several equal rules."""
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}", dialect="rfc9309")
    verdict = robots.verdict(HOST + target, "rex")

    # The expected numbers count the rules from 1, but the first rule is on line 2.
    assert (verdict.allowed, verdict.line and verdict.line - 1) == expected
    assert robots.allowed(HOST + target, "rex") is verdict.allowed


def test_hostile_pattern_is_matched_without_backtracking() -> None:
    """Backtracking would take years."""
    body = f"User-agent: *\nDisallow: /{'*a' * 40}*b$\n"
    robots = RobotsTxt.parse(body, dialect="rfc9309")

    assert robots.allowed(f"{HOST}/{'a' * 8_000}", "rex")
    assert not robots.allowed(f"{HOST}/{'a' * 8_000}b", "rex")


OTHERS = "User-agent: bingbot\nCrawl-delay: 60\n"


@pytest.mark.parametrize(
    ("body", "delays"),
    [
        # Each pair contains the delays of rex and bingbot.
        (f"{OTHERS}\nUser-agent: *\nDisallow: /x\n", (None, 60)),
        (f"{OTHERS}User-agent: rex\nDisallow: /x\n", (None, 60)),
        (f"{OTHERS}\nUser-agent: *\nCrawl-delay: 5\nDisallow: /x\n", (5, 60)),
        ("User-agent: bingbot\n\nUser-agent: rex\nCrawl-delay: 5\n", (5, 5)),
        ("User-agent: bingbot\nHost: h\nUser-agent: rex\nCrawl-delay: 5\n", (5, 5)),
        ("User-agent: rex\nHost: h\n\n# c\nSitemap: s\nCrawl-delay: 5\n", (5, None)),
        ("User-agent: rex\nDisallow: /\n\nCrawl-delay: 5\nCrawl-delay: 7\n", (7, None)),
        (f"{OTHERS}User-agent: rex\nCrawl-delay: 5\nUser-agent: *\n", (5, 60)),
        (
            f"{OTHERS}User-agent: rex\nDisallow: /\nUser-agent: rex\nCrawl-delay: 5\n",
            (5, 60),
        ),
        ("User-agent: *\nCrawl-delay: 5\nUser-agent: rex\nDisallow: /\n", (None, 5)),
        (f"User-agent: rex\nCrawl-delay: 1\nSitemap: s\n{OTHERS}", (1, 60)),
        # O12: a User-agent line without a name begins no list of names.
        ("User-agent: rex\nDisallow: /x\nUser-agent:\nCrawl-delay: 5\n", (5, None)),
        # A delay that is not a number is ignored, so it does not end a list of names.
        (
            "User-agent: rex\nCrawl-delay: x\nUser-agent: bingbot\nCrawl-delay: 5\n",
            (5, 5),
        ),
    ],
)
def test_delay_is_for_the_last_user_agent_lines_above_it(
    body: str, delays: tuple[float | None, float | None]
) -> None:
    robots = RobotsTxt.parse(body, dialect="rfc9309")

    assert tuple(robots.rules(it).crawl_delay for it in ("rex", "bingbot")) == delays
