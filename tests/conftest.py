"""Hooks and fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.crawl import Reactor, reactors
from tests.support.left_out import long_after, pytest_runtest_setup
from tests.support.site import Site

__all__ = ["pytest_runtest_setup"]


# Set no deadline for the examples of Hypothesis. The duration of an example depends mainly
# on the machine.
settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long tests, so that no worker ends with one alone."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a scripted HTTP server on one loopback port."""
    with Site() as started:
        yield started


@pytest.fixture(params=long_after(1, reactors()))
def reactor(request: pytest.FixtureRequest) -> Reactor:
    """Return the name of a reactor: each that this version of Scrapy supports, all but the
    first marked `long`.
    """
    chosen: Reactor = request.param
    return chosen
