"""Examples of the clauses of 1994 and of our decisions.

`tests/standard/table.py` describes the format of the rows.
"""

from __future__ import annotations

import pytest

from scrapy_robots1994 import LineKind, Reason, RobotsTxt
from tests.standard.asking import (
    DIALECTS,
    PREFIX_DIALECTS,
    allowed,
    codes,
    disallowing,
    kinds,
)
from tests.standard.table import Row, check, rows

U, D = "User-agent: ", "\nDisallow: "
STAR = "User-agent: *\n"

CLAUSES = rows(r"""
F1 blank lines separate records    | {U}a{D}/a\n\n{U}b{D}/b\n             | -a/a +a/b -b/b +b/a
F1 several blank lines             | {U}a{D}/a\n\n\n{U}b{D}/b\n           | -a/a +a/b -b/b +b/a
F1 blank line CR NL                | {U}a{D}/a\n\r\n{U}b{D}/b\n           | -a/a +a/b -b/b +b/a
F1 blank line CR                   | {U}a{D}/a\n\r{U}b{D}/b\n             | -a/a +a/b -b/b +b/a
F2 NL ends a line                  | {U}*{D}/a{D}/b                       | -/a -/b
F2 CR NL ends a line               | {U}*\r\nDisallow: /a\r\nDisallow: /b | -/a -/b
F2 CR ends a line                  | {U}*\rDisallow: /a\rDisallow: /b     | -/a -/b
F2 NL CR is two line ends          | {U}*\n\rDisallow: /                  | +/
F2 VT and FF end no line           | {U}*{D}/a\vb{D}/c\fd                 | +/a -/a\vb +/c -/c\fd
F2 FS and GS end no line           | {U}*{D}/a\x1cb{D}/c\x1dd | +/a -/a\x1cb +/c -/c\x1dd
F2 RS and NEL end no line          | {U}*{D}/a\x1eb{D}/c\x85d | +/a -/a\x1eb +/c -/c\x85d
F2 U+2028 and U+2029 end no line   | {U}*{D}/a\u2028b{D}/c\u2029d | +/a -/a\u2028b +/c -/c\u2029d
F3 no space before the value       | {U}*\nDisallow:/x                    | -/x
F3 more space around the value     | {U}*\nDisallow:  /x \t               | -/x
F4 field names in lower case       | user-agent: *\ndisallow: /x          | -/x
F4 field names in upper case       | USER-AGENT: *\nDISALLOW: /x          | -/x
F4 field names in mixed case       | uSER-aGENT: *\nDisAllow: /x          | -/x
F4 the letter U+017F is no s       | {U}*\nDi\u017fallow: /x              | +/x
F4 the letter U+0131 is no i       | {U}*\nD\u0131sallow: /x              | +/x
F5 comment line ends no record     | {U}*\n#{D}/x\n# x{D}/z               | -/x -/z
F5 nor does one after space        | {U}*\n \t# x{D}/x\n \t#{D}/z         | -/x -/z
F5 commented field is no field     | {U}*\n#Disallow: /y{D}/x             | -/x +/y
F6 Allow is ignored                | Allow: /\n{U}a\nAllow: /\n{U}rex\nAllow: /{D}/x | -a/x -/x +/y
F6 Crawl-delay is ignored          | {U}a\nCrawl-delay: 1\n{U}rex{D}/x    | -a/x -/x +/y
F6 Sitemap is ignored              | {U}a\nSitemap: x\n{U}rex\nSitemap: x{D}/x | -a/x -/x +/y
F6 unknown field is ignored        | Disallowed: /y\n{U}a\n:x\n{U}rex{D}/x | -a/x -/x +/y
A1 several names share one policy  | {U}a\n{U}b{D}/x                      | -a/x -b/x +c/x
A2 name in any case                | {U}rex{D}/a\n\n{U}REX{D}/b           | -/a -T-Rex/a +/b
A2 name of another case            | {U}REX{D}/                           | -/ -T-Rex/
A2 part of the name                | {U}Re{D}/                            | -/ -T-Rex/ +rx/
A2 whole name                      | {U}t-rex{D}/                         | +/ -T-Rex/
A3 default is for all others       | {U}*{D}/\n\n{U}rex{D}/x\n\n{U}*{D}/  | +/y -/x -other/y
A3 asterisk inside a name          | {U}r*x{D}/                           | +/ -r*x/
A3 asterisk at the end of a name   | {U}rex*{D}/                          | +/
D1 path covers what begins with it | /help | -/help.html -/help/x -/help -/helpless?x
D1 directory covers its contents   | /help/ | -/help/x +/help.html +/help
D1 wildcard is literal             | /*.php                               | +/x +/axb/x.php -/*.php
D1 end mark is literal             | /x$                                  | +/x +/axb/x.php -/x$
D1 asterisk alone is literal       | *                                    | +/x +/axb/x.php
D1 asterisk in a path is literal   | /a*b                                 | +/x +/axb/x.php -/a*b
D1 query belongs to the URL        | /s?q=                                | -/s?q=1 +/s?p=1
D1 query without a path            | /                                    | -http://a.example?q
D1 paths compare with case         | /Help                                | +/help -/Help
D2 empty value allows everything   | {U}rex\nDisallow:\n\n{U}*{D}/        | +/x -max/x
D3 record without Disallow         | {U}rex\n                             | +/ | R022
E1 only blank lines                | \n\n                                 | +/ +max/x
E1 only comments                   | # nothing\n                          | +/ +max/x
first example | {U}*{D}/map/ # endless{D}/tmp/ # short{D}/foo | -/map/1 +/map -/tmp/x -/foo?x +/fo
second example | {U}*{D}/map/\n\n# one is welcome\n{U}mapper\nDisallow:\n | -/map/ +mapper/map/
example of the FAQ | {U}crawler\nDisallow:\n\n{U}ly{D}/\n\n{U}*{D}/t | +crawler/t -ly/ -/tx +/logs
""")

