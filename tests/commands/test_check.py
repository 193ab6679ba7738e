"""`scrapy robots-check`: the verdict, its reason, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import scrapy
from tests.support import replies
from tests.support.crawl import Reactor, reactors
from tests.support.exemptions import EXAMPLES
from tests.support.site import Site

OPTIONS = {
    "asyncio": [],
    "select": ["-s", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"],
    "none": ["-s", "TWISTED_REACTOR_ENABLED=0"],
}


@pytest.mark.parametrize("reactor", reactors())
def test_check_fetches_robots_txt_once_and_prints_the_line(
    site: Site, reactor: Reactor
) -> None:
    """With Scrapy's own downloader, on each reactor; exit code 1 for a disallowed URL."""
    site.robots("User-agent: *\nDisallow: /private\n")

    result = scrapy(
        "robots-check", site.url("/private"), site.url("/"), *OPTIONS[reactor]
    )

    assert result.code == 1
    assert result.lines[0].split() == ["disallowed", site.url("/private"), "line", "2"]
    assert result.lines[1].split() == ["allowed", site.url("/")]
    assert result.lines[-1].startswith("1 allowed, 1 disallowed; checked as")
    assert site.targets() == ["/robots.txt"]


@pytest.mark.parametrize(
    "exemption",
    # The command takes URLs without meta, and reports an invalid one as wrong use.
    [it for it, exempt in EXAMPLES.items() if exempt.valid and not exempt.meta],
)
def test_unchecked_url_is_printed_with_the_reason(site: Site, exemption: str) -> None:
    """Nothing is fetched, and the URL does not count as disallowed."""
    exempt = EXAMPLES[exemption]
    command = ["robots-check", exempt.url.format(port=site.port)]
    for setting in exempt.settings.items():
        command += ["-s", "=".join(setting)]
    result = scrapy(*command, "--explain")
    as_json = scrapy(*command, "--json")

    assert (result.code, as_json.code) == (0, 0)
    assert f"not checked: {exemption}" in result.out
    assert json.loads(as_json.lines[0])["why"] == exemption
    assert site.targets() == []


def test_unreachable_policy_sets_exit_code_3(site: Site) -> None:
    """The URL counts as disallowed, and the reason says to try again."""
    site.answer("/robots.txt", replies.reset())

    result = scrapy("robots-check", site.url("/"), "--json")
    rows = json.loads(result.out)

    assert result.code == 3
    assert (rows["allowed"], rows["is_known"]) == (False, False)
    assert rows["outcome"] == "unreachable"
    assert "try again" in rows["why"]


def test_file_option_replaces_the_robots_txt_of_the_origin(tmp_path: Path) -> None:
    """With --robots, paths may be given, and --robot names the robot; both readings count."""
    draft = tmp_path / "draft.txt"
    draft.write_text("User-agent: rex\n\nDisallow: /a\n", "utf-8")

    result = scrapy(
        "robots-check", "--robots", str(draft), "--robot", "rex/2", "/a", "--explain"
    )

    assert result.code == 0
    assert "the cautious reading says: disallowed by line 3" in result.out
    assert result.lines[-1].endswith('checked as "rex/2"')


def test_urls_are_read_from_a_file_and_standard_input(tmp_path: Path) -> None:
    """One per line; blank lines and comments are ignored."""
    listed = tmp_path / "urls.txt"
    listed.write_text("\ufeff/a\n\n# /b\n/c\n", "utf-8")
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /c\n", "utf-8")

    args = ("--robots", str(draft), "--urls", str(listed), "-", "--json")
    result = scrapy("robots-check", *args, stdin_text="/d\n")

    rows = [json.loads(line) for line in result.lines]
    assert [it["url"] for it in rows] == ["/a", "/c", "/d"]
    assert [it["allowed"] for it in rows] == [True, False, True]
    assert rows[1]["verdict"]["record"]["names"] == ["*"]


def test_each_verdict_names_its_file_if_there_are_several(tmp_path: Path) -> None:
    """A folder stands for all files under it, as for the other commands."""
    (tmp_path / "in").mkdir()
    (tmp_path / "a.txt").write_text("User-agent: *\nDisallow: /\n", "utf-8")
    (tmp_path / "in" / "b.txt").write_text("User-agent: *\nDisallow:\n", "utf-8")

    result = scrapy("robots-check", "--robots", ".", "/x", folder=tmp_path)
    alone = scrapy("robots-check", "--robots", "a.txt", "/x", folder=tmp_path)

    assert [line.split() for line in result.lines[:2]] == [
        ["disallowed", "/x", "line", "2", "[a.txt]"],
        ["allowed", "/x", "[in/b.txt]"],
    ]
    assert "a.txt" not in alone.out


def test_non_utf8_urls_are_percent_encoded(site: Site, tmp_path: Path) -> None:
    """As in a request; an invalid host does not affect other lines."""
    site.robots("User-agent: *\nDisallow: /caf%E9\n")
    listed = tmp_path / "urls.txt"
    page = site.url("/caf").encode() + b"\xe9"
    listed.write_bytes(page + b"\nhttp://a\xff.invalid/x\n")

    result = scrapy("robots-check", "--urls", str(listed), "--json")

    rows = [json.loads(line) for line in result.lines]
    assert result.code == 3
    assert [it["url"] for it in rows] == [
        site.url("/caf%E9"),
        "http://a%FF.invalid/x",
    ]
    assert [it["is_known"] for it in rows] == [True, False]
    assert not rows[0]["allowed"]


