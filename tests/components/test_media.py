"""Media pipelines: disallowed files are not requested, and the item has the reason."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from scrapy.pipelines import media

from tests.support.crawl import crawl
from tests.support.replies import Reply, redirect

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import CrawlResult
    from tests.support.site import Site

PARTS = "tests.components.parts"
WHY = 'disallowed by line 2, "Disallow: /private", of the record for "*" (line 1)'

# Newer Scrapy puts the reason of a filtered file into the results.
REPORTS_REASON = hasattr(media, "_MediaRequestFiltered")


def download(
    site: Site,
    folder: Path,
    *pipelines: str,
    refused: str = "/private.png",
    **more: Any,
) -> CrawlResult:
    """Crawl one page whose item has an allowed and a *refused* file of each kind."""
    site.robots("User-agent: *\nDisallow: /private\n")
    image = io.BytesIO()
    Image.new("RGB", (2, 2)).save(image, "PNG")
    for name in ("/open.png", "/private.png"):
        site.answer(
            name, Reply(200, image.getvalue(), (("Content-Type", "image/png"),))
        )
    wanted = [site.url("/open.png"), site.url(refused)]
    settings: dict[str, Any] = {
        "ITEM_PIPELINES": {f"{PARTS}.{name}": 1 for name in pipelines},
        "FILES_STORE": str(folder),
        "IMAGES_STORE": str(folder),
    }
    return crawl(
        [site.url("/page")],
        spider="tests.components.spiders:ItemSpider",
        spider_args={"item": {"file_urls": wanted, "image_urls": wanted}},
        settings=settings | more,
    )


def test_disallowed_file_and_image_are_not_requested(
    site: Site, tmp_path: Path
) -> None:
    """The allowed ones are stored; the log names the line of the refusal."""
    result = download(site, tmp_path, "Files", "Images")

    assert "/private.png" not in site.targets()
    assert {path.parent.name for path in tmp_path.rglob("*.*")} == {"full"}
    (item,) = result.items
    assert item["files"][0].startswith("full/")
    assert item["images"][0].startswith("full/")
    assert f"<GET {site.url('/private.png')}>: {WHY}" in result.log
    assert "Traceback (most" not in result.log or not REPORTS_REASON


@pytest.mark.parametrize(
    ("pipeline", "kind"),
    [
        ("Files", "files"),
        ("ReportingFiles", "files"),
        ("Images", "images"),
        ("ReportingImages", "images"),
    ],
)
def test_results_have_the_reason(
    pipeline: str, kind: str, site: Site, tmp_path: Path
) -> None:
    """Newer Scrapy passes it on; older Scrapy needs the pipeline of the README."""
    result = download(site, tmp_path, pipeline)

    (item,) = result.items
    has_reason = REPORTS_REASON or pipeline.startswith("Reporting")
    assert item[kind][0].startswith("full/")
    assert item[kind][1] == (f"Forbidden by robots.txt: {WHY}" if has_reason else "")
    assert "/private.png" not in site.targets()


@pytest.mark.parametrize(
    ("pipeline", "kind"), [("ReportingFiles", "files"), ("ReportingImages", "images")]
)
def test_redirect_of_a_file_to_a_disallowed_url_is_refused(
    pipeline: str, kind: str, site: Site, tmp_path: Path
) -> None:
    """With MEDIA_ALLOW_REDIRECTS, the target is checked, and the result has the reason."""
    site.answer("/moved.png", redirect("/private.png"))

    result = download(
        site, tmp_path, pipeline, refused="/moved.png", MEDIA_ALLOW_REDIRECTS=True
    )

    (item,) = result.items
    assert item[kind][1] == f"Forbidden by robots.txt: {WHY}"
    assert "/moved.png" in site.targets()
    assert "/private.png" not in site.targets()
