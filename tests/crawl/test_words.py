"""What a crawl says: log lines, exception, meta, stats and the signal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy import signals

from scrapy_robots1994 import __version__
from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path
from tests.support.warned import unexpected


def test_a_refusal_names_the_line_everywhere() -> None:
    """Log line, exception message and verdict say which line refused."""
    with Site() as site:
        site.robots("# hello\nUser-agent: *\nDisallow: /private\n")
        result = crawl([site.url("/private/1")])

    failed = result.failed[0]
    assert failed.message.startswith("Forbidden by robots.txt: ")
    assert "line 3" in failed.message
    assert failed.verdict is not None
    assert (failed.verdict["line"], failed.verdict["rule"]) == (3, "/private")
    said = [line for line in result.log.split("\n") if "Forbidden by" in line]
    assert len(said) == 1
    assert "line 3" in said[0]


def test_a_failed_robots_txt_is_one_line_that_names_it() -> None:
    """Peers row 13: no traceback, and robots.txt is named, not the page."""
    with Site() as site:
        site.answer("/robots.txt", replies.reset())
        result = crawl([site.url("/page")])

    said = [line for line in result.log.split("\n") if "Could not fetch" in line]
    assert len(said) == 1
    assert site.url("/robots.txt") in said[0]
    assert "Traceback" not in result.log


def test_a_record_split_by_a_blank_line_is_warned_of_once() -> None:
    """O5 read to the letter opens the site; one warning an origin, with the line."""
    with Site() as site:
        site.robots("User-agent: *\n\nDisallow: /private\n")
        pages = [site.url("/private/1"), site.url("/private/2")]
        result = crawl(pages)

    said = [line for line in result.log.split("\n") if "Read to the letter" in line]
    assert len(said) == 1
    assert "WARNING" in said[0]
    assert "line 2" in said[0]
    assert len(result.fetched) == 2
    assert result.stats["robots1994/weakens_policy"] == 1


ADVICE = 'ROBOTS1994_READING = "cautious" obeys'
BELOW = "User-agent: *\nDisallow: /a\n\nDisallow: /b\n"


@pytest.mark.parametrize(
    ("robots", "reading", "warnings", "advice"),
    [
        (BELOW, "literal", 1, 1),
        (BELOW, "cautious", 0, 0),
        ("Disallow: /b\n\nUser-agent: *\nDisallow: /a\n", "literal", 1, 0),
    ],
)
def test_the_warning_names_the_cautious_reading_where_that_obeys_more(
    robots: str, reading: str, warnings: int, advice: int
) -> None:
    """Not for a rule above all records, which no reading obeys."""
    with Site() as site:
        site.robots(robots)
        result = crawl([site.url("/1")], settings={"ROBOTS1994_READING": reading})

    assert result.log.count("Read to the letter") == warnings
    assert result.log.count(ADVICE) == advice


def test_a_file_read_again_is_not_warned_of_again() -> None:
    """One warning an origin, however often its policy runs out."""
    with Site() as site:
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
    assert result.log.count("Read to the letter") == 1
    assert result.stats["robots1994/weakens_policy"] == 1


def test_problem_in_a_record_for_other_robots_is_not_logged() -> None:
    """It opens the site to them, and to us nothing."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /x\n\nUser-agent: b\n\nDisallow: /\n")
        result = crawl([site.url("/1")])

    assert "Read to the letter" not in result.log
    assert "robots1994/weakens_policy" not in result.stats


def test_the_cautious_reading_obeys_what_a_blank_line_split() -> None:
    """ROBOTS1994_READING = "cautious"."""
    with Site() as site:
        site.robots("User-agent: *\n\nDisallow: /private\n")
        result = crawl(
            [site.url("/private/1")], settings={"ROBOTS1994_READING": "cautious"}
        )

    assert result.fetched == []
    assert result.failed[0].verdict is not None
    assert result.failed[0].verdict["reason"] == "split-record"


def test_text_of_a_robots_txt_never_reaches_the_log_raw() -> None:
    """O25: control characters and bidi overrides of a rule are escaped."""
    with Site() as site:
        rule = "/private\x1b[31m\u202e"
        site.robots(f"User-agent: *\nDisallow: {rule}\n")
        result = crawl([site.url("/private%1B[31m%E2%80%AE/page")])

    assert result.fetched == []
    assert "\x1b" not in result.failed[0].message + result.log
    assert "\u202e" not in result.failed[0].message + result.log


def test_robots_parsed_is_sent_once_for_each_file_where_scrapy_has_it() -> None:
    """The signal of Scrapy 2.18, with a parser that knows the policy."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        pages = [site.url("/1"), site.url("/2")]
        has_it = hasattr(signals, "robots_parsed")
        result = crawl(pages, signals=["robots_parsed"] if has_it else [])

    assert len(result.sent) == (1 if has_it else 0)
    assert len(result.fetched) == 2


def test_a_clean_crawl_warns_of_nothing() -> None:
    """No warning of ours, none that we cause in Scrapy or Twisted."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        result = crawl([site.url("/1"), site.url("/private")], may_warn=True)

    assert unexpected(result.warnings) == []


def test_one_line_at_start_says_by_which_rules_the_crawl_goes() -> None:
    """Version, dialect, reading, robot name, store without its password, fetches."""
    with Site() as site:
        result = crawl(
            [site.url("/")],
            settings={
                "ROBOTS1994_DIALECT": "extended",
                "ROBOTS1994_READING": "cautious",
                "ROBOTS1994_MAX_FETCHES": 7,
                "USER_AGENT": "rover/1.0\x1b",
            },
        )

    (line,) = [it for it in result.log.split("\n") if "robot name" in it]
    assert line.split("[scrapy_robots1994] ")[1] == (
        f"INFO: scrapy_robots1994 {__version__}: dialect extended, cautious reading, "
        "robot name rover/1.0\\x1b, store memory://, "
        "at most 7 parallel robots.txt fetches"
    )
    assert f"[<scrapy_robots1994.Addon {__version__}>]" in result.log


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        ({}, True),
        ({"ROBOTS1994_COMPARE": True}, False),
        ({"ROBOTS1994_DRY_RUN": True}, False),
    ],
    ids=["alone", "compare", "dry run"],
)
def test_a_report_without_a_comparison_is_warned_of(
    settings: dict[str, Any], warned: bool, tmp_path: Path
) -> None:
    """The setting would have no effect."""
    report = {"ROBOTS1994_COMPARE_REPORT": str(tmp_path / "report.json")}
    with Site() as site:
        result = crawl([site.url("/")], settings=settings | report)

    assert ("ROBOTS1994_COMPARE_REPORT has no effect" in result.log) is warned
    assert (tmp_path / "report.json").exists() is not warned
