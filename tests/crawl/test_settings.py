"""An invalid setting stops the crawl at the start."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from scrapy_robots1994 import Robots1994Middleware, SettingsError
from tests.support.commands import scrapy
from tests.support.crawl import ROOT
from tests.support.crawler import idle_crawler

INVALID: dict[str, list[object]] = {
    "DIALECT": ["1995", 1994, ["1994"], ""],
    "TTL": ["soon", -1, True, [], float("nan"), float("inf"), "1e999", 10**400],
    "STALE_TTL": ["", -0.5, {}],
    "FORBIDDEN": ["deny", False, 0],
    "UNREACHABLE": ["Disallow", None.__class__, 1],
    "MAX_BYTES": [0, -1, 1.5, "500k", True, sys.maxsize, "9" * 5_000],
    "TIMEOUT": [0, -1, "0", "never", True],
    "MAX_WAITING": [-1, 0.5, "all", True],
    "STORE": ["memory", "mysql://x", "sqlite://", 5],
    "DRY_RUN": ["yes", 2, "", []],
    "COMPARE": [5, [1], {"a": 1}, [""], [int], "[", "[1]", "[" * 100_000],
    "COMPARE_REPORT": [5, True, "True", "report", "report.txt", "report.html.gz"],
    "EVIDENCE": [5, True, "True", ["evidence"], {}, "s3://bucket/x"],
    "CLOSE_WHEN_DENIED": ["yes", 2, "", [], 1.0],
    "EXEMPT": [
        *(5, [1], [""], {"a": 1}, "*.h.example", ".h.example", "a..b", "a b"),
        *("h.example/path", "https://h.example/", "https://u:p@h.example", "h?q"),
        *(
            "h.example:8443",
            "h#f",
            "h\\f",
            "ftp://h.example",
            "https://",
            "[::1",
            "::1",
        ),
        *("https://h.example:99999", "https://h.example:x", ["fine", "not fine"]),
    ],
    "CRAWL_DELAY": ["yes", -1, float("nan"), float("inf"), [], "1e999"],
    "USAGE": ["yes", 2, "item", [], "Items", {"items": True}],
    "PURPOSES": ["train", ["ai-train"], "train-ai;search", 5, [1], {"tdm": 1}, [""]],
    "PAGES": ["yes", 2, ["follow"], "noindex;nofollow", [1], [[]], {"noindex": True}],
    "PROPAGATE_META": [5, [1], [""], {"a": 1}, '["a"', "[1]"],
}

CASES = [(name, value) for name, values in INVALID.items() for value in values]


def refused(name: str, value: object) -> str:
    settings = {"ROBOTSTXT_OBEY": True, name: value}
    with pytest.raises(SettingsError) as raised:
        Robots1994Middleware(idle_crawler(settings))
    return str(raised.value)


def test_unknown_name_is_an_error_that_lists_the_settings() -> None:
    message = refused("ROBOTS1994_QQQQQQQQQQ", 5)

    listed = re.findall(r"ROBOTS1994_(\w+)", message.partition("settings are")[2])
    assert set(listed) == set(INVALID)


@pytest.mark.parametrize(("name", "value"), CASES, ids=range(len(CASES)))
def test_invalid_value_is_an_error_of_one_line(name: str, value: object) -> None:
    message = refused(f"ROBOTS1994_{name}", value)

    assert message.startswith(f"ROBOTS1994_{name}")
    assert "\n" not in message
    assert message.endswith((".", "?"))


PARSER_ALONE = (
    "ADDONS={}",
    "ROBOTSTXT_OBEY=True",
    "ROBOTSTXT_PARSER=scrapy_robots1994.Robots1994Parser",
)


@pytest.mark.parametrize("more", [(), PARSER_ALONE], ids=["add-on", "parser alone"])
def test_wrong_setting_is_one_line_without_a_traceback(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    """Older versions of Scrapy log a traceback, because they do not run the crawl as a task."""
    spider = str(ROOT / "tests" / "support" / "ports_spider.py")
    options = [f"-s{it}" for it in ("ROBOTS1994_DIALET=rfc9309", *more)]
    result = scrapy("runspider", spider, "-a", "ports=", *options, folder=tmp_path)

    ours = "[scrapy_robots1994] CRITICAL: "
    (line,) = (it for it in result.err.splitlines() if ours in it)
    assert line.endswith("did you mean ROBOTS1994_DIALECT?")
    is_task = "Using AsyncCrawlerProcess" in result.err
    assert ("Traceback" in result.err) is not is_task
