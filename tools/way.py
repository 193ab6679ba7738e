"""Count the functions of the package that are called for one request: `python -m tools.way`.

The program crawls one origin with the add-on and default settings. It prints how many functions and
modules handle a first page, a second page and a refused page. With `--list`, it also prints their
names. Before Python 3.11, the names of methods lack the class.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

import scrapy_robots1994
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

PACKAGE = str(Path(scrapy_robots1994.__file__).parent)
FILE = "User-agent: *\nDisallow: /closed\n"
LISTED = "--list" in sys.argv


class Way:
    """Records the functions of the package that are called between `follow` and `print`."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()

    def follow(self) -> None:
        self.functions.clear()
        sys.setprofile(self._called)

    def print(self, what: str) -> None:
        sys.setprofile(None)
        modules = {module for module, _ in self.functions}
        print(f"{what}: {len(self.functions)} functions in {len(modules)} modules")  # noqa: T201 - program output
        for module, name in sorted(self.functions) if LISTED else ():
            print(f"  {module} {name}")  # noqa: T201 - program output

    def _called(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            name: Any = getattr(code, "co_qualname", code.co_name)
            self.functions.add((str(frame.f_globals.get("__name__")), name))


class WaySpider(Spider):
    name = "way"
    site: Site
    way = Way()

    async def start(self) -> AsyncIterator[Request]:
        self.way.follow()
        yield Request(self.site.url("/1"), callback=self.parse_first)

    def parse_first(self, _response: object) -> Iterator[Request]:
        self.way.print("a first fetch")
        self.way.follow()
        yield Request(self.site.url("/2"), callback=self.parse_second)

    def parse_second(self, _response: object) -> Iterator[Request]:
        self.way.print("a known policy")
        self.way.follow()
        yield Request(self.site.url("/closed"), errback=self.refused)

    def refused(self, _failure: object) -> None:
        self.way.print("a refusal")


def main() -> None:
    with Site() as site:
        site.robots(FILE)
        addons = {"scrapy_robots1994.Addon": 500}
        process: Any = AsyncCrawlerProcess({"ADDONS": addons, "LOG_LEVEL": "ERROR"})
        process.crawl(WaySpider, site=site)
        process.start()


if __name__ == "__main__":
    main()
