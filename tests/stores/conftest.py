"""A server of Redis for the tests of a module."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.support.redis_server import RedisServer

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    """Run one server for the tests that do not stop it."""
    with RedisServer() as started:
        yield started


@pytest.fixture
def prefix() -> str:
    """Return a prefix that no other test has."""
    return f"test{next(NUMBERS)}"
