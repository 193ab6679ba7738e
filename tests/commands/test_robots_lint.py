"""The console script `robots-lint`: the same output as the command, without Scrapy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import CommandResult, scrapy
from tests.support.forked import ROOT, TIMEOUT_SECONDS

MODULE = "scrapy_robots1994.commands.robots_lint"
SCRIPT = (sys.executable, "-c", f"import sys, {MODULE} as it; sys.exit(it.main())")
"""What pip installs as `robots-lint`."""

CLEAN = "User-agent: *\nDisallow: /tmp\n"
WARNING = CLEAN + "Disallow: /*.php\n"


def robots_lint(
    *args: str, stdin_text: str = "", folder: Path | None = None
) -> CommandResult:
    """Run the console script."""
    result = subprocess.run(
        [*SCRIPT, *args],
        input=stdin_text,
        text=True,
        capture_output=True,
        cwd=folder or ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return CommandResult(result.returncode, result.stdout, result.stderr)


@pytest.mark.parametrize("args", [["--help"], ["-"], ["-", "--format", "sarif"]])
def test_script_imports_no_slow_module(args: list[str]) -> None:
    """Editors and commit hooks need a quick start, so not even Scrapy is imported."""
    code = (
        "import sys\n"
        "from scrapy_robots1994.commands.robots_lint import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print('\\n' + ' '.join(sys.modules), file=sys.stderr)\n"
    )
    result = subprocess.run(
        [sys.executable, "-S", "-c", code, *args],
        input=WARNING,
        text=True,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    loaded = {name.partition(".")[0] for name in result.stderr.split("\n")[-2].split()}
    slow = {"scrapy", "twisted", "rich", "cachetools", "asyncio", "email", "socket"}

    assert "scrapy_robots1994" in loaded
    assert not loaded & slow
    assert not any("importlib.metadata" in it for it in result.stderr.split())


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--summary"],
        ["--format", "json", "--ignore", "r015"],
        ["--only-problems", "--fail-on", "error", "--color", "always"],
        *(
            pytest.param(args, marks=pytest.mark.long)
            for args in (
                ["--summary", "--format", "json"],
                ["--format", "github"],
                ["--format", "sarif"],
                ["--dialect", "extended"],
            )
        ),
    ],
)
def test_script_prints_the_same_as_the_command(args: list[str], tmp_path: Path) -> None:
    """For a folder, a missing file and standard input, with the same exit code."""
    (tmp_path / "files" / "inner").mkdir(parents=True)
    (tmp_path / "files" / "a.txt").write_text(WARNING, "utf-8")
    (tmp_path / "files" / "inner" / "b.txt").write_text(CLEAN, "utf-8")
    names = ("files", "missing", "-")

    script = robots_lint(*names, *args, stdin_text=WARNING, folder=tmp_path)
    command = scrapy("robots-lint", *names, *args, stdin_text=WARNING, folder=tmp_path)

    assert (script.code, script.out) == (command.code, command.out)
    assert script.code == 3
    assert "missing" in script.out or "--summary" not in args
    assert script.err == ""


@pytest.mark.parametrize(("names", "is_whole"), [(["-"], True), (["-", "gone"], False)])
def test_sarif_says_whether_every_file_was_read(
    names: list[str], *, is_whole: bool, tmp_path: Path
) -> None:
    """A code host shows a run that is not whole as failed."""
    result = robots_lint(*names, "--format", "sarif", stdin_text=CLEAN, folder=tmp_path)

    (invocation,) = json.loads(result.out)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is is_whole


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["http://x.test/"], "http://x.test/ is a URL: use `scrapy robots-lint`"),
        ([], "no file given"),
        (
            ["--formt", "json", "x"],
            'unrecognized argument --formt; did you mean "--format"?',
        ),
        (["--spider", "x", "y"], "unrecognized argument --spider"),
    ],
)
def test_wrong_use_is_reported_in_one_sentence(args: list[str], message: str) -> None:
    """With exit code 2, before any file is read."""
    result = robots_lint(*args)

    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_warc_file_is_not_read_as_text(tmp_path: Path) -> None:
    """The message names the command that reads it; the other files are reported."""
    archive = tmp_path / "crawl.warc.gz"
    archive.write_bytes(b"\x1f\x8b not a robots.txt\n" * 9)
    names = (str(archive), "-")

    runs = [
        robots_lint(*names, stdin_text=WARNING),
        scrapy("robots-lint", *names, stdin_text=WARNING),
    ]

    for result in runs:
        assert result.code == 3
        assert "crawl.warc.gz: it is a WARC file: `scrapy robots-comp" in (
            result.out + result.err
        )
    assert [result.out.count("R015") for result in runs] == [1, 1]


def test_pre_commit_hook_runs_the_script() -> None:
    """Its options exist: warnings pass, errors fail."""
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines()
    (entry,) = [line.split(": ", 1)[1] for line in lines if "entry: " in line]
    script, *args = entry.split()

    assert script == "robots-lint"
    assert robots_lint(*args, "-", stdin_text=WARNING).code == 0
    assert robots_lint(*args, "-", stdin_text="Disallow: /\n").code == 1


def test_argument_after_two_hyphens_is_not_an_option(tmp_path: Path) -> None:
    """For the script and for the command of Scrapy."""
    (tmp_path / "-x.txt").write_text(CLEAN, "utf-8")

    for result in (
        robots_lint("--", "-x.txt", folder=tmp_path),
        scrapy("robots-lint", "--", "-x.txt", folder=tmp_path),
    ):
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("-x.txt: 2 lines")
    assert robots_lint("-x.txt", "--", "y", folder=tmp_path).code == 2


@pytest.mark.parametrize(
    "start", ["User-agent: x(", "User-agent: *\nDisallow: /"], ids=["name", "path"]
)
@pytest.mark.parametrize("filling", ["/", " ", "(", "a/"])
def test_value_as_long_as_a_file_is_linted(start: str, filling: str) -> None:
    """A pattern that backtracks from every position would take minutes."""
    times = 500_000 // len(filling)
    result = robots_lint("-", "--summary", stdin_text=f"{start}{filling * times}x\n")

    assert result.code in (0, 1)
    assert result.err == ""


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """As with a response, no more bytes than the limit are read (O24)."""
    file = tmp_path / "disk.img"
    file.write_bytes(b"User-agent: *\nDisallow: /x\n")
    os.truncate(file, 2**40)

    result = robots_lint(str(file))

    assert "Disallow: /x" in result.out
