"""Tests that run the benchmarks with `--quick`. The tests do not check the measured
times.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.crawl import ROOT
from tools.bench.__main__ import main
from tools.bench.corpus import read_corpus
from tools.bench.timing import OURS


@pytest.mark.long
@pytest.mark.parametrize("race", ["parsing", "import", "memory", "cached"])
def test_race_prints_its_rows(race: str, tmp_path: Path) -> None:
    """`tools/bench/run --quick NAME` prints the rows of the benchmark NAME. The current
    folder need not be the folder of the project.
    """
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /x\n")

    ran = subprocess.run(
        [ROOT / "tools/bench/run", "--quick", "--corpus", str(tmp_path), race],
        cwd="/",
        env=os.environ | {"PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert OURS in ran.stdout


def test_corpus_may_be_a_folder_or_an_archive_of_files(tmp_path: Path) -> None:
    """A corpus can be a folder or an archive of robots.txt files. A folder that contains
    an archive is rejected, because the archive would count as one robots.txt.
    """
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("b.test", "a.test"):
        (folder / name).write_text(name)
    archive = shutil.make_archive(str(tmp_path / "files"), "xztar", folder)

    assert read_corpus(str(folder)) == read_corpus(archive) == [b"a.test", b"b.test"]

    shutil.move(archive, folder)
    with pytest.raises(SystemExit, match="is an archive, not a"):
        read_corpus(str(folder))
    with pytest.raises(SystemExit, match="neither a folder nor a tar archive"):
        read_corpus(str(folder / "a.test"))


@pytest.mark.long
def test_json_option_writes_every_value_of_a_side(tmp_path: Path) -> None:
    """With `--json FILE`, the benchmarks write each result to FILE, with the values of
    each side.
    """
    path = tmp_path / "results.json"

    assert main(["--quick", "--json", str(path), "questions", "import"]) == 0

    *_, imports = results = json.loads(path.read_text("utf-8"))["results"]
    assert all(it["values"] and all(it["values"].values()) for it in results)
    assert list(imports["values"]) == [OURS]
