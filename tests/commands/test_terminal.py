"""Colour and progress bars at a terminal, and output without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import TIMEOUT_SECONDS, scrapy
from tests.commands.test_check import OPTIONS
from tests.support.crawl import Reactor, reactors
from tests.support.forked import ROOT
from tests.support.site import Site

CLOSED_STDIN = """
import os, sys
os.close(0)
os.execv(sys.argv[1], sys.argv[1:])
"""
WRONG_USE, UNREAD, BROKEN_PIPE = 2, 3, 141
SCRAPY = (sys.executable, "-m", "scrapy")
LINT = (
    sys.executable,
    "-c",
    "import sys; from scrapy_robots1994.commands.robots_lint import main; sys.exit(main())",
)


@pytest.mark.parametrize(
    "args",
    [
        ("robots-lint", "long.txt"),
        ("robots-lint", "long.txt", "--format", "github"),
        ("robots-check", "--robots", "long.txt", "--urls", "urls.txt"),
        ("robots-check", "--robots", "long.txt", "--urls", "urls.txt", "--json"),
    ],
)
def test_closed_output_pipe_is_not_an_error(
    tmp_path: Path, args: tuple[str, ...]
) -> None:
    """The command ends without a message, as in a pipeline before `head`."""
    (tmp_path / "long.txt").write_text("Disallow: /\n" * 20_000, "utf-8")
    (tmp_path / "urls.txt").write_text("/a\n" * 20_000, "utf-8")

    with subprocess.Popen(
        [sys.executable, "-m", "scrapy", *args],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()

    assert process.returncode == BROKEN_PIPE
    assert errors == b""


@pytest.mark.parametrize("is_note", [False, True])
@pytest.mark.parametrize("reactor", reactors())
def test_closed_output_pipe_ends_a_command_that_fetches(
    site: Site, tmp_path: Path, reactor: Reactor, *, is_note: bool
) -> None:
    """With any reactor, even if the notes go to the same pipe."""
    site.robots("User-agent: *\nDisallow: /a\n")
    urls = tmp_path / "urls.txt"
    urls.write_text(f"{site.url('/a')}\n" * 20_000, "utf-8")
    settings = OPTIONS[reactor] + ["-s", "ROBOTSTXT_OBEY=0"] * is_note

    with subprocess.Popen(
        [sys.executable, "-m", "scrapy", "robots-check", "--urls", urls, *settings],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if is_note else subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        code = process.wait(TIMEOUT_SECONDS)

    assert code == BROKEN_PIPE


@pytest.mark.parametrize(
    "args",
    [
        (*SCRAPY, "robots-check", "--urls", "-"),
        (*SCRAPY, "robots-check"),
        (*SCRAPY, "robots-compare", "-"),
        (*LINT, "-"),
    ],
)
def test_closed_standard_input_is_wrong_use(args: tuple[str, ...]) -> None:
    """As under a service manager; reported without a traceback."""
    result = subprocess.run(
        [sys.executable, "-c", CLOSED_STDIN, *args],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert result.returncode == WRONG_USE
    assert "Traceback" not in result.stderr
    assert "closed" in result.stderr or "no URL given" in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        (*SCRAPY, "robots-lint", "README.md"),
        (*SCRAPY, "robots-check", "/", "--robots", "README.md"),
        (*SCRAPY, "robots-compare", "README.md"),
        (*SCRAPY, "robots-store", "stats", "--store", "sqlite:///no-such.db"),
        (*LINT, "README.md"),
    ],
)
def test_closed_standard_output_is_wrong_use(args: tuple[str, ...]) -> None:
    """Reported without a traceback."""
    result = run_with_closed_stream(1, args)

    assert result.returncode == WRONG_USE
    assert "Traceback" not in result.stderr
    assert "standard output is closed" in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        (*SCRAPY, "robots-check", "/", "--robots", "no-such-file"),
        (
            *SCRAPY,
            "robots-compare",
            "README.md",
            "no-such-file",
            "--parsers",
            "Protego",
        ),
    ],
)
def test_closed_standard_error_does_not_affect_results(args: tuple[str, ...]) -> None:
    """The message about the missing file is lost; the exit code still reports it."""
    result = run_with_closed_stream(2, args)

    assert result.returncode == UNREAD
    assert result.stdout


def run_with_closed_stream(
    stream: int, args: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    """Run a command with a stream that the shell has closed (`>&-`)."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$@" {stream}>&-', "sh", *args],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("args", [(*SCRAPY, "robots-lint"), LINT])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_is_reported_in_one_sentence(
    args: tuple[str, ...], unbuffered: str, tmp_path: Path
) -> None:
    """No input file is blamed, and no traceback is printed."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /\n", "utf-8")
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        result = subprocess.run(
            [*args, "robots.txt"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert result.returncode == WRONG_USE
    assert "standard output cannot be written: No space left" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["check", "lint", "compare", "store"])
def test_help_has_examples_and_exit_codes(name: str) -> None:
    """Line breaks of the examples are kept, and the help fits 100 columns."""
    command = f"robots-{name}"
    result = scrapy(command, "--help")

    assert result.code == 0
    assert f"\n  scrapy {command} " in result.out
    for code in ("0 all well", "1 something", "2 wrong use", "3 some", "130 interr"):
        assert code in " ".join(result.out.split())
    assert max(map(len, result.lines)) <= 100


@pytest.mark.parametrize("name", ["check", "compare", "lint", "store"])
def test_help_is_complete_without_docstrings(name: str) -> None:
    """`python -OO` removes docstrings."""
    command = ["-m", "scrapy", f"robots-{name}", "--help"]
    plain, stripped = (
        subprocess.run(
            [sys.executable, *flags, *command],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for flags in ([], ["-OO"])
    )

    assert f"scrapy robots-{name} " in plain.partition("examples:")[2]
    assert stripped == plain
