"""The names in User-Agent headers and User-agent lines."""

from __future__ import annotations

import re

import pytest

from tests.oracle.reading import DIALECTS, GROUPED
from tests.standard.asking import allowed, disallowing

SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
HEADERS = [
    ("  My Robot ", ["my robot"]),
    ("Mac Finder 2", ["mac finder 2"]),
    (" \t", []),
    ("Rex/1.0", ["rex"]),
    ("/1.0", []),
    ("Rex/1.0 libwww/3.1", ["rex", "libwww"]),
    ("Lycos_Spider_(Rex)/1.0 libwww/3.1", ["lycos_spider_(rex)", "libwww"]),
    ("FooBot Scrapy/2.11 (+https://scrapy.org)", ["foobot scrapy"]),
    ("Rex (by (the (way)) Max/1) Mia/2", ["rex", "by", "the", "way", "max", "mia"]),
    ("Rex/1 (never closed Max/2", ["rex", "never closed max"]),
    ("M/5.0 (Linux; COMPATIBLE;Rex,max)", ["m", "rex", "max"]),
    ("M/5.0(compatible; Rex/2.0; +http://a.example/)", ["m", "rex"]),
    ("Mozilla/5.0 (compatible; Brightbot 1.0; +http://a.test)", ["brightbot"]),
    ("Mozilla/5.0 (compatible; Yahoo! Slurp; http://a.test)", ["yahoo! slurp"]),
    ("Mozilla/5.0 (compatible; Ask Jeeves/Teoma; http://a.test)", ["ask jeeves", "teoma"]),
    ("Mozilla/5.0 (compatible; 008/0.83; http://a.test)", ["008"]),
    (f"{SAFARI} Safari/605.1.15 (Applebot/0.1; +http://apple.test/)", ["applebot"]),
    (f"{SAFARI} Safari/605 (Rex 1.1b) My 'Max' v2.0 beta", ["rex", "my 'max", "beta"]),
    ("Rex/1.0 (max@a.test; www.mia.test/1; +mia/max; en-US; http://m/2.0)", ["rex"]),
    ("My_(Rex-b)/1 Childlike Bot/2(Max) LIKE Mia", ["my_(rex-b)", "childlike bot", "max"]),
    ('"Rex"/1 Max:+/2 [Mia]/3 |The|/4', ["rex", "max", "mia", "the"]),
    ("Ask Chrome/9 Jeeves/5max", ["ask", "jeeves"]),
    ("Rex; Max", ["rex", "max"]),
    ("Rex (Max)", ["rex", "max"]),
    ("Rex/mia@a.test/2 (max/Mobile Mozilla/5.0/Firefox/9.0)", ["rex", "max"]),
    ("Mozilla/5.0 (Linux; Android 8; Pixel 2 Build/OPD3; Rex) Chrome/W.X", ["rex"]),
]  # fmt: skip
ALL_PHRASES = {phrase for _, phrases in HEADERS for phrase in phrases}
BROWSER_WORDS = (
    "mozilla windows linux mac os x like gecko safari mobile build 10 605.1.15 rv:11.0 "
    "pixel"
)


@pytest.mark.parametrize(("robot", "phrases"), HEADERS)
def test_ours_o09_phrases_of_a_header(robot: str, phrases: list[str]) -> None:
    """A name matches the robot if it is part of a phrase in the header. In rfc9309, it must be
    the whole phrase or one of its words.
    """
    words = {word.strip("'") for phrase in phrases for word in phrase.split()}

    for name in {*ALL_PHRASES, *BROWSER_WORDS.split()}:
        is_part = any(name in phrase for phrase in phrases)
        is_equal = name in phrases or name in words
        body = disallowing("/", name)
        # Skip names of several words that end with a number: in a User-agent line, the number
        # would count as a version.
        if not name.endswith(" 2"):
            assert allowed(body, "/", robot) is not is_part, name
            assert allowed(body, "/", robot, dialect="rfc9309") is not is_equal, name


