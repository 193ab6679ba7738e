"""ROBOTS1994_COMPARE: other parsers check the URLs too."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import replies
from tests.support.crawl import crawl, start_crawl
from tests.support.site import Site


def test_what_finds_no_room_or_time_is_left_out_and_noted(
    site: Site, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    site.robots(f"User-agent: *\nDisallow: /*x\n#{'x' * 3_000}\n")
    pages = [site.url("/x", host=f"{name}.test") for name in "abc"]
    settings = {
        "ROBOTS1994_COMPARE": True,
        "ROBOTS1994_COMPARE_REPORT": str(path),
        "TEST_BOUNDS": {
            "crawl.features.comparison.MAX_BYTES": 7_500,
            "crawl.features.comparison.CLOSE_SECONDS": -1,
        },
    }
    hook = "tests.unit.bounds:shrink_in_crawl"
    result = crawl(pages, settings=settings, hook=hook)

    assert len(result.fetched) == 3
    assert result.stats["robots1994/compare/skipped"] == 2
    report = json.loads(path.read_text("utf-8"))
    assert report["notes"] == ["Not compared: 2 decisions"]
    assert [it["cause"] for it in report["rows"]] == ["unsought"]


def test_report_that_cannot_be_written_is_logged_once(
    site: Site, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    site.answer("/page", replies.Reply(gate="folder"))
    settings = {"ROBOTS1994_COMPARE_REPORT": str(path), "ROBOTS1994_COMPARE": True}
    running = start_crawl([site.url("/page")], settings=settings)
    site.wait("/page")
    path.unlink()
    path.mkdir()
    site.open("folder")
    result = running.result()

    assert len(result.fetched) == 1
    assert len(result.lines("could not be written")) == 1
    assert list(path.iterdir()) == []
