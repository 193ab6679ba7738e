"""A spider for crawls with scrapy-redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_redis.spiders import RedisSpider

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shared(RedisSpider):  # type: ignore[misc]  # without annotations
    """Ends after a second without requests. By default, the spider would wait forever."""

    name = "shared"
    redis_key = "shared:start_urls"
    max_idle_time = 1

    def parse(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        yield from response.follow_all(css="a")
