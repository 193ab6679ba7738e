"""The Python of the README runs as it is copied: no name is put into it.

Each block has its imports, so a test runs it from a file, or executes it in an empty
namespace.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.commands.running import scrapy
from tests.support import readme
from tests.support.crawl import crawl
from tests.test_readme_runs import settings_blocks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

HOST = "https://example.com"
WHY = 'disallowed by line 2, "Disallow: /private", of the record for "*" (line 1)'


def run_spider(snippet: str, site: Site, folder: Path) -> str:
    """What the log says when *snippet* is run, with *site* for its host."""
    assert HOST in snippet
    (folder / "spider.py").write_text(snippet.replace(HOST, site.url("")))

    ran = scrapy("runspider", "spider.py", folder=folder)

    assert ran.code == 0
    assert "Traceback" not in ran.err
    return ran.err


def test_the_parser_snippet_runs() -> None:
    """The Python that a reader copies first holds what its assertions say."""
    exec(readme.code("robots = RobotsTxt.parse("), {})  # noqa: S102 - it is our own text


@pytest.mark.parametrize("block", sorted(set(settings_blocks())))
def test_every_settings_block_crawls(block: str, site: Site) -> None:
    """In a project that obeys: the open page comes, the closed one is refused.

    Where a setting is shown in two forms, the last one counts.
    """
    site.robots("User-agent: *\nDisallow: /private\n")
    names: dict[str, Any] = {}
    exec(block.replace("my.module.MyRobotParser", "RerpRobotParser"), names)  # noqa: S102 - our own text
    given = {name: value for name, value in names.items() if name.isupper()}
    open_page, closed_page = site.url("/open"), site.url("/private")

    result = crawl(
        [open_page, closed_page],
        middleware="builtin" if "ROBOTSTXT_PARSER" in given else "ours",
        settings=given,
    )

    assert result.error == ""
    assert result.fetched_urls == [open_page]
    assert result.failed_urls == [closed_page]
    assert "Traceback" not in result.log


def test_the_errback_learns_the_verdict(site: Site, tmp_path: Path) -> None:
    """What the README logs of a refusal is its URL and the whole sentence."""
    snippet = readme.code("def errback(self, failure)")
    site.robots("User-agent: *\nDisallow: /archive\n")

    log = run_spider(snippet, site, tmp_path)

    told = WHY.replace("/private", "/archive")
    assert f"[asking] INFO: {site.url('/archive/7')}: {told}" in log
    assert site.targets() == ["/robots.txt"]


def test_a_verdict_has_the_fields_that_are_shown() -> None:
    """Those of the comment in the errback, and no other."""
    (listed,) = re.findall(r"# (\..+)", readme.code("def errback(self, failure)"))
    verdict = RobotsTxt.parse("User-agent: *\nDisallow: /x").verdict("/x", "me")

    fields = [name.lstrip(".") for name in listed.split(", ")]

    assert fields == [*type(verdict).__dataclass_fields__]


def test_a_handler_of_sitemaps_is_told(site: Site, tmp_path: Path) -> None:
    """The spider of the README hears which sitemaps the file of its origin names."""
    snippet = readme.code("connect(spider.sitemaps_found, robots_sitemaps)")
    site.robots("User-agent: *\nDisallow:\nSitemap: /a.xml\nSitemap: /b.xml\n")

    log = run_spider(snippet, site, tmp_path)

    maps = f"{site.url('/a.xml')} and {site.url('/b.xml')}"
    assert f"[maps] INFO: {site.url('')} names {maps}" in log
    assert "/" in site.targets()


@pytest.mark.parametrize("kind", ["file", "image"])
def test_the_telling_pipelines_tell(kind: str, site: Site, tmp_path: Path) -> None:
    """Also of an image, whose pipeline is made in the same way."""
    site.robots("User-agent: *\nDisallow: /private\n")
    pipeline = f"tests.components.parts.Telling{kind.title()}s"
    settings: dict[str, Any] = {
        "ITEM_PIPELINES": {pipeline: 1},
        f"{kind.upper()}S_STORE": str(tmp_path),
    }

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:Offering",
        spider_args={"item": {f"{kind}_urls": [site.url("/private.png")]}},
        settings=settings,
    )

    (item,) = result.items
    assert item[f"{kind}s"] == [f"Forbidden by robots.txt: {WHY}"]
    assert "/private.png" not in site.targets()
