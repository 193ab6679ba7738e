"""A spider for crawls with scrapy-redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_redis.spiders import RedisSpider

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shared(RedisSpider):  # type: ignore[misc]  # it has no annotations
    """Take start URLs from a list in Redis, follow links, and yield an item per page.

    The spider ends after a second without requests; by default, a worker waits forever.
    """

    name = "shared"
    redis_key = "shared:start_urls"
    max_idle_time = 1

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield the page and a request for each link."""
        yield {"url": response.url}
        yield from response.follow_all(css="a")
