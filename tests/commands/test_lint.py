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
from tests.support.site import Site

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


@pytest.mark.parametrize(
    "command",
    [
        ["robots-lint"],
        ["robots-compare", "--parsers", "Protego", "--json"],
        ["robots-check", "/a", "--explain", "--robots"],
        ["robots-lint", "--format", "json"],
        ["robots-compare", "--parsers", "Protego"],
        ["robots-check", "/a", "--json", "--robots"],
    ],
)
def test_output_contains_no_password(site: Site, command: list[str]) -> None:
    site.robots(WARNING)
    for url in (site.url("/robots.txt"), site.refused_url("/robots.txt")):
        with_password = url.replace("://", "://me:secret@")

        result = scrapy(*command, with_password, "-s", "RETRY_ENABLED=False")

        assert result.code in (0, 1, 3)
        assert url.split("/")[2] in result.out + result.err
        assert "secret" not in result.out + result.err


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


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--format", "json", "--ignore", "r017"],
        ["--only-problems", "--fail-on", "error", "--color", "always"],
        ["--format", "github"],
        ["--dialect", "extended"],
    ],
)
def test_script_prints_the_same_as_the_command(args: list[str], tmp_path: Path) -> None:
    (tmp_path / "files" / "inner").mkdir(parents=True)
    (tmp_path / "files" / "a.txt").write_text(WARNING)
    (tmp_path / "files" / "inner" / "b.txt").write_text(CLEAN)
    names = ("files", "missing", "-")

    script = robots_lint(*names, *args, stdin_text=WARNING, folder=tmp_path)
    command = scrapy("robots-lint", *names, *args, stdin_text=WARNING, folder=tmp_path)

    assert (script.code, script.out) == (command.code, command.out)
    assert (script.code, script.err) == (3, "")
    assert "missing" in script.out


def test_pre_commit_hook_runs_the_script() -> None:
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines()
    (entry,) = [line.split(": ", 1)[1] for line in lines if "entry: " in line]
    script, *args = entry.split()

    assert script == "robots-lint"
    assert robots_lint(*args, "-", stdin_text=WARNING).code == 0
    assert robots_lint(*args, "-", stdin_text=ERROR).code == 1


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """Ours O24"""
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


@pytest.mark.parametrize(
    ("settings", "dialect"),
    [
        ('ROBOTS1994_DIALECT = "extended"\n', "extended"),
        ('ROBOTS1994_DIALECT = "extended"  # or "1994"\n', "extended"),
        ('\ufeffROBOTS1994_DIALECT: str = "extended"\n', "extended"),
        (
            "ROBOTS1994_DIALECT = '1994'\nROBOTS1994_DIALECT = 'revisited'\n",
            "revisited",
        ),
        ('ROBOTS1994_DIALECT = "strictest"\n', "strictest"),
        ("OTHER = 1\n", "rfc9309"),
        (None, "rfc9309"),
    ],
)
def test_dialect_is_that_of_the_project(
    settings: str | None, dialect: str, tmp_path: Path
) -> None:
    """The script parses the settings file, and does not execute it."""
    inner = tmp_path / "inner"
    inner.mkdir()
    if settings is not None:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = demo.settings\n")
        (tmp_path / "demo").mkdir()
        (tmp_path / "demo" / "__init__.py").touch()
        (tmp_path / "demo" / "settings.py").write_text(settings)

    for result in (
        robots_lint("-", stdin_text=CLEAN, folder=inner),
        scrapy("robots-lint", "-", stdin_text=CLEAN, folder=inner),
    ):
        assert f"({dialect})" in result.lines[0], result.err


@pytest.mark.parametrize(
    ("config", "dialect"),
    [
        (b"[settings]\nx = demo\ndefault = %(x)s\n[deploy]\nurl = h/%s\n", "1994"),
        (b"[settings]\ndefault = missing\n", "rfc9309"),
        (b"[settings]\ndefault = broken\n", "rfc9309"),
        (b"[deploy]\n", "rfc9309"),
        (b"default = demo\n", "rfc9309"),
        (b"# \xff\n[settings]\ndefault = demo\n", "rfc9309"),
    ],
)
def test_script_reads_what_it_can_of_a_project(
    config: bytes, dialect: str, tmp_path: Path
) -> None:
    setting = b"ROBOTS1994_DIALECT='1994'\n# ROBOTS1994_DIALECT = 'x'\n"
    (tmp_path / "scrapy.cfg").write_bytes(config)
    (tmp_path / "demo.py").write_bytes(setting)
    (tmp_path / "broken.py").write_bytes(setting + b"\xff")

    result = robots_lint("-", stdin_text=CLEAN, folder=tmp_path)

    assert (result.code, result.err) == (0, "")
    assert f"({dialect})" in result.lines[0]


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
