"""Run commands as a user does, each in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TypeAlias

from tests.support.forked import ROOT, TIMEOUT_SECONDS, run_to_its_end

# A background job ignores SIGINT, and so would its child processes.
signal.signal(signal.SIGINT, signal.default_int_handler)

SCRAPY = (sys.executable, "-m", "scrapy")
SCRIPT = str(Path(sys.executable).with_name("robots-lint"))


@dataclass(frozen=True, slots=True)
class CommandResult:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.rstrip("\n").split("\n")


def scrapy(
    *args: str, stdin_text: str = "", folder: Path | None = None
) -> CommandResult:
    ended = run_to_its_end(
        "scrapy.cmdline:execute",
        *args,
        folder=folder or ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        typed=stdin_text,
        warn=False,
    )
    return CommandResult(*ended)


Started: TypeAlias = "subprocess.Popen[str]"


def interrupted(
    command: Sequence[object],
    ready: Callable[[Started], object],
    times: int = 1,
    folder: Path = ROOT,
) -> CommandResult:
    """Run *command*, call *ready* with its process, and then interrupt it *times* times.

    If *ready* reads from stdout, it must return the text: the result's `out` begins with it.
    Fail unless the command exits with 130 and prints no traceback.
    """
    with subprocess.Popen(
        list(map(str, command)),
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # A command that is never ready must not hang the test.
        late = Timer(TIMEOUT_SECONDS, process.kill)
        late.start()
        try:
            begun = ready(process)
            for _ in range(times):
                process.send_signal(signal.SIGINT)
                time.sleep(0.1)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            late.cancel()
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    return CommandResult(process.returncode, str(begun or "") + out, err)


def printed(part: str) -> Callable[[Started], str]:
    """Return a function that reads the output of a process up to a line that contains *part*."""

    def read(process: Started) -> str:
        lines: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if part in line:
                break
        return "".join(lines)

    return read
