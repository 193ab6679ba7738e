"""ROBOTS1994_COMPARE asks other parsers too."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import replies
from tests.support.crawl import DAY, Reactor, crawl, crawl_over_time, start_crawl
from tests.support.site import Site

PROTEGO = "robots1994/compare/ProtegoRobotParser"
PANICS = "tests.support.parsers.PanickingParser"


def test_other_parsers_are_asked_and_change_nothing(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """Even a `BaseException` in a parser loses no page."""
    path = tmp_path / "report.json"
    site.robots("User-agent: *\nDisallow: /*.gif\nDisallow: /no\nAllow: /no/but\n")
    pages = [site.url(it) for it in ("/1", "/a.gif", "/no", "/no/but")]
    settings = {
        "ROBOTS1994_COMPARE": ["Protego", PANICS],
        "ROBOTS1994_COMPARE_REPORT": str(path),
    }

    result = crawl(pages, settings=settings, reactor=reactor)

    assert result.fetched_urls == pages[:2]
    ways = ("agree", "stricter", "laxer", "raised")
    assert [result.stats.get(f"{PROTEGO}/{it}") for it in ways] == [2, 1, 1, None]
    assert result.stats[f"robots1994/compare/{PANICS}/raised"] == 4
    # Only the report contains the rows.
    assert (result.log.count("causes (of the"), "  cause: " in result.log) == (1, False)
    rows = json.loads(path.read_text("utf-8"))["rows"]
    found = {
        it["url"]: (it["cause"], it["lines"])
        for it in rows
        if it["parser"] == "ProtegoRobotParser"
    }
    assert found == {pages[1]: ("wildcard", [1, 2]), pages[3]: ("allow", [1, 3, 4])}


def test_status_decides_whatever_the_others_read(site: Site) -> None:
    """For a 404, parsers read an empty file, not its body."""
    site.answer("/robots.txt", replies.text("User-agent: *\nDisallow: /\n", 404))
    result = crawl([site.url("/1")], settings={"ROBOTS1994_COMPARE": True})

    assert result.fetched_urls == [site.url("/1")]
    assert result.stats[f"{PROTEGO}/agree"] == 1


def test_what_finds_no_room_is_skipped_counted_and_noted(
    site: Site, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    site.robots("User-agent: *\nDisallow: /no\n")
    pages = [site.url("/", host=f"{name}.test") for name in "abc"]
    settings = {
        "ROBOTS1994_COMPARE": True,
        "ROBOTS1994_COMPARE_REPORT": str(path),
        "TEST_BOUNDS": {"crawl.features.comparison.MAX_BYTES": 2_500},
    }
    hook = "tests.unit.bounds:shrink_in_crawl"
    result = crawl(pages, settings=settings, hook=hook)

    assert len(result.fetched) == 3
    assert result.stats["robots1994/compare/skipped"] == 2
    notes = json.loads(path.read_text("utf-8"))["notes"]
    assert notes == ["Not compared: 2 decisions"]


def test_file_that_changes_is_a_site_of_its_own(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    files = [
        replies.text(f"User-agent: *\nDisallow: /*{it}\n") for it in ("gif", "png")
    ]
    site.answer("/robots.txt", files)
    pages = [site.url("/a.gif"), site.url("/b.png")]
    settings = {"ROBOTS1994_COMPARE": True, "ROBOTS1994_COMPARE_REPORT": str(path)}

    crawl_over_time(pages[:1], 2 * DAY, pages[1:], settings=settings)

    report = json.loads(path.read_text("utf-8"))
    urls = {row["site"]: row["url"] for row in report["rows"]}
    origin = site.url("/").rstrip("/")
    assert urls == {origin: pages[0], f"{origin} (file 2)": pages[1]}
    ends = [it["excerpt"][1][1].rpartition("*")[2] for it in report["sites"]]
    assert ends == ["gif", "png"]


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
