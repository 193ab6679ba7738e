"""Each session has the output, log and stats in its file (see `tests.support.recorded`).

`ROBOTS1994_RECORD=1 tests/run tests/recorded` records the sessions again.
"""

from __future__ import annotations

import os
import re
from difflib import unified_diff
from itertools import product
from pathlib import Path

import pytest
import scrapy

from tests.support.crawl import Reactor, reactors
from tests.support.left_out import long_after, require
from tests.support.recorded import play
from tests.support.site import Site

SESSIONS = sorted(Path(__file__).parent.glob("*.txt"))
# A browser shows the same page after a crawl on any reactor.
CRAWLS = [
    it
    for it in SESSIONS
    if "\n=== crawl" in (text := it.read_text("utf-8"))
    and "(needs Chromium)" not in text
]

RECORDS = "ROBOTS1994_RECORD" in os.environ
FIRST, *OTHERS = reactors()[: 1 if RECORDS else None]
PLAYED = long_after(
    len(SESSIONS), [*product([FIRST], SESSIONS), *product(OTHERS, CRAWLS)]
)


@pytest.mark.parametrize(
    ("reactor", "file"), PLAYED, ids=lambda it: getattr(it, "stem", it)
)
def test_session_is_as_recorded(
    reactor: Reactor, file: Path, tmp_path: Path, site: Site
) -> None:
    recorded = file.read_text("utf-8")
    if "(needs Chromium)" in recorded.partition("\n")[0]:
        require("browser")
    needed = re.search(r"\A.*\(needs Scrapy (\d+)\.(\d+)", recorded)
    if needed and scrapy.version_info < tuple(map(int, needed.groups())):
        pytest.skip(needed[0])
    played = play(recorded, tmp_path, site, reactor)
    if RECORDS:
        file.write_text(played, "utf-8")
        return
    lines = recorded.split("\n"), played.split("\n")
    differences = "\n".join(unified_diff(*lines, "recorded", "now", lineterm=""))

    assert not differences, differences
