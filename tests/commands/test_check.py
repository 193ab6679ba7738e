"""`scrapy robots-check`: the answer, its reason, and the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.commands.check import UrlVerdict
from scrapy_robots1994.commands.inputs import PolicySource
from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.lint.formats import WIDTH
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.commands.running import scrapy
from tests.support import replies
from tests.support.calls import calls
from tests.support.crawl import reactors
from tests.support.exemptions import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_robots1994.crawl.requests import Exemption
    from tests.support.crawl import Reactor
    from tests.support.site import Site

OPTIONS = {
    "asyncio": [],
    "select": ["-s", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"],
    "none": ["-s", "TWISTED_REACTOR_ENABLED=0"],
}


@pytest.mark.parametrize("reactor", reactors())
def test_it_fetches_each_origin_once_and_names_the_line(
    site: Site, reactor: Reactor
) -> None:
    """With Scrapy's own downloader, on each reactor; exit code 1 for a refusal."""
    site.robots("User-agent: *\nDisallow: /private\n")

    ran = scrapy("robots-check", site.url("/private"), site.url("/"), *OPTIONS[reactor])

    assert ran.code == 1
    assert ran.lines[0].split() == ["disallowed", site.url("/private"), "line", "2"]
    assert ran.lines[1].split() == ["allowed", site.url("/")]
    assert ran.lines[-1].startswith("1 allowed, 1 disallowed; checked as")
    assert site.targets() == ["/robots.txt"]


def test_exit_code_is_0_when_all_urls_are_allowed(site: Site) -> None:
    """Also a scheme that robots.txt does not speak for."""
    ran = scrapy("robots-check", site.url("/"), "ftp://x.test/y")

    assert ran.code == 0
    assert "not checked" in ran.out


@pytest.mark.parametrize(
    "exemption",
    # The command is given URLs alone, and says of a slip that it is one.
    [it for it, exempt in EXAMPLES.items() if exempt.valid and not exempt.meta],
)
def test_unchecked_url_is_printed_with_the_reason(
    site: Site, exemption: Exemption
) -> None:
    """Nothing is fetched for it, and it is nothing that is refused."""
    exempt = EXAMPLES[exemption]
    asked = ["robots-check", exempt.url.format(port=site.port)]
    for setting in exempt.settings.items():
        asked += ["-s", "=".join(setting)]
    ran = scrapy(*asked, "--explain")
    plain = scrapy(*asked, "--json")

    assert (ran.code, plain.code) == (0, 0)
    assert f"not checked: {exemption.value}" in ran.out
    assert json.loads(plain.lines[0])["why"] == exemption.value
    assert site.targets() == []


def test_a_policy_that_could_not_be_fetched_is_3(site: Site) -> None:
    """Whatever else is disallowed; the way out is named."""
    site.answer("/robots.txt", replies.reset())

    ran = scrapy("robots-check", site.url("/"), "--json")
    rows = json.loads(ran.out)

    assert ran.code == 3
    assert (rows["allowed"], rows["is_known"]) == (False, False)
    assert rows["outcome"] == "unreachable"
    assert "try again" in rows["why"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["x.test/y"], "write https://host/path"),
        ([], "no URL given"),
        (["--robot"], "expected one argument"),
        (["--robot", "", "http://x.test"], "--robot: a value is missing"),
        (["--spider", "", "http://x.test"], "--spider: a value is missing"),
        (["-s", "ROBOTSTXT_OBEY=maybe", "http://x.test"], "ROBOTSTXT_OBEY: "),
        (["--robts", "x", "http://x.test"], "unrecognized argument --robts"),
        (["-s", "ROBOTS1994_TTL=x", "http://x.test"], "ROBOTS1994_TTL must be"),
        (["--urls", "no-such-file"], "no-such-file"),
        (["--robots", "-", "-"], "not both"),
        (["--robots", "README.md", "word"], "neither a URL nor a path"),
        (["--robots", "README.md", "http:///x"], "neither a URL nor a path"),
        (["http://127.0.0.1:1/", "--spider", "nosuch"], "no spider 'nosuch'"),
    ],
)
def test_wrong_use_is_2_and_says_what_to_do(args: list[str], says: str) -> None:
    """One sentence, no traceback."""
    ran = scrapy("robots-check", *args)

    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_file_option_replaces_the_robots_txt_of_the_origin(tmp_path: Path) -> None:
    """Paths may be asked for then; the robot is who is named; both readings count."""
    draft = tmp_path / "draft.txt"
    draft.write_text("User-agent: rex\n\nDisallow: /a\n", "utf-8")

    ran = scrapy(
        "robots-check", "--robots", str(draft), "--robot", "rex/2", "/a", "--explain"
    )

    assert ran.code == 0
    assert "the cautious reading says: disallowed by line 3" in ran.out
    assert ran.lines[-1].endswith('checked as "rex/2"')


