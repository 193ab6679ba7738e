"""What a terminal adds, and what happens where it, or its library, is not there."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.commands import terminal
from tests.commands.running import TIMEOUT_SECONDS, scrapy
from tests.commands.test_check import OPTIONS
from tests.support.crawl import reactors
from tests.support.forked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import Reactor
    from tests.support.site import Site


CLOSED_STDIN = """
import os, sys
os.close(0)
os.execv(sys.argv[1], sys.argv[1:])
"""
SCRAPY = (sys.executable, "-m", "scrapy")
LINT = (
    sys.executable,
    "-c",
    "import sys; from scrapy_robots1994.commands.robots_lint import main; sys.exit(main())",
)


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    encoding = "ascii"

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_colour_is_automatic_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the user wants none, anywhere."""
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert terminal.painter("auto")("x", "1") != "x"

    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.painter("auto")("x", "1") == "x"
    assert terminal.painter("never")("x", "1") == "x"


def test_without_its_library_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is done all the same; colour needs no library."""
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    monkeypatch.setattr(sys, "stderr", Terminal())

    with terminal.progress(1_000) as step:
        step()

    assert terminal.painter("always")("x", "1;31") == "\x1b[1;31mx\x1b[0m"


def test_a_bar_is_shown_at_a_terminal_when_there_is_much_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On standard error, so that the answer stays clean."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)

    with terminal.progress(terminal.MIN_STEPS - 1) as step:
        step()
    assert shown.getvalue() == ""
    with terminal.progress(terminal.MIN_STEPS) as step:
        step()
    assert "robots.txt" in shown.getvalue()


def test_a_bar_leaves_redirected_output_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """`robots-check --urls urls.txt > answers.txt` at a terminal fills the file."""
    shown, written = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(sys, "stdout", written)

    with terminal.progress(terminal.MIN_STEPS) as step:
        terminal.print_line("allowed")
        step()

    assert written.getvalue() == "allowed\n"
    assert "allowed" not in shown.getvalue()


def test_unencodable_output_is_escaped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An ASCII terminal is no reason to fail."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)

    terminal.print_line("caf\u00e9 \u2026")

    assert shown.getvalue() == "caf\\xe9 \\u2026\n"


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
    """`| head` ends the command as it ends others, without a traceback."""
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
        said = process.stderr.read()

    assert process.returncode == terminal.BROKEN_PIPE
    assert said == b""


@pytest.mark.parametrize("is_note", [False, True])
@pytest.mark.parametrize("reactor", reactors())
def test_closed_output_pipe_ends_a_command_that_fetches(
    site: Site, tmp_path: Path, reactor: Reactor, *, is_note: bool
) -> None:
    """At once, in any event loop, also where notes go to the same pipe."""
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

    assert code == terminal.BROKEN_PIPE


@pytest.mark.parametrize(
    "args",
    [
        (*SCRAPY, "robots-check", "--urls", "-"),
        (*SCRAPY, "robots-check"),
        (*SCRAPY, "robots-compare", "-"),
        (*LINT, "-"),
    ],
)
def test_a_closed_standard_input_is_wrong_use(args: tuple[str, ...]) -> None:
    """As under a service manager: one sentence, and no traceback."""
    ran = subprocess.run(
        [sys.executable, "-c", CLOSED_STDIN, *args],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == terminal.ExitCode.WRONG_USE
    assert "Traceback" not in ran.stderr
    assert "closed" in ran.stderr or "no URL given" in ran.stderr


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
def test_a_closed_standard_output_is_wrong_use(args: tuple[str, ...]) -> None:
    """One sentence, and no traceback."""
    ran = run_closed(1, args)

    assert ran.returncode == terminal.ExitCode.WRONG_USE
    assert "Traceback" not in ran.stderr
    assert "standard output is closed" in ran.stderr


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
def test_without_standard_error_the_answer_stays(args: tuple[str, ...]) -> None:
    """The note that a file is missing goes nowhere; its exit code does not."""
    ran = run_closed(2, args)

    assert ran.returncode == terminal.ExitCode.UNREAD
    assert ran.stdout


def run_closed(stream: int, args: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell does that closes a stream (`>&-`)."""
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
    """No file is blamed for it, and no traceback is shown."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /\n", "utf-8")
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        ran = subprocess.run(
            [*args, "robots.txt"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert ran.returncode == terminal.ExitCode.WRONG_USE
    assert "standard output cannot be written: No space left" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("name", ["check", "lint", "compare", "store"])
def test_help_is_enough_to_use_it(name: str) -> None:
    """Examples keep their lines, all have the same exit codes, and it fits 100 columns."""
    command = f"robots-{name}"
    ran = scrapy(command, "--help")

    assert ran.code == 0
    assert f"\n  scrapy {command} " in ran.out
    for code in ("0 all well", "1 something", "2 wrong use", "3 some", "130 interr"):
        assert code in " ".join(ran.out.split())
    assert max(map(len, ran.lines)) <= 100


@pytest.mark.parametrize("name", ["check", "compare", "lint", "store"])
def test_help_is_whole_without_docstrings(name: str) -> None:
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
