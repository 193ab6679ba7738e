"""What a new user reads: which setting decides, what is missing, and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import scrapy
from tests.support import replies
from tests.support.forked import ROOT
from tests.support.site import Site


def explained(*args: str) -> tuple[int, str]:
    """Return the exit code of `robots-check --explain`, and its output as one line."""
    result = scrapy("robots-check", "--explain", *args)
    return result.code, " ".join(result.out.split())


def test_explain_names_the_line_that_rfc_9309_would_obey(tmp_path: Path) -> None:
    """1994 D1, F6: a wildcard and Allow have no effect here; one line more says so."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /*.pdf$\nDisallow: /a\nAllow: /a/b\n")
    robots = ("--robots", str(file))

    opened, closed = explained("/x.pdf", *robots), explained("/a/b/1", *robots)
    plain = explained("/x.html", *robots)
    obeyed = explained("/x.pdf", *robots, "--dialect", "rfc9309")

    assert [it[0] for it in (opened, closed, plain, obeyed)] == [0, 1, 0, 1]
    assert "the dialect rfc9309 says: disallowed by line 2" in opened[1]
    assert 'ROBOTS1994_DIALECT = "rfc9309"' in opened[1]
    assert 'the dialect rfc9309 says: allowed by line 4, "Allow: /a/b"' in closed[1]
    assert "rfc9309" not in plain[1]
    assert "the dialect rfc9309 says" not in obeyed[1]


@pytest.mark.parametrize(
    ("status", "code", "setting"), [(403, 1, "FORBIDDEN"), (500, 3, "UNREACHABLE")]
)
def test_explain_names_the_setting_that_opens_a_refused_origin(
    status: int, code: int, setting: str
) -> None:
    """R3 (access refused), R5 (unreachable): either is often a mistake of the site."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(status))
        found, shown = explained(site.url("/"), "-s", "RETRY_ENABLED=False")

    assert found == code
    assert f"(HTTP {status})" in shown
    assert f'unless ROBOTS1994_{setting} = "allow"' in shown


@pytest.mark.parametrize("command", ["robots-check", "robots-compare"])
def test_missing_list_of_urls_could_not_be_read(command: str) -> None:
    """Exit code 3, as for a robots.txt that does not exist."""
    files = ("README.md",) * (command == "robots-compare")
    result = scrapy(command, *files, "--urls", "no-such-list")

    assert (result.code, result.out) == (3, "")
    assert "--urls: no-such-list: No such file" in result.err
    assert "Traceback" not in result.err


def test_help_of_the_console_script_promises_no_setting() -> None:
    """It reads no project: neither ROBOTS1994_DIALECT nor URLs."""
    code = "from scrapy_robots1994.commands.robots_lint import main; raise SystemExit(main())"
    run = [sys.executable, "-c", code]
    shown = subprocess.run(
        [*run, "--help"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    nothing = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT)

    assert "in this dialect; without it, in 1994" in " ".join(shown.split())
    assert "ROBOTS1994_DIALECT" not in shown
    assert nothing.returncode == 2
    assert "URL" not in nothing.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["check", "lint", "compare", "store"])
def test_help_has_examples_and_exit_codes(name: str) -> None:
    """The examples have their line breaks, and the help fits 100 columns.

    Scrapy makes a heading of each line that ends with a colon, so no option has one at
    which a line could end.
    """
    command = f"robots-{name}"
    result = scrapy(command, "--help")

    assert result.code == 0
    assert f"\n  scrapy {command} " in result.out
    for code in ("0 all well", "1 something", "2 wrong use", "3 some", "130 interr"):
        assert code in " ".join(result.out.split())
    assert max(map(len, result.lines)) <= 100
    ours = result.out.partition("\nOptions\n")[2].partition("\nGlobal Options\n")[0]
    assert "--dialect" in ours
    assert [
        line for line in ours.split("\n") if ": " in line or line.endswith(":")
    ] == []


def test_comparison_without_its_extra_uses_the_parsers_that_are_there(
    tmp_path: Path,
) -> None:
    """The third parser needs a library; one line says what brings it."""
    missing = "raise ImportError('missing', name='robotexclusionrulesparser')\n"
    (tmp_path / "robotexclusionrulesparser.py").write_text(missing, "utf-8")
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /x\n", "utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "robots-compare", str(file)],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert "ProtegoRobotParser" in done.stdout
    assert "PythonRobotParser" in done.stdout
    assert "RerpRobotParser" not in done.stdout
    assert "compared without it: RerpRobotParser needs" in done.stderr
    assert "scrapy_robots1994[report]" in done.stderr
