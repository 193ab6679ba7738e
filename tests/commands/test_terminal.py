"""Tests of commands with Ctrl-C, with a closed or full output, and with a closed input."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.commands.test_check import OPTIONS
from tests.support import replies
from tests.support.commands import SCRAPY, SCRIPT, Started, interrupted, printed
from tests.support.crawl import Reactor
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.left_out import long_after, table
from tests.support.site import Site

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


def before_head(folder: Path, *args: str, stderr: int = subprocess.PIPE) -> bytes:
    """Run a command, read one line of its output, as `head` does, and return its stderr."""
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
            [*CHECK, "--json"],
        ],
    ),
)
def test_closed_output_pipe_is_not_an_error(tmp_path: Path, args: list[str]) -> None:
    """If the output pipe is closed, a command ends without a message."""
    (tmp_path / "long.txt").write_text("Disallow: /\n" * 20_000)
    (tmp_path / "urls.txt").write_text("/a\n" * 20_000)

    assert before_head(tmp_path, *args) == b""


def test_closed_output_pipe_ends_a_command_that_fetches(
    site: Site, tmp_path: Path, reactor: Reactor
) -> None:
    """With every reactor, a command that fetches robots.txt ends if the output pipe is
    closed.

    In this test, standard error is connected to the closed pipe.
    """
    site.robots("User-agent: *\nDisallow: /a\n")
    (tmp_path / "urls.txt").write_text(f"{site.url('/a')}\n" * 20_000)

    args = ("--urls", "urls.txt", *OPTIONS[reactor], "-s", "ROBOTSTXT_OBEY=0")
    before_head(tmp_path, "robots-check", *args, stderr=subprocess.STDOUT)


SHUT = "standard output is closed"
CLOSED = [
    ("<", (*SCRAPY, "robots-check", "--urls", "-"), 2, "closed"),
    ("<", (SCRIPT, "-"), 2, "closed"),
    ("1>", (SCRIPT, "README.md"), 2, SHUT),
    # If stderr is closed, no message about the missing file is printed, but the exit code
    # is 3.
    ("2>", (*SCRAPY, "robots-check", "/", "--robots", "no-such-file"), 3, ""),
    ("<", (*SCRAPY, "robots-check"), 2, "no URL given"),
    ("<", (*SCRAPY, "robots-compare", "-"), 2, "closed"),
    ("1>", (*SCRAPY, "robots-lint", "README.md"), 2, SHUT),
    ("1>", (*SCRAPY, "robots-compare", "README.md"), 2, SHUT),
    ("1>", (*SCRAPY, "robots-check", "/", "--robots", "README.md"), 2, SHUT),
    ("2>", (*SCRAPY, "robots-compare", "README.md", "no-such-file"), 3, ""),
]


@pytest.mark.parametrize(("stream", "args", "code", "message"), long_after(4, CLOSED))
def test_closed_stream_is_reported_without_a_traceback(
    stream: str, args: tuple[str, ...], code: int, message: str
) -> None:
    """A closed standard stream is reported without a traceback.

    A service manager, or a shell with `>&-`, can close a stream.
    """
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
    """If the disk is full, the error is one sentence about standard output, not a traceback."""
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


HANGING = "tests.support.parsers.HangingParser"
# With the options of this test, a command exceeds the time limit of the test if it still
# waits for its fetches after the signal.
PATIENT = ("-s", "RETRY_ENABLED=False", "-s", "ROBOTS1994_TIMEOUT=3600")
WARNING = "User-agent: *\nDisallow: /tmp\nDisallow: /a b\n"


@pytest.fixture
def hosts() -> Iterator[list[Site]]:
    """Yield two sites that never respond, and a third site that responds."""
    with ExitStack() as stack:
        *slow, quick = [stack.enter_context(Site()) for _ in range(3)]
        quick.robots("User-agent: *\nDisallow: /private\n")
        for site in slow:
            site.answer("/robots.txt", replies.black_hole())
        yield [*slow, quick]


@table(
    ("args", "word", "times"),
    (("robots-check",), "disallowed", 1),
    (("robots-check",), "disallowed", 2),
)
def test_interrupted_command_has_printed_what_is_known(
    hosts: list[Site], tmp_path: Path, args: tuple[str, ...], word: str, times: int
) -> None:
    """An interrupted command prints the known results, and counts the missing answers.

    A second Ctrl-C ends the command at once.
    """
    command = (*SCRAPY, *args, *(site.url("/private") for site in hosts), *PATIENT)
    result = interrupted(command, printed(hosts[-1].url("/")), times, tmp_path)

    assert result.lines[0].split()[0] == word
    if times == 1:
        assert word == "parsed" or "0 allowed, 1 disallowed" in result.out
        assert "interrupted: no answer yet from 2 of 3\n" in result.err


def test_command_that_waits_for_an_origin_says_so(
    hosts: list[Site], reactor: Reactor
) -> None:
    """A command that waits for several origins prints one note after some seconds."""
    notes: list[str] = []

    def until_it_says_so(command: Started) -> None:
        assert command.stderr is not None
        # Skip other lines. Without a reactor, a download handler prints a warning.
        notes.append(next(it for it in command.stderr if "no answer yet" in it))

    urls = [it.url("/") for it in hosts[:2]]
    command = (*SCRAPY, "robots-check", *urls, *PATIENT, *OPTIONS[reactor])
    result = interrupted(command, until_it_says_so)

    assert notes[0].startswith("no answer yet from 2 of 2; a failed fetch is retried")
    assert "a failed fetch is retried" not in result.err


def test_interrupted_compare_ends_although_a_parser_hangs(tmp_path: Path) -> None:
    """An interrupted `robots-compare` ends although a parser hangs in each process.

    The command prints the results so far.
    """
    for number in range(51):
        (tmp_path / f"{number}.test").write_bytes(
            b"User-agent: *\nDisallow: /\n# hang\n"
        )
    marker = tmp_path.parent / f"{tmp_path.name}-hanging"

    def until_it_hangs(_: Started) -> None:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not marker.exists() and time.monotonic() < end:
            time.sleep(0.05)

    command = (
        *(*SCRAPY, "robots-compare", tmp_path, "--parsers", HANGING),
        *("-s", f"MARKER={marker}", "--processes", "2"),
    )
    result = interrupted(command, until_it_hangs)

    assert "interrupted: 0 of 51 files were compared" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("form", ["text", "json"])
def test_interrupted_lint_reports_the_files_read_so_far(
    tmp_path: Path, times: int, form: str
) -> None:
    """An interrupted `robots-lint` reports the files that it has read.

    The command also prints the number and the names of the files that it has not read.
    """
    done, waiting = tmp_path / "done.txt", tmp_path / "waiting.txt"
    done.write_text(WARNING, "utf-8")
    os.mkfifo(waiting)
    with ExitStack() as stack:

        def until_it_waits(_: Started) -> None:
            # Opening the pipe blocks until the command also opens the pipe. The command
            # opens the pipe after it has read the first file.
            stack.enter_context(waiting.open("w", encoding="utf-8"))

        command = (SCRIPT, done, waiting, "--format", form)
        result = interrupted(command, until_it_waits, times)

    if times == 1:
        missing = f"interrupted: no answer yet from 1 of 2\nno answer: {waiting}"
        assert missing in result.err
        assert "R017" in result.out
        assert str(waiting) not in result.out


def test_ctrl_c_during_output_prints_no_traceback(tmp_path: Path) -> None:
    """If Ctrl-C is sent while a command prints its output, the command prints no
    traceback.

    In this test, the output is longer than the buffer of a pipe.
    """
    file = tmp_path / "robots.txt"
    file.write_text(WARNING * 5_000, "utf-8")

    def until_it_prints(process: Started) -> str:
        assert process.stdout is not None
        return process.stdout.read(1)

    result = interrupted((SCRIPT, file, "--format", "json"), until_it_prints)

    assert result.err == "interrupted\n"
