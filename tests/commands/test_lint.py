"""`scrapy robots-lint`: every file, in every format, with its exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands.running import scrapy
from tests.support import replies
from tests.support.corpus import generated_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

CLEAN = "User-agent: *\nDisallow: /tmp\n"
INFO = CLEAN + "Sitemap: http://x.test/\n"
WARNING = CLEAN + "Disallow: /*.php\n"
ERROR = "Disallow: /\n"


@pytest.mark.parametrize(
    ("body", "args", "code"),
    [
        (CLEAN, [], 0),
        (INFO, [], 0),
        (WARNING, [], 1),
        (ERROR, [], 1),
        (INFO, ["--fail-on", "info"], 1),
        (WARNING, ["--fail-on", "error"], 0),
        (ERROR, ["--fail-on", "never"], 0),
        (WARNING, ["--ignore", "r015"], 0),
        (WARNING, ["--ignore", "R016, r015, "], 0),
        (WARNING, ["--dialect", "extended", "-s", "LOG_LEVEL=ERROR"], 1),
    ],
)
def test_the_exit_code_is_that_of_a_linter(
    body: str, args: list[str], code: int
) -> None:
    """0 when all is well, 1 for a problem as severe as --fail-on says."""
    assert scrapy("robots-lint", "-", *args, given=body).code == code


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "no file given"),
        (["--ignore", "R999", "x"], "no such code: R999"),
        (["--format", "xml", "x"], "invalid choice"),
        (["-s", "ROBOTS1994_DIALECT=2000", "x"], "ROBOTS1994_DIALECT must be"),
    ],
)
def test_wrong_use_is_2_and_says_what_to_do(args: list[str], says: str) -> None:
    """One sentence, no traceback."""
    ran = scrapy("robots-lint", *args)

    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("name", "says"),
    [("no-such-file", "No such file"), ("x" * 300, "File name too long")],
)
def test_a_file_that_cannot_be_read_is_3(name: str, says: str) -> None:
    """The others are reported all the same."""
    ran = scrapy("robots-lint", name, "-", given=ERROR)

    assert ran.code == 3
    assert says in ran.out
    assert "R001" in ran.out
    assert "Traceback" not in ran.err


def test_a_folder_without_a_file_is_wrong_use(tmp_path: Path) -> None:
    """That there is no problem would be said of nothing."""
    ran = scrapy("robots-lint", str(tmp_path))

    assert (ran.code, ran.out) == (2, "")
    assert "no file is in the folder" in ran.err


def test_it_fetches_the_file_of_an_origin_or_one_that_lies_elsewhere(
    site: Site,
) -> None:
    """With Scrapy's own downloader; that there is none is no fault."""
    site.robots(CLEAN)
    site.answer("/draft.txt", replies.text(WARNING))
    site.answer("/gone.txt", replies.text("x", status=404))

    urls = [site.url("/"), site.url("/draft.txt"), site.url("/gone.txt")]
    ran = scrapy("robots-lint", *urls, "--format", "json")
    files = json.loads(ran.out)["files"]

    assert ran.code == 1
    assert [it["file"] for it in files] == urls
    assert [len(it.get("problems", ())) for it in files] == [0, 1, 0]
    assert "no file (HTTP 404)" in files[2]["unread"]
    assert sorted(site.targets()) == ["/draft.txt", "/gone.txt", "/robots.txt"]


@pytest.mark.parametrize("last", ["/robots.txt", "/draft.txt"])
def test_lint_ends_with_either_file_last(site: Site, last: str) -> None:
    """The file of an origin and one that lies elsewhere are under way together."""
    first = "/draft.txt" if last == "/robots.txt" else "/robots.txt"
    site.robots(CLEAN, gate="/robots.txt")
    site.answer("/draft.txt", replies.text(CLEAN, gate="/draft.txt"))
    site.answer("/next.txt", replies.text(CLEAN))
    site.open_when(first, last)
    site.open_when(last, "/next.txt")
    urls = [site.url("/"), site.url("/draft.txt"), site.url("/next.txt")]

    ran = scrapy("robots-lint", *urls, "-s", "CONCURRENT_REQUESTS=2")

    assert ran.code == 0
    assert len(site.targets()) == len(urls)


