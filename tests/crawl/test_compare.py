"""ROBOTS1994_COMPARE: our parser decides, other parsers are compared with it, and a
report shows the differences.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.test_dry_run import RaisingParser
from tests.support import replies
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.left_out import long_after
from tests.support.site import Site

PROTEGO = "robots1994/compare/ProtegoRobotParser"
ALL = ["Protego", "PythonRobotParser", "scrapy.robotstxt.RerpRobotParser"]


class StuckParser(RaisingParser):
    """A parser with a regular expression that backtracks endlessly."""

    def allowed(self, url: str, user_agent: str) -> bool:
        """Backtrack without releasing the GIL."""
        return re.match("(a+)+$", "a" * 200 + "b") is None


@pytest.mark.parametrize("reactor", reactors())
def test_parser_that_never_answers_delays_no_page(
    reactor: Reactor,
) -> None:
    """All pages are fetched while the parser computes; it is terminated and logged once."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /no\n")
        # The first page is answered after the second is requested, so none waits.
        site.answer("/1", replies.text("", gate="second"))
        site.open_when("second", "/2")
        pages = [site.url(path) for path in ("/1", "/2", "/no")]
        result = crawl(
            pages,
            settings={"ROBOTS1994_COMPARE": ["tests.crawl.test_compare.StuckParser"]},
            reactor=reactor,
        )

    assert result.fetched_urls == pages[:2]
    assert result.stats["robots1994/compare/StuckParser/raised"] == 3
    assert result.log.count("StuckParser did not answer about robots.txt of") == 1


def test_our_parser_decides_and_the_built_in_is_compared() -> None:
    """`True` means the parser of ROBOTSTXT_PARSER; each decision is counted once."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n")
        pages = ["/a/b", "/a/c", "/x.gif", "/y", "/y?z"]
        result = crawl(
            [site.url(page) for page in pages], settings={"ROBOTS1994_COMPARE": True}
        )

    assert len(result.fetched) == 3
    assert result.stats[f"{PROTEGO}/agree"] == 3
    assert result.stats[f"{PROTEGO}/stricter"] == 1
    assert result.stats[f"{PROTEGO}/laxer"] == 1
    table = result.log.partition("compared, parser by parser")[2]
    assert "ProtegoRobotParser" in table
    assert "60.00 %" in table
    assert "wildcard or $" in table


@pytest.mark.parametrize("reactor", reactors())
def test_request_that_went_back_to_the_scheduler_is_compared_once(
    reactor: Reactor,
) -> None:
    """Six pages wait until two of another host have all the room there is."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /no\n", gate="busy", at="slow.test")
        site.answer("/busy", replies.Reply(200, b"", delay=1.5), at="fast.test")
        site.open_when("busy", host="fast.test", count=3)
        slow = [site.url(f"/{number}", host="slow.test") for number in range(6)]
        busy = [site.url(f"/busy?{number}", host="fast.test") for number in range(2)]
        settings = {"ROBOTS1994_COMPARE": True, "CONCURRENT_REQUESTS": 2}
        result = crawl([*slow, *busy], settings=settings, reactor=reactor)

    assert sorted(result.fetched_urls) == sorted([*slow, *busy])
    assert result.stats["scheduler/enqueued"] > 8
    assert result.stats[f"{PROTEGO}/agree"] == 8


def test_placeholders_in_the_report_name_are_replaced(tmp_path: Path) -> None:
    """The JSON report has every count, and each example with the minimal lines."""
    path = tmp_path / "new" / "%(name)s-%(time)s.json"
    with Site() as site:
        site.robots("# c\nUser-agent: *\nDisallow: /a\nAllow: /a/b\n")
        crawl(
            [site.url("/a/b"), site.url("/c")],
            settings={
                "ROBOTS1994_COMPARE": ALL,
                "ROBOTS1994_COMPARE_REPORT": str(path),
            },
        )

    (written,) = (tmp_path / "new").iterdir()
    assert written.name.startswith("asking-20")
    assert ":" not in written.name
    report = json.loads(written.read_text("utf-8"))
    assert report["parsers"]["ProtegoRobotParser"]["laxer"] == 1
    assert report["parsers"]["PythonRobotParser"]["agree"] == 2
    row = report["disagreements"][0]
    assert (row["cause"], row["lines"]) == ("allow", [2, 3, 4])
    assert row["ours"].startswith("disallowed by line 3")


