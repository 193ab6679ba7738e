"""A spider for crawls with scrapy-redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_redis.spiders import RedisSpider

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shared(RedisSpider):  # type: ignore[misc]  # without annotations
    """Takes start URLs from a list in Redis, follows links, and yields items.

    It ends after one second without requests. By default, a spider of scrapy-redis would wait for
    ever.
    """

    name = "shared"
    redis_key = "shared:start_urls"
    max_idle_time = 1

    def parse(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        yield from response.follow_all(css="a")
