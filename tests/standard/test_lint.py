"""Mistakes from real files and public reports, and the problems that the linter finds in them."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import DIALECTS
from tests.standard.table import unescaped

STAR = "User-agent: *\n"


def found(body: str | bytes, dialect: str) -> str:
    """Return the problems as text, such as "R005 2,3 error opens; R008 4 info"."""
    robots = RobotsTxt.parse(body, dialect=dialect)
    return "; ".join(
        f"{it.code} {','.join(map(str, it.lines))} {it.severity}{' opens' * it.weakens_policy}"
        for it in robots.problems
    )


# The columns are title, file, problems in rfc9309, and problems in 1994 if they differ (see
# `table.py`).
MISTAKES = r"""
path that ends like a robot | {U}*{D}edit-user\n | R015 2 error opens
group in a closed site | {U}*{D}/\n\n{U}bot{D}/a\n | -
allow wins a tie | {U}*\nAllow: /{D}/\n | R029 3 warning opens | R028 2 info
tie in two groups of a name | {U}GPTBot{D}/\n\n{U}gptbot\nAllow: /\n | R029 2 warning opens\
 | R026 4 warning
tie with a wildcard | {U}*{D}/\nAllow: *\n | R029 2 warning opens | R028 3 info
shorter allow with an escape | {U}*{D}/a*\nAllow: /%61\n | - | R018 2 warning opens; R028 3 info
shorter allow | {U}*{D}/a\nAllow: /\n | -
group of its own | {U}*{D}/admin/\n\n{U}Googlebot{D}/old/\n | R027 4 info
group that repeats | {U}*{D}/admin/\n\n{U}Googlebot{D}/admin\n | -
group meant to be free | {U}*{D}/admin/\n\n{U}Googlebot\nDisallow:\n | -
group closed | {U}*{D}/admin/\n\n{U}GPTBot{D}/\n | -
only allow | {U}*\nAllow: /blog/\n | R032 1 info | R028 2 info
allow all | {U}*\nAllow: /\n | -
noindex | {U}*{D}/a\nNoindex: /old\n | R009 3 warning
robot's name as a path | {U}*{D}Google-Extended{D}GPTBot\n | R016 2,3 error opens
list with blank lines | {U}GPTBot\n\n{U}CCBot{D}/\n | - | R021 2 error opens
star and blank | {U}*\n\n{U}CCBot{D}/\n | R023 3 error | R022 1 warning opens
star with delay | {U}*\nCrawl-delay: 10\n\n{U}CCBot{D}/\n | R023 4 error | R008 2 info
whole header | {U}Mozilla/5.0 (compatible; AhrefsBot/7.0){D}/\n | R013 1 warning
bytes: latin-1 comment | # caf\xe9\n{U}*{D}/a # \xe9\n | -
bytes: latin-1 path | {U}*{D}/caf\xe9\n | R006 2 error opens
no colon | {U}*\nDisallow *\nDisallow=/a\n | R005 2,3 error opens
user agent | User agent: x{D}/\n | R005 1 error opens
control in name | {U}my\x07bot{D}/\n | R006 1 error opens
invisible in name | {U}my\u200bbot{D}/\n | R006 1 error opens
no-break space | User-agent:\xa0*{D}/a\xa0\n | R006 1,2 error opens
dash in path | {U}*{D}/caf\xe9\u2013x\n | -
joiner in path | {U}*{D}/\u0645\u06cc\u200c\u0634\u0648\u062f\n | -
dash in field | User\u2010agent: *{D}/\n | R006 1 error opens
cyrillic | User-ag\u0435nt: mybot{D}/\n | R006 1 error opens
blank with invisible | {U}*\n\u200b{D}/\n | R006 2 warning
list of paths | {U}*{D}/a,/b{D}/c /d\n | R017 2,3 warning opens
space | {U}*{D}/my files\n | R017 2 warning
html comment | {U}*{D}/a <!-- c -->\n | R017 2 warning opens
two slashes | {U}*{D}//{D}//p\n | R015 3 warning opens
two slashes alone | {U}*{D}//*{D}//$\n | - | R018 2,3 warning opens
misspelt robot | {U}GPTbott{D}/\n\n{U}GoogleExtended{D}/\n\
 | R014 1 warning opens; R014 4 warning opens
