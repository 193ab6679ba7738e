"""Crawls of a site that differ in their robots.txt middleware, reactor or settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.crawl import start_crawl

if TYPE_CHECKING:
    from tests.support.crawl import Crawl, CrawlResult, Middleware, Reactor
    from tests.support.site import Site


@dataclass(frozen=True, slots=True)
class Side:
    middleware: Middleware = "ours"
    reactor: Reactor = "asyncio"
    settings: dict[str, Any] = field(default_factory=dict)

    def start(self, site: Site, spider: str = "Counted", **options: Any) -> Crawl:
        args = {"site": site.url("", host="a.test")} | options.pop("spider_args", {})
        return start_crawl(
            spider=spider,
            reactor=self.reactor,
            middleware=self.middleware,
            spider_args=args,
            settings=self.settings | options.pop("settings", {}),
            **options,
        )

    def crawl(self, site: Site, spider: str = "Counted", **options: Any) -> CrawlResult:
        return self.start(site, spider, **options).result()


def pages_of(site: Site) -> list[int]:
    return [int(it[2:]) for it in site.targets() if re.fullmatch(r"/p\d+", it)]
