"""`scrapy robots-check`: the verdict, its reason, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import replies
from tests.support.commands import scrapy
from tests.support.crawl import Reactor
from tests.support.exemptions import EXAMPLES
from tests.support.rows import rows
from tests.support.site import Site

OPTIONS = {
    "asyncio": [],
    "select": ["-s", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"],
    "none": ["-s", "TWISTED_REACTOR_ENABLED=0"],
}
CANCELLING = 'DOWNLOADER_MIDDLEWARES={"tests.support.components.CancelRobots": 1}'
CLOSED = "User-agent: *\nDisallow: /\n"


def test_check_fetches_robots_txt_once_and_prints_the_line(
    site: Site, reactor: Reactor
) -> None:
    site.robots("User-agent: *\nDisallow: /private\n")
    urls = (site.url("/private"), site.url("/"))

    result = scrapy("robots-check", *urls, *OPTIONS[reactor])

    assert result.code == 1
    assert result.lines[0].split() == ["disallowed", urls[0], "line", "2"]
    assert result.lines[1].split() == ["allowed", urls[1]]
    assert result.lines[-1].startswith("1 allowed, 1 disallowed; checked as")
    assert site.targets() == ["/robots.txt"]


def test_unchecked_url_is_printed_with_the_reason(site: Site) -> None:
    # A command line cannot set meta, and an invalid URL is wrong use.
    examples = {
        reason: exempt.url.format(port=site.port)
        for reason, exempt in EXAMPLES.items()
        if exempt.valid and not exempt.meta
    }
    args = list(examples.values())
    for exempt in EXAMPLES.values():
        for name, value in exempt.settings.items():
            args += ["-s", f"{name}={value}"]

    result = scrapy("robots-check", *args, "--explain")
    as_json = scrapy("robots-check", *args, "--json")

    assert (result.code, as_json.code) == (0, 0)
    assert [it for it in examples if f"not checked: {it}" not in result.out] == []
    assert [json.loads(line)["why"] for line in as_json.lines] == list(examples)
    assert site.targets() == []


@pytest.mark.parametrize(
    ("path", "setting", "outcome"),
    [
        ("/", "RETRY_ENABLED=0", "unreachable"),
        ("/", CANCELLING, "unknown"),
        ("/elsewhere/robots.txt", CANCELLING, "unknown"),
    ],
)
def test_policy_that_is_not_known_sets_exit_code_3(
    site: Site, path: str, setting: str, outcome: str
) -> None:
    """The origin is unreachable (R5), or the fetch was cancelled (R7)."""
    site.answer("/robots.txt", replies.reset())
    args = ("--robots", site.url(path), "/a", "-s", setting)

    result = scrapy("robots-check", *args, "--json")
    as_text = scrapy("robots-check", *args, "--explain")

    assert (result.code, as_text.code) == (3, 3)
    row = json.loads(result.out)
    assert (row["allowed"], row["is_known"]) == (False, False)
    assert row["outcome"] == outcome
    assert "try again" in row["why"]
    assert "<twisted" not in row["why"]
    word = "disallowed" if outcome == "unreachable" else "unknown"
    assert as_text.lines[0].split() == [word, "/a"]
    assert "try again" in as_text.out


def explained(*args: str, draft: str = "") -> tuple[int, str]:
    result = scrapy("robots-check", "--explain", *args, stdin_text=draft)
    return result.code, " ".join(result.out.split())


DRAFTS = {
    "both": "User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\n",
    "blank": "User-agent: rex\n\nDisallow: /a\n",
    "ignored": "User-agent: rex\nDisallow: /a*\nAllow: /b\n\nDisallow: /c\n",
    "later": "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a\nAllow: /a/b\n",
    "usage": "User-agent: *\nContent-Signal: search=yes,ai-train=no, ai-input=maybe\n"
    "License: http://l.test/x\nDisallow: /closed\n",
}
USAGE = DRAFTS["usage"]
# Draft, path, robot and options, exit code, expected text, unexpected text
EXPLAINED = r"""
both | /a | rex | 0 | usage: train-ai disallow (line 3: ai-train=no) | says
blank | /a | rex/2 | 0 | the dialect rfc9309 says: disallowed by line 3 & checked as "rex/2" | usage
ignored | /x | rex | 0 | in this dialect: 1 rule with a wildcard, 1 Allow line,
       1 rule below a blank line; the first is line 2 | usage
ignored | /x | rex & --dialect & rfc9309 | 0 | allowed | in this dialect
later | /x.pdf | rex | 0 | the dialect rfc9309 says: disallowed by line 2, "Disallow: /*.pdf$" &
       to obey that decision, set ROBOTS1994_DIALECT = "rfc9309" | usage
later | /a/b/1 | rex | 1 | the dialect rfc9309 says: allowed by line 4, "Allow: /a/b" | usage
later | /x.pdf | rex & --dialect & rfc9309 | 1 | by line 2 | says
later | /x.pdf | rex & --dialect & strictest | 1 | in rfc9309 by line 2 | says
usage | /a | rex | 0 | usage: train-ai disallow (line 2: ai-train=no); ai-use unstated; search
       allow (line 2: search=yes); & ; licence http://l.test/x usage: not understood:
       "ai-input=maybe" in the robots.txt line 2 | says
