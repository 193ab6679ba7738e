"""Settings that opt for more than 1994: what their values mean, also as text."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_robots1994.crawl.settings import RobotsSettings

BOTH = {"noindex", "nofollow"}


@pytest.mark.parametrize(
    ("value", "cap"),
    [
        (False, None),
        ("False", None),
        ("off", None),
        (0, None),
        ("0", None),
        (True, math.inf),
        ("true", math.inf),
        ("on", math.inf),
        (30, 30.0),
        ("2.5", 2.5),
        (1, 1.0),
    ],
)
def test_a_crawl_delay_is_off_or_on_or_a_cap(value: Any, cap: float | None) -> None:
    """A number is a cap, also 1; a cap of nothing leaves nothing."""
    settings = Settings({"ROBOTS1994_CRAWL_DELAY": value})

    assert RobotsSettings.from_settings(settings).crawl_delay == cap


@pytest.mark.parametrize(
    ("value", "obeyed"),
    [
        (False, set()),
        ("0", set()),
        ([], set()),
        (True, BOTH),
        ("True", BOTH),
        ("1", BOTH),
        ("nofollow", {"nofollow"}),
        ("noindex, rel-nofollow", {"noindex", "rel-nofollow"}),
        (("nofollow",), {"nofollow"}),
    ],
)
def test_pages_are_off_or_on_or_chosen(value: Any, obeyed: set[str]) -> None:
    """True is both halves of the tag; links with rel=nofollow are chosen by name."""
    settings = Settings({"ROBOTS1994_PAGES": value})

    assert RobotsSettings.from_settings(settings).pages == obeyed
