"""A hook that leaves a crawl only a few file descriptors."""

from __future__ import annotations

import inspect
import os
import resource

from scrapy import signals
from scrapy.crawler import Crawler

LEFT = 8


def limit_to_256(_crawler: Crawler) -> None:
    """Leave the process 256 descriptors, which is the default of macOS."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))


def take(crawler: Crawler, left: int = LEFT) -> None:
    """Leave *left* descriptors when the spider has opened: fewer than it has origins."""

    def limit() -> None:
        # Scrapy 2.13 reads the source of a callback: load it into memory now.
        inspect.getsource(type(crawler.spider))
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.open(os.devnull, os.O_RDONLY)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + left, hard))

    crawler.signals.connect(limit, signals.spider_opened, weak=False)
