"""`scrapy robots-lint`, and the console script `robots-lint`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import SCRIPT, CommandResult, scrapy
from tests.support.corpus import generated_files
from tests.support.forked import ROOT, TIMEOUT_SECONDS

CLEAN = "User-agent: *\nDisallow: /tmp\n"
WARNING = CLEAN + "Disallow: /a b\n"
ERROR = "Disallow: /\n"


def robots_lint(
    *args: str, stdin_text: str = "", folder: Path = ROOT, python: tuple[str, ...] = ()
) -> CommandResult:
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


@pytest.mark.parametrize("args", [["--help"], ["-"], ["-", "--format", "json"]])
def test_script_imports_no_slow_module(args: list[str]) -> None:
    """Editors and commit hooks need a script that starts quickly."""
    python = (sys.executable, "-S", "-X", "importtime")
    result = robots_lint(*args, stdin_text=WARNING, python=python)
    loaded = [line.rpartition("|")[2].strip() for line in result.err.splitlines()]
    slow = {"scrapy", "twisted", "rich", "cachetools", "asyncio", "email", "socket"}

    assert "scrapy_robots1994.commands.robots_lint" in loaded
    assert not {name.partition(".")[0] for name in loaded} & slow
    assert not any("importlib.metadata" in it for it in loaded)


def test_pre_commit_hook_runs_the_script() -> None:
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines()
    (entry,) = [line.split(": ", 1)[1] for line in lines if "entry: " in line]
    script, *args = entry.split()

    assert script == "robots-lint"
    assert robots_lint(*args, "-", stdin_text=WARNING).code == 0
    assert robots_lint(*args, "-", stdin_text=ERROR).code == 1


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """Ours O24."""
    file = tmp_path / "disk.img"
    file.write_text("User-agent: *\nAllow: /\nDisallow: /\n")
    os.truncate(file, 2**40)

    result = robots_lint(str(file))

    assert "Disallow: /" in result.out
    assert "truncated at the size limit" in result.lines[0]
    assert "warning R003" in result.out
    assert '"1994"' in result.lines[-1]
    os.truncate(file, 512_001)
    as_json = robots_lint(str(file), "--format", "json").out
    assert json.loads(as_json)["files"][0]["is_truncated"]


def test_sample_of_the_page_is_what_the_command_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "lint.rst").read_text("utf-8")
    block = page.partition("$ robots-lint robots.txt\n")[2].partition("\n\n")[0]
    shown = [row.removeprefix("    ") for row in block.splitlines()]
    lines = [row[7:51].rstrip() for row in shown if row[5:6].isdigit()]
    (tmp_path / "robots.txt").write_text("\n".join(lines) + "\n")

    assert robots_lint("robots.txt", folder=tmp_path).lines == shown


def test_dialect_is_that_of_the_project_around_the_folder(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = demo\n")
    (tmp_path / "demo.py").write_text('ROBOTS1994_DIALECT = "extended"\n')
    inner = tmp_path / "inner"
    inner.mkdir()

    for result in (
        robots_lint("-", stdin_text=CLEAN, folder=inner),
        scrapy("robots-lint", "-", stdin_text=CLEAN, folder=inner),
    ):
        assert "(extended)" in result.lines[0], result.err


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_nothing_unprintable_is_printed(form: str, tmp_path: Path) -> None:
    """Ours O25."""
    for number, (_, body) in enumerate(generated_files()[::9]):
        (tmp_path / f"{number}.txt").write_bytes(body[:20_000])
    (tmp_path / "x").write_text("\x1b[31m: \u202e\nDisallow: \x9b/\x07", "utf-8")
    result = robots_lint(str(tmp_path), "--format", form)

    assert (result.code, result.err) == (1, "")
    for line in result.lines:
        assert line.isprintable()
        assert form != "text" or len(line) <= 100
    assert any("x1b[31m" in line.replace("\\", "") for line in result.lines)
