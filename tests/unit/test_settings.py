"""Settings as the crawl reads them: texts, lists, defaults."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy import FreshnessSettings
from scrapy_robots1994.stores import StoreUrl


def test_text_from_the_command_line_is_read() -> None:
    """`-s ROBOTS1994_TTL=600` passes text."""
    settings = RobotsSettings.from_settings(
        Settings(
            {
                "ROBOTS1994_TTL": "600",
                "ROBOTS1994_MAX_BYTES": "1000",
                "ROBOTS1994_PROPAGATE_META": "a, b",
                "ROBOTS1994_STORE": "memory://?max_origins=5",
            }
        )
    )

    assert settings.freshness.ttl == 600
    assert settings.max_bytes == 1000
    assert settings.propagate_meta == ("a", "b")
    as_json = Settings({"ROBOTS1994_PROPAGATE_META": ' ["a", "b"]'})
    assert RobotsSettings.from_settings(as_json).propagate_meta == ("a", "b")
    assert settings.store.max_origins == 5


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PROPAGATE_META", ""),
        ("PROPAGATE_META", " "),
        ("COMPARE", " "),
        ("COMPARE", " None "),
        ("PAGES", " "),
    ],
)
def test_blank_text_is_an_empty_list(name: str, text: str) -> None:
    """A shell script whose variable is empty passes `-s NAME=" "`."""
    settings = RobotsSettings.from_settings(Settings({f"ROBOTS1994_{name}": text}))

    assert tuple(getattr(settings, name.lower())) == ()


def test_every_default_is_accepted() -> None:
    """The defaults are those of `FreshnessSettings` and `StoreUrl`."""
    settings = RobotsSettings.from_settings(Settings())

    assert settings.freshness == FreshnessSettings()
    assert settings.store == StoreUrl()
    assert settings.max_waiting == 1_000
    assert not settings.dry_run


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
def test_crawl_delay_is_off_or_on_or_has_a_maximum(
    value: Any, cap: float | None
) -> None:
    """A number, even 1, is a maximum; 0 disables delays."""
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
    """True means both terms of the tag; rel-nofollow must be chosen by name."""
    settings = Settings({"ROBOTS1994_PAGES": value})

    assert RobotsSettings.from_settings(settings).pages == obeyed