OURS = rows(r"""
O1 first record that names the robot | {U}re{D}/a\n\n{U}rex{D}/b            | -/a +/b
O2 all default records together      | {U}*{D}/a\n\n{U}*{D}/b               | -/a -/b | R025
O3 record without Disallow applies   | {U}rex\n\n{U}*{D}/                   | +/ -other/ | R022
O4 Disallow without a record | Disallow: /x\n\n{U}*{D}/y\n{D}/z | +/x -/y +/z | R020 R021
O5 blank line ends the record        | {U}rex\n{D}/x\n                      | +/x | R021
O5 blank line after a Disallow       | {U}rex{D}/x\n{D}/y\n\n{D}/z          | -/x +/y +/z
O6 line of a space is blank          | {U}rex\n\x20{D}/x                    | +/x | R021
O6 line of a tab is blank            | {U}rex\n \t \nDisallow: /x           | +/x | R021
O6 line of spaces before CR NL       | {U}rex\n  \r{D}/x                    | +/x | R021
O6 line of a form feed is not blank  | {U}rex\n\x0c{D}/x                    | -/x
O6 nor is one of a no-break space    | {U}rex\n\xa0{D}/x                    | -/x
O7 User-agent after Disallow | {U}rex{D}/a\n{U}other{D}/b | -/a +/b -other/b | R024
O8 value is part of the name         | {U}rex{D}/                           | -rexbot/ -/
O8 name is not part of the value     | {U}rexbot{D}/                        | +/ -rexbot/
O10 version in the value             | {U}Rex/1.0{D}/a                      | -/a
O10 version is missing               | {U}rex/{D}/a                         | -/a
O10 space before the version         | {U}REX /2 beta{D}/a                  | -/a
O10 header that names no robot       | {U}rex{D}/a\n{U}Mozilla/5.0 (X11){D}/b | -/a +/b
O11 comma in a name                  | {U}rex,max{D}/                       | +/ -rex,max/
O12 no name                          | {U}rex{D}/a\n{U}{D}/b                | -/a -/b | R012
O12 only a comment                   | {U}rex{D}/a\n{U}# rex{D}/b           | -/a -/b | R012
O12 only a version                   | {U}rex{D}/a\n{U}/1.0{D}/b            | -/a -/b | R012
O12 only a slash                     | {U}rex{D}/a\n{U} /{D}/b              | -/a -/b | R012
O13 comment without space            | {U}*{D}/a#b                          | -/a
O14 no colon                         | {U}rex\nDisallow /x{D}/y             | +/x -/y | R005
O14 no field                         | {U}rex\n: /x{D}/y                    | +/x -/y | R004
O14 colon in a comment               | {U}rex\nDisallow # : /x{D}/y         | +/x -/y | R004
O15 space before field and colon     | \x20 User-agent : rex\n\tDisallow\t: /x | -/x | R010
O17 replacement character is text    | # \ufffd\n                           | +/ | -
O17 lone surrogate of a str          | {U}*{D}/x # \ud800\n                 | -/x
O18 case of hexadecimal digits       | /a%3cd                               | -/a%3Cd.html
O18 encoded rule                     | /%7ejoe                              | -/~joe/
O18 encoded URL                      | /~joe                                | -/%7Ejoe/
O18 rule of other letters            | /caf\u00e9                           | -/caf%C3%A9 +/caf%E9
O18 URL of other letters             | /caf%c3%a9                           | -/caf\u00e9
O18 encoded slash                    | /a%2fb                               | -/a%2Fb +/a/b
O18 slash is no encoded one          | /a/b                                 | -/a/b +/a%2fb
O18 prefix within a triplet          | /a%c                                 | -/a%c3
O18 prefix of other letters          | /%E               | -/\u4e2d -/%E4%B8%AD +/\u00e9
O18 prefix of a space                | /a%2              | -/a\x20b +/ab
O18 percent sign without digits      | /a%                                  | -/a%zz
O18 prefix of an encoded slash       | /a%2                                 | -/a%2Fb
O18 decoded up to a percent sign     | /%41%                                | -/A%
O18 decoded once                     | /a%2541                              | +/a%41
O18 octet is no character            | /%e9                                 | +/\u00e9
O18 encoded slash is no U+0100       | /a%2f                                | +/a\u0100
O19 whole URL | HTTP://A.example:80/x | -{H}/x/y +https://a.example/x +{H}/y | R015
O19 beginning of a host              | http://a.ex                          | -{H}/~x -{H}/%7Ex
O19 beginning in another case        | http://A                             | -{H}/~x -{H}/%7Ex
O19 encoded path                     | {H}/%7e                              | -{H}/~x -{H}/%7Ex
O19 prefix within a triplet          | {H}/a%4 | -{H}/a%41 -{H}:80/a%41 +{H}/a%51
O19 prefix of other letters          | {H}/%E | -{H}/\u4e2d -{H}:80/\u4e2d +{H}/\u00e9
O19 port may go on as written        | {H}:80 | -{H}:8080/ -{H}/ +{H}.net/ +http://b.example/
O19 other schemes                    | {H}/ | +ftp://a.example/x -{H}/x
O20 no slash                         | x                                    | +/x +/help/ | R015
O20 asterisk                         | *                                    | +/x +/help/ | R018
O20 slash at the end                 | help/                                | +/x +/help/ | R015
O20 query                            | ?q                                   | +/x +/help/?q | R015
O20 no scheme                        | 1://a.example/                       | +/x +{H}/ | R015
O20 two slashes begin a path         | //x:y                                | +/x -//x:yz | R015
O21 empty Disallow among others      | {U}*{D}/x\nDisallow:\n               | -/x +/y | R029
O22 robots.txt itself                | {U}*{D}/{D}{H}/ | +/robots.txt +/robots.txt#x
O22 encoded, too                     | {U}*{D}/                             | +/%72obots%2etxt
O22 similar paths are not            | / | -/robots.txt?x -/robots.txt.gz -/Robots.txt
O23 HTML has no record               | <html><title>404: gone\n<p>\nUser-agents are welcome. | +/
O25 controls | {U}*{D}/a\x00b{D}/c\x01d{D}/e\x1bf | -/a\x00bc +/ab -/c\x01d -/e\x1bf
O25 backspace and DEL                | {U}*{D}/a\x08b{D}/c\x7fd             | -/a\x08bc +/b -/c\x7fd
O26 fragment is not compared         | /a%23b                               | +/a#b -/a%23b
O26 fragment prevents no match       | /a                                   | -/a#b
O26 slash in a fragment              | /                                    | -http://a.example#/x
O27 the query has no dot segments    | /private                             | +/a?/../private
O27 three dots are no dot segment    | /private                             | +/.../private
O27 name after two dots              | /b                                   | +/a/..b
""")

