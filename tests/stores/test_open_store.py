"""`open_store`: a store of a crawl, opened by another program."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from scrapy_robots1994 import Origin, SettingsError, open_store
from scrapy_robots1994.stores.base import Stored

SITE = Origin("http", "a.example", 80)


def test_next_instance_reads_what_the_first_stored(tmp_path: Path) -> None:
    """Both are opened by the same URL."""
    url = f"sqlite:///{tmp_path}/a.db"
    first = open_store(url)
    first.put(Stored(SITE, b"packed", time.time() + 60))
    first.close()

    second = open_store(url)

    assert second.get(SITE) == b"packed"
    second.close()


def test_memory_is_refused() -> None:
    """It belongs to one crawl: there is nothing to open."""
    with pytest.raises(SettingsError, match=r"belongs to one crawl.*sqlite:///"):
        open_store("memory://")
