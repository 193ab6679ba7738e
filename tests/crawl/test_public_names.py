"""The public names of the package, without a crawl."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest

import scrapy_robots1994
from scrapy_robots1994 import (
    ForbiddenByRobots,
    Robots1994Parser,
    RobotsTxt,
    SettingsError,
)
from tests.support.crawl import ROOT
from tests.support.crawler import idle_crawler

PAGE = "https://www.site.test/no"


def test_dir_lists_the_public_names_before_they_are_loaded() -> None:
    """Interactive shells complete names with `dir`."""
    assert dir(scrapy_robots1994) == sorted(scrapy_robots1994.__all__)


@pytest.mark.parametrize("name", scrapy_robots1994.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    # Python calls `__getattr__` only until a name has been imported, so call it here.
    assert scrapy_robots1994.__getattr__(name) is not None


@pytest.mark.parametrize("name", scrapy_robots1994.__all__)
def test_every_public_name_is_in_the_reference_and_known_to_type_checkers(
    name: str,
) -> None:
    pages = (it.read_text("utf-8") for it in (ROOT / "docs/reference").glob("*.rst"))
    module = Path(scrapy_robots1994.__file__).read_text("utf-8")

    assert re.search(rf"(::|``) ?scrapy_robots1994\.{name}\b", "".join(pages))
    assert re.search(rf"^    .*\b{name} as {name},?$", module, re.MULTILINE)


def test_exception_survives_pickling_and_copying() -> None:
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /no")
    refusal = ForbiddenByRobots(robots.verdict(PAGE, "me"))

    for other in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal)):  # noqa: S301 - our own data
        assert other.verdict == refusal.verdict
        assert str(other) == str(refusal)


def test_pickled_verdict_has_only_the_rule_that_decides() -> None:
    rules = b"Disallow: /caf\xe9\nDisallow: /other\n" * 20
    verdict = RobotsTxt.parse(b"User-agent: *\n" + rules).verdict("/caf%E9", "me")

    record = pickle.loads(pickle.dumps(verdict)).record  # noqa: S301 - our own data
    assert [it.line for it in record.rules] == [verdict.line] == [2]


def test_parser_accepts_bytes_text_and_parsed_files() -> None:
    body = b"User-agent: *\nDisallow: /no\n"

    for each in (body, body.decode(), Robots1994Parser(body).robots):
        parser = Robots1994Parser(each)

        assert not parser.allowed(PAGE, "rex")
        assert parser.robots.problems == ()


def test_parser_reads_by_the_settings_of_its_crawler() -> None:
    """Scrapy's interface allows None as the crawler. The default settings then apply."""
    body = b"User-agent: rover\nCrawl-delay: 2.5\nAllow: /no\nDisallow: /no\n"
    settings = {"ROBOTS1994_DIALECT": "extended"}
    cut = idle_crawler({"ROBOTS1994_MAX_BYTES": len(body) - 1})
    plain = Robots1994Parser.from_crawler(None, body)
    parser = Robots1994Parser.from_crawler(idle_crawler(settings), body)

    assert not plain.allowed(PAGE, "rover")
    assert parser.allowed(PAGE, "rover")
    assert Robots1994Parser.from_crawler(cut, body).allowed(PAGE, "rover")
    delays = [parser.crawl_delay("rover/1.0"), parser.crawl_delay(b"other")]
    assert [*delays, plain.crawl_delay("rover")] == [2.5, None, None]


def test_parser_of_a_crawler_with_an_invalid_setting_is_an_error() -> None:
    """The built-in middleware parses b"" at the start, so a crawl with an invalid setting fails
    at once.
    """
    crawler = idle_crawler({"ROBOTS1994_DIALECT": "bold"})

    with pytest.raises(SettingsError, match="ROBOTS1994_DIALECT must be"):
        Robots1994Parser.from_crawler(crawler, b"")