OURS += rows(
    r"""
O19 user and part of a host       | http://h.te         | -http://u:p@q@h.test/x
O19 encoded end of the host       | http://h.test%3FA   | -http://H.test?A/x +http://h.test?a
O19 encoded backslash             | http://h.test%5cA   | -http://H.test/Ax +http://h.test/a
O19 query without a path          | http://h.test:80?A  | -http://h.test/?Ax +http://h.test/A
O19 user and a longer host        | http://h.test       | -http://u@h.test.example/x
O19 user and a longer port        | http://h.test:80    | -http://u@h.test:8080/
O19 user in the URL               | http://h.test/x     | -http://u:p@h.test/xy
O19 user in the rule              | http://u:p@h.test/x | -http://h.test/x -http://v:q@h.test/x
O19 user in a rule without a path | http://u:p@h.test   | -http://h.test/x
""",
    PREFIX_DIALECTS,
)

OURS += rows(
    r"""
O27 segment of two dots | /private | -/a/../private -/a/b/../../private/x -/../private
O27 encoded dots        | /p?q     | -/a/%2e%2E/p?q -/a/.%2e/p?q -/a/%2E%2E/p?q +/a/%2e%2e/p
O27 segment of one dot  | /private | -/./private
O27 backslashes         | /private | -/a\\..\\private
O27 dots at the end     | /a/      | -/x/../a/b/.. -/x/../a/.
O27 as written, too     | /a       | -/a/../b
O27 dots in the rule    | /a/..    | -/a/../b
O27 raw tabs            | /private | -/pri\tvate -/a/.\t./private
O27 raw line ends       | /private | -/\nprivate -/private\r
O27 only the tab        | /private | -/pri\tvate/..
O27 only the dots       | /private | -/a/../private\\..\\
O27 written dots alone  | /%2e/x   | -/%2e/./x
O27 no slash of dots    | /a?x     | -/a/b/..?x -/a/.?x +/a/%2e?x
O27 dots of parameters  | /?x      | -/a/..;b?x +/a/..;b/?x
O27 parameters alone    | /p;a     | -/p;a?x +/p;b
O27 two slashes         | ////a    | -//a +/a +///a
O27 encoded query       | /p?u=/x  | -/p?u=%2Fx -/p?%75=%2fx +/p?u=%252F
O27 all that is decoded | /p?!$'()*,?/:@~ | -/p?%21%24%27%28%29%2A%2C%3F%2F%3A%40%7E
""",
    DIALECTS,
)


