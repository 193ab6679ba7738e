"""A recipe: stamp each item with the policy under which its page was requested."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache
from itemadapter import ItemAdapter
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_robots1994 import Robots1994Middleware

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_robots1994.policy import Policy

KEY = "robots_policy"


class PolicyStamp:
    """Notes in the meta of each request the policy that let it pass.

    A downloader middleware, directly after ours (101).
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stamps: LRUCache[tuple[object, float], dict[str, Any]] = LRUCache(10_000)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware for *crawler*."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Replace the stamp that a redirect or a retry may have copied."""
        request.meta.pop(KEY, None)
        robots = self._crawler.get_downloader_middleware(Robots1994Middleware)
        policy = robots.policy_of(request.url) if robots else None
        if policy is not None:
            key = policy.origin, policy.fetched_at
            stamp = self._stamps.get(key)
            if stamp is None:
                stamp = self._stamps[key] = stamp_of(policy)
            request.meta[KEY] = stamp


def stamp_of(policy: Policy) -> dict[str, Any]:
    """Return what identifies *policy*: plain values, which a feed can export."""
    robots = policy.robots
    return {
        "url": policy.final_url or policy.origin.robots_url,
        "fetched_at": policy.fetched_at,
        "outcome": policy.outcome.value,
        "status": policy.status,
        "sha256": None if robots is None else sha256(robots.body).hexdigest(),
    }


class StampItems(BaseSpiderMiddleware):
    """Adds the stamp of its page to each item.

    A spider middleware; items need a field of that name, as dicts have.
    """

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return *item* with its stamp."""
        if response is not None:
            ItemAdapter(item)[KEY] = response.meta.get(KEY)
        return item
