"""The meaning of a status is defined in one place only: the row of the status in the outcome
table. Moving a status to another row changes how the whole crawl treats the status.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.crawl import OBEYING, QUIET, ROOT
from tests.support.replies import text
from tests.support.site import Site

OUTCOMES = "scrapy_robots1994.policy.outcomes"
MOVED = [
    [r'AnswerGroup\("404", .*\),', "", OUTCOMES],
    [r"range\(200, 300\)", "(*range(200, 300), 404)", OUTCOMES],
]
"""Changes of the source code that move 404 to the row of statuses whose files are obeyed.
"""


def test_status_in_the_row_of_files_has_its_body_obeyed(
    site: Site, tmp_path: Path
) -> None:
    """If 404 is in the row of files, the body of a 404 answer is obeyed. No other code
    decides which bodies are obeyed.
    """
    site.answer("/robots.txt", text("User-agent: *\nDisallow: /closed\n", 404))
    job: dict[str, Any] = {
        "changes": MOVED,
        "requests": [{"url": site.url("/open")}, {"url": site.url("/closed")}],
        "spider": "tests.support.child:RequestingSpider",
        "spider_args": {},
        "settings": QUIET | OBEYING["ours"],
        "reactor": "asyncio",
        "signals": [],
        "hook": "",
    }
    file = tmp_path / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    crawling = [sys.executable, "-m", "tests.support.changed_scrapy", str(file)]
    done = subprocess.run(
        crawling, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(file.with_name("result.json").read_text("utf-8"))

    assert result["changed"] == [1] * len(MOVED)
    assert [url for url, _ in result["fetched"]] == [site.url("/open")]
    assert [it["verdict"]["reason"] for it in result["failed"]] == ["rule"]
    assert "HTTP 404, parsed" in done.stderr
