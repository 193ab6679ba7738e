"""Output that is closed or full, and input that is closed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.commands.running import SCRAPY, SCRIPT
from tests.commands.test_check import OPTIONS
from tests.support.crawl import Reactor
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.left_out import long_after
from tests.support.site import Site

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


def before_head(folder: Path, *args: str, stderr: int = subprocess.PIPE) -> bytes:
    """Run a command of which one line is read, as in a pipe before `head`.

    It must end as a program does whose reader has gone. Returns its standard error.
    """
    with subprocess.Popen(
        [*SCRAPY, *args],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=stderr,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read() if process.stderr else b""
        assert process.wait(TIMEOUT_SECONDS) == 141
    return errors


CHECK = ["robots-check", "--robots", "long.txt", "--urls", "urls.txt"]


@pytest.mark.parametrize(
    "args",
    long_after(
        2,
        [
            ["robots-lint", "long.txt"],
            CHECK,
            ["robots-lint", "long.txt", "--format", "github"],
            [*CHECK, "--json"],
        ],
    ),
)
def test_closed_output_pipe_is_not_an_error(tmp_path: Path, args: list[str]) -> None:
    """The command ends without a message."""
    (tmp_path / "long.txt").write_text("Disallow: /\n" * 20_000)
    (tmp_path / "urls.txt").write_text("/a\n" * 20_000)

    assert before_head(tmp_path, *args) == b""


def test_closed_output_pipe_ends_a_command_that_fetches(
    site: Site, tmp_path: Path, reactor: Reactor
) -> None:
    """With any reactor, also where the notes go to the same pipe."""
    site.robots("User-agent: *\nDisallow: /a\n")
    (tmp_path / "urls.txt").write_text(f"{site.url('/a')}\n" * 20_000)

    args = ("--urls", "urls.txt", *OPTIONS[reactor], "-s", "ROBOTSTXT_OBEY=0")
    before_head(tmp_path, "robots-check", *args, stderr=subprocess.STDOUT)


SHUT = "standard output is closed"
CLOSED = [
    ("<", (*SCRAPY, "robots-check", "--urls", "-"), 2, "closed"),
    ("<", (SCRIPT, "-"), 2, "closed"),
    ("1>", (SCRIPT, "README.md"), 2, SHUT),
    # The message about the missing file is lost; the exit code still reports it.
    ("2>", (*SCRAPY, "robots-check", "/", "--robots", "no-such-file"), 3, ""),
    ("<", (*SCRAPY, "robots-check"), 2, "no URL given"),
    ("<", (*SCRAPY, "robots-compare", "-"), 2, "closed"),
    ("1>", (*SCRAPY, "robots-lint", "README.md"), 2, SHUT),
    ("1>", (*SCRAPY, "robots-compare", "README.md"), 2, SHUT),
    ("1>", (*SCRAPY, "robots-check", "/", "--robots", "README.md"), 2, SHUT),
    ("1>", (*SCRAPY, "robots-store", "stats", "--store", "sqlite:///x.db"), 2, SHUT),
    ("2>", (*SCRAPY, "robots-compare", "README.md", "no-such-file"), 3, ""),
]


@pytest.mark.parametrize(("stream", "args", "code", "message"), long_after(4, CLOSED))
def test_closed_stream_is_reported_without_a_traceback(
    stream: str, args: tuple[str, ...], code: int, message: str
) -> None:
    """As under a service manager, or where the shell has closed it (`>&-`)."""
    result = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {stream}&-', "sh", *args],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )

    assert result.returncode == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout or code == 2


@pytest.mark.parametrize(
    "args", [(SCRIPT,), pytest.param((*SCRAPY, "robots-lint"), marks=pytest.mark.long)]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_is_reported_in_one_sentence(
    args: tuple[str, ...], unbuffered: str
) -> None:
    """No input file is blamed, and no traceback is printed."""
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        result = subprocess.run(
            [*args, "README.md"],
            cwd=ROOT,
            env=ENVIRONMENT | {"PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    assert result.returncode == 2
    assert "standard output cannot be written: No space left" in result.stderr
    assert "Traceback" not in result.stderr
