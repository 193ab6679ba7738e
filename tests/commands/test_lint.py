"""Tests of `scrapy robots-lint`, and of the console script `robots-lint`.

The console script does not need Scrapy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import replies
from tests.support.commands import SCRIPT, CommandResult, scrapy
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.left_out import long_after
from tests.support.site import Site

CLEAN = "User-agent: *\nDisallow: /tmp\n"
INFO = CLEAN + "Sitemap: http://x.test/\n"
WARNING = CLEAN + "Disallow: /*.php\n"
ERROR = "Disallow: /\n"


def robots_lint(
    *args: str, stdin_text: str = "", folder: Path = ROOT, python: tuple[str, ...] = ()
) -> CommandResult:
    """Run the console script. *python* is empty, or is an interpreter with its options."""
    result = subprocess.run(
        [*python, SCRIPT, *args],
        input=stdin_text,
        text=True,
        capture_output=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return CommandResult(result.returncode, result.stdout, result.stderr)


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
    """The exit code is 1 if a problem is at least as severe as `--fail-on`.

    Problems whose codes `--ignore` lists do not affect the exit code. Output into a
    pipe has colours only with `--color always`.
    """
    result = scrapy("robots-lint", "-", *args, stdin_text=body)

    assert result.code == code
    assert ("\x1b" in result.out) is ("always" in args)


def test_lint_fetches_robots_txt_or_the_file_of_a_url(site: Site) -> None:
    """For a URL, the command fetches the file at this URL, or the robots.txt of the origin.

    The files are reported in the order of the URLs.
    """
    site.robots(CLEAN)
    site.answer("/draft.txt", replies.text(WARNING))
    urls = [site.url("/draft.txt"), site.url("/")]

    named = (urls[0], urls[1].replace("://", "://me:secret@"))
    result = scrapy("robots-lint", *named, "--format", "json")

    assert result.code == 1
    files = json.loads(result.out)["files"]
    assert [(it["file"], len(it["problems"])) for it in files] == [
        (urls[0], 1),
        (urls[1], 0),
    ]
    assert sorted(site.targets()) == ["/draft.txt", "/robots.txt"]


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (404, 0, "allowed: the site has no robots.txt (HTTP 404)"),
        (403, 3, "disallowed: access to robots.txt was refused (HTTP 403)"),
        (None, 3, "connection refused"),
    ],
)
def test_url_without_a_file_says_why(
    site: Site, status: int | None, code: int, said: str
) -> None:
    """If a URL has no file, the output gives the reason.

    A forbidden file (R3) is a failure, but a missing file is not a failure. After a
    failed fetch, the log says what failed.
    """
    url = site.url("/draft.txt") if status else site.refused_url("/draft.txt")
    site.answer("/draft.txt", replies.status(status or 500))

    result = scrapy("robots-lint", url, "-s", "RETRY_ENABLED=False")

    assert result.code == code
    assert said in result.out
    assert "ROBOTS1994_" not in result.out
    assert (f"Could not fetch {url} (" in result.err) is (status is None)


@pytest.mark.parametrize(
    "command",
    long_after(
        3,
        [
            ["robots-lint"],
            ["robots-compare", "--parsers", "Protego", "--json"],
            ["robots-check", "/a", "--explain", "--robots"],
            ["robots-lint", "--format", "json"],
            ["robots-compare", "--parsers", "Protego"],
            ["robots-check", "/a", "--json", "--robots"],
            ["robots-check", "/a", "--robots", __file__, "--robots"],
        ],
    ),
)
def test_output_contains_no_password(site: Site, command: list[str]) -> None:
    """The output does not contain a password, whether the fetch succeeds or fails.

    Users give the output to other people.
    """
    site.robots(WARNING)
    for url in (site.url("/robots.txt"), site.refused_url("/robots.txt")):
        with_password = url.replace("://", "://me:secret@")

        result = scrapy(*command, with_password, "-s", "RETRY_ENABLED=False")

        assert result.code in (0, 1, 3)
        assert url.split("/")[2] in result.out + result.err
        assert "secret" not in result.out + result.err


def test_summary_counts_files_and_problems_as_text_and_as_json(tmp_path: Path) -> None:
    """`--summary` counts files and problems, as text and as JSON.

    The summary also lists files that cannot be read.
    """
    (tmp_path / "a.txt").write_text(f"{WARNING}Disallow: /*.gif\n")
    (tmp_path / "b.txt").write_text(CLEAN)
    command = ("robots-lint", "--summary", str(tmp_path), "no-such-file")

    as_json, as_text = scrapy(*command, "--format", "json"), scrapy(*command)
    summary = json.loads(as_json.out)

    assert as_json.code == as_text.code == 3
    assert (summary["files"], summary["without_problems"]) == (2, 1)
    assert [it["file"] for it in summary["unread"]] == ["no-such-file"]
    found = [(it["code"], it["files"], it["places"]) for it in summary["problems"]]
    assert found == [("R015", 1, 2)]
    unread, _, counts, total = as_text.lines
    assert unread.startswith("no-such-file: ")
    assert counts.split()[:3] == ["R015", "1", "2"]
    assert total == "2 files, 1 without a problem"


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_summary_has_the_highest_severity_of_each_problem(
    tmp_path: Path, order: str
) -> None:
    """If a problem is a warning in one file and an info in another file, the summary
    shows the problem as a warning.

    The order of the files makes no difference.
    """
    rest = "\nUser-agent: *\nDisallow: /b\n"
    bodies = (f"User-agent: a\n{rest}", f"User-agent: a\nHost: x\n{rest}")
    for name, body in zip(order, bodies, strict=True):
        (tmp_path / f"{name}.txt").write_text(body)

    result = robots_lint("--summary", "--format", "json", str(tmp_path))

    problems = json.loads(result.out)["problems"]
    severities = {it["code"]: (it["files"], it["severity"]) for it in problems}
    assert severities == {"R003": (2, "warning"), "R019": (1, "info")}


@pytest.mark.parametrize("args", [["--help"], ["-"], ["-", "--format", "json"]])
def test_script_imports_no_slow_module(args: list[str]) -> None:
    """The console script does not import slow modules, such as Scrapy.

    Editors and commit hooks need a script that starts quickly.
    """
    python = (sys.executable, "-S", "-X", "importtime")
    result = robots_lint(*args, stdin_text=WARNING, python=python)
    loaded = [line.rpartition("|")[2].strip() for line in result.err.splitlines()]
    slow = {"scrapy", "twisted", "rich", "cachetools", "asyncio", "email", "socket"}

    assert "scrapy_robots1994.commands.robots_lint" in loaded
    assert not {name.partition(".")[0] for name in loaded} & slow
    assert not any("importlib.metadata" in it for it in loaded)


@pytest.mark.parametrize(
    "args",
    long_after(
        4,
        [
            [],
            ["--summary"],
            ["--format", "json", "--ignore", "r015"],
            ["--only-problems", "--fail-on", "error", "--color", "always"],
            ["--summary", "--format", "json"],
            ["--format", "github"],
            ["--dialect", "extended"],
        ],
    ),
)
def test_script_prints_the_same_as_the_command(args: list[str], tmp_path: Path) -> None:
    """The console script and the Scrapy command print equal output.

    The inputs are a folder, standard input, a missing file, and a WARC file.
    """
    (tmp_path / "files" / "inner").mkdir(parents=True)
    (tmp_path / "files" / "a.txt").write_text(WARNING)
    (tmp_path / "files" / "inner" / "b.txt").write_text(CLEAN)
    (tmp_path / "some.warc.gz").write_bytes(b"\x1f\x8b not a robots.txt\n" * 9)
    names = ("files", "missing", "some.warc.gz", "-")

    script = robots_lint(*names, *args, stdin_text=WARNING, folder=tmp_path)
    command = scrapy("robots-lint", *names, *args, stdin_text=WARNING, folder=tmp_path)

    assert (script.code, script.out) == (command.code, command.out)
    assert (script.code, script.err) == (3, "")
    assert "missing" in script.out
    assert "the file is a WARC file: `scrapy robots-comp" in script.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["http://x.test/"], "http://x.test/ is a URL: use `scrapy robots-lint`"),
        ([], "no file given: name a file, a folder, or - for"),
        (["--formt", "json", "x"], '--formt; did you mean "--format"?'),
        (["--spider", "x", "y"], "unrecognized argument --spider"),
        (["-x.txt", "--", "y"], "unrecognized argument -x.txt"),
    ],
)
def test_wrong_use_of_the_script_is_reported_in_one_sentence(
    args: list[str], message: str
) -> None:
    """Wrong use of the console script is reported in one sentence, with exit code 2."""
    result = robots_lint(*args)

    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_help_of_the_script_promises_no_setting() -> None:
    """The help of the console script does not mention ROBOTS1994_DIALECT.

    The script does not read the settings of a project.
    """
    shown = robots_lint("--help").out

    assert "in this dialect instead of 1994" in " ".join(shown.split())
    assert "ROBOTS1994_DIALECT" not in shown


def test_pre_commit_hook_runs_the_script() -> None:
    """The pre-commit hook runs the console script with options that exist.

    With the options of the hook, warnings pass, and errors fail.
    """
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines()
    (entry,) = [line.split(": ", 1)[1] for line in lines if "entry: " in line]
    script, *args = entry.split()

    assert script == "robots-lint"
    assert robots_lint(*args, "-", stdin_text=WARNING).code == 0
    assert robots_lint(*args, "-", stdin_text=ERROR).code == 1


def test_argument_after_two_hyphens_is_not_an_option(tmp_path: Path) -> None:
    """In the console script and in the Scrapy command, an argument after `--` is a file name."""
    (tmp_path / "-x.txt").write_text(CLEAN)

    for result in (
        robots_lint("--", "-x.txt", folder=tmp_path),
        scrapy("robots-lint", "--", "-x.txt", folder=tmp_path),
    ):
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("-x.txt: 2 lines")


@pytest.mark.parametrize(
    "start", ["User-agent: x(", "User-agent: *\nDisallow: /"], ids=["name", "path"]
)
@pytest.mark.parametrize("filling", ["/", " ", "(", "a/"])
def test_value_as_long_as_a_file_is_linted(start: str, filling: str) -> None:
    """A file with one value of 500 KB is linted in a short time.

    A regular expression that backtracks from every position would take minutes.
    """
    times = 500_000 // len(filling)
    result = robots_lint("-", "--summary", stdin_text=f"{start}{filling * times}x\n")

    assert result.code in (0, 1)
    assert result.err == ""


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """Ours O24 (size limit): only the beginning of a huge file is read.

    The size limit for a local file equals the size limit for the answer of a server.
    """
    file = tmp_path / "disk.img"
    file.write_text("User-agent: *\nDisallow: /x\n")
    os.truncate(file, 2**40)

    result = robots_lint(str(file))

    assert "Disallow: /x" in result.out
    assert "truncated at the size limit" in result.lines[0]