blank | /a | Mozilla/5.0 (compatible; My Rex/1.0; +http://rex.test/) | 0 | names read from the
       User-Agent header: "my rex" 1 allowed, 0 disallowed | names no robot
blank | /a | Mozilla/5.0 | 0 | names no robot: only records for every robot apply | says
"""


@pytest.mark.parametrize(
    ("draft", "path", "options", "code", "said", "absent"), rows(EXPLAINED, 6)
)
def test_explain_says_why(  # noqa: PLR0913, PLR0917 - the columns
    draft: str, path: str, options: str, code: str, said: str, absent: str
) -> None:
    args = ("--robots", "-", path, "--robot", *options.split(" & "))
    found, shown = explained(*args, draft=DRAFTS[draft])

    assert found == int(code)
    assert [it for it in said.split(" & ") if it.strip() not in shown] == []
    assert absent not in shown


def test_missing_extra_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(USAGE)
    hidden = (
        "import sys; sys.modules['http_sf'] = None; from scrapy.cmdline import execute"
    )
    for args, code in (("--explain", "/closed"), 1), (("--purpose", "search", "/x"), 2):
        given = ["scrapy", "robots-check", "--robots", "r.txt", *args]
        ended = subprocess.run(
            [sys.executable, "-c", f"{hidden}; execute({given!r})"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert ended.returncode == code
        shown = " ".join((ended.stdout + ended.stderr).split())
        assert "pip install 'scrapy_robots1994[usage]'" in shown


# Options, exit code, end of the last line
PURPOSES = """
/a --purpose train-ai | 1 | 1 allowed, 0 disallowed; 1 not for train-ai;
/a --purpose search --purpose train-ai | 1 | ; 1 not for search or train-ai;
/a --purpose search | 0 | ; 0 not for search;
/closed --purpose train-ai | 1 | 1 disallowed; 0 not for train-ai;
/a -s ROBOTS1994_PURPOSES=train-ai -s ROBOTS1994_USAGE=requests | 1 | ; 1 not for train-ai;
/a -s ROBOTS1994_PURPOSES=train-ai -s ROBOTS1994_USAGE=items | 0 | disallowed;
"""


@pytest.mark.parametrize(("args", "code", "end"), rows(PURPOSES, 3))
def test_purpose_that_is_forbidden_counts_as_a_disallowed_url(
    args: str, code: str, end: str
) -> None:
    """Without `--purpose`, the settings of the crawl decide."""
    result = scrapy("robots-check", "--robots", "-", *args.split(), stdin_text=USAGE)

    assert result.code == int(code)
    assert end in result.lines[-1]
    is_noted = result.lines[0].endswith("not for train-ai")
    assert is_noted is ("1 not for" in end)


def test_json_has_what_is_stated_about_the_use_of_a_url() -> None:
    args = ("--robots", "-", "/a", "--json")
    (line,) = scrapy("robots-check", *args, stdin_text=USAGE).lines
    usage = json.loads(line)["usage"]

    stated = ["train-ai", "disallow", "ai-train=no", "robots.txt line 2"]
    assert [*usage["statements"][1].values()] == stated
    assert usage["licenses"] == ["http://l.test/x"]
    assert usage["read"] == ["robots.txt"]
    assert usage["not_understood"][0]["term"] == "ai-input=maybe"
    (line,) = scrapy("robots-check", "ftp://y.test/x", "--json").lines
    assert json.loads(line)["usage"] is None


# Status or file, exit code, third column, setting that opens the origin
THIRD = r"""
403 | 1 | HTTP 403 | FORBIDDEN
503 | 3 | HTTP 503 | UNREACHABLE
404 | 0 | HTTP 404
0 | 3 | DownloadFailedError | UNREACHABLE
302 | 3 | a redirect loop, more than 5 redirects | UNREACHABLE
User-agent: *\n\nDisallow: /x\n | 0 | rfc9309 differs
User-agent: *\nDisallow: /x\nAllow: /x.pdf\n | 1 | line 2, rfc9309 differs
User-agent: *\nDisallow: /y\n | 0 |
"""


@pytest.mark.parametrize(("answer", "code", "note", "setting"), rows(THIRD, 4))
def test_third_column_says_what_decides(
    site: Site, answer: str, code: str, note: str, setting: str
) -> None:
    named = {"0": replies.reset(), "302": replies.redirect("/robots.txt")}
    reply = (
        replies.status(int(answer))
        if answer.isdigit()
        else replies.text(answer.encode())
    )
    site.answer("/robots.txt", named.get(answer, reply))
    args = site.url("/x.pdf"), "-s", "RETRY_ENABLED=0"
    result = scrapy("robots-check", *args)
    _, shown = explained(*args)

    assert result.code == int(code)
    assert result.lines[0].partition("/x.pdf")[2].strip() == note
    assert "WARNING" not in result.err
    assert (f'unless ROBOTS1994_{setting} = "allow"' in shown) is bool(setting)


def test_urls_are_read_from_a_file_and_standard_input(
    site: Site, tmp_path: Path
) -> None:
    site.robots("User-agent: *\nDisallow: /caf%E9\n")
    listed = tmp_path / "urls.txt"
    page = site.url("/caf").encode() + b"\xe9"
    listed.write_bytes(b"\xef\xbb\xbf%b\n\n# /b\nhttp://a\xff.invalid/x\n" % page)

    args = ("--urls", str(listed), "-", "--json")
    result = scrapy("robots-check", *args, stdin_text=site.url("/d\n"))

    found = {row["url"]: row for row in map(json.loads, result.lines)}
    assert result.code == 3
    assert {url: (it["allowed"], it["is_known"]) for url, it in found.items()} == {
        site.url("/caf%E9"): (False, True),
        "http://a%FF.invalid/x": (False, False),
        site.url("/d"): (True, True),
    }
    assert found[site.url("/caf%E9")]["verdict"]["record"]["names"] == ["*"]


def project(folder: Path, settings: str = "", spider: str = "pass") -> Path:
    """*spider* is the class body of the spider "walk"."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = mine\n", "utf-8")
    (folder / "mine.py").write_text(f"SPIDER_MODULES = ['spiders']\n{settings}\n")
    (folder / "spiders.py").write_text(
        f"import scrapy\nclass Walk(scrapy.Spider):\n    name = 'walk'\n    {spider}\n"
    )
    return folder


