"""The meaning of a status is defined in one place only: the row of the status in the outcome
table. Moving a status to another row changes how the whole crawl treats the status.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.crawl import crawl_changed
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
    urls = [site.url("/open"), site.url("/closed")]
    result = crawl_changed(urls, tmp_path, changes=MOVED)

    assert result["changed"] == [1] * len(MOVED)
    assert [url for url, _ in result["fetched"]] == [site.url("/open")]
    assert [it["verdict"]["reason"] for it in result["failed"]] == ["rule"]
    assert "HTTP 404, parsed" in result["log"]
