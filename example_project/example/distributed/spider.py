"""The spider of each worker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrapy_redis.spiders import RedisMixin

from example.spiders.pages import PagesSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self


class WorkerSpider(RedisMixin, PagesSpider):  # type: ignore[misc]  # not annotated
    """Takes URLs from Redis, and crawls them in the same way as the spider `pages`.

    Ends after 3 seconds without a URL.
    """

    name = "worker"
    redis_batch_size = 4
    max_idle_time = 3

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Connect to Redis, as `RedisSpider` does."""
        spider: Self = super().from_crawler(crawler, *args, start="", **kwargs)
        spider.setup_redis(crawler)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        for request in self.next_requests():
            yield request

    def make_request_from_data(self, data: bytes) -> Request:
        """Return a request for *data*, which is a plain URL, not JSON."""
        return self.request(data.decode())

    def parse(self, response: Response, **_: object) -> Iterator[Any]:
        self.spider_idle_start_time = int(time.time())
        yield from super().parse(response)
