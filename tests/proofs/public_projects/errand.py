"""What a stranger's spider is sent to fetch, and what must come of it."""

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
    """A page of ours: the spider follows its *links*, and finds its *items*.

    An item stands here as the value of one field; neither knows of any robots.txt.
    """

    body: bytes
    kind: str = "text/html; charset=utf-8"
    links: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Due:
    """What must come of an errand; *robots* are the files asked for, each once."""

    fetched: AbstractSet[str]
    refused: AbstractSet[str]
    items: Counter[str]
    robots: Counter[str]


@dataclass(frozen=True, slots=True)
class Errand:
    """One spider, the URLs it starts at, and the pages of its world by URL.

    *closed* is the path that the robots.txt disallows when it does; *robots* is what
    stands in the file in any case, none being there if it is empty. Items are compared
    by their *key*. *settings* go on the command line beside the add-on, each with its
    reason where it is given. *before* is a script of the project that it wants run.
    """

    spider: str
    starts: tuple[str, ...]
    pages: Mapping[str, Page]
    closed: str
    key: str
    robots: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    before: str = ""

    def robots_file(self, *, closes: bool) -> str:
        """The robots.txt of every host."""
        record = f"User-agent: *\nDisallow: {self.closed}\n"
        return self.robots + record if closes else self.robots

    @property
    def reason(self) -> str:
        """How the log has to name the line that refuses."""
        line = self.robots_file(closes=True).count("\n")
        return f'line {line}, "Disallow: {self.closed}"'

    def due(self, *, closes: bool) -> Due:
        """Walk the links by the plainest reading of 1994: closed is what begins so."""
        fetched: set[str] = set()
        refused: set[str] = set()
        ahead = list(self.starts)
        while ahead:
            url = ahead.pop()
            if closes and urlsplit(url).path.startswith(self.closed):
                refused.add(url)
            elif url not in fetched:
                fetched.add(url)
                ahead += (urljoin(url, link) for link in self.pages[url].links)
        items = Counter(item for url in fetched for item in self.pages[url].items)
        robots = Counter({robots_of(url) for url in fetched | refused})
        # A spider that reads the file as a page is handed ours: it is asked for once.
        return Due(fetched - robots.keys(), refused, items, robots)


def robots_of(url: str) -> str:
    """The URL of the robots.txt that speaks for a URL."""
    return urljoin(url, "/robots.txt")


@dataclass(frozen=True, slots=True)
class Stranger:
    """A public project at the commit it was tried at; *folder* holds its scrapy.cfg."""

    repository: str
    commit: str
    kind: str
    errands: tuple[Errand, ...]
    folder: str = "."

    @property
    def name(self) -> str:
        """The folder of its clone."""
        return self.repository.rpartition("/")[2]