BROWSERS = [
    f"{SAFARI} Version/17.4 Safari/605.1.15",
    "Mozilla/5.0 (Windows NT 6.1; Trident/7.0; .NET CLR 3.5; rv:11.0) like Rex",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) CriOS/123.0.6 Mobile/15E148",
    "Mozilla/5.0 (Linux; Android 10; K) Chrome/124.0.0.0 Mobile Safari/537.36 Edg/1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) WebKit/1 (KHTML, like) Chromium/9 OPR/9 Edge/18",
    "Opera/9.80 (Windows; U; Win98; Win 9x; en; en_US) SeaMonkey/2 Vivaldi/6 YaBrowser/24 Avast/1",
    "Mozilla/5.0 (Windows Phone 10; Xbox; ARM; WOW64) IEMobile/11 Brave Ddg/17 AVG/9 UCBrowser/1",
    "Mozilla/3.0 (Win16; I) (Win95; N; i386) (Win32; PC) (Windows ME; Windows XP; SV1; DigExt)",
    "Mozilla/5.0 (Tizen arm64; HarmonyOS; armv7l) SamsungBrowser/9 MiuiBrowser/9 Silk/9 OPT/1",
    "Mozilla/5.0 (iPad; iPod; watchOS; iOS 17; Build) FxiOS/9 GSA/9 EdgiOS/9 OPiOS/9 DuckDuckGo/7",
    "Mozilla/5.0 (X11; GNU; Ubuntu; Debian; Fedora; i686; i586) (FreeBSD amd64; OpenBSD ppc)",
    "Mozilla/5.0 (CrOS aarch64; KAIOS/2.5; x86) EdgA/9 OPX/1 CFNetwork/9 Darwin/23 (NetBSD; SunOS)",
    "Opera Mini (compatible; MSIE; x86_64; BlackBerry; Symbian; SymbianOS; Series60) Gecko Firefox",
]  # fmt: skip


@pytest.mark.parametrize("header", BROWSERS)
def test_ours_o09_no_word_of_a_browser_is_a_name(header: str) -> None:
    names = "".join(f"User-agent: {word}\n" for word in re.findall(r"\w+", header))

    for dialect in ("1994", "rfc9309"):
        assert allowed(f"{names}Disallow: /\n", "/", header, dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ours_o09_browser_obeys_the_default_record(dialect: str) -> None:
    body = disallowing("/", "Mozilla") + "\n" + disallowing("/x", "*")
    robot = "Mozilla/5.0 (X11; Linux x86_64; rv:9.0) Gecko/20100101 Firefox/9.0"

    assert allowed(body, "/a", robot, dialect=dialect)
    assert not allowed(body, "/x", robot, dialect=dialect)


def test_ours_o09_longest_name_decides_in_rfc9309() -> None:
    body = f"{disallowing('/a', 'Rex')}\n{disallowing('/b', 'My Rex')}"

    for robot in ("My Rex/1.0", "Max/1.0 (My Rex)"):
        assert allowed(body, "/a", robot, dialect="rfc9309")
        assert not allowed(body, "/b", robot, dialect="rfc9309")


BROWSER = "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/9"
VALUES = [
    ("Rex/1.0", ["rex"]),
    ("Rex 1.0", ["rex"]),
    ("My Rex V1.0b2/3 x", ["my rex"]),
    ("My Rex 3com", ["my rex 3com"]),
    ("1.0", ["1.0"]),
    ("Mozilla/5.0", ["mozilla"]),
    ("rex, max", ["rex, max"]),
    ("Mozilla/5.0 (compatible; MJ12bot/v1.4; http://mj12.test)", ["mj12bot"]),
    (f"{BROWSER} Rex/1 Safari/9", ["rex"]),
    ("My Rex/2.1(+http://rex.test/) Max/1", ["my rex"]),
    ("My Rex/2.1 (Windows; Xanthia)", ["my rex"]),
    ("Mozilla/4.0 (compatible; MSIE 4.01; MS Search 4.0 Robot)", ["ms search"]),
    ("MS Search 4.0 Robot", ["ms search 4.0 robot"]),
    ("Mozilla (compatible; MJ12bot/V1)", ["mj12bot"]),
    (BROWSER, []),
]
ROBOTS = (
    *("mj12bot", "mozilla", "rex", "max", "chrome", "safari", "rex, max", "my", "my rex"),
    *("android", "linux", "x", "bot", "xanthia", "windows", "1.0", "like"),
    *("robot", "ms search", "ms search 4.0 robot"),
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["1994", "extended", *GROUPED])
@pytest.mark.parametrize(("value", "names"), VALUES)
def test_ours_o10_version_or_header_as_a_value(
    value: str, names: list[str], dialect: str
) -> None:
    """A version is not part of the name. If the value is a whole User-Agent header, the name is its
    first phrase.
    """
    body = disallowing("/", value)

    for robot in ROBOTS:
        own = {robot, *robot.split()} if dialect in GROUPED else {robot}
        is_named = any(
            name in own or (name in robot and dialect not in GROUPED) for name in names
        )
        assert allowed(body, "/", robot, dialect=dialect) is not is_named, robot


def test_ours_o10_version_is_stripped_on_both_sides() -> None:
    body = disallowing("/", "Brightbot 1.0")

    for dialect in DIALECTS:
        assert not allowed(body, "/", "Brightbot/2.0", dialect=dialect)


def test_ours_o10_header_in_a_list_is_one_header() -> None:
    """Revisited K1: spaces inside a header do not separate names."""
    body = disallowing("/", "Mozilla/5.0 (compatible; MJ12bot/v1.4; Rex/1)")

    assert not allowed(body, "/", "MJ12bot/v2", dialect="revisited")
    assert allowed(body, "/", "Rex", dialect="revisited")
