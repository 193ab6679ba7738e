"""What the scripts of `tests/crawl/test_processes.py` crawl with.

The first argument of such a script is the URL of a site.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy.http import Response
from twisted.python.failure import Failure


def printed(*words: object) -> None:
    """Print the words on one line of the output."""
    sys.stdout.write(" ".join(map(str, words)).replace(sys.argv[1], "") + "\n")


class Walk(scrapy.Spider):
    """Prints whether /open and /private were fetched or refused."""

    name = "walk"

    async def start(self) -> AsyncIterator[Any]:
        """Request both pages."""
        for page in ("/open", "/private"):
            yield scrapy.Request(sys.argv[1] + page, errback=self.refused)

    def parse(self, response: Response, **_: Any) -> None:
        """Print a page."""
        printed(self.name, "fetched", response.url)

    def refused(self, failure: Failure) -> None:
        """Print a refusal and its line."""
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy adds it
        error: Any = failure.value
        printed(self.name, "refused", url, "by line", error.verdict.line)


class Other(Walk):
    """A robot of another name."""

    name = "other"
    custom_settings = {"USER_AGENT": "other/2.0"}  # noqa: RUF012 - as users write it


class Free(Walk):
    """A robot that obeys nothing."""

    name = "free"
    custom_settings = {"ROBOTSTXT_OBEY": False}  # noqa: RUF012 - as users write it


def reads(label: str, agent: str = "walker/1.0", **ours: str) -> type[Walk]:
    """Return a spider with settings of ours."""
    found = {f"ROBOTS1994_{key}": value for key, value in ours.items()}
    found["USER_AGENT"] = agent
    return type("Reads", (Walk,), {"name": label, "custom_settings": found})


def settings(**more: Any) -> dict[str, Any]:
    """Return the settings of a process."""
    return {
        "ADDONS": {"scrapy_robots1994.Addon": 500},
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "TELNETCONSOLE_ENABLED": False,
        "USER_AGENT": "walker/1.0",
        **more,
    }
