"""A crawl that older code interrupted is resumed by this one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

JOBDIR = Path(__file__).parent / "jobdir-0.2"
"""The job folder that commit 068828d left of a crawl of four pages of `old.test`. Their
robots.txt had not arrived, so all four were returned to the scheduler.
"""


def test_requests_that_older_code_returned_are_decided_on(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Allowed requests are sent once, the others are refused, and no request is lost."""
    folder = shutil.copytree(JOBDIR, tmp_path / "job")
    # The stored requests name a host without a port, so a proxy sends them to the site.
    monkeypatch.setenv("http_proxy", site.url("").rstrip("/"))
    site.robots("User-agent: *\nDisallow: /private\n")
    site.answer("/open/1", replies.text("page"))
    result = crawl(settings={"JOBDIR": str(folder)})

    assert sorted(site.targets()) == ["/open/1", "/open/2", "/robots.txt"]
    assert result.failed_urls == [f"http://old.test/private/{it}" for it in (1, 2)]
    assert result.reasons == ["rule"] * 2
