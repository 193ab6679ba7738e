"""A robots.txt, the source of a spider, and a function that runs Python in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support.commands import CommandResult
from tests.support.forked import TIMEOUT_SECONDS
from tests.support.warned import printed, unexpected

if TYPE_CHECKING:
    from pathlib import Path

CLOSED = "User-agent: *\nDisallow: /private\n"
WHY = 'disallowed by line 2, "Disallow: /private", of the record for "*" (line 1)'
REFUSAL = f"Forbidden by robots.txt: {WHY}"

SPIDER = '''
import scrapy


class Walk(scrapy.Spider):
    """Requests an allowed page and a disallowed one."""

    name = "walk"

    def __init__(self, base="", **arguments):
        super().__init__(**arguments)
        self.start_urls = [base + "/open", base + "/private"]

    def parse(self, response):
        yield {"url": response.url}
'''


def run(
    *command: str | Path,
    folder: Path,
    **variables: str,
) -> CommandResult:
    """Run Python with the arguments *command* and check that it emits no unexpected warning.

    By default, PYTHONPATH is empty, so the modules of the tests cannot be imported.
    """
    always = {"PYTHONPATH": "", "PYTHONWARNINGS": "always"}
    known = os.environ | always | variables
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=known,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    warned = unexpected(printed(done.stderr))
    assert not warned, f"it warned of {warned}:\n{done.stderr}"
    return CommandResult(done.returncode, done.stdout, done.stderr)
