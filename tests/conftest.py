"""Fixtures that every floor may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a scripted HTTP server on one port of loopback."""
    with Site() as started:
        yield started
