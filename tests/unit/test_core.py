"""The core knows no feature."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import scrapy_robots1994
from tests.support.crawl import OBEYING, QUIET, ROOT, CrawlRequest
from tests.support.site import Site

TABLES = {"observers.py": "OBSERVERS", "addon.py": "SPIDER_MIDDLEWARES"}


def test_core_knows_no_feature(site: Site, tmp_path: Path) -> None:
    """A package without `crawl/features/` and the rows of its tables crawls and obeys."""
    package = tmp_path / "without" / "scrapy_robots1994"
    source = Path(scrapy_robots1994.__file__).parent
    ignore = shutil.ignore_patterns("features", "__pycache__")
    shutil.copytree(source, package, ignore=ignore)
    for module, table in TABLES.items():
        file = package / "crawl" / module
        file.write_text(f"{file.read_text('utf-8')}\n{table} = ()\n", "utf-8")
    site.robots("User-agent: *\nDisallow: /closed\n")
    job = {
        "requests": [asdict(CrawlRequest(site.url(it))) for it in ("/open", "/closed")],
        "spider": "tests.support.child:RequestingSpider",
        "spider_args": {},
        "settings": QUIET | OBEYING["ours"],
        "reactor": "asyncio",
        "signals": [],
        "hook": "",
    }
    (tmp_path / "job.json").write_text(json.dumps(job), "utf-8")
    paths = os.pathsep.join((str(package.parent), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.child"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert result["error"] == ""
    assert [url for url, _ in result["fetched"]] == [site.url("/open")]
    assert [it["verdict"]["reason"] for it in result["failed"]] == ["rule"]