def test_parser_that_raises_is_counted(tmp_path: Path) -> None:
    """The crawl continues, and the CSV report names the exception."""
    path = tmp_path / "report.csv"
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\n")
        result = crawl(
            [site.url("/a"), site.url("/b")],
            settings={
                "ROBOTS1994_COMPARE": ["tests.crawl.test_dry_run.RaisingParser"],
                "ROBOTS1994_COMPARE_REPORT": str(path),
            },
        )

    assert len(result.fetched) == 1
    assert result.stats["robots1994/compare/RaisingParser/raised"] == 2
    rows = csv.DictReader(path.read_text("utf-8").split("\n"))
    theirs = {row["theirs"] for row in rows if row["row"] == "disagreement"}
    assert theirs == {"raises LookupError"}


@pytest.mark.parametrize(
    ("reply", "direction"),
    long_after(
        2,
        [
            (replies.text("User-agent: *\nDisallow: /\n", status=404), "stricter"),
            (replies.text("nothing to see", status=403), "laxer"),
            (replies.text("busy", status=503), "laxer"),
            (replies.reset(), "laxer"),
        ],
    ),
    ids=["404 with rules", "403", "503", "reset"],
)
def test_difference_because_of_the_status_is_reported(
    reply: replies.Reply, direction: str, tmp_path: Path
) -> None:
    """The built-in parses the body of any status, and allows all after a failed fetch."""
    path = tmp_path / "report.json"
    with Site() as site:
        site.answer("/robots.txt", reply)
        result = crawl(
            [site.url("/page")],
            settings={
                "ROBOTS1994_COMPARE": True,
                "ROBOTS1994_COMPARE_REPORT": str(path),
            },
        )

    assert result.stats[f"{PROTEGO}/{direction}"] == 1
    (row,) = json.loads(path.read_text("utf-8"))["disagreements"]
    assert (row["cause"], row["lines"]) == ("status", [])


def test_comparison_is_not_loaded_without_the_setting() -> None:
    """There is no stat, no log line and no module of it."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\n")
        result = crawl(
            [site.url("/a")], hook="tests.crawl.test_compare:record_modules_at_close"
        )

    assert result.stats["test/modules"] == []
    assert "compared" not in result.log
    assert not [key for key in result.stats if key.startswith("robots1994/compare")]


def record_modules_at_close(crawler: Any) -> None:
    """Record in the stats which modules of the comparison are loaded at the close."""
    import sys  # noqa: PLC0415 - of the crawling process

    from scrapy import signals  # noqa: PLC0415 - of the crawling process

    modules = (
        "scrapy_robots1994.compare",
        "scrapy_robots1994.crawl.features.comparison",
    )

    def record() -> None:
        loaded = sorted(name for name in sys.modules if name.startswith(modules))
        crawler.stats.set_value("test/modules", loaded)

    crawler.signals.connect(record, signals.spider_closed, weak=False)


@pytest.mark.parametrize(
    ("compared", "report", "message"),
    long_after(
        1,
        [
            (True, "100%.json", "write %%"),
            (True, "%(nothing)s.json", "no attribute 'nothing'"),
            (["no.such.Parser"], "", "is not a parser"),
            (["scrapy.Spider"], "", "is not a parser"),
        ],
    ),
)
def test_invalid_parser_or_report_stops_the_crawl_at_the_start(
    compared: Any, report: str, message: str
) -> None:
    """The error is reported, and no request is sent."""
    settings = {"ROBOTS1994_COMPARE": compared, "ROBOTS1994_COMPARE_REPORT": report}
    with Site() as site:
        result = crawl([site.url("/page")], settings=settings)
        assert site.targets() == []

    assert message in result.error + result.log


def test_report_that_cannot_be_written_is_logged_once(
    tmp_path: Path,
) -> None:
    """A file is where a folder is needed; the page is fetched all the same."""
    (tmp_path / "file").write_text("", "utf-8")
    with Site() as site:
        site.robots("")
        result = crawl(
            [site.url("/page")],
            settings={
                "ROBOTS1994_COMPARE": True,
                "ROBOTS1994_COMPARE_REPORT": str(tmp_path / "file" / "report.json"),
            },
        )

    assert len(result.fetched) == 1
    lines = [line for line in result.log.split("\n") if "could not be written" in line]
    assert len(lines) == 1
