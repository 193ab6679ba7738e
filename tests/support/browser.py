"""Open pages in Chromium and check their layout and, with axe-core, their accessibility."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


@contextmanager
def chromium(profile: Path) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    started = Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield started
    finally:
        started.quit()


def width_of(browser: Chrome) -> int:
    """Return the width of the page's content, in pixels."""
    return int(
        browser.execute_script("return document.documentElement.scrollWidth") or 0
    )


@contextmanager
def screen(browser: Chrome, width: int, scheme: str) -> Iterator[None]:
    """Emulate a window *width* pixels wide, with the color scheme "light" or "dark"."""
    is_mobile = width < 600
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": is_mobile}
    preferred = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": preferred})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def broken_words(browser: Chrome) -> list[str]:
    """Return the words in tables and in the sidebar's title that are broken across lines.

    A break at a separator, such as a slash, does not count.
    """
    found = browser.execute_script(
        """
        const broken = [];
        for (const cell of document.querySelectorAll("td, th, .sidebar-brand-text")) {
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const node = walker.currentNode;
            for (const word of node.data.matchAll(/[^\\s_\\/.=,:;?&()"'\\-]+/g)) {
              const range = document.createRange();
              range.setStart(node, word.index);
              range.setEnd(node, word.index + word[0].length);
              const tops = [...range.getClientRects()].filter((it) => it.width);
              if (new Set(tops.map((it) => Math.round(it.top))).size > 1)
                broken.push(word[0]);
            }
          }
        }
        return broken;
        """
    )
    return list(found)


def overlapping_cells(browser: Chrome) -> list[str]:
    """Return a line for each cell, tile or cause whose text sticks out or overlaps other text."""
    found = browser.execute_script(
        """
        const found = [];
        const area = (cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          const { left, right, top, bottom: end } = range.getBoundingClientRect();
          // If a file scrolls, the range includes its hidden lines.
          const file = cell.querySelector(".file");
          const bottom = Math.min(end, file ? file.getBoundingClientRect().bottom : end);
          return { cell, left, right, top, bottom };
        };
        for (const table of document.querySelectorAll("table, #causes, .tiles")) {
          const cells = table.querySelectorAll("th, td, .cause > *, .tile, .tiles .of");
          const areas = [...cells].map(area).filter((it) => it.right > Math.max(it.left, 0));
          for (const one of areas) {
            const box = one.cell.getBoundingClientRect();
            if (one.left < box.left - 1 || one.right > box.right + 1)
              found.push(`out of its cell: ${one.cell.innerText}`);
            for (const other of areas)
              if (other !== one && one.left < other.right - 1 && other.left < one.right - 1
                  && one.top < other.bottom - 1 && other.top < one.bottom - 1)
                found.push(`over another: ${one.cell.innerText}`);
          }
        }
        return found;
        """
    )
    return list(found)


def violations(browser: Chrome) -> list[str]:
    """Return the accessibility rules that the open page violates, with a line for each element."""
    script = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    # The content security policy of the page does not apply to scripts that the driver runs.
    browser.execute_script(script)
    found = browser.execute_async_script(
        """
        const done = arguments[arguments.length - 1];
        axe.run(document).then(({ violations }) => done(violations.flatMap(
          ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))));
        """
    )
    return list(found)
