"""Commands that are interrupted, or cannot write their output."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_check import OPTIONS
from tests.support import replies
from tests.support.commands import SCRAPY, SCRIPT, Started, interrupted, printed
from tests.support.crawl import Reactor
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.site import Site

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


def run(*args: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, args)),
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
        **options,
    )


def test_closed_output_pipe_ends_a_command_without_a_message(
    site: Site, tmp_path: Path, reactor: Reactor
) -> None:
    site.robots("User-agent: *\nDisallow: /a\n")
    (tmp_path / "urls.txt").write_text(f"{site.url('/a')}\n" * 20_000)
    (tmp_path / "long.txt").write_text("Disallow: /\n" * 20_000)
    fetching = (*SCRAPY, "robots-check", "--urls", "urls.txt", *OPTIONS[reactor])
    for args in (fetching, (SCRIPT, "long.txt")):
        ended = run(
            *("/bin/bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash"),
            *args,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
        )
        assert (ended.returncode, ended.stdout.count("\n")) == (141, 1)
        assert "Error" not in ended.stderr


UNRETRIED = ("-s", "RETRY_ENABLED=False")


@pytest.mark.parametrize(
    ("stream", "args", "code"),
    [
        ("<&-", (*SCRAPY, "robots-check", "--urls", "-"), 3),
        (">/dev/full", (SCRIPT, "README.md"), 3),
        (">&-", (SCRIPT, "README.md"), 1),
        ("2>&-", (SCRIPT, "no-such-file"), 3),
        ("<&-", (*SCRAPY, "robots-check"), 3),
        (">/dev/full", (*SCRAPY, "robots-lint", "README.md"), 3),
        (">/dev/full", (*SCRAPY, "robots-check", "http://127.0.0.1:1/", *UNRETRIED), 3),
    ],
)
def test_stream_that_is_closed_or_full_is_no_traceback(
    stream: str, args: tuple[str, ...], code: int
) -> None:
    """A service manager may close a stream, and a disk may be full."""
    shell = ("/bin/sh", "-c", f'"$@" {stream}', "sh")
    ended = run(*shell, *args, cwd=ROOT, stdout=subprocess.PIPE)

    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert ("No space left on device" in ended.stderr) is ("full" in stream)


HANGING = "tests.support.parsers.HangingParser"
# If a command waited for its fetches after Ctrl-C, the test would time out.
PATIENT = (*UNRETRIED, "-s", "ROBOTS1994_TIMEOUT=3600")
WARNING = "User-agent: *\nDisallow: /tmp\nDisallow: /a b\n"


@pytest.fixture
def hosts() -> Iterator[list[Site]]:
    with ExitStack() as stack:
        *slow, quick = [stack.enter_context(Site()) for _ in range(3)]
        quick.robots("User-agent: *\nDisallow: /private\n")
        for site in slow:
            site.answer("/robots.txt", replies.black_hole())
        yield [*slow, quick]


@pytest.mark.parametrize("times", [1, 2])
def test_interrupted_check_has_printed_what_is_known(
    hosts: list[Site], tmp_path: Path, times: int
) -> None:
    urls = [site.url("/private") for site in hosts]
    command = (*SCRAPY, "robots-check", *urls, *PATIENT)
    result = interrupted(command, printed(hosts[-1].url("/")), times, tmp_path)

    assert result.lines[0].split()[0] == "disallowed"
    if times == 1:
        assert "0 allowed, 1 disallowed" in result.out
        assert "interrupted: no answer yet from 2 of 3\n" in result.err


def test_ctrl_c_ends_a_command_whose_crawl_is_starting(reactor: Reactor) -> None:
    at_start = '{"tests.support.components.InterruptsAtStart": 0}'
    extensions = "-s", f"EXTENSIONS={at_start}", *OPTIONS[reactor]
    ended = run(*SCRAPY, "robots-check", "http://127.0.0.1:1/", *PATIENT, *extensions)

    assert ended.returncode == 130
    assert "interrupted: no answer yet from 1 of 1\n" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_command_that_waits_for_an_origin_says_so(
    hosts: list[Site], reactor: Reactor
) -> None:
    notes: list[str] = []

    def until_it_says_so(command: Started) -> None:
        assert command.stderr is not None
        # Without a reactor, a download handler prints a warning first.
        notes.append(next(it for it in command.stderr if "no answer yet" in it))

    urls = [it.url("/") for it in hosts[:2]]
    command = (*SCRAPY, "robots-check", *urls, *PATIENT, *OPTIONS[reactor])
    result = interrupted(command, until_it_says_so)

    assert notes[0].startswith("no answer yet from 2 of 2; a failed fetch is retried")
    assert "a failed fetch is retried" not in result.err


def test_interrupted_compare_ends_although_a_parser_hangs(tmp_path: Path) -> None:
    for number in range(51):
        (tmp_path / f"{number}.test").write_text(f"{WARNING}# hang\n")
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

    assert "interrupted" in result.err


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("form", ["text", "json"])
def test_interrupted_lint_reports_the_files_read_so_far(
    tmp_path: Path, times: int, form: str
) -> None:
    done, waiting = tmp_path / "done.txt", tmp_path / "waiting.txt"
    done.write_text(WARNING, "utf-8")
    os.mkfifo(waiting)
    with ExitStack() as stack:

        def until_it_waits(_: Started) -> None:
            # `open` blocks until the command opens the pipe, the second file to lint.
            stack.enter_context(waiting.open("w", encoding="utf-8"))

        command = (SCRIPT, done, waiting, "--format", form)
        result = interrupted(command, until_it_waits, times)

    if times == 1:
        missing = f"interrupted: no answer yet from 1 of 2\nno answer: {waiting}"
        assert missing in result.err
        assert "R017" in result.out
        assert str(waiting) not in result.out


def test_ctrl_c_during_output_prints_no_traceback(tmp_path: Path) -> None:
    """The output exceeds the buffer of a pipe, so the command is still writing at the Ctrl-C."""
    file = tmp_path / "robots.txt"
    file.write_text(WARNING * 5_000, "utf-8")

    def until_it_prints(process: Started) -> str:
        assert process.stdout is not None
        return process.stdout.read(1)

    result = interrupted((SCRIPT, file, "--format", "json"), until_it_prints)

    assert result.err == "interrupted\n"
