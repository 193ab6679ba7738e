"""Fixtures: each resolver test runs with both drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.resolver.drivers import AsyncioDriver, Driver, TwistedDriver
from tests.resolver.harness import ResolverHarness

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=[AsyncioDriver, TwistedDriver], ids=["asyncio", "twisted"])
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Yield a driver that runs coroutines step by step."""
    driver: Driver = request.param()
    yield driver
    driver.close()


@pytest.fixture
def harness(driver: Driver) -> ResolverHarness:
    """Make a resolver with a fake network."""
    return ResolverHarness(driver)
