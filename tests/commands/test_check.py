"""Tests of `scrapy robots-check`: the verdict, its reason, and the exit code."""

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
from tests.support.replies import Reply
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
    """The command fetches robots.txt once, with Scrapy's downloader and any reactor.

    The output shows the line that decides about a URL. For a disallowed URL, the exit
    code is 1.
    """
    site.robots("User-agent: *\nDisallow: /private\n")
    urls = (site.url("/private"), site.url("/"))

    result = scrapy("robots-check", *urls, *OPTIONS[reactor])

    assert result.code == 1
    assert result.lines[0].split() == ["disallowed", urls[0], "line", "2"]
    assert result.lines[1].split() == ["allowed", urls[1]]
    assert result.lines[-1].startswith("1 allowed, 1 disallowed; checked as")
    assert site.targets() == ["/robots.txt"]


def test_unchecked_url_is_printed_with_the_reason(site: Site) -> None:
    """If a URL is exempt, robots.txt is not fetched, and the command prints the reason.

    An exempt URL does not count as disallowed.
    """
    # Omit examples with meta, because the command takes only URLs. Omit invalid URLs, because the
    # command reports wrong use for an invalid URL.
    examples = {
        reason: exempt.url.format(port=site.port)
        for reason, exempt in EXAMPLES.items()
        if exempt.valid and not exempt.meta
    }
    assert len(examples) > 1
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
    """If the policy is unknown, the exit code is 3.

    A URL of an unreachable origin (R5) counts as disallowed. After a cancelled fetch
    (R6), a URL counts as unknown.
    """
    site.answer("/robots.txt", replies.reset())
    args = ("--robots", site.url(path), "/a", "-s", setting)

    result = scrapy("robots-check", *args, "--json")
    as_text = scrapy("robots-check", *args, "--explain")

    assert (result.code, as_text.code) == (3, 3)
    row = json.loads(result.out)
    assert (row["allowed"], row["is_known"]) == (False, False)
    assert row["outcome"] == outcome
    assert "try again" in row["why"]
    word = "disallowed" if outcome == "unreachable" else "unknown"
    assert as_text.lines[0].split() == [word, "/a"]
    assert "try again" in as_text.out


def explained(*args: str, draft: str = "") -> tuple[int, str]:
    """Return the exit code of `robots-check --explain`, and its output as one line."""
    result = scrapy("robots-check", "--explain", *args, stdin_text=draft)
    return result.code, " ".join(result.out.split())


def test_robots_option_replaces_the_robots_txt_of_the_origin() -> None:
    """With `--robots`, a draft replaces the robots.txt of the origin, and a URL can be a
    path.

    `--robot` sets the robot name. The output also shows the decision of
    rfc9309 if it differs.
    """
    draft = "User-agent: rex\n\nDisallow: /a\n"
    code, shown = explained("--robots", "-", "--robot", "rex/2", "/a", draft=draft)

    assert code == 0
    assert "the dialect rfc9309 says: disallowed by line 3" in shown
    assert shown.endswith('checked as "rex/2"')


def test_explain_says_what_the_dialect_ignores() -> None:
    """`--explain` counts the lines for our robot that 1994 ignores or takes literally."""
    draft = "User-agent: rex\nDisallow: /a*\nAllow: /b\n\nDisallow: /c\n"
    args = ("--robots", "-", "--robot", "rex", "/x")

    said = "1 rule with a wildcard, 1 Allow line, 1 rule below a blank line"
    _, shown = explained(*args, draft=draft)
    assert f"in this dialect: {said}; the first is line 2" in shown
    _, shown = explained(*args, "--dialect", "rfc9309", draft=draft)
    assert "in this dialect" not in shown


USAGE = (
    "User-agent: *\nContent-Signal: search=yes,ai-train=no, ai-input=maybe\n"
    "License: http://l.test/x\nDisallow: /closed\n"
)


