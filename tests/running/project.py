"""A Scrapy project in a folder of its own, and the commands a user types in it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.warned import printed, unexpected

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

TIMEOUT_SECONDS = 120.0
"""Seconds until a command that does not end fails the test."""

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
class Said:
    """What a command printed, what it logged, and its exit code."""

    printed: str
    log: str
    code: int

    def lines(self, part: str) -> list[str]:
        """The lines of the log that hold *part*."""
        return [line for line in self.log.splitlines() if part in line]


def run(
    *command: str | Path,
    folder: Path,
    python_path: str = "",
    typed: str = "",
    **variables: str,
) -> Said:
    """Run this Python with *command* in *folder*, and type *typed* into it.

    Nothing of the tests is on its path; *variables* are of the environment. It may not
    warn of anything.
    """
    always = {"PYTHONPATH": python_path, "PYTHONWARNINGS": "always"}
    known = os.environ | always | variables
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=known,
        input=typed,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    warned = unexpected(printed(done.stderr))
    assert not warned, f"it warned of {warned}:\n{done.stderr}"
    return Said(done.stdout, done.stderr, done.returncode)


@dataclass(frozen=True, slots=True)
class Project:
    """A project with one spider, `walk`, and the add-on in its settings."""

    folder: Path
    site: Site

    @classmethod
    def make(
        cls, folder: Path, site: Site, *, settings: str = "", custom: object = None
    ) -> Project:
        """Write the project; *settings* are further lines, *custom* the spider's own.

        *site* answers with a robots.txt that closes `/private`.
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

    def scrapy(self, *command: str, typed: str = "", **variables: str) -> Said:
        """What `scrapy *command*` says in the project's folder."""
        known = ("-m", "scrapy", *command)
        return run(*known, folder=self.folder, typed=typed, **variables)

    def crawl(self, *options: str) -> Said:
        """`scrapy crawl walk` against the site."""
        base = f"base={self.site.url('')}"
        return self.scrapy("crawl", "walk", "-a", base, "-O", "-:jsonlines", *options)
