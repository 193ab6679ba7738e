"""The HTML report in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from tests.support import browser as browsers
from tests.support.compared_files import (
    CHANGES,
    HOSTILE_LABEL,
    ROBOTS,
    compare,
    write_files,
)

pytestmark = pytest.mark.browser

COUNT = 10_000
PYTHON = "PythonRobotParser"
DATA = re.compile(r'id="data"[^>]*>(.*?)</script>', re.DOTALL)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("report")
    write_files(folder)
    assert compare(folder, "--report", "../report.html").code == 0
    return folder.parent / "report.html"


@pytest.fixture(scope="module")
def plain(page: Path) -> Any:
    (text,) = DATA.findall(page.read_text("utf-8"))
    return json.loads(text)


@pytest.fixture(scope="module")
def large_page(page: Path, plain: dict[str, Any]) -> Path:
    sites, rows = [], []
    for number in range(COUNT):
        site = plain["sites"][number % len(plain["sites"])]
        label = f"https://site-{number:05}.test"
        sites.append(site | {"site": label})
        found = (it for it in plain["rows"] if it["site"] == site["site"])
        rows += [it | {"site": label} for it in found][:2]
    data = json.dumps(plain | {"sites": sites, "rows": rows})
    safe = data.replace("<", "\\u003c").replace(">", "\\u003e")
    text = page.read_text("utf-8")
    path = page.with_name("large.html")
    path.write_text(text.replace(DATA.findall(text)[0], safe), "utf-8")
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with browsers.chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


def opened(chromium: Chrome, page: Path, state: str = "") -> Chrome:
    """Load *page* without the state of an earlier load."""
    chromium.get("about:blank")
    chromium.get(page.as_uri() + state)
    return chromium


@pytest.fixture
def browser(chromium: Chrome, page: Path) -> Chrome:
    return opened(chromium, page)


def texts(browser: Chrome, selector: str) -> list[str]:
    return [it.text for it in browser.find_elements(By.CSS_SELECTOR, selector)]


def sites(browser: Chrome) -> list[str]:
    return texts(browser, "#rows .opener")


def test_advice_is_on_the_first_screen_and_a_cause_leads_to_its_sites(
    browser: Chrome,
) -> None:
    advice = browser.find_element(By.ID, "advice").rect
    assert advice["y"] + advice["height"] < 800
    browser.find_element(By.LINK_TEXT, "Allow").click()
    assert "cause=allow" in browser.current_url


def test_another_parser_has_its_numbers(browser: Chrome, plain: dict[str, Any]) -> None:
    Select(browser.find_element(By.ID, "parser")).select_by_value(PYTHON)

    numbers = plain["parsers"][PYTHON]["changes"].values()
    assert texts(browser, ".tile b") == [str(number) for number in numbers]
    assert f"parser={PYTHON}" in browser.current_url


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("q", "SPLIT.te", ["split.test"]),
        ("q", '<i>"ME"', sorted(CHANGES.keys() - {"same.test"})),
        ("change", "both", ["both.test"]),
        ("cause", "split-record", ["split.test"]),
    ],
)
def test_each_filter(browser: Chrome, name: str, value: str, left: list[str]) -> None:
    field = browser.find_element(By.NAME, name)
    if name == "q":
        field.send_keys(value)
    else:
        Select(field).select_by_value(value)

    assert sorted(sites(browser)) == left
    assert texts(browser, "#shown")[0].startswith(f"{len(left)} site")
    assert f" of {len(CHANGES)}" in texts(browser, "#shown")[0]
    assert f"{name}={quote(value)}" in browser.current_url


@pytest.mark.long
def test_column_header_sorts_ascending_then_descending(browser: Chrome) -> None:
    columns = len(browser.find_elements(By.CSS_SELECTOR, "#rows thead th"))
    # The last column cannot be tested, because its value is the same in all rows.
    for column in range(1, columns):
        head = browser.find_element(
            By.CSS_SELECTOR, f"#rows th:nth-child({column}) button"
        )
        orders = {}
        for _ in range(2):
            head.click()
            sort = browser.find_element(By.CSS_SELECTOR, "th[aria-sort]")
            cells = texts(browser, f"#rows .site > :nth-child({column})")
            orders[sort.get_attribute("aria-sort")] = cells

        assert orders.keys() == {"ascending", "descending"}
        assert orders["ascending"] != orders["descending"]


def test_row_opens_by_keyboard_to_the_file_with_marked_lines(browser: Chrome) -> None:
    browser.find_element(By.NAME, "q").send_keys("split.test")
    opener = browser.find_element(By.CSS_SELECTOR, ".opener")
    detail = browser.find_element(By.CSS_SELECTOR, "#rows .detail")

    assert not detail.is_displayed()
    opener.send_keys(Keys.ENTER)

    assert opener.get_attribute("aria-expanded") == "true"
    assert len(detail.find_elements(By.CSS_SELECTOR, "mark")) == 3
    assert "http://split.test/a" in detail.text
    assert "forbids it" in detail.text
    assert "blank line after a name" in detail.text
    assert "1994 F1, Ours O3, O5" in detail.text
    opener.send_keys(Keys.ENTER)
    assert not detail.is_displayed()


def test_every_site_and_view_has_a_link(chromium: Chrome, page: Path) -> None:
    browser = opened(chromium, page)
    Select(browser.find_element(By.NAME, "cause")).select_by_value("wildcard")
    browser.find_element(By.CSS_SELECTOR, ".opener").click()
    view = browser.current_url.partition("#")[2]
    link = browser.find_element(By.CSS_SELECTOR, ".permalink").get_attribute("href")
    before = sites(browser)

    assert sites(opened(chromium, page, f"#{view}")) == before
    site = opened(chromium, page, f"#{str(link).partition('#')[2]}")
    assert sites(site) == before[:1]
    assert len(texts(site, "mark")) > 0
    Select(site.find_element(By.NAME, "cause")).select_by_value("wildcard")
    assert sites(site) == before
    # The URL must not select properties such as `constructor` that every JavaScript object has.
    for state in ("#sort=__proto__", "#sort=constructor", "#parser=__proto__&page=-1"):
        assert len(sites(opened(chromium, page, state))) == len(CHANGES)


def test_link_to_a_hostile_site_runs_no_script(chromium: Chrome, page: Path) -> None:
    browser = opened(chromium, page, f"#site={quote(HOSTILE_LABEL)}")

    assert sites(browser) == [HOSTILE_LABEL]
    assert ROBOTS[1] in texts(browser, "#rows")[0]
    assert len(browser.find_elements(By.CSS_SELECTOR, "script")) == 2
    assert browser.find_elements(By.CSS_SELECTOR, "img, i, pre b") == []
    unknown = opened(chromium, page, "#site=<img src=x onerror=alert(1)>&sort=nothing")
    assert sites(unknown) == []
    assert "not listed" in texts(unknown, "#elsewhere")[0]


def test_page_logs_nothing_and_sends_no_request(chromium: Chrome, page: Path) -> None:
    # `get_log` returns only the entries since its previous call.
    log: Any = chromium.get_log
    log("performance")
    log("browser")
    for opener in opened(chromium, page).find_elements(By.CSS_SELECTOR, ".opener"):
        opener.click()

    assert log("browser") == []
    events = [json.loads(it["message"])["message"] for it in log("performance")]
    sent = [it for it in events if it["method"] == "Network.requestWillBeSent"]
    urls = {it["params"]["request"]["url"] for it in sent}
    # Chromium loads images for its own widgets.
    others = {url for url in urls if not url.startswith("chrome://")}
    assert others <= {page.as_uri(), "about:blank"}


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 500, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_each_screen_in_light_and_dark_and_axe_finds_nothing(
    chromium: Chrome, large_page: Path, page: Path, width: int, scheme: str
) -> None:
    with browsers.screen(chromium, width, scheme):
        browser = opened(chromium, large_page)
        for opener in browser.find_elements(By.CSS_SELECTOR, ".opener")[:3]:
            browser.execute_script("arguments[0].click()", opener)
        widths = [browsers.width_of(browser)]
        high = browser.execute_script("return document.documentElement.scrollHeight")
        body = browser.find_element(By.TAG_NAME, "body")
        colour = body.value_of_css_property("background-color")

        opened(chromium, page).find_element(By.CSS_SELECTOR, ".opener").click()
        widths.append(browsers.width_of(browser))
        tallest = browser.execute_script(
            "return Math.max(...Array.from(document.querySelectorAll('.numbers thead th'), "
            "it => it.offsetHeight))"
        )
        violations = browsers.violations(browser)

    assert max(widths) <= width
    assert high < 20_000
    assert ("246, 247, 249" in colour) == (scheme == "light")
    # A column that is too narrow would break its heading into single letters.
    assert tallest < 65
    assert violations == []


def test_no_cell_reaches_into_another_at_any_width(
    chromium: Chrome, page: Path
) -> None:
    found = {}
    with browsers.screen(chromium, 1280, "light"):
        browser = opened(chromium, page)
        for opener in browser.find_elements(By.CSS_SELECTOR, ".opener"):
            browser.execute_script("arguments[0].click()", opener)
    for width in range(360, 1601, 20):
        with browsers.screen(chromium, width, "light"):
            cells = browsers.overlapping_cells(browser)
            wide = browsers.width_of(browser)
        if cells or wide > width:
            found[width] = (wide, cells[:3])

    assert found == {}


@pytest.mark.long
def test_pages_go_through_all_sites(chromium: Chrome, large_page: Path) -> None:
    browser = opened(chromium, large_page, "#sort=site&down=0&page=198")

    assert sites(browser)[0] == "https://site-09900.test"
    browser.find_element(By.ID, "following").click()
    assert sites(browser)[-1] == f"https://site-{COUNT - 1:05}.test"
    assert len(sites(browser)) == 50
    assert not browser.find_element(By.ID, "following").is_enabled()
    assert "page=199" in browser.current_url
    browser.find_element(By.NAME, "q").send_keys("site-07777")
    assert sites(browser) == ["https://site-07777.test"]