long delay | {U}*{D}/a\nCrawl-delay: 300000\n | R019 3 warning | R008 3 info; R019 3 warning
saved | <html><pre style="word-wrap: x">{U}*{D}/a\n</pre></html>\n | R001 1 error opens
page | <!DOCTYPE html>\n<html>\n<p>a: b\nfoo\n | R001 1 error
error | Not Found\n | R001 1 error
json | {"message": "Not found"}\n | R001 1 error
bytes: gzip | \x1f\x8b\x08\x00\x00\x00\n\x01\x02\n | R001 1 error
list of names | {U}Googlebot, Bingbot{D}/\n | R012 1 warning opens
words | {U}rexbot maxbot{D}/\n | R012 1 warning opens
path as name | {U}/{D}/\n | R012 1 warning opens
mistake twice in a line | {U}*\nContent-Usage: x=y, z=y{D}/a\n | R030 2 warning
no name | User-agent:{D}/\n | R012 1 warning opens
version | {U}Foo/1.0{D}/\n | R013 1 info
glued | {U}* Disallow: /\n | R007 1 error opens
HTML line break | {U}*<br/>Disallow: /\n | R007 1 error opens
glued agent | {U}*{D}/a {U}x{D}/b\n | R007 2 error opens
glued sitemap | {U}*{D}/a Sitemap: https://h.test/s.xml\n | R007 2 error opens
glued to a sitemap | Sitemap: /s.xml Disallow: /a\n{U}*{D}/b\n | R007 1 error opens
field in path | {U}*{D}/a?x=Disallow:y\n | -
well-meant | LLMs: https://h.test/x\nAgent-Skills: https://h.test/x\n{U}*{D}/a\n\
 | R008 1 info; R008 2 info
bare sitemap | {U}*{D}/a\nhttps://h.test/sitemap.xml\n | R005 3 error | R004 3 warning
bare path | {U}*{D}/a\n/b\n | R005 3 error opens
prose | {U}*{D}/a\nAllow all robots\nplease: be kind\n | R004 3 warning; R008 4 info
host | {U}*{D}example.com/a{D}https://h.test/a\n | R015 2,3 error opens\
 | R015 2 error opens; R015 3 info
