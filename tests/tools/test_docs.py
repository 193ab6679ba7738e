"""The documentation builds without a warning, and its pages are not too long."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("codespell_lib", "furo", "myst_parser", "sphinx")


def is_source(path: Path) -> bool:
    """Return whether *path* is a page, written or generated."""
    return path.suffix in {".rst", ".md", ".inc"} and "_build" not in path.parts


@pytest.mark.long
@pytest.mark.skipif(
    not os.environ.get("ROBOTS1994_TEST_ALL")
    and any(find_spec(name) is None for name in TOOLS),
    reason="needs the dependency group docs",
)
def test_docs_build_without_a_warning() -> None:
    """`docs/build` also checks examples, internal links and spelling."""
    done = subprocess.run(
        [ROOT / "docs" / "build"],
        env=os.environ | {"DOCS_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=480,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def test_no_page_is_longer_than_300_lines() -> None:
    """The README has at most 150 lines."""
    pages = [path for path in (ROOT / "docs").rglob("*") if is_source(path)]
    assert pages
    too_long = [p.name for p in pages if len(p.read_text("utf-8").splitlines()) > 300]
    assert not too_long
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