def test_check_uses_the_settings_and_spider_of_the_project(
    site: Site, tmp_path: Path
) -> None:
    site.robots("User-agent: walker\nDisallow: /\n")
    project(
        tmp_path,
        "USER_AGENT = 'nobody'\nFEEDS = {'items.json': {'format': 'json'}}\n"
        "ROBOTS1994_EVIDENCE = 'evidence'",
        "custom_settings = {'USER_AGENT': 'walker/1.0'}\n"
        "    start_urls = ['http://never.test/']",
    )

    urls = (site.url("/"), "--spider", "walk")
    result = scrapy("robots-check", *urls, folder=tmp_path)

    assert result.code == 1
    assert result.lines[-1].endswith('checked as "walker/1.0"')
    assert [it.headers["user-agent"] for it in site.log()] == ["walker/1.0"]
    assert not [it for it in ("items.json", "evidence") if (tmp_path / it).exists()]


def test_output_is_narrow_and_printable() -> None:
    draft = "User-agent: \x1b[1m, *\nDisallow: /\u202e\n" * 9
    args = ("--robots", "-", "/\u202e" + "x" * 300, "--robot", "\x1b[1m, *")

    result = scrapy("robots-check", *args, stdin_text=draft)

    assert result.code == 1
    assert max(map(len, result.lines)) <= 100
    assert all(map(str.isprintable, result.lines))


@pytest.mark.parametrize("length", [90, 400, 5_000])
def test_credentials_longer_than_the_column_are_not_printed(length: int) -> None:
    """Credentials are removed before the URL is cut."""
    url = f"http://me:{'s' * length}@h.test/x"
    result = scrapy("robots-check", "--robots", "-", url, "--explain")

    assert result.code == 0
    assert "ss" not in result.lines[0]


def test_project_that_cannot_crawl_is_wrong_use(site: Site, tmp_path: Path) -> None:
    project(tmp_path, spider="user_agent = property(lambda self: 1 / 0)")

    urls = (site.url("/"), "--spider", "walk")
    result = scrapy("robots-check", *urls, folder=tmp_path)

    assert (result.code, result.out) == (2, "")
    assert "division by zero" in result.err.rstrip("\n").split("\n")[-1]


OURS = "ADDONS = {'scrapy_robots1994.Addon': 500}"
BY_HAND = "DOWNLOADER_MIDDLEWARES = {'scrapy_robots1994.Robots1994Middleware': 100}"
NOTES = ["ROBOTSTXT_OBEY is off", "does not enable scrapy_"]


@pytest.mark.parametrize(
    ("settings", "noted"),
    [
        (OURS, []),
        (BY_HAND, []),
        ("ADDONS = {}", NOTES[1:]),
        (f"{OURS}\nROBOTSTXT_OBEY = False", NOTES[:1]),
    ],
)
def test_crawl_that_would_not_do_what_is_printed_is_noted(
    tmp_path: Path, settings: str, noted: list[str]
) -> None:
    folder = project(tmp_path, settings)
    args = ("--robots", "-", "/a")

    result = scrapy("robots-check", *args, stdin_text=CLOSED, folder=folder)

    assert result.code == 1
    assert [note for note in NOTES if note in result.err] == noted


def test_refresh_fetches_anew_and_updates_the_store(site: Site, tmp_path: Path) -> None:
    store = ("-s", f"ROBOTS1994_STORE=sqlite:///{tmp_path}/robots.db")
    command = ("robots-check", site.url("/private"), *store)
    site.robots("User-agent: *\nDisallow:\n")
    codes = [scrapy(*command).code]
    site.robots(CLOSED)
    codes += [scrapy(*command, *it).code for it in ((), ("--refresh",), ())]

    assert codes == [0, 0, 1, 1]
    assert len(site.log("/robots.txt")) == 2
