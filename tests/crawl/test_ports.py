"""A test with two origins that differ only in the port.

This test needs neither `fork` nor signals nor an address other than 127.0.0.1. Therefore,
CI also runs this test on macOS and Windows.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import plain_server

SPIDER = Path(plain_server.__file__).with_name("ports_spider.py")


@pytest.mark.long
def test_each_port_has_its_own_policy(tmp_path: Path) -> None:
    """Each port has its own policy, and the robots.txt of each port is fetched once.

    The next crawl loads the policies of both ports from SQLite.
    """
    files = [b"User-agent: *\nDisallow: /one\n", b"User-agent: *\nDisallow: /two\n"]
    with plain_server.serving(files[0]) as one, plain_server.serving(files[1]) as two:
        ports = f"ports={one.server_port} {two.server_port}"
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
            assert sorted(one.paths) == ["/robots.txt", *["/two"] * times]
            assert sorted(two.paths) == [*["/one"] * times, "/robots.txt"]
            assert done.stderr.count('disallowed by line 2, "Disallow: /one"') >= 1
    assert (tmp_path / "robots.db").exists()
