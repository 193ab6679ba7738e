"""The instructions for writing a store in docs/stores.rst work."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.crawl import ROOT


def test_copied_contract_passes_for_the_store_in_the_documentation(
    tmp_path: Path,
) -> None:
    page = (ROOT / "docs" / "stores.rst").read_text("utf-8")
    block = page.partition(":caption: test_store.py\n")[2].partition("\nThen run")[0]
    lines = [line.removeprefix("    ") for line in block.splitlines()]
    (tmp_path / "test_store.py").write_text("\n".join(lines))
    shutil.copy(ROOT / "tests" / "stores" / "contract.py", tmp_path)
    (tmp_path / "mypackage").mkdir()
    shutil.copy(
        ROOT / "tests" / "support" / "folder_store.py",
        tmp_path / "mypackage" / "stores.py",
    )
    chosen = "killed or replaces or origins"
    command = [sys.executable, "-m", "pytest", "-q", "test_store.py", "-k", chosen]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stdout
    assert "7 passed" in ran.stdout
