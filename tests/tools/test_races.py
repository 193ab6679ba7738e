"""The races run with `--quick`; the tests do not check their timings."""

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


def printed(*arguments: str) -> str:
    """Return what `tools/bench/run --quick ARGUMENTS` prints."""
    ran = subprocess.run(
        [ROOT / "tools/bench/run", "--quick", *arguments],
        cwd="/",
        env=os.environ | {"PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.long
def test_each_named_race_prints_its_rows(tmp_path: Path) -> None:
    """The published measurements have these rows."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /x\n")

    pages = printed("pages")
    extended = printed("extended")
    compared = printed("compare")
    parsed = printed("--corpus", str(tmp_path), "parsing")
    imported = printed("import")
    rfc9309 = printed("--corpus", str(tmp_path), "rfc9309")
    wildcards = printed("wildcards")
    evidence = printed("evidence")

    assert pages.count("ROBOTS1994_PAGES on") == 3
    assert "1,000 that are mixed, links followed" in pages
    assert "a question in extended, 1,000 rules" in extended
    assert "ours, compared with Protego" in compared
    assert "Protego" in parsed
    assert OURS in imported
    assert rfc9309.count("rfc9309: one question") == 4
    assert "ours, with evidence" in evidence
    assert "of it for the journal" in evidence
    assert "the record has ignored * and $" in wildcards


def test_corpus_may_be_a_folder_or_an_archive_of_files(tmp_path: Path) -> None:
    """An archive inside the folder would count as one robots.txt of noise."""
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
    """`tools/bench/run --json FILE`: results by name, values by side."""
    path = tmp_path / "results.json"

    assert main(["--quick", "--json", str(path), "extended", "import"]) == 0

    *_, imports = results = json.loads(path.read_text("utf-8"))["results"]
    assert all(it["values"] and all(it["values"].values()) for it in results)
    assert list(imports["values"]) == [OURS]
