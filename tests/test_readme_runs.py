"""Nothing in the README is only shown: a test runs each command and each snippet.

A test that runs one asks for it by `tests.support.readme`, word for word; this walk
looks which of them nobody asks for.
"""

from __future__ import annotations

import configparser
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from twisted.python.failure import Failure

from scrapy_robots1994 import ForbiddenByRobots, RobotsTxt, robots_sitemaps
from tests.commands.running import scrapy
from tests.support import readme
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from tests.support.site import Site

NOT_TYPED = {
    ".ci/run": "it is what runs these tests",
    "tox": "it runs these tests on every pair; its environments are listed instead",
    "tox -e beyond": "it runs these tests once more; .ci/run has a part of it",
    "tox -e audit": "it asks an index for known holes, which takes a network",
}
"""Commands that no test can run, each with the reason."""

LANGUAGES = {"console", "python", "sh", "text"}
SETTING = re.compile(r"[A-Z][A-Z0-9_]* = ", re.MULTILINE)


def test_every_command_is_run_by_a_test() -> None:
    """A new one, in a block or in a sentence, must bring the test that types it."""
    run = readme.asked_for("typed") | readme.asked_for("block")

    assert sorted(readme.commands() - run - set(NOT_TYPED)) == []


def test_every_command_that_is_run_is_shown() -> None:
    """No test types what the README says no longer, and no excuse outlives its need."""
    asked = readme.asked_for("typed") | readme.asked_for("told")

    assert sorted((asked | set(NOT_TYPED)) - readme.commands()) == []
    assert not set(NOT_TYPED) & asked


def test_every_output_is_compared() -> None:
    """Each text that is shown follows a command whose test asks what it tells."""
    shown = {it.body for it in readme.fences() if it.language == "text"}
    compared = {readme.told(it) for it in readme.asked_for("told")}
    alone = readme.asked_for("text")

    left = [it for it in shown - compared if not any(part in it for part in alone)]
    assert left == []


def test_every_block_is_of_a_language_that_is_walked() -> None:
    """A block in another language, or in none, would be run by nobody."""
    assert {it.language for it in readme.fences()} == LANGUAGES


def settings_blocks() -> list[str]:
    """The Python blocks that are lines for a project's settings."""
    blocks = [it.body for it in readme.fences() if it.language == "python"]
    return [it for it in blocks if SETTING.match(it)]


def test_every_snippet_is_run_by_a_test() -> None:
    """A Python block is for the settings, or a test asks for it by a part of it."""
    blocks = {it.body for it in readme.fences() if it.language == "python"}
    run = {readme.code(part) for part in readme.asked_for("code")}

    assert sorted(blocks - set(settings_blocks()) - run) == []


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


def test_the_errback_learns_the_verdict() -> None:
    """What the README logs of a refusal is its URL and the whole sentence."""
    names: dict[str, Any] = {"ForbiddenByRobots": ForbiddenByRobots}
    exec(readme.code("def errback(self, failure)"), names)  # noqa: S102 - our own text
    verdict = RobotsTxt.parse("User-agent: *\nDisallow: /x").verdict("/x", "me")
    make: Any = Failure
    failure = make(ForbiddenByRobots(verdict))
    failure.request = Request("http://a.test/x")
    logged: list[str] = []
    logger = SimpleNamespace(info=lambda form, *words: logged.append(form % words))

    names["errback"](SimpleNamespace(logger=logger), failure)

    assert logged == [f"http://a.test/x: {verdict}"]
    for field in re.findall(r"\.(\w+)", readme.code("def errback").partition("#")[2]):
        assert hasattr(verdict, field) or field in {"logger", "info", "request", "url"}


def test_a_handler_of_sitemaps_is_connected() -> None:
    """The two lines of the README, with a crawler at hand."""
    crawler = idle_crawler()
    heard: list[Any] = []

    def sitemaps_found(sitemaps: list[str]) -> None:
        heard.extend(sitemaps)

    exec(  # noqa: S102 - our own text
        readme.code("crawler.signals.connect(self.sitemaps_found"),
        {"crawler": crawler, "self": SimpleNamespace(sitemaps_found=sitemaps_found)},
    )
    crawler.signals.send_catch_log(robots_sitemaps, sitemaps=("http://a.test/map",))

    assert heard == ["http://a.test/map"]


def test_the_log_line_at_the_top_is_what_a_refusal_says() -> None:
    """The sentence of the hall's line 7 in the example."""
    (line,) = readme.text("Forbidden by robots.txt: disallowed by line 7").splitlines()
    body = "#\n" * 4 + "User-agent: townwalker\nDisallow: /x\nDisallow: /archive\n"

    verdict = RobotsTxt.parse(body).verdict("/archive", "townwalker/1.0")

    assert str(ForbiddenByRobots(verdict)) == line


def test_every_option_is_one_of_a_command() -> None:
    """What stands in code marks as `--option` is known to a command of ours, or to a
    proof or a race that names it beside.
    """
    part = readme.README.partition("\n## Commands\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(--[\w-]+)", part))
    known: set[str] = set()
    for name in ("robots-check", "robots-lint", "robots-compare", "robots-store"):
        known |= set(re.findall(r"--[\w-]+", scrapy(name, "--help").out))

    assert named
    assert named - known == set()


def test_the_versions_are_those_of_the_matrix() -> None:
    """The table under Install has a row for each pair that `tox` runs, and no other."""
    matrix = configparser.ConfigParser()
    matrix.read(readme.ROOT / "setup.cfg", "utf-8")
    listed = " ".join(matrix["tox:tox"]["env_list"].split())
    pairs = re.findall(r"py3(\d+)-scrapy{?2?(\d\d)", listed)
    part = readme.README.partition("\n## Install\n")[2].partition("\n### ")[0]

    rows = re.findall(r"^\| 3\.(\d+) \| 2\.(\d+)\.", part, re.MULTILINE)

    assert "py310-lowest" in listed
    assert rows == [("10", "13"), *pairs]
