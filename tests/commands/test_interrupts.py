"""Ctrl-C: the command prints its results so far, counts the missing ones, and ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.commands.running import (
    SCRAPY,
    SCRIPT,
    Started,
    interrupted,
    printed,
    scrapy,
)
from tests.support import replies
from tests.support.forked import TIMEOUT_SECONDS
from tests.support.site import Site

HANGING = "tests.commands.parsers.HangingParser"
# A command that waits for its fetches all the same does not end in time.
PATIENT = ("-s", "RETRY_ENABLED=False", "-s", "ROBOTS1994_TIMEOUT=3600")
WARNING = "User-agent: *\nDisallow: /tmp\nDisallow: /*.php\n"


@pytest.fixture
def hosts() -> Iterator[list[Site]]:
    """Serve two sites that never respond, and one that does."""
    with ExitStack() as stack:
        *slow, quick = [stack.enter_context(Site()) for _ in range(3)]
        quick.robots("User-agent: *\nDisallow: /private\n")
        for site in slow:
            site.answer("/robots.txt", replies.black_hole())
        yield [*slow, quick]


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
def test_interrupted_check_has_printed_known_verdicts(
    hosts: list[Site], times: int
) -> None:
    """It counts the missing ones; a second Ctrl-C ends it at once, whatever it prints."""
    *_, quick = urls = [site.url("/private") for site in hosts]

    command = (*SCRAPY, "robots-check", *urls, *PATIENT)
    result = interrupted(command, printed(quick), times)

    assert result.code == 130
    assert result.lines[0].split()[:2] == ["disallowed", quick]
    assert "Traceback" not in result.err
    if times == 1:
        assert "0 allowed, 1 disallowed" in result.out
        assert "interrupted: no answer yet from 2 of 3\n" in result.err


@pytest.mark.long
def test_interrupted_refresh_lists_the_missing_origins(
    hosts: list[Site], tmp_path: Path
) -> None:
    """Each origin without a response is printed."""
    *_, quick = urls = [site.url("/") for site in hosts]
    store = ("--store", f"sqlite:///{tmp_path}/robots.db")

    command = (*SCRAPY, "robots-store", "refresh", *urls, *PATIENT, *store)
    result = interrupted(command, printed(quick))

    assert result.code == 130
    assert result.out.split()[0] == "parsed"
    assert result.err.count("\nno answer: http://") == 2
    assert "Traceback" not in result.err


@pytest.mark.parametrize("processes", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_interrupted_compare_ends_although_a_parser_hangs(
    tmp_path: Path, processes: str
) -> None:
    """The results up to then are printed; the file at which it hangs counts as missing."""
    (tmp_path / "a.test").write_bytes(b"User-agent: *\nDisallow: /\n# hang\n")
    marker = tmp_path / "hanging"

    def until_it_hangs(_: Started) -> None:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not marker.exists() and time.monotonic() < end:
            time.sleep(0.05)

    command = (
        *(*SCRAPY, "robots-compare", tmp_path, "--parsers", HANGING),
        *("-s", f"MARKER={marker}", "--processes", processes, "--deadline", "3600"),
    )
    result = interrupted(command, until_it_hangs)

    assert result.code == 130
    assert "interrupted: 0 of 1 files were compared" in result.err
    assert "Traceback" not in result.err
    assert "HangingParser" in result.out


def test_compare_reports_the_file_at_which_a_parser_hangs(tmp_path: Path) -> None:
    """Once; the other files are compared, and the exit code is 3."""
    for number in range(5):
        body = b"User-agent: *\nDisallow: /\n" + b"# hang\n" * (number == 2)
        (tmp_path / f"{number}.test").write_bytes(body)

    result = scrapy(
        *("robots-compare", str(tmp_path), "--parsers", HANGING),
        *("--processes", "1", "--deadline", "1"),
    )

    assert result.code == 3
    assert result.err.count("no answer, counted as raised: ") == 1
    assert "HangingParser: http://2.test" in result.err
    (counts,) = [line for line in result.lines if line.startswith("HangingParser")][1:2]
    assert int(counts.split()[4]) > 0
    assert int(counts.split()[3]) > 0


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("form", ["text", "json"])
def test_interrupted_lint_reports_the_files_read_so_far(
    tmp_path: Path, times: int, form: str
) -> None:
    """With exit code 130 and the number of missing files, without a traceback."""
    done, waiting = tmp_path / "done.txt", tmp_path / "waiting.txt"
    done.write_text(WARNING, "utf-8")
    os.mkfifo(waiting)
    with ExitStack() as stack:

        def until_it_waits(_: Started) -> None:
            # It blocks until the pipe has a reader: the first file was read by then.
            stack.enter_context(waiting.open("w", encoding="utf-8"))

        command = (SCRIPT, done, waiting, "--format", form)
        result = interrupted(command, until_it_waits, times)

    assert result.code == 130
    assert "Traceback" not in result.err
    if times == 1:
        missing = f"interrupted: no answer yet from 1 of 2\nno answer: {waiting}"
        assert missing in result.err
        assert "R015" in result.out
        assert str(waiting) not in result.out


def test_ctrl_c_during_output_prints_no_traceback(tmp_path: Path) -> None:
    """The document is longer than the buffer of a pipe."""
    file = tmp_path / "robots.txt"
    file.write_text(WARNING * 5_000, "utf-8")

    def until_it_prints(process: Started) -> str:
        assert process.stdout is not None
        return process.stdout.read(1)

    result = interrupted((SCRIPT, file, "--format", "json"), until_it_prints)

    assert (result.code, result.err) == (130, "interrupted\n")
