"""What is wrong in a file: mistakes of real files and public reports, in both dialects that
matter, and the advice that must not harm.
"""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import DIALECTS

STAR = "User-agent: *\n"


def found(body: str | bytes, dialect: str) -> str:
    """Return the problems of a file, such as "R005 2,3 error opens; R008 4 info"."""
    robots = RobotsTxt.parse(body, dialect=dialect)
    return "; ".join(
        f"{it.code} {','.join(map(str, it.lines))} {it.severity}{' opens' * it.weakens_policy}"
        for it in robots.problems
    )


# A file, its problems in rfc9309, and its problems in 1994 if they differ.
MISTAKES: dict[str, tuple[Any, ...]] = {
    "path that ends like a robot": (
        STAR + "Disallow: edit-user\n",
        "R015 2 error opens",
    ),
    "group in a closed site": (
        STAR + "Disallow: /\n\nUser-agent: bot\nDisallow: /a\n",
        "",
    ),
    "allow wins a tie": (
        STAR + "Allow: /\nDisallow: /\n",
        "R029 3 warning opens",
        "R028 2 info",
    ),
    "tie in two groups of a name": (
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: gptbot\nAllow: /\n",
        "R029 2 warning opens",
        "R026 4 warning",
    ),
    "tie with a wildcard": (
        STAR + "Disallow: /\nAllow: *\n",
        "R029 2 warning opens",
        "R028 3 info",
    ),
    "longer allow": (
        STAR + "Disallow: /\nAllow: /*\n",
        "R029 2 warning opens",
        "R028 3 info",
    ),
    "shorter allow": (STAR + "Disallow: /a\nAllow: /\n", ""),
    "group of its own": (
        STAR + "Disallow: /admin/\n\nUser-agent: Googlebot\nDisallow: /old/\n",
        "R027 4 info",
    ),
    "group that repeats": (
        STAR + "Disallow: /admin/\n\nUser-agent: Googlebot\nDisallow: /admin\n",
        "",
    ),
    "group meant to be free": (
        STAR + "Disallow: /admin/\n\nUser-agent: Googlebot\nDisallow:\n",
        "",
    ),
    "group closed": (
        STAR + "Disallow: /admin/\n\nUser-agent: GPTBot\nDisallow: /\n",
        "",
    ),
    "only allow": (STAR + "Allow: /blog/\n", "R022 1 info"),
    "allow all": (STAR + "Allow: /\n", ""),
    "noindex": (STAR + "Disallow: /a\nNoindex: /old\n", "R009 3 warning"),
    "robot's name as a path": (
        STAR + "Disallow: Google-Extended\nDisallow: GPTBot\n",
        "R016 2,3 error opens",
    ),
    "list with blank lines": (
        "User-agent: GPTBot\n\nUser-agent: CCBot\nDisallow: /\n",
        "",
        "R021 2 error opens",
    ),
    "star and blank": (
        STAR + "\nUser-agent: CCBot\nDisallow: /\n",
        "R023 3 error",
        "R022 1 warning opens",
    ),
    "star with delay": (
        STAR + "Crawl-delay: 10\n\nUser-agent: CCBot\nDisallow: /\n",
        "R023 4 error",
        "R022 1 info; R008 2 info",
    ),
    "whole header": (
        "User-agent: Mozilla/5.0 (compatible; AhrefsBot/7.0)\nDisallow: /\n",
        "R013 1 warning",
    ),
    "latin-1 comment": (b"# caf\xe9\nUser-agent: *\nDisallow: /a # \xe9\n", ""),
    "latin-1 path": (b"User-agent: *\nDisallow: /caf\xe9\n", "R006 2 error opens"),
    "no colon": (STAR + "Disallow *\nDisallow=/a\n", "R005 2,3 error opens"),
    "user agent": ("User agent: x\nDisallow: /\n", "R005 1 error opens"),
    "control in name": ("User-agent: my\x07bot\nDisallow: /\n", "R006 1 error opens"),
    "invisible in name": (
        "User-agent: my\u200bbot\nDisallow: /\n",
        "R006 1 error opens",
    ),
    "no-break space": ("User-agent:\xa0*\nDisallow: /a\xa0\n", "R006 1,2 error opens"),
    "dash in path": (STAR + "Disallow: /café\u2013x\n", ""),
    "dash in field": ("User\u2010agent: *\nDisallow: /\n", "R006 1 error opens"),
    "cyrillic": ("User-ag\u0435nt: mybot\nDisallow: /\n", "R006 1 error opens"),
    "blank with invisible": (STAR + "\u200b\nDisallow: /\n", "R006 2 warning"),
    "list of paths": (
        STAR + "Disallow: /a,/b\nDisallow: /c /d\n",
        "R017 2,3 warning opens",
    ),
    "space": (STAR + "Disallow: /my files\n", "R017 2 warning"),
    "html comment": (STAR + "Disallow: /a <!-- c -->\n", "R017 2 warning opens"),
    "two slashes": (STAR + "Disallow: //p\n", "R015 2 warning opens"),
    "misspelt robot": (
        "User-agent: GPTbott\nDisallow: /\n\nUser-agent: GoogleExtended\nDisallow: /\n",
        "R014 1 warning opens; R014 4 warning opens",
    ),
    "long delay": (
        STAR + "Disallow: /a\nCrawl-delay: 300000\n",
        "R019 3 warning",
        "R008 3 info",
    ),
    "saved": (
        '<html><pre style="word-wrap: x">User-agent: *\nDisallow: /a\n</pre></html>\n',
        "R001 1 error opens",
    ),
    "page": ("<!DOCTYPE html>\n<html>\n<p>a: b\nfoo\n", "R001 1 error"),
    "error": ("Not Found\n", "R001 1 error"),
    "json": ('{"message": "Not found"}\n', "R001 1 error"),
    "gzip": (b"\x1f\x8b\x08\x00\x00\x00\n\x01\x02\n", "R001 1 error opens"),
    "utf16": ((STAR + "Disallow: /\n").encode("utf-16-le"), "R001 1 error opens"),
    "list of names": (
        "User-agent: Googlebot, Bingbot\nDisallow: /\n",
        "R012 1 warning opens",
    ),
    "pipes": ("User-agent: GPTBot|CCBot\nDisallow: /\n", "R012 1 warning opens"),
    "words": ("User-agent: rexbot maxbot\nDisallow: /\n", "R012 1 warning opens"),
    "own name of words": (
        "User-agent: My Company\nDisallow: /\n",
        "R013 1 warning opens",
        "",
    ),
    "star in name": ("User-agent: rexbot*\nDisallow: /\n", "R012 1 warning opens"),
    "quotes": ("User-agent: 'rexbot'\nDisallow: /\n", "R012 1 warning opens"),
    "path as name": ("User-agent: /\nDisallow: /\n", "R012 1 warning opens"),
    "no name": ("User-agent:\nDisallow: /\n", "R012 1 warning opens"),
    "version": ("User-agent: Foo/1.0\nDisallow: /\n", "R013 1 info"),
    "glued": ("User-agent: * Disallow: /\n", "R007 1 error opens"),
    "HTML line break": ("User-agent: *<br/>Disallow: /\n", "R007 1 error opens"),
    "line end written out": ("User-agent: *\\nDisallow: /\n", "R007 1 error opens"),
    "glued agent": (
        STAR + "Disallow: /a User-agent: x\nDisallow: /b\n",
        "R007 2 error opens",
    ),
    "glued sitemap": (
        STAR + "Disallow: /a Sitemap: https://h.test/s.xml\n",
        "R007 2 error opens",
    ),
    "field in path": (STAR + "Disallow: /a?x=Disallow:y\n", ""),
    "well-meant": (
        "LLMs: https://h.test/x\nAgent-Skills: https://h.test/x\n"
        + STAR
        + "Disallow: /a\n",
        "R008 1 info; R008 2 info",
    ),
    "bare sitemap": (
        STAR + "Disallow: /a\nhttps://h.test/sitemap.xml\n",
        "R005 3 error",
        "R004 3 warning",
    ),
    "bare path": (STAR + "Disallow: /a\n/b\n", "R005 3 error opens"),
    "prose": (
        STAR + "Disallow: /a\nAllow all robots\nplease: be kind\n",
        "R004 3 warning; R008 4 info",
    ),
    "host": (
        STAR + "Disallow: example.com/a\nDisallow: https://h.test/a\n",
        "R015 2,3 error opens",
        "R015 2 error opens; R015 3 info",
    ),
    "fragment": (STAR + "Disallow: /#!/a\n", "R011 2 warning"),
    "orphan below misspelt agent": (
        STAR + "Disallow: /a\n\nUseragent: x\nDisallow: /b\nDisallow: /a\n",
        "R005 4 error opens",
    ),
    "rule above": (
        "Disallow: /a\n\nUser-agent: *\nDisallow: /b\n",
        "R020 1 error opens",
    ),
    "split": (STAR + "\nDisallow: /a\n", "", "R021 2 error opens"),
    "split rules": (
        STAR + "Disallow: /a\n\nDisallow: /b\n\nDisallow: /c\n",
        "",
        "R020 4,6 error opens",
    ),
    "free by a blank line": (
        "User-agent: Googlebot\n\nUser-agent: *\nDisallow: /\n",
        "R023 3 error",
        "R022 1 warning opens",
    ),
    "delay alone": (
        "User-agent: rex\nCrawl-delay: 5\n",
        "R022 1 info",
        "R022 1 info; R008 2 info",
    ),
    "wildcards": (
        STAR + "Disallow: /*.pdf\nDisallow: /a*\nDisallow: /a\nAllow: /a/b\n",
        "",
        "R018 2 warning opens; R028 5 info",
    ),
    "shadowed": (
        STAR + "Disallow: /a\nDisallow: /a/b\nDisallow: /a\nDisallow: /a/b/c\n",
        "R029 3,4,5 info",
    ),
    "shadowed with allow": (
        STAR + "Disallow: /a\nDisallow: /a/b\nAllow: /a/\nDisallow: /a\n",
        "R029 5 info",
        "R028 4 info; R029 5 info",
    ),
    "empty beside": (STAR + "Disallow:\nDisallow: /a\n", "R029 2 warning"),
    "preferences": (
        STAR
        + "Content-Usage: ai-retrieval=yes, train-ai=n\nContent-Usage: /a train-ai=n;x\n"
        "Content-Signal: search=yes,ai-train=no,use=reference\nDisallow:\n",
        "R030 2 warning",
    ),
    "preference above": (
        "Content-Signal: ai-train=maybe\nUser-agent: *\nDisallow:\n",
        "R030 1 warning; R031 1 warning",
    ),
    "clean": (
        STAR
        + "Disallow: /a\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: https://h.test/s.xml\n",
        "",
        "R008 8 info",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_reported_by_its_cause(mistake: str) -> None:
    """A mistake is one problem: what follows from it is not reported too."""
    body, *expected = MISTAKES[mistake]

    assert found(body, "rfc9309") == expected[0]
    assert found(body, "1994") == expected[-1]


# A problem, and the values in its message.
MESSAGES = {
    STAR + "Disallow *\n": 'was "Disallow: /" meant? Some robots, Googlebot among them',
    STAR + "Disallow: /a\nhttps://h.test/sitemap.xml\n": 'was "Sitemap: https://h.test',
    "User-agent: a\u200b\n": "a zero width space (U+200B)",
    STAR + "Disallow: /a,/b\n": 'the separator is part of the path "/a,/b"',
    STAR + "Disallow: https://h.test/\n": '"https://h.test/" is a URL',
    STAR + "Crawl-delay: 300000\nDisallow:\n": "asks for 0.29 pages a day",
    STAR + "Host: h.test\nDisallow:\n": "ignored (the main host of a site (Yandex))",
    "User-agent: Mozilla/5.0 (compatible; AhrefsBot)\nDisallow:\n": 'as "Mozilla"',
    STAR
    + "Disallow: /a\nDisallow: /b\n\nUser-agent: x\nDisallow: /c\n": "not lines 2 and 3",
    STAR + "Allow: /\nDisallow: /\n": 'line 2, "Allow: /", decides for',
    "<p>\n": "looks like a page of HTML or XML",
    "<pre>User-agent: *\nDisallow: /\n": "that a browser saved as a page",
    "hello\n": "looks like another text",
    STAR + "Content-Usage: ai-retrieval=yes\nDisallow:\n": "train-ai=y|n, ai-use=y|n",
}


@pytest.mark.parametrize("body", MESSAGES)
def test_message_has_the_values_of_the_file(body: str) -> None:
    """The words of each kind are in its row."""
    assert (
        MESSAGES[body] in RobotsTxt.parse(body, dialect="rfc9309").problems[0].message
    )


def test_kind_is_said_once_a_record() -> None:
    """Each further line is named, so a file of a thousand mistakes has one problem."""
    lines = STAR + "Disallow: x\n" * 1_000
    robots = RobotsTxt.parse(lines + "\nUser-agent: bot\nDisallow: y\n")

    assert [
        (it.code, it.lines) for it in robots.problems if it.severity == "error"
    ] == [
        ("R015", tuple(range(2, 1_002))),
        ("R015", (1_004,)),
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_weakening_problems_are_those_of_the_records_of_a_robot(dialect: str) -> None:
    """Those above all records and of wrong User-agent lines concern every robot."""
    file = (
        "Disallow: /above\n\nUser-agent: a\nDisallow: x\n\nUser-agent: b\nAllow: x\n"
        "Disallow: y\n\nUser-agnt: c\nDisallow: z\n"
    )
    robots = RobotsTxt.parse(file, dialect=dialect)
    lines = {
        name: [line for it in robots.weakening_problems(name) for line in it.lines]
        for name in "abcd"
    }

    assert lines["a"] == [1, 4, 10]
    assert lines["b"][:2] == [1, 8]
    assert lines["c"] == lines["d"] == [1, 10]


NAMES = (
    *("* Disallow: /", "*Disallow: /", "*, Disallow: /", "* \\n Disallow: /", "**"),
    *("mybot Disallow: /", "*\u00a0", "\u200b*", "\uff0a", ": *", "*;", '"*"', "`*`"),
    *("(*)", ".*", "*,", "a*, mybot", "mybot|x", "GPTBot and mybot", "mybot*"),
)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_name_weakens_the_policy(name: str) -> None:
    """The robot may fetch the site, and hears of it."""
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("/", "mybot")
    assert len(robots.weakening_problems("mybot")) == 1
