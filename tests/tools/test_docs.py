"""The documentation: its build, its pages in a browser, and its tables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
MAIN = ("index", "start", "moving", "stores", "refusals", "reference/settings")
"""The pages to check with axe, at two widths and in both color schemes."""


def written_codes(name: str) -> set[str]:
    """Return the inline literals of the page *name*, as Sphinx parsed them."""
    with (ROOT / f"docs/_build/doctrees/{name}.doctree").open("rb") as file:
        nodes = load(file).findall()  # noqa: S301 - Sphinx wrote it
    return {" ".join(it.astext().split()) for it in nodes if it.tagname == "literal"}


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.skipif(
    not os.environ.get("ROBOTS1994_TEST_ALL")
    and any(find_spec(name) is None for name in TOOLS),
    reason="needs the dependency group docs",
)
def test_docs_build_without_a_warning_and_axe_finds_nothing(tmp_path: Path) -> None:
    """The build itself checks examples, links and spelling."""
    done = subprocess.run(
        [ROOT / "docs" / "build"],
        env=os.environ | {"DOCS_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr

    pages = [it.relative_to(ROOT / "docs") for it in (ROOT / "docs").rglob("*.rst")]
    names = [it.with_suffix("").as_posix() for it in pages if it.parts[0][0] != "_"]
    found, wide, broken, lost = [], [], [], []
    with chromium(tmp_path) as browser:
        for width, name in product((390, 1280), sorted(names)):
            with screen(browser, width, "light"):
                browser.get((ROOT / f"docs/_build/html/{name}.html").as_uri())
                if width_of(browser) > width:
                    wide.append((name, width))
                if width > 1000:  # On a phone, names in code may break anywhere.
                    broken += [(name, it) for it in broken_words(browser)]
                copied = browser.execute_script(
                    "return [...document.querySelectorAll('code')].map(it => it.textContent)"
                )
                codes = {" ".join(it.split()) for it in copied}
                lost += [(name, it) for it in written_codes(name) - codes]
        for name, width, scheme in product(MAIN, (390, 1280), ("light", "dark")):
            with screen(browser, width, scheme):
                browser.get("about:blank")
                browser.get((ROOT / f"docs/_build/html/{name}.html").as_uri())
                found += [(name, width, scheme, it) for it in violations(browser)]
    assert (found, wide, broken, lost) == ([], [], [], [])


def test_generated_tables_are_those_of_the_code() -> None:
    program = ROOT / "docs" / "_ext" / "generated.py"
    done = subprocess.run(
        [sys.executable, program, "--check"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_each_stat_of_the_reference_is_counted_in_a_session() -> None:
    table = (ROOT / "docs/generated/stats.inc").read_text("utf-8")
    sessions = (ROOT / "tests/recorded").glob("*.txt")
    recorded = "\n".join(it.read_text("utf-8") for it in sessions)
    keys = re.findall(r"^``(.+)``$", table, re.MULTILINE)
    patterns = {it: re.sub(r"\{\w+\}", ".+", it) for it in keys}

    assert "robotstxt/forbidden" in keys
    assert [
        it for it in keys if not re.search(rf"(?m)^{patterns[it]}: ", recorded)
    ] == []


def test_each_test_that_a_page_names_exists() -> None:
    pages = [ROOT / "CONTRIBUTING.md"]
    pages += [it for end in ("md", "rst") for it in (ROOT / "docs").rglob(f"*.{end}")]
    named = {
        name
        for page in pages
        for name in re.findall(r"`(test_\w+)`", page.read_text("utf-8"))
    }
    tests = "".join(it.read_text("utf-8") for it in (ROOT / "tests").rglob("test_*.py"))

    assert len(named) > 20
    assert [it for it in sorted(named) if f"def {it}(" not in tests] == []


def ids_cited_in(folder: str) -> set[str]:
    """Return the ids in citations such as `Ours R3 to R5`."""
    texts = (it.read_text("utf-8") for it in (ROOT / folder).rglob("*.py"))
    citation = r"(?:1994|Ours|Usage|Revisited)((?:,? (?:and |to )?[A-Z]\d{1,2})+)"
    listed = " ".join(re.findall(citation, "".join(texts)))
    return {*re.findall(r"[A-Z]\d+", listed)}


def test_each_cited_id_has_a_row_and_code_cites_each_decision() -> None:
    pages = "".join(it.read_text("utf-8") for it in (ROOT / "docs").rglob("*.rst"))
    rows = {it.upper() for it in re.findall(r"\.\. _([a-z]\d{1,2}):", pages)}
    cited = ids_cited_in("scrapy_robots1994")

    assert (cited | ids_cited_in("tests")) - rows == set()
    assert {it for it in rows if it[0] in "OR"} - cited == set()
