"""Workers of scrapy-redis share a queue: a stopped one returns its waiting requests."""

from __future__ import annotations

import pytest

from tests.closing import rows
from tests.support.crawl import Reactor, reactors
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.redis

PAGES = 200


@pytest.mark.parametrize("reactor", reactors())
def test_restarted_worker_loses_and_repeats_no_page(
    reactor: Reactor,
) -> None:
    """Two workers, one interrupted while its requests wait: each page exactly once."""
    with RedisServer() as redis:
        found = rows.shared(rows.Side(reactor=reactor), PAGES, redis.url)

    assert sorted(found) == list(range(PAGES))
    assert set(found.values()) == {1}
