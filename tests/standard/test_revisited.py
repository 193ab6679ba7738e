"""The clauses and examples of the dialect `revisited` (Kollar, Leavitt and Mauldin, 1996)."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.table import Row, check, rows

DIALECT = ("revisited",)
LYCOS = "Lycos_Spider_(Rex)/1.0 libwww/3.1"

CLAUSES = rows(
    r"""
K1 names on one line          | {U}a rex/1.0\t \tb{D}/x              | -a/x -/x -b/x
K1 everybody and Rex | {U}Copernicus Fred\nDisallow:\n\n{U}* Rex{D}/t | -other/t -/t +fred/t
K2 paths on one line          | {U}*{D}/x \t /y\t/z                  | -/x -/y/1 -/z
K3 comments inside a record   | # x\n{U}*\n# y{D}/a #z\nDisallow: # z | -/a/b +/b
K3 blank line ends the record | {U}rex\n{D}/x\n                      | +/x
K5 O1 first record            | {U}re{D}/x\n\n{U}rex{D}/y            | -/x +/y
K6 case of paths and names    | {U}a REX{D}/Y /z                     | -/Y +/y -/z
K7 User-agent lines in a row  | {U}a\n{U}rex{D}/x                    | -a/x -/x
O10 and O12 for each word     | {U}rex\n{U}/1.0 /2.0{D}/x            | -/x +other/x
""",
    DIALECT,
)
CLAUSES += rows(
    r"""
K5 first record                | {U}lycos{D}/x\n\n{U}rex{D}/y         | -/x +/y +other/x
K4 end of the product token    | {U}rex{D}/x                          | -/x +other/x
K4 whole product token         | {U}Lycos_Spider_(Rex){D}/x           | -/x +other/x
K4 middle of the product token | {U}spider{D}/x                       | -/x +other/x
example 1 | {U}*{D}/\n\n{U}Lycos{D}/cgi-bin/ /tmp/ | +/x -/cgi-bin/x -/tmp/x +/tmp -other/
example 2 | {U}Copernicus Fred\nDisallow:\n\n{U}* Rex{D}/t | +/ -/top-cat.txt -/t
example 3 | {U}*\n# stay away{D}/not/here/ #x\nDisallow: # a\nDisallow: #b | -/not/here/x +/not/
""",
    DIALECT,
    robot=LYCOS,
)


@pytest.mark.parametrize("row", CLAUSES, ids=str)
def test_revisited_clause_decides(row: Row) -> None:
    check(row)


def test_revisited_line_of_several_names_and_paths_is_one_line() -> None:
    """The record has all names and paths, but the rule in the verdict is one path (K1, K2)."""
    body = "User-agent: a rex/1.0\tb\nDisallow: /x  /y\nDisallow:\n"
    robots = RobotsTxt.parse(body, dialect="revisited")

    assert robots.records[0].names == ("a", "rex", "b")
    assert [rule.value for rule in robots.records[0].rules] == ["/x", "/y", ""]
    assert str(robots.verdict("/y/z", "rex")) == (
        'disallowed by line 2, "Disallow: /y", of the record for "a" and "rex" and "b"'
        " (line 1)"
    )


def test_revisited_problem_is_a_blank_line_and_no_line_without_a_path() -> None:
    """Revisited K2, K3."""
    for line, codes in (
        ("\nDisallow: /x\n", ["R021"]),
        ("Disallow:\n", []),
        ("Disallow: x /a,/b\n", ["R015", "R017"]),
    ):
        robots = RobotsTxt.parse(f"User-agent: rex\n{line}", dialect="revisited")
        assert [it.code for it in robots.problems] == codes
