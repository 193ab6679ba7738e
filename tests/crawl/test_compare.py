"""Tests of ROBOTS1994_COMPARE: our parser decides, and a report compares other parsers."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import replies
from tests.support.crawl import COMPONENTS, Reactor, crawl, crawl_over_time, start_crawl
from tests.support.left_out import table
from tests.support.site import Site

PROTEGO = "robots1994/compare/ProtegoRobotParser"


def test_parser_that_never_answers_ends_the_comparison(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """If a compared parser never answers, all allowed pages are still fetched.

    One warning contains the name of the parser, and the report is written.
    """
    path = tmp_path / "report.json"
    site.robots("User-agent: *\nDisallow: /no\n")
    # Answer the first page only when the second page is requested. If pages waited for the
    # parser, the first page would therefore not be fetched.
    site.answer("/1", replies.text("", gate="second"))
    site.open_when("second", "/2")
    pages = [site.url(path) for path in ("/1", "/2", "/no")]
    parsers = ["Protego", f"{COMPONENTS}.StuckParser"]
    report = {"ROBOTS1994_COMPARE_REPORT": str(path)}
    settings = {"ROBOTS1994_COMPARE": parsers} | report
    result = crawl(pages, settings=settings, reactor=reactor)

    assert result.fetched_urls == pages[:2]
    assert result.log.count("StuckParser has not answered about robots.txt of") == 1
    assert result.stats["robots1994/compare/skipped"] == 3
    assert json.loads(path.read_text("utf-8"))["not_compared"] == 3


def test_parser_that_panics_ends_the_comparison_and_loses_no_page(site: Site) -> None:
    """If a compared parser raises a `BaseException`, all pages are still fetched.

    The pages are requested one after the other, so that the comparison has ended before the
    last pages are decided.
    """
    site.robots("User-agent: *\nDisallow: /no\n")
    steps = [[site.url(f"/{number}")] for number in range(5)]
    settings = {"ROBOTS1994_COMPARE": [f"{COMPONENTS}.PanickingParser"]}
    result = crawl_over_time(*steps, settings=settings)

    assert result.fetched_urls == [url for (url,) in steps]
    assert result.stats["robots1994/compare/skipped"] == 5


def test_our_parser_decides_and_the_built_in_is_compared(site: Site) -> None:
    """With ROBOTS1994_COMPARE = True, our parser decides, and the parser in
    ROBOTSTXT_PARSER is compared.

    The stats count each compared decision once.
    """
    site.robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif\n")
    pages = [site.url(it) for it in ("/a/b", "/a/c", "/x.gif", "/y", "/y?z")]
    result = crawl(pages, settings={"ROBOTS1994_COMPARE": True})

    assert len(result.fetched) == 3
    assert result.stats[f"{PROTEGO}/agree"] == 3
    assert result.stats[f"{PROTEGO}/stricter"] == 1
    assert result.stats[f"{PROTEGO}/laxer"] == 1
    shown = result.log.partition("compared, parser by parser")[2]
    for part in (
        "ProtegoRobotParser",
        "60.00%",
        "wildcard or $",
        "; ours opens the site",
    ):
        assert part in shown


def test_two_parsers_with_one_class_name_are_both_compared(site: Site) -> None:
    """If two compared parsers have the same class name, the stats contain the import path of
    each class.

    One class disallows every URL, and the other class allows every URL.
    """
    site.robots("User-agent: *\nDisallow: /no\n")
    parsers = [f"{COMPONENTS}.OpenParser", "tests.support.parsers.OpenParser"]
    settings = {"ROBOTS1994_COMPARE": [*parsers, parsers[0]]}
    result = crawl([site.url("/a"), site.url("/b")], settings=settings)

    compared = {
        key: number
        for key, number in result.stats.items()
        if key.startswith("robots1994/compare/")
    }
    assert compared == {
        f"robots1994/compare/{parsers[0]}/stricter": 2,
        f"robots1994/compare/{parsers[1]}/agree": 2,
    }


def test_placeholders_in_the_report_name_are_replaced(
    site: Site, tmp_path: Path
) -> None:
    """Placeholders in the file name of the comparison report are replaced, but not behind
    two per cent signs.

    The JSON report contains the counts of each parser. Each example in the report has a
    cause and the lines that suffice for the difference.
    """
    path = tmp_path / "new" / "%(name)s-%(time)s-%%(no)s.json"
    site.robots("# c\nUser-agent: *\nDisallow: /a\nAllow: /a/b\n")
    parsers = ["Protego", "PythonRobotParser", "scrapy.robotstxt.RerpRobotParser"]
    settings = {"ROBOTS1994_COMPARE": parsers, "ROBOTS1994_COMPARE_REPORT": str(path)}
    crawl([site.url("/a/b"), site.url("/c")], settings=settings)

    (written,) = path.parent.iterdir()
    assert written.name.startswith("asking-20")
    assert written.name.endswith("-%(no)s.json")
    assert ":" not in written.name
    report = json.loads(written.read_text("utf-8"))
    assert report["parsers"]["ProtegoRobotParser"]["laxer"] == 1
    # Python 3.14 and newer versions obey the longest matching rule. Older versions of
    # Python obey the first matching rule.
    python = report["parsers"]["PythonRobotParser"]
    assert (python["agree"], python["laxer"]) in {(2, 0), (1, 1)}
    row = report["disagreements"][0]
    assert (row["cause"], row["lines"]) == ("allow", [2, 3, 4])
    assert row["ours"].startswith("disallowed by line 3")


@table(
    ("reply", "direction"),
    (replies.text("User-agent: *\nDisallow: /\n", status=404), "stricter"),
    (replies.text("nothing to see", status=403), "laxer"),
    (replies.text("busy", status=503), "laxer"),
    (replies.reset(), "laxer"),
    short=2,
    ids=["404 with rules", "403", "503", "reset"],
)
def test_difference_because_of_the_status_is_reported(
    site: Site, reply: replies.Reply, direction: str, tmp_path: Path
) -> None:
    """If parsers differ because of the HTTP status of robots.txt, the report has the cause
    "status".

    The built-in middleware parses the body of any status. After a failed fetch, the
    built-in middleware allows all URLs.
    """
    path = tmp_path / "report.json"
    site.answer("/robots.txt", reply)
    settings = {"ROBOTS1994_COMPARE": True, "ROBOTS1994_COMPARE_REPORT": str(path)}
    result = crawl([site.url("/page")], settings=settings)

    assert result.stats[f"{PROTEGO}/{direction}"] == 1
    (row,) = json.loads(path.read_text("utf-8"))["disagreements"]
    assert (row["cause"], row["lines"]) == ("status", [])


def test_parser_that_raises_is_counted(site: Site, tmp_path: Path) -> None:
    """If a compared parser raises an exception, the crawl continues.

    A stat counts the exceptions of the parser, and the report contains the class of the
    exception.
    """
    path = tmp_path / "report.json"
    site.robots("User-agent: *\nDisallow: /a\n")
    parsers = {"ROBOTS1994_COMPARE": [f"{COMPONENTS}.RaisingParser"]}
    settings = parsers | {"ROBOTS1994_COMPARE_REPORT": str(path)}
    result = crawl([site.url("/a"), site.url("/b")], settings=settings)

    assert len(result.fetched) == 1
    assert result.stats["robots1994/compare/RaisingParser/raised"] == 2
    rows = json.loads(path.read_text("utf-8"))["disagreements"]
    theirs = {row["theirs"] for row in rows}
    assert theirs == {"raises LookupError"}


def test_parser_that_ends_its_thread_does_not_affect_the_crawl(site: Site) -> None:
    """If a compared parser raises `SystemExit`, all pages are fetched, and the comparison
    skips all decisions.
    """
    site.robots("User-agent: *\nDisallow: /a\n")
    # The second page is requested after the parser has been asked about the first page.
    site.answer("/1", replies.Reply(delay=1))
    pages = [site.url("/1"), site.url("/2")]
    settings = {
        "ROBOTS1994_COMPARE": [f"{COMPONENTS}.ExitingParser"],
        "CONCURRENT_REQUESTS": 1,
    }
    result = crawl(pages, settings=settings)

    assert result.fetched_urls == pages
    assert result.stats["robots1994/compare/skipped"] == 2


def test_report_that_cannot_be_written_is_logged_once(
    site: Site, tmp_path: Path
) -> None:
    """If the comparison report cannot be written, one line is logged, and the page is still
    fetched.

    During the crawl, a folder with the name of the report is made.
    """
    path = tmp_path / "report.json"
    site.answer("/page", replies.Reply(gate="folder"))
    settings = {"ROBOTS1994_COMPARE_REPORT": str(path), "ROBOTS1994_COMPARE": True}
    running = start_crawl([site.url("/page")], settings=settings)
    site.wait("/page")
    assert list(tmp_path.iterdir()) == []
    path.mkdir()
    site.open("folder")
    result = running.result()

    assert len(result.fetched) == 1
    assert len(result.lines("could not be written")) == 1
    assert list(path.iterdir()) == []