def test_urls_come_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    """One a line, blank lines and comments left out."""
    listed = tmp_path / "urls.txt"
    listed.write_text("\ufeff/a\n\n# /b\n/c\n", "utf-8")
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /c\n", "utf-8")

    args = ("--robots", str(draft), "--urls", str(listed), "-", "--json")
    ran = scrapy("robots-check", *args, given="/d\n")

    rows = [json.loads(line) for line in ran.lines]
    assert [it["url"] for it in rows] == ["/a", "/c", "/d"]
    assert [it["allowed"] for it in rows] == [True, False, True]
    assert rows[1]["verdict"]["record"]["names"] == ["*"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("no-such-file", "No such file"), ("x" * 300, "File name too long")],
)
def test_a_robots_file_that_cannot_be_read_is_3(name: str, says: str) -> None:
    """It is named once, however many URLs there are."""
    for explain in ((), ("--explain",)):
        ran = scrapy("robots-check", "--robots", name, "/a", "/b", *explain)

        assert ran.code == 3
        words = [line.split()[0] for line in ran.lines if not line.startswith(" ")]
        assert words[:2] == ["unknown", "unknown"]
        assert ran.err.count(says) == ran.err.count(name[:200]) == 1
        assert name[:50] not in ran.out
    assert "Traceback" not in ran.err


def test_a_folder_without_a_robots_file_is_no_answer(tmp_path: Path) -> None:
    """Least of all "allowed": nothing was asked."""
    (tmp_path / "inner").mkdir()

    ran = scrapy("robots-check", "--robots", str(tmp_path), "/a")

    assert (ran.code, ran.out) == (2, "")
    assert "no file is in the folder" in ran.err


def test_each_line_names_its_file_where_there_are_several(tmp_path: Path) -> None:
    """A folder means all files under it, as for the other commands."""
    (tmp_path / "in").mkdir()
    (tmp_path / "a.txt").write_text("User-agent: *\nDisallow: /\n", "utf-8")
    (tmp_path / "in" / "b.txt").write_text("User-agent: *\nDisallow:\n", "utf-8")

    ran = scrapy("robots-check", "--robots", ".", "/x", folder=tmp_path)
    alone = scrapy("robots-check", "--robots", "a.txt", "/x", folder=tmp_path)

    assert [line.split() for line in ran.lines[:2]] == [
        ["disallowed", "/x", "line", "2", "[a.txt]"],
        ["allowed", "/x", "[in/b.txt]"],
    ]
    assert "a.txt" not in alone.out


