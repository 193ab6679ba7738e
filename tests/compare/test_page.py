"""The report in a real browser: it renders, filters, sorts and opens; hostile text does
nothing, and nothing is asked of a network.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from scrapy_robots1994.compare import as_html
from tests.compare.report_parts import HOSTILE_URL, report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

pytestmark = pytest.mark.browser

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as a file on disk."""
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(as_html(report()), "utf-8")
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A headless Chromium with a profile of its own."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    started = Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield started
    started.quit()


@pytest.fixture
def browser(chromium: Chrome, page: Path) -> Chrome:
    """The browser with the report freshly open."""
    chromium.get(page.as_uri())
    return chromium


def rows(browser: Chrome) -> list[WebElement]:
    """The rows that can be seen, in their order."""
    every = browser.find_elements(By.CSS_SELECTOR, "#rows tbody")
    return [row for row in every if row.is_displayed()]


def said(browser: Chrome, key: str) -> list[str]:
    """One column of the rows that can be seen."""
    return [str(row.get_attribute(f"data-{key}")) for row in rows(browser)]


def log(browser: Chrome, kind: str) -> list[dict[str, Any]]:
    """What the browser logged since the last look."""
    told: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]  # selenium's
    return told


def test_it_renders_with_charts_and_totals(browser: Chrome) -> None:
    """Two charts that have a size, a table of totals, a row for each explanation."""
    charts = browser.find_elements(By.CSS_SELECTOR, ".chart svg")
    totals = browser.find_element(By.CSS_SELECTOR, ".numbers").text

    assert len(charts) == 2
    assert all(chart.size["height"] > 100 for chart in charts)
    assert "ProtegoRobotParser" in totals
    assert len(rows(browser)) == len(report().explanations)


@pytest.mark.parametrize("name", ["parser", "direction", "cause"])
def test_each_filter_leaves_what_it_names(browser: Chrome, name: str) -> None:
    """The count says how many rows are left."""
    choice = Select(browser.find_element(By.NAME, name))
    choice.select_by_index(1)
    wanted = choice.first_selected_option.get_attribute("value")

    left = said(browser, name)

    assert left
    assert set(left) == {wanted}
    assert browser.find_element(By.ID, "shown").text == f"{len(left)} shown"


def test_text_filters_by_origin(browser: Chrome) -> None:
    """A part of an origin is enough; what nobody has leaves nothing."""
    field = browser.find_element(By.NAME, "text")

    field.send_keys("SPLIT.te")
    assert set(said(browser, "where")) == {"http://split.test"}
    field.send_keys("nobody has this")
    assert rows(browser) == []


@pytest.mark.parametrize("key", ["where", "url", "cause"])
def test_a_head_sorts_up_and_then_down(browser: Chrome, key: str) -> None:
    """And says so to who cannot see the arrow."""
    head = browser.find_element(By.CSS_SELECTOR, f"button[data-key={key}]")

    head.click()
    up = said(browser, key)
    head.click()
    down = said(browser, key)

    assert up == list(reversed(down)) or sorted(up) == sorted(down)
    assert up != down
    sorts = browser.find_element(By.CSS_SELECTOR, "th[aria-sort]")
    assert sorts.get_attribute("aria-sort") == "descending"


def test_a_row_opens_by_keyboard_to_the_file_with_needed_lines_marked(
    browser: Chrome,
) -> None:
    """Both verdicts stand above the file; the same key closes it again."""
    browser.find_element(By.NAME, "text").send_keys("split.test")
    row = rows(browser)[0]
    opener = row.find_element(By.CSS_SELECTOR, ".opener")
    detail = row.find_element(By.CSS_SELECTOR, ".detail")

    assert not detail.is_displayed()
    opener.send_keys(Keys.ENTER)

    assert opener.get_attribute("aria-expanded") == "true"
    assert len(detail.find_elements(By.CSS_SELECTOR, "mark")) == 3
    assert "Disallow: /a" in detail.text
    assert "no record of robots.txt" in detail.text or "no rule of" in detail.text
    assert "no blank line stands inside a record" in detail.text
    opener.send_keys(Keys.ENTER)
    assert not detail.is_displayed()


def test_a_long_file_is_folded_around_its_needed_lines(browser: Chrome) -> None:
    """Of 902 lines a few are shown, and what is left out is counted."""
    browser.find_element(By.NAME, "text").send_keys("long.test/x-y")
    row = rows(browser)[0]

    row.find_element(By.CSS_SELECTOR, ".opener").click()

    shown = row.find_elements(By.CSS_SELECTOR, ".file > *")
    assert len(shown) < 20
    gaps = [line.text for line in row.find_elements(By.CSS_SELECTOR, ".gap")]
    assert gaps == ["894 lines"] or all("lines" in gap for gap in gaps)


def test_hostile_text_is_text(browser: Chrome) -> None:
    """Tags, quotes and templates of a file, an origin, a URL and a robot are shown."""
    browser.find_element(By.NAME, "text").send_keys("evil.test")
    for row in rows(browser):
        row.find_element(By.CSS_SELECTOR, ".opener").click()

    text = browser.find_element(By.ID, "rows").text
    assert HOSTILE_URL in text
    assert "<script>alert(1)</script>" in text
    assert "\\u202e\\x1b[31m<b>" in text
    assert "{{ 7 * 7 }}" in text
    assert len(browser.find_elements(By.CSS_SELECTOR, "script")) == 1
    assert browser.find_elements(By.CSS_SELECTOR, "img, i, pre b") == []


def test_nothing_is_logged_and_nothing_leaves_for_a_network(
    browser: Chrome, page: Path
) -> None:
    """The one thing that is loaded is the file itself."""
    log(browser, "performance")
    browser.get(page.as_uri())
    for opener in browser.find_elements(By.CSS_SELECTOR, ".opener"):
        opener.click()

    assert log(browser, "browser") == []
    asked: list[Any] = [
        json.loads(entry["message"])["message"] for entry in log(browser, "performance")
    ]
    urls = {
        event["params"]["request"]["url"]
        for event in asked
        if event["method"] == "Network.requestWillBeSent"
    }
    assert urls == {page.as_uri()}


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_a_desk_in_light_and_dark(
    browser: Chrome, width: int, scheme: str
) -> None:
    """The page never scrolls sideways, and its ground is what the reader asked for."""
    size = {
        "width": width,
        "height": 800,
        "deviceScaleFactor": 1,
        "mobile": width < 600,
    }
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    for opener in browser.find_elements(By.CSS_SELECTOR, ".opener")[:3]:
        opener.click()

    wide = browser.execute_script("return document.documentElement.scrollWidth")
    ground = browser.find_element(By.TAG_NAME, "body")
    assert wide <= width
    colour = ground.value_of_css_property("background-color")
    assert ("246, 247, 249" in colour) == (scheme == "light")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
