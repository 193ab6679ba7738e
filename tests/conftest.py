"""Hooks and fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.crawl import Reactor, reactors
from tests.support.left_out import long_after, pytest_runtest_setup
from tests.support.site import Site

__all__ = ["pytest_runtest_setup"]


# Hypothesis must not fail a test because the machine is slow.
settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the long tests first, so that the workers end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as started:
        yield started


@pytest.fixture(params=long_after(1, reactors()))
def reactor(request: pytest.FixtureRequest) -> Reactor:
    chosen: Reactor = request.param
    return chosen
