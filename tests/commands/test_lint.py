"""`scrapy robots-lint`: inputs, formats and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import scrapy
from tests.support import replies
from tests.support.corpus import generated_files
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
        (ERROR, ["--color", "always"], 1),
    ],
)
def test_exit_code_depends_on_severity_and_fail_on(
    body: str, args: list[str], code: int
) -> None:
    """1 for a problem at least as severe as --fail-on; colour in a pipe on request alone."""
    result = scrapy("robots-lint", "-", *args, stdin_text=body)

    assert result.code == code
    assert ("\x1b" in result.out) is ("always" in args)


def test_lint_fetches_robots_txt_or_the_file_of_a_url(
    site: Site,
) -> None:
    """With Scrapy's own downloader; a missing file is not a failure."""
    site.robots(CLEAN)
    site.answer("/draft.txt", replies.text(WARNING))
    site.answer("/gone.txt", replies.text("x", status=404))

    urls = [site.url("/"), site.url("/draft.txt"), site.url("/gone.txt")]
    result = scrapy("robots-lint", *urls, "--format", "json")
    files = json.loads(result.out)["files"]

    assert result.code == 1
    assert [it["file"] for it in files] == urls
    assert [len(it.get("problems", ())) for it in files] == [0, 1, 0]
    assert "no file (HTTP 404)" in files[2]["unread"]
    assert sorted(site.targets()) == ["/draft.txt", "/gone.txt", "/robots.txt"]


def test_failed_fetch_of_a_file_is_explained_in_the_log(
    site: Site,
) -> None:
    """The output refers to the log."""
    url = site.refused_url("/draft.txt")

    result = scrapy("robots-lint", url, "-s", "RETRY_ENABLED=False")

    assert result.code == 3
    assert "see the log" in result.out
    assert f"Could not fetch {url} (" in result.err
    assert "refused" in result.err


@pytest.mark.parametrize(
    "command",
    [
        ("robots-lint",),
        ("robots-compare", "--parsers", "Protego", "--json"),
        ("robots-check", "/a", "--explain", "--robots"),
        *(
            pytest.param(command, marks=pytest.mark.long)
            for command in (
                ("robots-lint", "--format", "json"),
                ("robots-lint", "--format", "sarif"),
                ("robots-compare", "--parsers", "Protego"),
                ("robots-check", "/a", "--json", "--robots"),
                ("robots-check", "/a", "--robots", __file__, "--robots"),
            )
        ),
    ],
)
def test_output_contains_no_password(site: Site, command: tuple[str, ...]) -> None:
    """Whether the fetch succeeds or fails: output is passed on to other people."""
    site.robots(WARNING)
    for url in (site.url("/robots.txt"), site.refused_url("/robots.txt")):
        with_password = url.replace("://", "://me:secret@")

        result = scrapy(*command, with_password, "-s", "RETRY_ENABLED=False")

        assert result.code in (0, 1, 3)
        assert url.split("/")[2] in result.out + result.err
        assert "secret" not in result.out + result.err


def test_forbidden_robots_txt_sets_exit_code_3(site: Site) -> None:
    """Ours R3: a response with status 403 is not a missing file."""
    site.answer("/robots.txt", replies.text("x", status=403))

    result = scrapy("robots-lint", site.url("/"))

    assert result.code == 3
    assert "access was refused (HTTP 403)" in result.out


def test_summary_of_a_folder_counts_all_files(tmp_path: Path) -> None:
    """With all generated files; the table counts the files with each code."""
    files = generated_files()
    for name, body in files:
        (tmp_path / name).write_bytes(body)

    result = scrapy("robots-lint", "--summary", str(tmp_path))

    assert result.code == 1
    assert result.lines[0].split() == [
        "code",
        "files",
        "places",
        "severity",
        "clause",
        "problem",
    ]
    assert result.lines[-1].startswith(f"{len(files)} files, ")
    assert "Traceback" not in result.err


def test_summary_is_also_available_as_json(tmp_path: Path) -> None:
    """It counts files and problems, and lists unreadable files."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.txt").write_text(f"{WARNING}Disallow: /*.gif\n", "utf-8")
    (tmp_path / "inner" / "b.txt").write_text(CLEAN, "utf-8")
    names = (str(tmp_path), "no-such-file")

    result = scrapy("robots-lint", "--summary", "--format", "json", *names)
    summary = json.loads(result.out)

    assert result.code == 3
    assert (summary["files"], summary["without_problems"]) == (2, 1)
    assert [it["file"] for it in summary["unread"]] == ["no-such-file"]
    found = [(it["code"], it["files"], it["places"]) for it in summary["problems"]]
    assert found == [("R015", 1, 2)]