def project(folder: Path, settings: str = "", spider: str = "pass") -> Path:
    """Make a project with *settings*, and a spider "walk" whose class has *spider*."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = mine\n", "utf-8")
    (folder / "mine.py").write_text(f"SPIDER_MODULES = ['spiders']\n{settings}\n")
    (folder / "spiders.py").write_text(
        f"import scrapy\nclass Walk(scrapy.Spider):\n    name = 'walk'\n    {spider}\n"
    )
    return folder


def test_check_uses_the_settings_and_spider_of_the_project(
    site: Site, tmp_path: Path
) -> None:
    """Its USER_AGENT is matched and sent; neither its start URLs nor its feeds are used."""
    site.robots("User-agent: walker\nDisallow: /\n")
    project(
        tmp_path,
        "USER_AGENT = 'nobody'\nFEEDS = {'items.json': {'format': 'json'}}",
        "custom_settings = {'USER_AGENT': 'walker/1.0'}\n"
        "    start_urls = ['http://never.test/']",
    )

    urls = (site.url("/"), "--spider", "walk")
    result = scrapy("robots-check", *urls, folder=tmp_path)

    assert result.code == 1
    assert result.lines[-1].endswith('checked as "walker/1.0"')
    assert [it.headers["user-agent"] for it in site.log()] == ["walker/1.0"]
    assert not (tmp_path / "items.json").exists()


def test_output_is_narrow_and_printable(tmp_path: Path) -> None:
    """At most 100 columns and no control characters, whatever the URL and the file contain."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: \x1b[1m, *\nDisallow: /\u202e\n" * 9, "utf-8")

    url = "/\u202e" + "x" * 300
    result = scrapy(
        "robots-check", "--robots", str(draft), url, "--robot", "\x1b[1m, *"
    )

    assert result.code == 1
    assert max(map(len, result.lines)) <= 100
    assert all(map(str.isprintable, result.lines))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("custom_settings = {'ROBOTS1994_TTL': 'x'}", "ROBOTS1994_TTL must be"),
        ("user_agent = property(lambda self: 1 / 0)", "division by zero"),
    ],
)
def test_project_that_cannot_crawl_is_wrong_use(
    site: Site, tmp_path: Path, body: str, message: str
) -> None:
    """The last line gives the error that stops the crawl; no verdict is printed."""
    project(tmp_path, spider=body)

    urls = (site.url("/"), "--spider", "walk")
    result = scrapy("robots-check", *urls, folder=tmp_path)

    assert (result.code, result.out) == (2, "")
    assert message in result.err.rstrip("\n").split("\n")[-1]


@pytest.mark.parametrize("target", ["/", "/elsewhere/robots.txt"])
def test_cancelled_fetch_sets_exit_code_3(site: Site, target: str) -> None:
    """Ours R6: the policy is unknown, whether of the origin or of a file at another URL."""
    cancelling = '{"tests.support.components.CancelRobots": 1}'
    options = ("-s", f"DOWNLOADER_MIDDLEWARES={cancelling}")

    args = ("--robots", site.url(target), "/a")
    result = scrapy("robots-check", *args, *options, "--explain")
    as_json = scrapy("robots-check", *args, *options, "--json")

    assert result.code == as_json.code == 3
    assert result.lines[0].split() == ["unknown", "/a"]
    assert "try again" in result.out
    assert json.loads(as_json.out)["outcome"] == "unknown"


OURS = "ADDONS = {'scrapy_robots1994.Addon': 500}"
BY_HAND = "DOWNLOADER_MIDDLEWARES = {'scrapy_robots1994.Robots1994Middleware': 100}"
NOTES = ["ROBOTSTXT_OBEY is off", "ROBOTS1994_DRY_RUN is on", "does not enable scrapy_"]


@pytest.mark.parametrize(
    ("settings", "noted"),
    [
        (OURS, []),
        (BY_HAND, []),
        ("", NOTES[2:]),
        ("ADDONS = {}", NOTES[2:]),
        (f"{OURS}\nROBOTSTXT_OBEY = False", NOTES[:1]),
        (f"{OURS}\nROBOTS1994_DRY_RUN = True", NOTES[1:2]),
    ],
)
def test_crawl_that_would_not_do_what_is_printed_is_noted(
    tmp_path: Path, settings: str, noted: list[str]
) -> None:
    """The verdict is that of robots.txt; a note says why a crawl does not follow it."""
    project(tmp_path, settings)
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /\n", "utf-8")

    result = scrapy("robots-check", "--robots", "robots.txt", "/a", folder=tmp_path)

    assert result.code == 1
    assert [note for note in NOTES if note in result.err] == noted


@pytest.mark.parametrize(
    ("only", "left"), [("disallowed", "/a"), ("allowed", "/b"), ("unknown", "/c")]
)
def test_only_option_shows_one_kind_and_counts_all(
    tmp_path: Path, only: str, left: str
) -> None:
    """As text and as JSON; the exit code is that of all URLs."""
    draft = tmp_path / "robots.txt"
    draft.write_text("User-agent: *\nDisallow: /a\n", "utf-8")
    paths = ("/a", "/b") if only != "unknown" else ("/c",)
    file = str(draft) if only != "unknown" else "no-such-file"
    command = ("robots-check", "--robots", file, *paths, "--only", only)

    result, as_json = scrapy(*command), scrapy(*command, "--json")

    assert [line.split()[:2] for line in result.lines[:-1]] == [[only, left]]
    assert [json.loads(line)["url"] for line in as_json.lines] == [left]
    assert result.code == as_json.code == (3 if only == "unknown" else 1)
