"""Which waits count towards the limit; a crawl cannot show it without measuring time."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy import Request

from scrapy_robots1994.crawl.waiting import WaitingRequests
from scrapy_robots1994.origin import Origin
from tests.support.crawler import idle_crawler


@pytest.mark.parametrize(
    ("settings", "raised"),
    [
        ({}, 3),
        ({"CLOSESPIDER_PAGECOUNT": 200}, 2),
        ({"CLOSESPIDER_PAGECOUNT_NO_ITEM": 300, "CLOSESPIDER_ITEMCOUNT": 100}, 1),
    ],
)
def test_wait_counts_until_others_have_overtaken_it(
    settings: dict[str, Any], raised: int
) -> None:
    """Of three slow ones with two concurrent requests, and at most one in a hundred pages."""
    engine = Mock(**{"is_closing.return_value": False})
    crawler = idle_crawler(settings | {"CONCURRENT_REQUESTS": 2})

    def wait_for(host: str) -> Any:
        url = f"http://{host}.test/"
        origin = Origin.of(url)
        assert origin is not None
        return requests.waiting(Request(url), origin)

    async def overtake() -> None:
        with wait_for("slow"), wait_for("slow"), wait_for("slow"):
            for number in range(2):
                assert engine.raise_limit.call_count == 0
                with wait_for(f"quick-{number}"):
                    pass
            assert engine.raise_limit.call_count == raised
        assert engine.lower_limit.call_count == raised

    requests = WaitingRequests(crawler, engine, 10, lambda: None)
    asyncio.run(overtake())