@pytest.mark.parametrize("row", CLAUSES, ids=str)
def test_1994_clause_decides(row: Row) -> None:
    check(row)


@pytest.mark.parametrize("row", OURS, ids=str)
def test_ours_decision_decides(row: Row) -> None:
    check(row)


def test_1994_d1_line_may_have_any_length() -> None:
    path = "/" + "x" * 100_000

    assert not allowed(disallowing(path + "y"), path + "yz")
    assert allowed(disallowing(path + "y"), path + "z")


def test_ours_o17_undecodable_byte_stays_in_its_line() -> None:
    body = b"User-agent: *\nDis\xffallow: /x\n"

    assert allowed(body, "/x")
    assert codes(body) == ["R006"]


@pytest.mark.parametrize(
    ("body", "number", "kind"),
    [
        ("User-agent: *\n\rDisallow: /", 2, LineKind.BLANK),  # 1994 F2
        ("Disalow: *", 1, LineKind.UNKNOWN),  # 1994 F6: a misspelt field is unknown.
        ("Useragent: *", 1, LineKind.UNKNOWN),
        ("User agent: *", 1, LineKind.UNKNOWN),
        ("User_agent: *", 1, LineKind.UNKNOWN),
        ("Disallow: /x", 1, LineKind.ORPHAN),  # Ours O4
        (f"{STAR} \t\nDisallow: /x", 2, LineKind.BLANK),  # Ours O6
        (f"{STAR}User-agent: /1.0", 2, LineKind.NAMELESS),  # Ours O12
        (f"{STAR}Disallow # : /x", 2, LineKind.MALFORMED),  # Ours O14
        (" : /x", 1, LineKind.MALFORMED),
        # Ours O16: only the first byte order mark is removed.
        (f"{chr(0xFEFF) * 2}{STAR}", 1, LineKind.UNKNOWN),
        (b"\xef\xbb\xbf" * 2 + b"x: y", 1, LineKind.UNKNOWN),
    ],
)
def test_line_has_its_kind(body: str | bytes, number: int, kind: LineKind) -> None:
    assert kinds(body)[number - 1] is kind


