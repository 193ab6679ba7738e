"""Fixtures that every floor may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long an example takes says more about the machine than about the parser.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a scripted HTTP server on one port of loopback."""
    with Site() as started:
        yield started
