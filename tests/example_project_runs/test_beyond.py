"""Test of `example_project/beyond`: a crawl for each thing that 1994 does not have."""

from __future__ import annotations

import pytest

from tests.example_project_runs.commands import command, too_wide


@pytest.mark.long
def test_each_of_the_five_crawls_does_exactly_what_it_should() -> None:
    """Dialects, crawl delay, sitemaps and page directives; the command itself judges."""
    done = command("beyond")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Right: all five.\n")
    assert done.stdout.count("scrapy crawl ") == 5
    assert "  refused  /archive/1996\n" in done.stdout
    assert "  sitemaps  /sitemap.xml\n" in done.stdout
    assert "  items of /  /leaf  /note\n" in done.stdout
    assert too_wide(done.stdout) == []
