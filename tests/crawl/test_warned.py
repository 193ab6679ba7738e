"""A test of `tests.support.crawl`: if a crawling process emits a warning, the test
fails.
"""

from __future__ import annotations

import pytest

from tests.support.crawl import start_crawl
from tests.support.left_out import table
from tests.support.site import Site


@table(
    ("hook", "message"),
    ("leak_a_socket", "ResourceWarning.*unclosed"),
    ("warn", "UserWarning.*heard"),
    ("forget_a_coroutine", "never awaited"),
)
def test_crawl_that_warns_fails(
    hook: str, message: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a crawl emits a warning, the test fails, even if the warning comes at the end of
    the process.
    """
    monkeypatch.setattr("tests.support.warned.IS_NEWEST", True)
    crawling = start_crawl([site.url("/")], hook=hook)

    with pytest.raises(AssertionError, match=message):
        crawling.result()
