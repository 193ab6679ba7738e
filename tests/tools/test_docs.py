"""Tests of the documentation: the build, the pages in a browser, and the number of pages."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from pickle import load

import pytest

from tests.support.browser import (
    broken_words,
    chromium,
    screen,
    violations,
    width_of,
)

ROOT = Path(__file__).parents[2]
TOOLS = ("codespell_lib", "furo", "myst_parser", "sphinx")


PAGES = (
    *("index", "start", "moving", "stores", "refusals"),
    "reference/settings",
)
"""The pages that are read most often."""


needs_docs = pytest.mark.skipif(
    not os.environ.get("ROBOTS1994_TEST_ALL")
    and any(find_spec(name) is None for name in TOOLS),
    reason="needs the dependency group docs",
)


class Copied(HTMLParser):
    """The text of each `<code>` in a page, as a browser copies it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.codes: list[str] = []
        self._depth = 0
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        """Begin a new text at a `<code>`."""
        if tag == "code":
            self._depth += 1
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        """End the text at a `</code>`."""
        self._depth -= tag == "code"

    def handle_data(self, data: str) -> None:
        """Add *data* to the text of the open `<code>`."""
        if self._depth:
            self.codes[-1] += data


@pytest.mark.long
@needs_docs
def test_copied_code_is_what_the_source_of_the_page_says(tmp_path: Path) -> None:
    """What one copies from a built page, such as the value of a setting, is what was
    written.
    """
    build = (
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        "html",
        ROOT / "docs",
        tmp_path,
    )
    subprocess.run(build, check=True, timeout=480)

    pages = sorted((tmp_path / ".doctrees").rglob("*.doctree"))
    lost = {}
    for path in pages:
        name = path.relative_to(tmp_path / ".doctrees").with_suffix("")
        with path.open("rb") as file:
            found = list(load(file).findall())  # noqa: S301 - Sphinx wrote it
        written = {
            " ".join(it.astext().split()) for it in found if it.tagname == "literal"
        }
        page = Copied((tmp_path / name).with_suffix(".html"))
        lost[str(name)] = written - {" ".join(it.split()) for it in page.codes}
    assert len(pages) > 15
    assert {name: codes for name, codes in lost.items() if codes} == {}


@pytest.mark.long
@pytest.mark.browser
@needs_docs
def test_docs_build_without_a_warning_and_axe_finds_nothing(tmp_path: Path) -> None:
    """The build finds no error in examples, links and spelling. On a phone and on a
    desktop, no page breaks words in tables. The main pages are not too wide, and axe
    finds no violation in the main pages.
    """
    done = subprocess.run(
        [ROOT / "docs" / "build"],
        env=os.environ | {"DOCS_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=480,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr

    found, wide, broken = [], [], []
    with chromium(tmp_path) as browser:
        for path in sorted((ROOT / "docs").rglob("*.rst")):
            name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
            if name[0] == "_":
                continue
            for width in (390, 1280):
                with screen(browser, width, "light"):
                    browser.get((ROOT / f"docs/_build/html/{name}.html").as_uri())
                    broken += [(name, width, it) for it in broken_words(browser)]
        for name, width, scheme in product(PAGES, (390, 1280), ("light", "dark")):
            with screen(browser, width, scheme):
                browser.get("about:blank")
                browser.get((ROOT / f"docs/_build/html/{name}.html").as_uri())
                found += [(name, width, scheme, it) for it in violations(browser)]
                if width_of(browser) > width:
                    wide.append((name, width))
    assert (found, wide, broken) == ([], [], [])


def test_generated_tables_are_those_of_the_code() -> None:
    """`docs/_ext/generated.py` writes them; they are committed to be read there."""
    program = ROOT / "docs" / "_ext" / "generated.py"
    done = subprocess.run(
        [sys.executable, program, "--check"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_documentation_has_at_most_24_pages() -> None:
    """The documentation has 16 to 24 pages, so that readers can find a page by its title.
    The README has at most 150 lines.
    """
    pages = [p for p in (ROOT / "docs").rglob("*.rst") if p.parent.name[0] != "_"]
    assert 15 < len(pages) <= 24
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