def test_a_failed_fetch_of_a_file_elsewhere_has_its_cause_in_the_log(
    site: Site,
) -> None:
    """The line says "see the log"."""
    url = site.refused_url("/draft.txt")

    ran = scrapy("robots-lint", url, "-s", "RETRY_ENABLED=False")

    assert ran.code == 3
    assert "see the log" in ran.out
    assert f"Could not fetch {url} (" in ran.err
    assert "refused" in ran.err


@pytest.mark.parametrize(
    "call",
    [
        ("robots-lint",),
        ("robots-lint", "--format", "json"),
        ("robots-lint", "--format", "sarif"),
        ("robots-compare", "--parsers", "Protego"),
        ("robots-compare", "--parsers", "Protego", "--json"),
        ("robots-check", "/a", "--explain", "--robots"),
        ("robots-check", "/a", "--json", "--robots"),
        ("robots-check", "/a", "--robots", __file__, "--robots"),
    ],
)
def test_what_is_printed_has_no_password(site: Site, call: tuple[str, ...]) -> None:
    """A report is for others, too; with an answer and without."""
    site.robots(WARNING)
    for url in (site.url("/robots.txt"), site.refused_url("/robots.txt")):
        wanted = url.replace("://", "://me:secret@")

        ran = scrapy(*call, wanted, "-s", "RETRY_ENABLED=False")

        assert ran.code in (0, 1, 3)
        assert url.split("/")[2] in ran.out + ran.err
        assert "secret" not in ran.out + ran.err


def test_a_robots_txt_without_access_is_3(site: Site) -> None:
    """Ours R3: the file exists, but access is forbidden."""
    site.answer("/robots.txt", replies.text("x", status=403))

    ran = scrapy("robots-lint", site.url("/"))

    assert ran.code == 3
    assert "access was refused (HTTP 403)" in ran.out


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_formats_for_machines_name_the_place(form: str) -> None:
    """Code and line of the problem are in them."""
    ran = scrapy("robots-lint", "-", "--format", form, given=WARNING)

    assert ran.code == 1
    assert "R015" in ran.out
    assert ("line=3,col=12" if form == "github" else '"startLine": 3') in ran.out


def test_a_folder_is_one_run_with_a_summary(tmp_path: Path) -> None:
    """Every generated file of every shape, and how many files have which code."""
    files = generated_files()
    for name, body in files:
        (tmp_path / name).write_bytes(body)

    ran = scrapy("robots-lint", "--summary", str(tmp_path))

    assert ran.code == 1
    assert ran.lines[0].split() == [
        "code",
        "files",
        "places",
        "severity",
        "clause",
        "problem",
    ]
    assert ran.lines[-1].startswith(f"{len(files)} files, ")
    assert "Traceback" not in ran.err


def test_colour_is_used_only_on_request() -> None:
    """Plain in a pipe; with `--color always` the codes of every terminal."""
    plain = scrapy("robots-lint", "-", given=ERROR)
    painted = scrapy("robots-lint", "-", "--color", "always", given=ERROR)

    assert "\x1b" not in plain.out
    assert "\x1b[1;31m" in painted.out


def test_the_summary_is_a_json_document_if_that_is_wanted(tmp_path: Path) -> None:
    """Files, problems and what could not be read; a folder means all under it."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.txt").write_text(WARNING, "utf-8")
    (tmp_path / "inner" / "b.txt").write_text(CLEAN, "utf-8")
    names = (str(tmp_path), "no-such-file")

    ran = scrapy("robots-lint", "--summary", "--format", "json", *names)
    plain = json.loads(ran.out)

    assert ran.code == 3
    assert (plain["files"], plain["without_problems"]) == (2, 1)
    assert [it["file"] for it in plain["unread"]] == ["no-such-file"]
    assert [(it["code"], it["files"]) for it in plain["problems"]] == [("R015", 1)]