URL in a path | {U}*{D}a?http://h.test/\n | R015 2 error opens
fragment | {U}*{D}/#!/a\n | R011 2 warning
orphan below misspelt agent | {U}*{D}/a\n\nUseragent: x{D}/b{D}/a\n | R005 4 error opens
rule above | Disallow: /a\n\n{U}*{D}/b\n | R020 1 error opens
split | {U}*\n{D}/a\n | - | R021 2 error opens
split rules | {U}*{D}/a\n{D}/b\n{D}/c\n | - | R021 3,5 error opens
free by a blank line | {U}Googlebot\n\n{U}*{D}/\n | R023 3 error | R022 1 warning opens
delay alone | {U}rex\nCrawl-delay: 5\n | - | R008 2 info
wildcards | {U}*{D}/*.pdf{D}/a*{D}/a\nAllow: /a/b\n | - | R018 2 warning opens; R028 5 info
allow of the first | {U}*{D}/a{D}/b\nAllow: /a\n | R029 2 warning opens | R028 4 info
shadowed with allow | {U}*{D}/a{D}/a/b\nAllow: /a/{D}/a\n | - | R028 4 info
empty beside | {U}*\nDisallow:{D}/a\n | R029 2 warning
preferences | {U}*\nContent-Usage: ai-retrieval=yes, train-ai=n\nContent-Usage: /a train-ai=n;x\n\
Content-Signal: search=yes,ai-train=no,use=reference\nDisallow:\n | R030 2 warning
signals with spaces | {U}*\nContent-Signal: search = yes, use = full,\nDisallow:\n | -
bad parameters | {U}*\nContent-Usage: search=n;\nContent-Usage: search=n ;a\nDisallow:\n\
 | R030 2,3 warning
misspelt preference | {U}*\nContent-Useage: search=n\nContent-Usage search=n\nDisallow:\n\
 | R005 2,3 error
misspelt field of another dialect | {U}*{D}/a\nAlow: /a/b\nAllow /a/c\nLicense under MIT\n\
 | R005 3,4 error; R004 5 warning | R008 3 info; R004 4,5 warning
label of another field | {U}*\nContent-Usage: use=reference\nDisallow:\n | R030 2 warning
preference above | Content-Signal: ai-train=maybe\n{U}*\nDisallow:\n\
 | R030 1 warning; R031 1 warning
group that repeats in lower case | {U}bot{D}/a\n\n{U}bot\ndisallow: /a\n | -
allow for one of two | {U}*\n{U}bot{D}/a\n\n{U}bot\nAllow: /a\n | - | R026 5 warning; R028 6 info
same escape | {U}*{D}/%2520x\n\n{U}bot{D}/%2520x\nCrawl-delay: 1\n | - | R008 6 info
rule that matches nothing | {U}*{D}x\n\n{U}bot\nAllow: /a\n | R015 2 error opens; R032 4 info \
| R015 2 error opens; R028 5 info
clean | {U}*{D}/a\n\n{U}GPTBot\n{U}CCBot{D}/\n\nSitemap: https://h.test/s.xml\n | - | R008 8 info
equal groups of a name | {U}bot{D}/a\n\n{U}bot{D}/a\n | -
name of words | {U}Sogou web spider{D}/\n | R013 1 info | -
name with a backslash | {U}Sogou\\ web{D}/\n | R013 1 info | -
name with colons | {U}WWW::Mechanize\n{U}Xenu's Link{D}/\n | R013 2 info | -
exception of one robot | {U}*{D}/a/\n\n{U}bot\nAllow: /a/b\n | R027 4 info | R028 5 info
exception to all | {U}*{D}/\n\n{U}bot\nAllow: /b\n | R027 4 info | R028 5 info
delay of one robot | {U}*{D}/a\n\n{U}bot\nCrawl-delay: 5\n | R027 4 info\
 | R027 4 info; R008 5 info
group that shares with star | {U}*\n{U}bot{D}/a\n\n{U}bot{D}/b\n | - | R026 5 warning
group that closes as much | {U}*{D}/a/b{D}/a/*/c\n\n{U}bot{D}/a/*\n | -\
 | R018 3 warning opens; R018 6 warning opens
two records for star, one of them a delay | {U}*\nCrawl-delay: 9\n{U}*{D}/a\n | - | R008 2 info
group of a shorter name | {U}*{D}/a\n\n{U}bot{D}/b\n\n{U}mybot{D}/c\n | R027 4,7 info\
 | R027 4 info; R026 7 warning
copied line | {U}*{D}x\n\n{U}bot{D}x\n | R015 2,5 error opens
""".replace("\\\n", "")


@pytest.mark.parametrize("row", MISTAKES.strip().splitlines(), ids=lambda it: it[:24])
def test_mistake_is_reported_by_its_cause(row: str) -> None:
    """Other problems that follow from the same mistake are not reported."""
    title, file, *expected = row.split(" | ")
    text = unescaped(file)
    body = text.encode("latin-1") if title.startswith("bytes") else text

    assert found(body, "rfc9309") == expected[0].strip("-")
    assert found(body, "1994") == expected[-1].strip("-")


# The message of the first problem of each file contains the text.
MESSAGES = {
    STAR + "Disallow *\n": 'was "Disallow: /" meant? Some robots, Googlebot among them',
    STAR + "Disallow: /a\nhttps://h.test/sitemap.xml\n": 'was "Sitemap: https://h.test',
    "User-agent: a\u200b\n": "a zero width space (U+200B)",
    STAR + "Disallow: /a <!-- c -->\n": "the HTML comment is part of the path",
    "User-agent: Sogou\\ web\nDisallow:\n": 'some robots read "Sogou\\ web" as "Sogou"',
    STAR + "Disallow: /a,/b\n": 'the separator is part of the path "/a,/b"',
    STAR + "Disallow: https://h.test/\n": '"https://h.test/" is a URL',
    STAR + "Crawl-delay: 300000\nDisallow:\n": "is in seconds: 5,000 minutes",
    STAR + "Crawl-delay: 5\nDisallow:\n": "robots of other dialects read it",
    STAR + "Host: h.test\nDisallow:\n": "ignored (the main host of a site (Yandex))",
    "User-agent: Mozilla/5.0 (compatible; AhrefsBot)\nDisallow:\n": 'as "Mozilla"',
    STAR
    + "Disallow: /a\nDisallow: /b\n\nUser-agent: x\nDisallow: /c\n": "not lines 2 and 3",
    STAR + "Allow: /\nDisallow: /\n": 'line 2, "Allow: /", decides for',
    "<p>\n": "looks like a page of HTML or XML",
    "<pre>User-agent: *\nDisallow: /\n": "that a browser saved as a page",
    "hello\n": "looks like another text",
    STAR + "Content-Usage: ai-retrieval=yes\nDisallow:\n": "train-ai=y|n, ai-use=y|n",
    "User-agent: y\nUser-agent: rex\nDisallow: /a\n\nUser-agent: REXbot\n"
    "Disallow: /b\n": 'line 1 for "rex"',
}


@pytest.mark.parametrize("body", MESSAGES)
def test_message_has_the_values_of_the_file(body: str) -> None:
    rfc9309, text = (
        RobotsTxt.parse(body, dialect=it).problems for it in ("rfc9309", "1994")
    )

    assert MESSAGES[body] in (*rfc9309, *text)[0].message


def test_kind_is_said_once_a_record() -> None:
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
    """Problems before the first record or in wrong User-agent lines concern every robot."""
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
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("/", "mybot")
    assert len(robots.weakening_problems("mybot")) == 1


def test_column_is_that_of_the_wrong_path() -> None:
    """In the dialect revisited, a line may have several paths."""
    for rules, place in (
        ("Disallow: /b b\n", (2, 14)),
        ("Disallow: /a\nDisallow: /a* *\n", (3, 15)),
    ):
        (problem,) = RobotsTxt.parse(STAR + rules, dialect="revisited").problems
        assert (problem.line, problem.column) == place
