"""A spider of scrapy-redis, as its documentation shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_redis.spiders import RedisSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import TextResponse


class Shared(RedisSpider):  # type: ignore[misc]  # it has no types
    """Takes its start URLs from a list in Redis, follows links, yields an item a page.

    It ends a second after it has run dry: a worker waits for ever by itself.
    """

    name = "shared"
    redis_key = "shared:start_urls"
    max_idle_time = 1

    def parse(self, response: TextResponse) -> Iterator[Any]:
        """Yield the page and a request for each link."""
        yield {"url": response.url}
        yield from response.follow_all(css="a")
