"""Under the default dialect, enabling all extensions changes no verdict."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.support.corpus import corpus_files
from tests.support.crawl import ALL_EXTENSIONS, CrawlResult, crawl
from tests.support.site import Site

FILES = 40
PATHS_OF_A_FILE = 6


def urls_of(site: Site) -> list[str]:
    """Return URLs that are affected by the rules of the files, at many hosts."""
    urls = []
    for number, (_, body) in enumerate(corpus_files()[::7][:FILES]):
        host = f"h{number}.test"
        site.robots(body, at=host)
        lines = [it.value for it in RobotsTxt.parse(body).lines if it.value]
        paths = [it for it in lines if it.startswith("/") and it.isascii()]
        wanted = ["/", *paths[:PATHS_OF_A_FILE], *(f"{it}x" for it in paths[:2])]
        urls += [site.url(path, host=host) for path in dict.fromkeys(wanted)]
    return urls


def outcome(result: CrawlResult) -> tuple[list[tuple[str, int]], list[Any]]:
    """Return every fetched page, and every refusal with its verdict."""
    refused = [(it.url, it.name, it.message, it.verdict) for it in result.failed]
    return sorted(result.fetched), sorted(refused, key=str)


def test_extensions_change_neither_verdicts_nor_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same files and URLs give the same pages, refusals and lines."""
    monkeypatch.delenv("ROBOTS1994_TEST_BEYOND", raising=False)
    with Site() as site:
        urls = urls_of(site)
        usual = crawl(urls)
        beyond = crawl(urls, settings=ALL_EXTENSIONS)

    assert outcome(beyond) == outcome(usual)
    assert len(usual.failed) > len(urls) // 10
    assert "ROBOTS1994_CRAWL_DELAY has no effect" in beyond.log
    counted = ("robotstxt/forbidden", "robotstxt/request_count")
    assert [beyond.stats[key] for key in counted] == [
        usual.stats[key] for key in counted
    ]
