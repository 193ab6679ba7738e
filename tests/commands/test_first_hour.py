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


def test_explain_names_the_line_that_rfc_9309_would_obey(tmp_path: Path) -> None:
    """1994 D1: a wildcard has no effect here; what another dialect says is one line more."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /*.pdf$\n", "utf-8")

    args = ("robots-check", "--explain", "--robots", str(file))
    opened, plain = scrapy(*args, "/x.pdf"), scrapy(*args, "/x.html")
    obeyed = scrapy(*args, "/x.pdf", "--dialect", "rfc9309")

    shown = " ".join(opened.out.split())
    assert opened.code == 0
    assert "the dialect rfc9309 says: disallowed by line 2" in shown
    assert 'ROBOTS1994_DIALECT = "rfc9309"' in shown
    assert "rfc9309" not in plain.out
    assert obeyed.code == 1
    assert "the dialect rfc9309 says" not in obeyed.out


def test_explain_names_the_allow_line_that_rfc_9309_would_obey(tmp_path: Path) -> None:
    """1994 F6: Allow has no effect here, which closes what its author meant to open."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /\nAllow: /public\n", "utf-8")

    closed = scrapy("robots-check", "--explain", "--robots", str(file), "/public/1")

    assert closed.code == 1
    shown = " ".join(closed.out.split())
    assert 'the dialect rfc9309 says: allowed by line 3, "Allow: /public"' in shown


def test_explain_names_the_setting_that_opens_a_forbidden_origin() -> None:
    """R3 (access refused): a 403 is often a mistake."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(403))
        result = scrapy("robots-check", "--explain", site.url("/"))

    assert result.code == 1
    shown = " ".join(result.out.split())
    assert 'all its URLs are refused unless ROBOTS1994_FORBIDDEN = "allow"' in shown


def test_explain_names_the_setting_that_opens_an_unreachable_origin() -> None:
    """R5 (unreachable): a 500 names its setting, as a 403 does."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(500))
        result = scrapy(
            "robots-check", "--explain", site.url("/"), "-s", "RETRY_ENABLED=False"
        )

    shown = " ".join(result.out.split())
    assert result.code == 3
    assert "(HTTP 500)" in shown
    assert 'unless ROBOTS1994_UNREACHABLE = "allow"' in shown


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


@pytest.mark.parametrize(
    "command", ["robots-check", "robots-lint", "robots-compare", "robots-store"]
)
def test_help_of_no_option_has_a_colon_at_which_a_line_may_end(command: str) -> None:
    """Scrapy makes a heading of each line that ends with one, wherever it is wrapped."""
    shown = subprocess.run(
        [sys.executable, "-m", "scrapy", command, "--help"],
        env=os.environ | {"COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout
    ours = shown.partition("\nOptions\n")[2].partition("\nGlobal Options\n")[0]

    assert "--dialect" in ours
    assert [line for line in ours.split("\n") if ": " in line] == []


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
