"""Each session prints, logs and counts what is recorded in its file (see `tests.support.recorded`).

`ROBOTS1994_RECORD=1 tests/run tests/recorded` writes the files again.
"""

from __future__ import annotations

import os
import re
from difflib import unified_diff
from pathlib import Path

import pytest
import scrapy

from tests.support.left_out import require
from tests.support.recorded import play
from tests.support.site import Site

SESSIONS = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", SESSIONS, ids=lambda it: it.stem)
def test_session_is_as_recorded(file: Path, tmp_path: Path, site: Site) -> None:
    recorded = file.read_text("utf-8")
    if "(needs Chromium)" in recorded.partition("\n")[0]:
        require("browser")
    needed = re.search(r"\A.*\(needs Scrapy (\d+)\.(\d+)", recorded)
    if needed and scrapy.version_info < tuple(map(int, needed.groups())):
        pytest.skip(needed[0])
    played = play(recorded, tmp_path, site)
    if "ROBOTS1994_RECORD" in os.environ:
        file.write_text(played, "utf-8")
        return
    lines = recorded.split("\n"), played.split("\n")
    differences = "\n".join(unified_diff(*lines, "recorded", "now", lineterm=""))

    assert not differences, differences
