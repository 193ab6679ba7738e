"""Messages of a crawl: log lines, exceptions, and stats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scrapy_robots1994 import __version__
from tests.support.crawl import crawl
from tests.support.left_out import long_after
from tests.support.site import Site

ADVICE = 'ROBOTS1994_READING = "cautious" obeys split records'
SUMMARY = "robots.txt of 1 origin has lines for this robot below a blank line"
BELOW = "User-agent: *\nDisallow: /a\n\nDisallow: /b\n"


@pytest.mark.parametrize(
    ("robots", "reading", "warnings", "advice"),
    [
        (BELOW, "literal", 1, 1),
        (BELOW, "cautious", 0, 0),
        ("Disallow: /b\n\nUser-agent: *\nDisallow: /a\n", "literal", 1, 0),
    ],
)
def test_warning_recommends_the_cautious_reading_where_it_obeys_more(
    site: Site, robots: str, reading: str, warnings: int, advice: int
) -> None:
    """It does not for a rule above all records, which no reading obeys."""
    site.robots(robots)
    result = crawl([site.url("/1")], settings={"ROBOTS1994_READING": reading})

    assert result.log.count("Read to the letter") == warnings
    assert result.log.count(ADVICE) == advice
    # The close sums up what each warning says.
    assert result.log.count(SUMMARY) == advice


@pytest.mark.parametrize(
    ("dialect", "told"), [("1994", 1), ("revisited", 1), ("extended", 0)]
)
def test_allow_that_is_ignored_is_told_as_stricter(
    site: Site, dialect: str, told: int
) -> None:
    """Apart from what opens the site, and where the dialect does not have the field."""
    site.robots("User-agent: *\nDisalow: /a\nAllow: /b/c\nDisallow: /b\n")
    result = crawl([site.url("/b/c")], settings={"ROBOTS1994_DIALECT": dialect})

    lines = result.lines("this is stricter")
    assert len(lines) == told
    assert all("INFO" in line and "line 3: Allow is not" in line for line in lines)
    assert result.stats.get("robots1994/tightens_policy", 0) == told
    assert result.stats["robots1994/weakens_policy"] == 1


def test_file_that_is_read_again_is_not_warned_of_again(site: Site) -> None:
    """O5 in the literal reading allows the site: one warning, however often it expires."""
    site.robots("User-agent: *\n\nDisallow: /private\n")
    result = crawl(
        [site.url(f"/private/{number}") for number in range(3)],
        settings={
            "CONCURRENT_REQUESTS": 1,
            "ROBOTS1994_TTL": 0,
            "ROBOTS1994_MIN_TTL": 0,
            "ROBOTS1994_MAX_WAITING": 0,
        },
    )
    fetches = len(site.log("/robots.txt"))

    assert fetches > 1
    assert len(result.fetched) == 3
    (line,) = result.lines("Read to the letter")
    assert "WARNING" in line
    assert "line 2" in line
    assert result.stats["robots1994/weakens_policy"] == 1


def test_control_characters_of_a_robots_txt_are_escaped(site: Site) -> None:
    """O25: this applies to the log and to exceptions, and to bidi overrides, too."""
    rule = "/private\x1b[31m\u202e"
    site.robots(f"User-agent: *\nDisallow: {rule}\n")
    result = crawl([site.url("/private%1B[31m%E2%80%AE/page")])

    assert result.fetched == []
    assert "\x1b" not in result.failed[0].message + result.log
    assert "\u202e" not in result.failed[0].message + result.log


def test_one_line_at_the_start_shows_the_settings(site: Site) -> None:
    """It has version, dialect, reading, robot name, store and number of fetches."""
    result = crawl(
        [site.url("/")],
        settings={
            "ROBOTS1994_DIALECT": "extended",
            "ROBOTS1994_READING": "cautious",
            "ROBOTS1994_MAX_FETCHES": 7,
            "USER_AGENT": "rover/1.0\x1b",
        },
    )

    (line,) = result.lines("robot name")
    assert line.split("[scrapy_robots1994] ")[1] == (
        f"INFO: scrapy_robots1994 {__version__}: dialect extended, cautious reading, "
        "robot name rover/1.0\\x1b, store memory://, "
        "at most 7 parallel robots.txt fetches"
    )
    assert f"[<scrapy_robots1994.Addon {__version__}>]" in result.log


@pytest.mark.parametrize(
    ("settings", "warned"),
    long_after(
        1,
        [
            ({}, True),
            ({"ROBOTS1994_COMPARE": True}, False),
            ({"ROBOTS1994_DRY_RUN": True}, False),
        ],
    ),
    ids=["alone", "compare", "dry run"],
)
def test_report_without_a_comparison_is_warned_of(
    site: Site, settings: dict[str, Any], warned: bool, tmp_path: Path
) -> None:
    """The setting has no effect without a comparison or a dry run."""
    report = {"ROBOTS1994_COMPARE_REPORT": str(tmp_path / "report.json")}
    result = crawl([site.url("/")], settings=settings | report)

    assert ("ROBOTS1994_COMPARE_REPORT has no effect" in result.log) is warned
    assert (tmp_path / "report.json").exists() is not warned
