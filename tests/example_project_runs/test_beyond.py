"""Test of `example_project/beyond`: a crawl for each feature beyond 1994."""

from __future__ import annotations

import pytest

from tests.example_project_runs.commands import command, too_wide


@pytest.mark.long
def test_beyond_finds_all_five_crawls_right() -> None:
    """Dialects, crawl delay, sitemaps and page directives; the command checks the crawls."""
    done = command("beyond")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Right: all five.\n")
    assert done.stdout.count("scrapy crawl ") == 5
    assert "  refused  /archive/1996\n" in done.stdout
    assert "  sitemaps  /sitemap.xml\n" in done.stdout
    assert "  items of /  /leaf  /note\n" in done.stdout
    assert too_wide(done.stdout) == []