def test_another_scheme_is_not_checked_by_a_file_either(tmp_path: Path) -> None:
    """It is no path of the file's site."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /\n", "utf-8")

    ran = scrapy("robots-check", "--robots", str(draft), "ftp://x.test/y")

    assert ran.code == 0
    assert "not checked" in ran.out


def test_a_list_in_another_encoding_is_taken_as_it_would_be_sent(
    site: Site, tmp_path: Path
) -> None:
    """Its bytes percent-encoded; a host that is none spoils no other line."""
    site.robots("User-agent: *\nDisallow: /caf%E9\n")
    listed = tmp_path / "urls.txt"
    page = site.url("/caf").encode() + b"\xe9"
    listed.write_bytes(page + b"\nhttp://a\xff.invalid/x\n")

    ran = scrapy("robots-check", "--urls", str(listed), "--json")

    rows = [json.loads(line) for line in ran.lines]
    assert ran.code == 3
    assert [it["url"] for it in rows] == [
        site.url("/caf%E9"),
        "http://a%FF.invalid/x",
    ]
    assert [it["is_known"] for it in rows] == [True, False]
    assert not rows[0]["allowed"]


def test_check_uses_the_settings_and_spider_of_the_project(
    site: Site, tmp_path: Path
) -> None:
    """The name of the spider is the one that is matched and sent; nothing else runs."""
    site.robots("User-agent: walker\nDisallow: /\n")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town\n", "utf-8")
    (tmp_path / "town.py").write_text(
        "SPIDER_MODULES = ['spiders']\nUSER_AGENT = 'nobody'\n"
        "FEEDS = {'items.json': {'format': 'json'}}\n",
        "utf-8",
    )
    (tmp_path / "spiders.py").write_text(
        "import scrapy\n\n\nclass Walk(scrapy.Spider):\n    name = 'walk'\n"
        "    custom_settings = {'USER_AGENT': 'walker/1.0'}\n"
        "    start_urls = ['http://never.test/']\n",
        "utf-8",
    )

    urls = (site.url("/"), "--spider", "walk")
    ran = scrapy("robots-check", *urls, folder=tmp_path)

    assert ran.code == 1
    assert ran.lines[-1].endswith('checked as "walker/1.0"')
    assert [it.headers["user-agent"] for it in site.log()] == ["walker/1.0"]
    assert not (tmp_path / "items.json").exists()


def test_its_answer_is_narrow_and_printable(tmp_path: Path) -> None:
    """At most 100 columns, nothing raw, however long the URL and wild the file."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: \x1b[1m, *\nDisallow: /\u202e\n" * 9, "utf-8")

    url = "/\u202e" + "x" * 300
    ran = scrapy("robots-check", "--robots", str(draft), url, "--robot", "\x1b[1m, *")

    assert ran.code == 1
    assert max(map(len, ran.lines)) <= WIDTH
    assert all(map(is_printable, ran.lines))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("custom_settings = {'ROBOTS1994_TTL': 'x'}", "ROBOTS1994_TTL must be"),
        ("user_agent = property(lambda self: 1 / 0)", "division by zero"),
    ],
)
def test_a_project_that_cannot_crawl_is_wrong_use(
    site: Site, tmp_path: Path, body: str, says: str
) -> None:
    """What stops the crawl is said in one sentence, and nothing is answered."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town\n", "utf-8")
    (tmp_path / "town.py").write_text("SPIDER_MODULES = ['spiders']\n", "utf-8")
    (tmp_path / "spiders.py").write_text(
        f"import scrapy\nclass Walk(scrapy.Spider):\n    name = 'walk'\n    {body}\n",
        "utf-8",
    )

    urls = (site.url("/"), "--spider", "walk")
    ran = scrapy("robots-check", *urls, folder=tmp_path)

    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err.rstrip("\n").split("\n")[-1]


def test_a_file_elsewhere_that_could_not_be_fetched_is_3(site: Site) -> None:
    """As the robots.txt of an origin would be."""
    site.answer("/draft.txt", replies.reset())

    ran = scrapy("robots-check", "--robots", site.url("/draft.txt"), "/a")

    assert ran.code == 3
    assert "no policy was found for 1" in ran.out


@pytest.mark.parametrize("target", ["/", "/elsewhere/robots.txt"])
def test_a_question_that_is_cancelled_is_3(site: Site, target: str) -> None:
    """Ours R6: nothing is known, of the origin or of a file elsewhere."""
    cancelling = '{"tests.crawl.parts.CancelRobots": 1}'
    options = ("-s", f"DOWNLOADER_MIDDLEWARES={cancelling}")

    asked = ("--robots", site.url(target), "/a")
    ran = scrapy("robots-check", *asked, *options, "--explain")
    plain = scrapy("robots-check", *asked, *options, "--json")

    assert ran.code == plain.code == 3
    assert ran.lines[0].split() == ["unknown", "/a"]
    assert "try again" in ran.out
    assert json.loads(plain.out)["outcome"] == "unknown"


def test_a_crawl_that_ends_without_all_answers_is_3(site: Site) -> None:
    """A middleware of the project leaves out the start, which fetches."""
    empty = '{"tests.crawl.parts.WithoutStart": 1}'

    ran = scrapy("robots-check", site.url("/a"), "-s", f"SPIDER_MIDDLEWARES={empty}")

    assert ran.code == 3
    assert ran.lines[0].split()[:2] == ["unknown", site.url("/a")]
    assert "no policy was found for 1" in ran.lines[-1]


@pytest.mark.parametrize(
    ("setting", "note"),
    [
        ("ROBOTSTXT_OBEY=0", "ROBOTSTXT_OBEY is off"),
        ("ROBOTS1994_DRY_RUN=True", "ROBOTS1994_DRY_RUN is on"),
    ],
)
def test_a_project_that_decides_otherwise_has_a_note(
    tmp_path: Path, setting: str, note: str
) -> None:
    """The answer is that of robots.txt, with a note that the crawl does otherwise."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /\n", "utf-8")
    asked = ("robots-check", "--robots", str(draft), "/a")

    ran = scrapy(*asked, "-s", setting)

    assert ran.code == 1
    assert note in ran.err
    assert note not in scrapy(*asked).err


