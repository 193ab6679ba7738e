"""Two origins that differ only in the port.

CI runs this test on macOS and Windows too, so it uses no `fork`, no signals, and only 127.0.0.1.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.crawl import ROOT
from tests.support.site import Site

SPIDER = ROOT / "tests" / "support" / "ports_spider.py"


@pytest.mark.long
def test_each_port_has_its_own_policy(tmp_path: Path) -> None:
    with Site() as one, Site() as two:
        one.robots("User-agent: *\nDisallow: /one\n")
        two.robots("User-agent: *\nDisallow: /two\n")
        ports = f"ports={one.port} {two.port}"
        for times in (1, 2):
            done = subprocess.run(
                [sys.executable, "-m", "scrapy", "runspider", SPIDER, "-a", ports],
                cwd=tmp_path,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=True,
                timeout=120,
            )
            assert sorted(one.targets()) == ["/robots.txt", *["/two"] * times]
            assert sorted(two.targets()) == [*["/one"] * times, "/robots.txt"]
            assert done.stderr.count('disallowed by line 2, "Disallow: /one"') >= 1
    assert (tmp_path / "robots.db").exists()