def test_missing_extra_is_said_in_a_line(tmp_path: Path) -> None:
    """Without http-sf, `--explain` says that preferences are not read, and a purpose is
    wrong use.
    """
    (tmp_path / "r.txt").write_text(USAGE)
    hidden = (
        "import sys; sys.modules['http_sf'] = None; from scrapy.cmdline import execute"
    )

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        code = f"{hidden}; execute(['scrapy', *{args!r}])"
        command = (sys.executable, "-c", code)
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, check=False
        )

    said = "pip install 'scrapy_robots1994[usage]'"
    explained = run("robots-check", "--explain", "--robots", "r.txt", "/closed")
    assert (explained.returncode, said in " ".join(explained.stdout.split())) == (
        1,
        True,
    )
    asked = run("robots-check", "--purpose", "search", "--robots", "r.txt", "/x")
    assert (asked.returncode, said in asked.stderr) == (2, True)


def test_explain_says_what_is_stated_about_the_use_of_a_url() -> None:
    """If the robots.txt states usage preferences, `--explain` prints the preferences
    after the verdict.

    Preferences do not change the exit code.
    """
    code, shown = explained("--robots", "-", "--robot", "rex", "/a", draft=USAGE)

    assert code == 0
    assert (
        "usage: train-ai disallow (line 2: ai-train=no); ai-use unstated; search allow "
        "(line 2: search=yes); "
    ) in shown
    assert (
        "; licence http://l.test/x usage: not understood: "
        '"ai-input=maybe" in the robots.txt line 2'
    ) in shown
    plain = explained("--robots", "-", "/a", draft="User-agent: *\nDisallow: /b\n")
    assert "usage" not in plain[1]


def test_purpose_that_is_forbidden_counts_as_a_disallowed_url() -> None:
    """If a preference disallows one of the purposes in `--purpose`, the exit code is 1.

    `--purpose` changes only the exit code and the counts, not the verdict.
    """
    args = ("robots-check", "--robots", "-", "--robot", "rex")
    told = scrapy(*args, "/a", "--purpose", "train-ai", stdin_text=USAGE)
    both = scrapy(
        *args, "/a", "--purpose", "search", "--purpose", "train-ai", stdin_text=USAGE
    )
    fine = scrapy(*args, "/a", "--purpose", "search", stdin_text=USAGE)
    closed = scrapy(*args, "/closed", "--purpose", "train-ai", stdin_text=USAGE)

    assert (told.code, both.code, fine.code, closed.code) == (1, 1, 0, 1)
    assert told.lines[0].split() == ["allowed", "/a", "not", "for", "train-ai"]
    assert told.lines[1].startswith(
        "1 allowed, 0 disallowed; 1 not for train-ai; checked"
    )
    assert "; 0 not for search;" in fine.lines[1]
    assert "1 disallowed; 0 not for train-ai" in closed.lines[1]


def test_purposes_of_a_crawl_that_requests_no_such_pages_are_the_default() -> None:
    """With ROBOTS1994_USAGE = "requests", the default of `--purpose` is ROBOTS1994_PURPOSES."""
    args = ["robots-check", "--robots", "-", "--robot", "rex", "/a"]
    args += ["-s", "ROBOTS1994_PURPOSES=train-ai", "-s"]
    codes = {
        usage: scrapy(*args, f"ROBOTS1994_USAGE={usage}", stdin_text=USAGE).code
        for usage in ("requests", "items")
    }

    assert codes == {"requests": 1, "items": 0}


def test_json_has_what_is_stated_about_the_use_of_a_url() -> None:
    """In the JSON output, `usage` contains the usage preferences. Without a robots.txt,
    `usage` is null.
    """
    args = ("--robots", "-", "/a", "--json")
    (line,) = scrapy("robots-check", *args, stdin_text=USAGE).lines
    usage = json.loads(line)["usage"]

    assert usage["statements"][1] == {
        "purpose": "train-ai",
        "answer": "disallow",
        "term": "ai-train=no",
        "where": "robots.txt line 2",
    }
    assert usage["licenses"] == ["http://l.test/x"]
    assert usage["read"] == ["robots.txt"]
    assert usage["not_understood"][0]["term"] == "ai-input=maybe"
    (line,) = scrapy("robots-check", "ftp://y.test/x", "--json").lines
    assert json.loads(line)["usage"] is None


