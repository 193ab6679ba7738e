"""URLs in the evidence, its folder, and evidence after a failed write."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from scrapy import Spider

from scrapy_robots1994.crawl.features.evidence import EvidenceFile, shown_url
from scrapy_robots1994.crawl.features.paths import fill_in_path

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_url_is_shown_without_credentials_and_fragment() -> None:
    url = "http://me:p@ss@h.test/a@b?c@d#e"

    assert shown_url(url) == "http://h.test/a@b?c@d"


def test_tilde_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    folder = fill_in_path("EVIDENCE", "~/%(start)s", Spider("x", start="http://h"))

    assert folder == tmp_path / "http:/h"


def test_nothing_is_written_after_a_write_that_failed(tmp_path: Path) -> None:
    """A reader could not decompress what follows an incomplete gzip member."""
    file = EvidenceFile(tmp_path, "spider")
    file.add({"crawl": {}})
    assert file.write().result() is None
    size = file.path.stat().st_size
    assert file.write().result() is None

    with open("/dev/full", "wb") as full, file.path.open("ab") as good:  # noqa: PTH123 - a device
        place = file._file.fileno()
        for target, count in (full, 1), (good, 2):
            os.dup2(target.fileno(), place)
            file.add({"decision": count})
            assert isinstance(file.write().result(), OSError)
    file.close()

    assert file.path.stat().st_size == size
