"""Pages that say which test shows something: each row has a test, which exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("page", "begin", "end", "header"),
    [
        ("security", "", "What other systems do", "promise"),
        ("architecture", "What each mechanism is for", "", "mechanism"),
    ],
)
def test_every_row_names_a_test_that_exists(
    page: str, begin: str, end: str, header: str
) -> None:
    """A promise, or a mechanism, whose test is renamed or deleted is none."""
    text = (ROOT / f"docs/internals/{page}.rst").read_text("utf-8")
    rows = text[text.index(begin) : text.index(end) if end else None]
    for row in re.split(r"\n   \* - ", rows)[1:]:
        assert "``test_" in row or row.startswith(f"{header}\n")

    named = set(re.findall(r"``(test_\w+)``", text))
    defined = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", file.read_text("utf-8"))
    }
    assert len(named) > 15
    assert sorted(named - defined) == []
