"""Each test of the keeper runs on both drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.resolver.drives import AsyncioDrive, Drive, TwistedDrive
from tests.resolver.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=[AsyncioDrive, TwistedDrive], ids=["asyncio", "twisted"])
def drive(request: pytest.FixtureRequest) -> Iterator[Drive]:
    """Yield a way to run coroutines by hand."""
    drive: Drive = request.param()
    yield drive
    drive.close()


@pytest.fixture
def scene(drive: Drive) -> Scene:
    """Make a keeper before a fake network."""
    return Scene(drive)
