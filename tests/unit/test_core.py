"""The core works without `crawl/features/`."""

from __future__ import annotations

import shutil
from pathlib import Path

import scrapy_robots1994
from tests.support.crawl import crawl_changed
from tests.support.site import Site


def test_core_knows_no_feature(site: Site, tmp_path: Path) -> None:
    package = tmp_path / "without" / "scrapy_robots1994"
    source = Path(scrapy_robots1994.__file__).parent
    ignore = shutil.ignore_patterns("features", "__pycache__")
    shutil.copytree(source, package, ignore=ignore)
    table = package / "crawl" / "observers.py"
    table.write_text(f"{table.read_text('utf-8')}\nOBSERVERS = ()\n", "utf-8")
    site.robots("User-agent: *\nDisallow: /closed\n")
    urls = [site.url("/open"), site.url("/closed")]
    result = crawl_changed(urls, tmp_path, paths=[package.parent])

    assert result["error"] == ""
    assert [url for url, _ in result["fetched"]] == [site.url("/open")]
    assert [it["verdict"]["reason"] for it in result["failed"]] == ["rule"]