def test_explain_names_what_was_read_from_a_user_agent_header() -> None:
    """`--explain` lists the names that were read from a User-Agent header.

    For a bare robot name, `--explain` lists no names. The header of a browser does not
    contain the name of a robot.
    """
    draft = "User-agent: rex\nDisallow: /\n"

    def said(robot: str) -> str:
        return explained("--robots", "-", "--robot", robot, "/a", draft=draft)[1]

    header = "Mozilla/5.0 (compatible; My Rex/1.0; +http://rex.test/)"
    names = 'names read from the User-Agent header: "my rex"'
    assert f"{names} 0 allowed, 1 disallowed" in said(header)
    assert "names no robot: only records for every robot apply" in said("Mozilla/5.0")
    assert "User-Agent header" not in said("rex")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["/x.pdf"], 0, 'disallowed by line 2, "Disallow: /*.pdf$"'),
        (["/a/b/1"], 1, 'allowed by line 4, "Allow: /a/b"'),
        (["/x.html"], 0, ""),
        (["/x.pdf", "--dialect", "rfc9309"], 1, ""),
        (["/x.pdf", "--dialect", "strictest"], 1, ""),
    ],
)
def test_explain_names_the_line_that_rfc_9309_would_obey(
    args: list[str], code: int, said: str
) -> None:
    """If the dialect rfc9309 would change the decision, `--explain` shows the line that
    would decide.

    In the dialect of 1994, a wildcard (D1) and an Allow line (F6) have no effect.
    """
    draft = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a\nAllow: /a/b\n"
    found, shown = explained("--robots", "-", *args, draft=draft)

    assert found == code
    assert (f"the dialect rfc9309 says: {said}" in shown) is bool(said)
    assert ('ROBOTS1994_DIALECT = "rfc9309"' in shown) is bool(said)
    assert ("in rfc9309 by line 2" in shown) is ("strictest" in args)


@pytest.mark.parametrize(
    ("status", "code", "setting"), [(403, 1, "FORBIDDEN"), (500, 3, "UNREACHABLE")]
)
def test_explain_names_the_setting_that_opens_a_refused_origin(
    site: Site, status: int, code: int, setting: str
) -> None:
    """R3 (forbidden), R5 (unreachable): `--explain` shows the setting that allows all
    URLs of the origin.

    A 403 or 500 for robots.txt is often a mistake of the site.
    """
    site.answer("/robots.txt", replies.status(status))
    found, shown = explained(site.url("/"), "-s", "RETRY_ENABLED=False")

    assert found == code
    assert f"(HTTP {status})" in shown
    assert f'unless ROBOTS1994_{setting} = "allow"' in shown


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (replies.status(403), "HTTP 403"),
        (replies.status(503), "HTTP 503"),
        (replies.status(404), "HTTP 404"),
        (replies.reset(), "DownloadFailedError"),
        (replies.redirect("/robots.txt"), "a redirect loop, more than 5 redirects"),
        ("User-agent: *\nDisallow: /*.pdf$\n", "rfc9309 differs"),
        ("User-agent: *\n\nDisallow: /x\n", "rfc9309 differs"),
        ("User-agent: *\nDisallow: /x\nAllow: /x.pdf\n", "line 2, rfc9309 differs"),
        ("User-agent: *\nDisallow: /y\n", ""),
    ],
)
def test_third_column_says_what_decides_without_explain(
    site: Site, answer: str | Reply, note: str
) -> None:
    """The third column shows the answer or the line that decides, and each
    dialect that would change the decision, without a warning.
    """
    if isinstance(answer, str):
        site.robots(answer)
    else:
        site.answer("/robots.txt", answer)

    result = scrapy("robots-check", site.url("/x.pdf"), "-s", "RETRY_ENABLED=0")

    assert result.lines[0].partition("/x.pdf")[2].strip() == note
    assert "WARNING" not in result.err


