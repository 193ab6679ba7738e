"""Run some of the benchmarks with `--quick`, without checking the times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.crawl import ROOT
from tools.bench.timing import OURS


@pytest.mark.long
def test_races_print_their_rows_and_write_every_value(tmp_path: Path) -> None:
    races = "parsing", "import", "memory", "cached"
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /x\n")
    options = ("--quick", "--corpus", tmp_path, "--json", tmp_path / "results.json")

    ran = subprocess.run(
        [ROOT / "tools/bench/run", *options, *races],
        cwd="/",
        env=os.environ | {"PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert OURS in ran.stdout
    results = json.loads((tmp_path / "results.json").read_text("utf-8"))["results"]
    assert len({it["what"] for it in results}) >= len(races)
    assert all(it["values"] and all(it["values"].values()) for it in results)