@pytest.mark.parametrize("dialect", DIALECTS)
def test_line_kind_says_why_a_line_has_no_effect(dialect: str) -> None:
    body = "Disallow: /\nUser-agent:\nx\ny: z\n\n# c\nUser-agent: *\nCrawl-delay: a\n"

    lines = RobotsTxt.parse(body, dialect=dialect).lines

    idle = (LineKind.BLANK, LineKind.COMMENT, LineKind.USER_AGENT)
    assert all((it.why_ignored is None) is (it.kind in idle) for it in lines)


def test_1994_f3_nothing_but_space_is_stripped_from_a_value() -> None:
    ends = [chr(code) for code in range(128) if chr(code) not in " \t\r\n#"]
    values = [f"{end}/x{end}" for end in ends]

    records = RobotsTxt.parse("".join(f"{disallowing(it)}\n" for it in values)).records

    assert [record.rules[0].value for record in records] == values


def test_1994_f5_comment_is_removed_with_the_space_before_it() -> None:
    line = RobotsTxt.parse("User-agent: * \t# all: of them").lines[0]

    assert (line.value, line.comment) == ("*", "# all: of them")


FILE = disallowing("/caf\u00e9")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_ours_o16_byte_order_mark_is_removed(encoding: str) -> None:
    """Without a byte order mark, UTF-16 is not decoded."""
    body = FILE.encode(encoding)

    assert RobotsTxt.parse(body).text == FILE
    assert codes(body) == ["R002"]
    big = FILE.encode("utf-16-be")
    assert RobotsTxt.parse(b"\xfe\xff" + big).text == FILE
    assert RobotsTxt.parse(big).records == ()


def test_ours_o17_byte_of_a_url_that_is_not_utf8_equals_its_encoding() -> None:
    """The rule `/%` covers the byte too, because clients send it as `%F0`."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /caf%E9\nDisallow: /%\n")

    assert not robots.allowed(b"http://h.test/caf\xe9", "rex")
    assert not robots.allowed(b"http://h.test/\xf0", "rex")
    assert robots.allowed(b"http://\xf0.test/a", "rex")


def test_ours_o19_absolute_rule_does_not_cover_a_path_without_an_origin() -> None:
    assert RobotsTxt.parse(disallowing("http://a.example/")).allowed("/x", "rex")


@pytest.mark.parametrize(
    ("limit", "lines"),
    [(-1, 0), (0, 0), (5, 0), (14, 1), (26, 1), (27, 2), (39, 2), (40, 3), (99, 3)],
)
def test_ours_o24_only_whole_lines_within_the_limit_count(
    limit: int, lines: int
) -> None:
    """A file whose size is exactly the limit is complete."""
    body = "User-agent: *\nDisallow: /x\r\nDisallow: /y"

    robots = RobotsTxt.parse(body, limit=limit)

    assert len(robots.lines) == lines
    assert robots.is_truncated is (limit < len(body))
    assert robots.allowed("/y", "rex") is (lines < 3)
    assert ("R003" in [it.code for it in robots.problems]) is robots.is_truncated


def test_ours_o24_incomplete_last_line_of_a_truncated_body_is_dropped() -> None:
    """Half a line could be a rule that the owner did not write."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /x", truncated=True)

    assert robots.is_truncated
    assert robots.text == "User-agent: *\n"
    nothing = RobotsTxt.parse(b"\nUser-agent: *", limit=0)
    assert (nothing.body, nothing.is_truncated) == (b"", True)


