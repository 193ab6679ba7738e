"""The page "Security": each promise has a test, which exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_promise_of_the_security_page_names_a_test_that_exists() -> None:
    """A promise whose test is renamed or deleted is none."""
    page = (ROOT / "docs/internals/security.rst").read_text("utf-8")
    promises = page.partition("What other systems do")[0]
    for row in re.split(r"\n   \* - ", promises)[1:]:
        assert "``test_" in row or row.startswith("promise\n")

    named = set(re.findall(r"``(test_\w+)``", page))
    defined = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", file.read_text("utf-8"))
    }
    assert len(named) > 30
    assert sorted(named - defined) == []