@pytest.mark.parametrize(
    ("only", "left"), [("disallowed", "/a"), ("allowed", "/b"), ("unknown", "/c")]
)
def test_only_option_shows_one_kind_and_counts_all(
    tmp_path: Path, only: str, left: str
) -> None:
    """As JSON, too; the exit code is that of all URLs."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /a\n", "utf-8")
    paths = ("/a", "/b") if only != "unknown" else ("/c",)
    named = str(draft) if only != "unknown" else "no-such-file"
    call = ("robots-check", "--robots", named, *paths, "--only", only)

    ran, plain = scrapy(*call), scrapy(*call, "--json")

    assert [line.split()[:2] for line in ran.lines[:-1]] == [[only, left]]
    assert [json.loads(line)["url"] for line in plain.lines] == [left]
    assert ran.code == plain.code == (3 if only == "unknown" else 1)


def test_a_url_without_a_policy_is_unknown_whatever_the_crawl_does(site: Site) -> None:
    """The crawl refuses it for now, or allows it, by ROBOTS1994_UNREACHABLE."""
    call = ("robots-check", site.refused_url("/a"), "-s", "RETRY_ENABLED=False")

    for word in ("disallowed", "allowed"):
        wanted = (*call, "-s", f"ROBOTS1994_UNREACHABLE={word[:-2]}")
        for only in (word, "unknown"):
            ran = scrapy(*wanted, "--only", only)

            assert ran.lines[0].split()[:2] == [word, site.refused_url("/a")]


def test_reasons_come_when_they_are_wanted(tmp_path: Path) -> None:
    """One line a URL by default, with the line that decides."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /a\n", "utf-8")
    call = ("robots-check", "--robots", str(draft), "/a")

    short, long = scrapy(*call), scrapy(*call, "--explain")

    assert [line.split() for line in short.lines[:-1]] == [
        ["disallowed", "/a", "line", "2"]
    ]
    assert 'by line 2, "Disallow: /a"' in long.out
    assert len(long.lines) > len(short.lines)


@pytest.mark.parametrize(
    ("line", "is_named"),
    [
        ("", True),
        ("ADDONS = {}", True),
        ("ADDONS = {'scrapy_robots1994.Addon': 500}", False),
        (
            "DOWNLOADER_MIDDLEWARES = {'scrapy_robots1994.Robots1994Middleware': 100}",
            False,
        ),
    ],
)
def test_a_project_that_does_not_enable_the_plugin_has_a_note(
    tmp_path: Path, line: str, *, is_named: bool
) -> None:
    """What is printed is not what its crawl would do then."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = mine\n", "utf-8")
    (tmp_path / "mine.py").write_text(f"{line}\n", "utf-8")
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow:\n", "utf-8")

    ran = scrapy("robots-check", "--robots", "robots.txt", "/a", folder=tmp_path)

    assert ran.code == 0
    assert ("does not enable scrapy_robots1994" in ran.err) == is_named


def test_the_settings_of_the_spider_count_where_nothing_is_fetched(
    tmp_path: Path,
) -> None:
    """Its dialect and its name; a spider that is not there is wrong use."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = mine\n", "utf-8")
    (tmp_path / "mine.py").write_text("SPIDER_MODULES = ['spiders']\n", "utf-8")
    (tmp_path / "spiders.py").write_text(
        "import scrapy\n\n\nclass Walk(scrapy.Spider):\n    name = 'walk'\n"
        "    custom_settings = {'USER_AGENT': 'walker/1.0',"
        " 'ROBOTS1994_DIALECT': 'extended'}\n",
        "utf-8",
    )
    (tmp_path / "robots.txt").write_text(
        "User-agent: walker\nAllow: /a\nDisallow: /\n", "utf-8"
    )
    call = ("robots-check", "--robots", "robots.txt", "/a")

    alone = scrapy(*call, folder=tmp_path)
    ran = scrapy(*call, "--spider", "walk", folder=tmp_path)
    unknown = scrapy(*call, "--spider", "wlak", folder=tmp_path)

    assert (alone.code, ran.code) == (0, 0)
    assert ran.lines[0].split()[2:] == ["line", "2"]
    assert ran.lines[-1].endswith('checked as "walker/1.0"')
    assert unknown.code == 2
    assert 'did you mean "walk"?' in unknown.err


def test_a_file_is_compiled_once_for_all_urls() -> None:
    """In both readings: a list may be long, and a file large."""
    body = "User-agent: *\n" + "".join(f"Disallow: /p{n}\n" for n in range(5_000))
    source = PolicySource("robots.txt", RobotsTxt.parse(body))
    # The rules are compiled for the first URL, and ordered for the second one.
    for first in ("http://a.test/first", "http://a.test/second"):
        UrlVerdict.of(first, source, "mybot")

    assert calls(lambda: UrlVerdict.of("http://a.test/next", source, "mybot")) < 500
