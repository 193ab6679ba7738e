"""Pages with a table of tests: each row names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("page", "begin", "end", "header"),
    [
        ("docs/security.rst", "", "What other systems do", "promise"),
        ("docs/development/architecture.md", "What each mechanism is for", "", ""),
    ],
)
def test_every_row_names_a_test_that_exists(
    page: str, begin: str, end: str, header: str
) -> None:
    """Each row names a test, and each named test exists. Without this check, renaming
    or deleting a test could leave a promise or a mechanism without a test.
    """
    text = (ROOT / page).read_text("utf-8")
    rows = text[text.index(begin) : text.index(end) if end else None]
    # The page has a list-table, or a Markdown table with two header lines.
    is_markdown = page.endswith(".md")
    found = re.split(r"\n   \* - ", rows)[1:]
    if is_markdown:
        found = re.findall(r"(?m)^\|.*$", rows)[2:]
    assert len(found) > 10
    for row in found:
        assert "`test_" in row or row.startswith(f"{header}\n")

    named = set(re.findall(r"`(test_\w+)`", text))
    defined = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", file.read_text("utf-8"))
    }
    assert len(named) > 10
    assert sorted(named - defined) == []