def test_urls_are_read_from_a_file_and_standard_input(
    site: Site, tmp_path: Path
) -> None:
    """URLs are read from a file and from standard input.

    Blank lines and comments are skipped. An invalid host does not affect other lines.
    """
    site.robots("User-agent: *\nDisallow: /caf%E9\n")
    listed = tmp_path / "urls.txt"
    page = site.url("/caf").encode() + b"\xe9"
    listed.write_bytes(b"\xef\xbb\xbf%b\n\n# /b\nhttp://a\xff.invalid/x\n" % page)

    args = ("--urls", str(listed), "-", "--json")
    result = scrapy("robots-check", *args, stdin_text=site.url("/d\n"))

    rows = {row["url"]: row for row in map(json.loads, result.lines)}
    assert result.code == 3
    assert {url: (it["allowed"], it["is_known"]) for url, it in rows.items()} == {
        site.url("/caf%E9"): (False, True),
        "http://a%FF.invalid/x": (False, False),
        site.url("/d"): (True, True),
    }
    assert rows[site.url("/caf%E9")]["verdict"]["record"]["names"] == ["*"]


def project(folder: Path, settings: str = "", spider: str = "pass") -> Path:
    """Make a project, and return its folder.

    The project has *settings*, and a spider "walk" with the code *spider* in its class.
    """
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = mine\n", "utf-8")
    (folder / "mine.py").write_text(f"SPIDER_MODULES = ['spiders']\n{settings}\n")
    (folder / "spiders.py").write_text(
        f"import scrapy\nclass Walk(scrapy.Spider):\n    name = 'walk'\n    {spider}\n"
    )
    return folder


def test_check_uses_the_settings_and_spider_of_the_project(
    site: Site, tmp_path: Path
) -> None:
    """The command uses the settings of the project and of the spider.

    The spider's USER_AGENT is the robot name, and the command sends this USER_AGENT. The
    command does not request a start URL, and does not write a feed.
    """
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


def test_output_is_narrow_and_printable() -> None:
    """Each line of the output has at most 100 columns and no control characters.

    The URL, the robot name and the file contain control characters and long words.
    """
    draft = "User-agent: \x1b[1m, *\nDisallow: /\u202e\n" * 9
    args = ("--robots", "-", "/\u202e" + "x" * 300, "--robot", "\x1b[1m, *")

    result = scrapy("robots-check", *args, stdin_text=draft)

    assert result.code == 1
    assert max(map(len, result.lines)) <= 100
    assert all(map(str.isprintable, result.lines))


def test_project_that_cannot_crawl_is_wrong_use(site: Site, tmp_path: Path) -> None:
    """If the project's spider raises an error, the exit code is 2, and no verdict is printed.

    The last line of the log contains the error of the spider.
    """
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
        ("", NOTES[1:]),
        ("ADDONS = {}", NOTES[1:]),
        (f"{OURS}\nROBOTSTXT_OBEY = False", NOTES[:1]),
    ],
)
def test_crawl_that_would_not_do_what_is_printed_is_noted(
    tmp_path: Path, settings: str, noted: list[str]
) -> None:
    """If a crawl of the project would not obey the verdict, a note says why.

    The verdict itself depends only on robots.txt.
    """
    folder = project(tmp_path, settings)
    args = ("--robots", "-", "/a")

    result = scrapy("robots-check", *args, stdin_text=CLOSED, folder=folder)

    assert result.code == 1
    assert [note for note in NOTES if note in result.err] == noted


def test_refresh_fetches_anew_and_updates_the_store(site: Site, tmp_path: Path) -> None:
    """Without `--refresh`, a fresh stored answer decides. `--refresh` stores the new one."""
    store = ("-s", f"ROBOTS1994_STORE=sqlite:///{tmp_path}/robots.db")
    command = ("robots-check", site.url("/private"), *store)
    site.robots("User-agent: *\nDisallow:\n")
    codes = [scrapy(*command).code]
    site.robots(CLOSED)
    codes += [scrapy(*command, *it).code for it in ((), ("--refresh",), ())]

    assert codes == [0, 0, 1, 1]
    assert len(site.log("/robots.txt")) == 2
