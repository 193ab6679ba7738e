"""A Redis server for the tests of the stores, and prefixes for its keys."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.support.redis_server import RedisServer

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    """Tests must not stop this server, because they share it."""
    with RedisServer() as started:
        yield started


@pytest.fixture
def prefix() -> str:
    return f"test{next(NUMBERS)}"
