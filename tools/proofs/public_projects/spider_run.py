"""A run of a public project's spider, and its expected outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet


@dataclass(frozen=True, slots=True)
class Page:
    """A test page: the spider follows its *links*, and finds its *items*.

    Each item is the value of one field. Both ignore robots.txt.
    """

    body: bytes
    kind: str = "text/html; charset=utf-8"
    links: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected outcome of a run; each file of *robots* is requested once."""

    fetched: AbstractSet[str]
    refused: AbstractSet[str]
    items: Counter[str]
    robots: Counter[str]


@dataclass(frozen=True, slots=True)
class SpiderRun:
    """A spider, its start URLs, and its pages by URL.

    *closed* is the path that the robots.txt disallows when it disallows anything;
    *robots* is always in the file, and there is none if it is empty. Items are
    compared by their *key*. *settings* go on the command line with the add-on.
    *before* is a script of the project that must run first.
    """

    spider: str
    starts: tuple[str, ...]
    pages: Mapping[str, Page]
    closed: str
    key: str
    robots: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    before: str = ""

    def robots_file(self, *, disallows: bool) -> str:
        """Return the robots.txt of every host."""
        record = f"User-agent: *\nDisallow: {self.closed}\n"
        return self.robots + record if disallows else self.robots

    @property
    def reason(self) -> str:
        """The part of a log message that names the disallowing line."""
        line = self.robots_file(disallows=True).count("\n")
        return f'line {line}, "Disallow: {self.closed}"'

    def expected(self, *, disallows: bool) -> Expected:
        """Follow the links, refusing each path that starts with *closed*."""
        fetched: set[str] = set()
        refused: set[str] = set()
        ahead = list(self.starts)
        while ahead:
            url = ahead.pop()
            if disallows and urlsplit(url).path.startswith(self.closed):
                refused.add(url)
            elif url not in fetched:
                fetched.add(url)
                ahead += (urljoin(url, link) for link in self.pages[url].links)
        items = Counter(item for url in fetched for item in self.pages[url].items)
        robots = Counter({robots_of(url) for url in fetched | refused})
        # A spider that requests the file as a page gets the copy of the plugin: one request.
        return Expected(fetched - robots.keys(), refused, items, robots)


def robots_of(url: str) -> str:
    """Return the URL of the robots.txt that applies to a URL."""
    return urljoin(url, "/robots.txt")


@dataclass(frozen=True, slots=True)
class PublicProject:
    """A public project at its tested commit; *folder* contains its scrapy.cfg."""

    repository: str
    commit: str
    kind: str
    runs: tuple[SpiderRun, ...]
    folder: str = "."

    @property
    def name(self) -> str:
        """The name of the folder of its clone."""
        return self.repository.rpartition("/")[2]
