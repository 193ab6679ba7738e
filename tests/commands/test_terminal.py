"""Colour and progress bars at a terminal, and output without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_check import OPTIONS
from tests.support.crawl import Reactor, reactors
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.site import Site

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
        ("robots-check", "--robots", "long.txt", "--urls", "urls.txt"),
        *(
            pytest.param(args, marks=pytest.mark.long)
            for args in (
                ("robots-lint", "long.txt", "--format", "github"),
                (
                    "robots-check",
                    "--robots",
                    "long.txt",
                    "--urls",
                    "urls.txt",
                    "--json",
                ),
            )
        ),
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

    assert process.returncode == 141
    assert errors == b""


@pytest.mark.parametrize("reactor", reactors())
def test_closed_output_pipe_ends_a_command_that_fetches(
    site: Site, tmp_path: Path, reactor: Reactor
) -> None:
    """With any reactor, also where the notes go to the same pipe."""
    site.robots("User-agent: *\nDisallow: /a\n")
    urls = tmp_path / "urls.txt"
    urls.write_text(f"{site.url('/a')}\n" * 20_000, "utf-8")
    settings = [*OPTIONS[reactor], "-s", "ROBOTSTXT_OBEY=0"]

    with subprocess.Popen(
        [sys.executable, "-m", "scrapy", "robots-check", "--urls", urls, *settings],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        code = process.wait(TIMEOUT_SECONDS)

    assert code == 141


MISSING = ("robots-compare", "README.md", "no-such-file")
OUTPUT = "standard output is closed"
CLOSED = [
    ("<", (*SCRAPY, "robots-check", "--urls", "-"), 2, "closed"),
    ("<", (*LINT, "-"), 2, "closed"),
    ("1>", (*LINT, "README.md"), 2, "standard output is closed"),
    # The message about the missing file is lost; the exit code still reports it.
    ("2>", (*SCRAPY, "robots-check", "/", "--robots", "no-such-file"), 3, ""),
    *(
        pytest.param(stream, (*SCRAPY, *args), code, message, marks=pytest.mark.long)
        for stream, args, code, message in (
            ("<", ("robots-check",), 2, "no URL given"),
            ("<", ("robots-compare", "-"), 2, "closed"),
            ("1>", ("robots-lint", "README.md"), 2, OUTPUT),
            ("1>", ("robots-compare", "README.md"), 2, OUTPUT),
            ("1>", ("robots-check", "/", "--robots", "README.md"), 2, OUTPUT),
            ("1>", ("robots-store", "stats", "--store", "sqlite:///x.db"), 2, OUTPUT),
            ("2>", (*MISSING, "--parsers", "Protego"), 3, ""),
        )
    ),
]


@pytest.mark.parametrize(("stream", "args", "code", "message"), CLOSED)
def test_closed_stream_is_reported_without_a_traceback(
    stream: str, args: tuple[str, ...], code: int, message: str
) -> None:
    """As under a service manager, or where the shell has closed it (`>&-`)."""
    result = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {stream}&-', "sh", *args],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert result.returncode == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout or code == 2


@pytest.mark.parametrize(
    "args", [LINT, pytest.param((*SCRAPY, "robots-lint"), marks=pytest.mark.long)]
)
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

    assert result.returncode == 2
    assert "standard output cannot be written: No space left" in result.stderr
    assert "Traceback" not in result.stderr