def test_ours_o27_verdict_names_the_spelling_that_the_rule_covers() -> None:
    verdict = RobotsTxt.parse(disallowing("/private")).verdict("/a/../private?q", "rex")

    assert (verdict.line, verdict.spelling) == (2, "/private?q")
    assert str(verdict).endswith('; the URL means "/private?q"')
    assert RobotsTxt.parse(disallowing("/a")).verdict("/a/..", "rex").spelling is None


def test_ours_o27_what_clients_drop_before_a_url() -> None:
    for before in (" ", "\x01\t"):
        assert not allowed(disallowing("http://h.test/x"), f"{before}http://h.test/x")


def test_ours_o27_what_clients_drop_at_the_end() -> None:
    body = "User-agent: *\nDisallow: /p$\n"

    for url in ("/p?", "/p;", "/p;a", "/p;?", "/p ", "/p? ", "/p\f", "/x/../p;a?"):
        assert not allowed(body, url, "rex", dialect="rfc9309"), url
    for url in ("/p?;", "/p??", "/p;/a", "/p/"):
        assert allowed(body, url, "rex", dialect="rfc9309"), url


def test_ours_o27_reserved_characters_of_a_path_stay_encoded_in_rfc9309() -> None:
    """RFC 9309 2.2.2. In the dialect 1994, both spellings are equal (O18)."""
    body = disallowing("/a:b")

    assert allowed(body, "/a%3Ab", "rex", dialect="rfc9309")
    assert not allowed(body, "/a%3Ab", "rex")


@pytest.mark.parametrize("dialect", ["extended", "rfc9309"])
def test_ours_o27_only_the_url_is_spelled_again(dialect: str) -> None:
    """An Allow line covers a URL as written, but not necessarily its other spellings."""
    body = "User-agent: *\nAllow: /r?u=%2Fok\nDisallow: /r?u=/\n"

    assert allowed(body, "/r?u=ok", "rex", dialect=dialect)
    # The Allow line does not cover the decoded spelling, because `%2F` is not `/` (O18).
    assert not allowed(body, "/r?u=%2Fok", "rex", dialect=dialect)


def test_ours_o27_url_with_too_many_spellings_is_disallowed() -> None:
    url = "/a\t\\.\\%2e\\b;c?%2f=%3a? "

    verdict = RobotsTxt.parse(disallowing("/z")).verdict(url, "rex")

    assert (verdict.allowed, verdict.reason) == (False, Reason.SPELLINGS)
    assert "spellings" in str(verdict)
    # This URL has 16 spellings, which is not too many.
    assert allowed(disallowing("/z"), "/a\t\\b;c?%2f", "rex")
    for body in ("", "User-agent: *\nDisallow:\n", disallowing("/z", "other")):
        assert allowed(body, url, "rex")


def hostile_wildcards() -> str:
    """Return a file within the size limit that would keep a naive matcher busy for minutes."""
    patterns = (f"/*{'a' * i}b{'a' * j}" for i in range(20, 90) for j in range(20, 90))
    lines = "".join(f"Disallow: {it}\n" for it in patterns)
    return f"User-agent: *\nAllow: /\n{lines}"[:512_000]


MANY_WILDCARDS = "".join(f"Disallow: /{'*a' * 50}*{it}\n" for it in range(1_000))


@pytest.mark.parametrize(
    ("body", "length"), [(hostile_wildcards(), 2_000), (STAR + MANY_WILDCARDS, 60)]
)
def test_ours_o28_question_beyond_the_bound_is_disallowed(
    body: str, length: int
) -> None:
    robots = RobotsTxt.parse(body, dialect="rfc9309")

    verdict = robots.verdict("http://h.test/" + "a" * length, "rex")

    assert not verdict.allowed
    assert not robots.allowed("http://h.test/" + "a" * length, "rex")
    assert (verdict.reason, verdict.dialect) == (Reason.WILDCARDS, "rfc9309")
    assert "wildcards" in str(verdict)


def test_ours_o28_ordinary_question_to_a_large_file_is_decided() -> None:
    rules = "".join(f"Disallow: /*/d{number}/*?x=\n" for number in range(5_000))
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}", dialect="rfc9309")

    assert not robots.allowed("http://h.test/a/b/d4999/c?x=1", "rex")
    assert robots.verdict("http://h.test/" + "a/b" * 60, "rex").reason is Reason.NO_RULE
