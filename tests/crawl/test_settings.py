"""Settings: values are read, and an invalid one stops the crawl at the start."""

from __future__ import annotations

import math
import sys
from dataclasses import fields
from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_robots1994 import SettingsError
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy import FreshnessSettings
from scrapy_robots1994.stores import StoreUrl
from tests.crawl.test_addon import BUILT_IN, OURS
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.site import Site

INVALID: dict[str, list[object]] = {
    "DIALECT": ["1995", 1994, ["1994"], ""],
    "READING": ["strict", True, 1],
    "TTL": ["soon", -1, True, [], float("nan"), float("inf"), "1e999", "1_0", "٣"],
    "MIN_TTL": ["soon", -1, True, 90_000],
    "STALE_TTL": ["", -0.5, {}],
    "RETRY_AFTER": ["5 minutes", -1, True],
    "FORBIDDEN": ["deny", False, 0],
    "UNREACHABLE": ["Disallow", None.__class__, 1],
    "MAX_BYTES": [0, -1, 1.5, "500k", True, sys.maxsize, "9" * 5_000, 10**5_000],
    "TIMEOUT": [0, -1, "0", "never", True],
    "MAX_REDIRECTS": [-1, 1.5, "many", True],
    "MAX_WAITING": [-1, 0.5, "all", True],
    "MAX_FETCHES": [0, -1, 0.5, "all", True],
    "STORE": [
        "memory",
        "mysql://x",
        "memory://?max_origins=0",
        "memory://?x=1",
        "sqlite://",
        5,
    ],
    "CLOSE_WHEN_DENIED": ["yes", 2, "", [], 1.0],
    "COMPARE": [5, [1], {"a": 1}, [""], [int], ",", "[", "[1]", "[" * 100_000],
    "DRY_RUN": ["yes", 2, []],
    "COMPARE_REPORT": [5, True, "report", "report.txt", "report.html.gz"],
    "CRAWL_DELAY": ["yes", -1, float("nan"), float("inf"), [], "1e999"],
    "PAGES": ["yes", 2, ["follow"], "noindex;nofollow", [1], [[]], {"noindex": True}],
    "PROPAGATE_META": [5, [1], [""], {"a": 1}, ",", '["a"', "[1]"],
}

CASES = [(name, value) for name, values in INVALID.items() for value in values]


def test_every_setting_has_invalid_values_here() -> None:
    """A new setting needs its invalid values here."""
    assert {each.name.upper() for each in fields(RobotsSettings)} == set(INVALID)


@pytest.mark.parametrize(("name", "value"), CASES, ids=range(len(CASES)))
def test_invalid_value_is_an_error_of_one_line(name: str, value: object) -> None:
    """The message names the setting."""
    with pytest.raises(SettingsError) as raised:
        RobotsSettings.from_settings(Settings({f"ROBOTS1994_{name}": value}))

    message = str(raised.value)
    assert message.startswith(f"ROBOTS1994_{name}")
    assert "\n" not in message
    assert message.endswith((".", "?"))


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("ROBOTS1994_TLL", "ROBOTS1994_TTL"),
        ("ROBOTS1994_UNREACHEABLE", "ROBOTS1994_UNREACHABLE"),
        ("robots1994_ttl", "ROBOTS1994_TTL"),
    ],
)
def test_misspelt_name_is_an_error_with_a_suggestion(
    name: str, suggestion: str
) -> None:
    """A setting without effect stops the crawl."""
    with pytest.raises(SettingsError, match=f"did you mean {suggestion}"):
        RobotsSettings.from_settings(Settings({name: 5}))


def test_unknown_name_is_an_error_that_lists_the_settings() -> None:
    """If no name is similar, all are listed."""
    with pytest.raises(SettingsError, match="the settings are ROBOTS1994_DIALECT, "):
        RobotsSettings.from_settings(Settings({"ROBOTS1994_QQQQQQQQQQ": 5}))


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


@pytest.mark.parametrize("reactor", reactors())
@pytest.mark.parametrize("middleware", ["ours", "by hand"])
@pytest.mark.parametrize(
    "settings",
    [
        {"ROBOTS1994_TTL": "soon"},
        {"ROBOTS1994_TLL": 5},
        {"ROBOTS1994_STORE": "mysql://x"},
        {"ROBOTS1994_COMPARE": ["no.such.Parser"]},
    ],
    ids=["value", "name", "store", "parser"],
)
def test_invalid_setting_is_one_critical_line_and_no_request_is_sent(
    settings: dict[str, object], middleware: str, reactor: Reactor
) -> None:
    """This holds with the add-on and with the middleware enabled by hand."""
    by_hand = {"DOWNLOADER_MIDDLEWARES": {BUILT_IN: None, OURS: 100}}
    with Site() as site:
        result = crawl(
            [site.url("/page")],
            settings=settings if middleware == "ours" else settings | by_hand,
            middleware="ours" if middleware == "ours" else "builtin",
            reactor=reactor,
            # Scrapy leaves the sessions of its aiohttp handler open.
            may_warn=reactor == "none",
        )

        assert site.targets() == []

    message = str(result.error).partition(": ")[2]
    assert message.startswith("ROBOTS1994_")
    critical = [
        line.split("] ", 2)[1]
        for line in result.log.split("\n")
        if " [scrapy_robots1994] CRITICAL: " in line
    ]
    assert critical == [f"CRITICAL: The crawl cannot start: {message}"]
    assert result.fetched == []


def test_misspelt_value_is_an_error_with_a_suggestion() -> None:
    """This holds for settings with named values."""
    with pytest.raises(SettingsError, match='did you mean "extended"'):
        RobotsSettings.from_settings(Settings({"ROBOTS1994_DIALECT": "Extnded"}))


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
