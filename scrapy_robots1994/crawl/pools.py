"""The connection pools of Scrapy's newer download handlers, made wide enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

# Where the handlers keep the limit of their pool. There is no public way to it; on a
# handler that has none of these, nothing is changed.
_LIMITS = (
    ("_session", "connector", "_limit"),  # aiohttp
    ("_default_client", "_transport", "_pool", "_max_connections"),  # httpx
)


class Pools:
    """Adds to the pools what robots.txt fetches take, once a scheme.

    The handlers on asyncio libraries open at most `CONCURRENT_REQUESTS` connections:
    so many slow robots.txt files would leave none for pages.
    """

    def __init__(self, crawler: Crawler, fetches: int) -> None:
        self._crawler = crawler
        self._fetches = fetches
        self._widened: list[object] = []

    def widen(self, scheme: str) -> None:
        """Make room in the pool for *scheme*, which the handler is loaded for."""
        handlers = getattr(self._crawler.engine.downloader, "handlers", None)
        load = getattr(handlers, "_get_handler", None)
        handler: Any = load(scheme) if load else None
        if handler is None or handler in self._widened:
            return
        self._widened.append(handler)
        for *path, limit in _LIMITS:
            pool = handler
            for name in path:
                pool = getattr(pool, name, None)
            if isinstance(getattr(pool, limit, None), int) and getattr(pool, limit):
                setattr(pool, limit, getattr(pool, limit) + self._fetches)
