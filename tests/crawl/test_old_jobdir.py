"""A test that resumes a crawl that was interrupted with an older version of the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

JOBDIR = Path(__file__).parent / "jobdir-0.2"
"""The job folder of an interrupted crawl of four pages of `old.test`, written at commit 068828d.
The robots.txt had not arrived, so all four requests were returned to the scheduler.
"""


def test_requests_that_older_code_returned_are_decided_on(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request in the old job folder is checked: two requests are sent once, and two
    are refused.
    """
    folder = shutil.copytree(JOBDIR, tmp_path / "job")
    # Use the scripted site as a proxy, because the URLs of the stored requests have no
    # port.
    monkeypatch.setenv("http_proxy", site.url("").rstrip("/"))
    site.robots("User-agent: *\nDisallow: /private\n")
    site.answer("/open/1", replies.text("page"))
    result = crawl(settings={"JOBDIR": str(folder)})

    assert sorted(site.targets()) == ["/open/1", "/open/2", "/robots.txt"]
    assert result.failed_urls == [f"http://old.test/private/{it}" for it in (1, 2)]
    assert result.reasons == ["rule"] * 2
