"""Settings from code and from the command line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings, default_settings

from scrapy_robots1994 import Origin
from scrapy_robots1994.commands.fetch_policies import ISOLATED
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy.policy import FreshnessSettings
from scrapy_robots1994.stores.url import StoreUrl

BOTH = {"noindex", "nofollow"}
READ: dict[str, list[tuple[Any, Any]]] = {
    "TTL": [("600", 600.0), (600, 600.0), (0, 0.0)],
    "MAX_BYTES": [("1000", 1_000), (1, 1)],
    "MAX_WAITING": [(0, 0)],
    "EVIDENCE": [("", None), (Path("evidence"), "evidence")],
    "COMPARE": [(True, ("ROBOTSTXT_PARSER",)), ([Settings], (Settings,))],
    "COMPARE_REPORT": [("report.HTML", "report.HTML")],
    "USAGE": [(False, ""), ("", ""), ("report", "report")],
    "PURPOSES": [("tdm,search,tdm", ("tdm", "search"))],
    "PROPAGATE_META": [("a, b", ("a", "b")), (' ["a", "b"]', ("a", "b")), ("", ())],
    "EXEMPT": [
        (["[::1]", "API.test"], {"::1", "api.test"}),
        ("http://[::1]:8080", {Origin("http", "::1", 8080)}),
    ],
    "CRAWL_DELAY": [
        *((off, None) for off in (False, "False", 0, "0")),
        *((on, math.inf) for on in (True, "true")),
        *((cap, float(cap)) for cap in (30, "2.5", 1)),
    ],
    "PAGES": [
        (False, set()),
        ("0", set()),
        ([], set()),
        (" ", set()),
        *((on, BOTH) for on in (True, "True", "1")),
        ("nofollow", {"nofollow"}),
        ("noindex, rel-nofollow", {"noindex", "rel-nofollow"}),
        ("noindex,nofollow,rel-nofollow", {"noindex", "nofollow", "rel-nofollow"}),
        *((kind(("nofollow",)), {"nofollow"}) for kind in (tuple, set, frozenset)),
    ],
}
"""Pairs of a value (as set in code or with `-s`) and its meaning."""


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [(name, *case) for name, cases in READ.items() for case in cases],
)
def test_value_is_read(name: str, value: object, expected: object) -> None:
    settings = RobotsSettings.from_settings(Settings({f"ROBOTS1994_{name}": value}))

    assert getattr(settings, name.lower()) == expected


@pytest.mark.parametrize("name", sorted({*FreshnessSettings._fields} - {"allowing"}))
def test_every_lifetime_is_a_setting(name: str) -> None:
    settings = RobotsSettings.from_settings(Settings({f"ROBOTS1994_{name.upper()}": 7}))

    assert getattr(settings.freshness, name) == 7


def test_every_default_is_accepted() -> None:
    settings = RobotsSettings.from_settings(Settings())

    assert settings.store == StoreUrl()
    assert settings.max_waiting == 1_000


def test_no_limit_of_a_crawl_ends_a_command() -> None:
    limits = {it for it in dir(default_settings) if it.startswith("CLOSESPIDER_")}

    # Commands scrape no items.
    assert limits - {"CLOSESPIDER_ITEMCOUNT"} <= ISOLATED.keys()
