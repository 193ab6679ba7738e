"""A Scrapy project in a folder, and the commands that users run in it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.forked import TIMEOUT_SECONDS, run_to_its_end
from tests.support.warned import printed, unexpected

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /private\n"
WHY = 'disallowed by line 2, "Disallow: /private", of the record for "*" (line 1)'
REFUSAL = f"Forbidden by robots.txt: {WHY}"

SETTINGS = """
BOT_NAME = "walker"
SPIDER_MODULES = ["walker.spiders"]
ADDONS = {"scrapy_robots1994.Addon": 500}
TELNETCONSOLE_ENABLED = False
"""

SPIDER = '''
import scrapy


class Walk(scrapy.Spider):
    """Asks for one page that is open and one that is not."""

    name = "walk"
    custom_settings = %(custom)r

    def __init__(self, base="", **arguments):
        super().__init__(**arguments)
        self.start_urls = [base + "/open", base + "/private"]

    def parse(self, response):
        """
        @url %(base)s/private
        @returns items 1
        """
        yield {"url": response.url, "agent": self.settings["USER_AGENT"]}
'''


@dataclass(frozen=True, slots=True)
class CommandResult:
    printed: str
    log: str
    code: int

    def lines(self, part: str) -> list[str]:
        return [line for line in self.log.splitlines() if part in line]


def run(
    *command: str | Path,
    folder: Path,
    **variables: str,
) -> CommandResult:
    """Run Python with the arguments *command*, and check that it emits no unexpected warning.

    PYTHONPATH is empty, so the modules of the tests cannot be imported.
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
    assert_no_warning(done.stderr)
    return CommandResult(done.stdout, done.stderr, done.returncode)


def assert_no_warning(log: str) -> None:
    """Check that *log* contains no warnings except known ones of other packages."""
    warned = unexpected(printed(log))
    assert not warned, f"it warned of {warned}:\n{log}"


@dataclass(frozen=True, slots=True)
class Project:
    """A project with one spider, `walk`, and the add-on in its settings."""

    folder: Path
    site: Site

    @classmethod
    def make(
        cls, folder: Path, site: Site, *, settings: str = "", custom: object = None
    ) -> Project:
        """Write the project, and let the robots.txt of *site* disallow /private.

        *settings* contains more lines for the settings module. *custom* becomes the spider's
        `custom_settings`.
        """
        site.robots(CLOSED)
        spiders = folder / "walker" / "spiders"
        spiders.mkdir(parents=True)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = walker.settings\n")
        (folder / "walker" / "__init__.py").touch()
        (folder / "walker" / "settings.py").write_text(SETTINGS + settings)
        (spiders / "__init__.py").touch()
        spider = SPIDER % {"base": site.url(""), "custom": custom}
        (spiders / "walk.py").write_text(spider)
        return cls(folder, site)

    def scrapy(self, *command: str, typed: str = "", **variables: str) -> CommandResult:
        code, printed_text, log = run_to_its_end(
            "scrapy.cmdline:execute",
            *command,
            folder=self.folder,
            env=os.environ | variables,
            typed=typed,
        )
        assert_no_warning(log)
        return CommandResult(printed_text, log, code)

    def crawl(self, *options: str) -> CommandResult:
        """Run `scrapy crawl walk`, with the items printed as JSON lines."""
        base = f"base={self.site.url('')}"
        return self.scrapy("crawl", "walk", "-a", base, "-O", "-:jsonlines", *options)
