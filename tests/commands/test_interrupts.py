"""Ctrl-C: the command prints its results so far, counts the missing ones, and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands.running import scrapy
from tests.support import replies
from tests.support.forked import ROOT
from tests.support.site import Site

TIMEOUT_SECONDS = 60.0
HANGING = "tests.commands.parsers.HangingParser"
QUICK = ("-s", "RETRY_ENABLED=False")


@dataclass(frozen=True, slots=True)
class Hosts:
    """A site that responds at once, and others that never do."""

    quick: Site
    slow: list[Site]

    def urls(self, target: str = "/private") -> list[str]:
        """Return one URL per site, the slow ones first."""
        return [site.url(target) for site in (*self.slow, self.quick)]


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Serve a quick site and two that never respond."""
    with ExitStack() as stack:
        quick, *slow = [stack.enter_context(Site()) for _ in range(3)]
        quick.robots("User-agent: *\nDisallow: /private\n")
        for site in slow:
            site.answer("/robots.txt", replies.black_hole())
        yield Hosts(quick, slow)


def interrupted(
    *args: str, until: Callable[[str], bool], times: int = 1
) -> tuple[int, str, str, float]:
    """Run a command, press Ctrl-C once *until* is true of its output, and return its
    exit code, output, errors and the seconds that it took to end.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", *args],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Shells let background commands ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
    )
    assert process.stdout is not None
    lines: list[str] = []
    with process:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not until("".join(lines)) and time.monotonic() < end:
            if lines and not lines[-1]:
                break
            lines.append(process.stdout.readline())
        started = time.monotonic()
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        try:
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, "".join(lines) + out, err, time.monotonic() - started


def test_interrupted_check_has_printed_known_verdicts(hosts: Hosts) -> None:
    """The verdict for the quick host is printed, and the missing ones are counted."""
    quick = hosts.quick.url("/private")

    code, out, err, seconds = interrupted(
        "robots-check", *hosts.urls(), *QUICK, until=lambda text: quick in text
    )

    assert code == 130
    assert out.splitlines()[0].split()[:2] == ["disallowed", quick]
    assert "0 allowed, 1 disallowed" in out
    assert "interrupted: no answer yet from 2 of 3\n" in err
    assert "Traceback" not in err
    assert seconds < 5


def test_second_interrupt_ends_the_command_at_once(hosts: Hosts) -> None:
    """Even while fetches are in flight."""
    quick = hosts.quick.url("/private")

    code, _, err, seconds = interrupted(
        "robots-check", *hosts.urls(), *QUICK, until=lambda text: quick in text, times=2
    )

    assert code == 130
    assert "Traceback" not in err
    assert seconds < 3


def test_interrupted_refresh_lists_the_missing_origins(
    hosts: Hosts, tmp_path: Path
) -> None:
    """Each origin without a response is printed."""
    store = f"sqlite:///{tmp_path}/robots.db"

    code, out, err, seconds = interrupted(
        "robots-store",
        "refresh",
        *hosts.urls("/"),
        "--store",
        store,
        *QUICK,
        until=lambda text: hosts.quick.url("/") in text,
    )

    assert code == 130
    assert out.split()[0] == "parsed"
    assert err.count("\nno answer: http://") == 2
    assert "Traceback" not in err
    assert seconds < 5


@pytest.mark.parametrize("processes", ["1", "2"])
def test_interrupted_compare_ends_although_a_parser_hangs(
    tmp_path: Path, processes: str
) -> None:
    """The results up to then are printed; the file at which it hangs counts as missing."""
    (tmp_path / "a.test").write_bytes(b"User-agent: *\nDisallow: /\n# hang\n")
    marker = tmp_path / "hanging"
    options = ("--parsers", HANGING, "-s", f"MARKER={marker}")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "scrapy", "robots-compare", str(tmp_path)),
            *(*options, "--processes", processes),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
    )
    with process:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not marker.exists() and time.monotonic() < end:
            time.sleep(0.05)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    seconds = time.monotonic() - started

    assert process.returncode == 130
    assert "interrupted: 0 of 1 files were compared" in err
    assert "Traceback" not in err
    assert "HangingParser" in out
    assert seconds < 5


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
